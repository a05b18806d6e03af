package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
)

// fragment is a piece of a tool call. Servers disagree on which of its members come with every piece.
type fragment struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"` // a string; an object from some servers
	} `json:"function"`
}

// openCall is a tool call whose pieces are still arriving.
type openCall struct {
	index     *int
	id, name  string
	arguments strings.Builder
}

// addFragment appends a piece to the call it belongs to.
func (a *assembly) addFragment(f fragment) {
	call, again := a.find(f)
	if again {
		return
	}
	if call == nil {
		call = &openCall{index: f.Index, id: f.ID}
		a.calls = append(a.calls, call)
	}
	if call.id == "" {
		call.id = f.ID
	}
	if call.name == "" { // some servers repeat the name in every piece
		call.name = f.Function.Name
	}
	var text string
	if json.Unmarshal(f.Function.Arguments, &text) != nil {
		text = string(f.Function.Arguments)
	}
	call.arguments.WriteString(text)
}

// find returns the call that a fragment continues, nil if it opens a new one. again reports a complete call that is
// sent a second time under another index.
func (a *assembly) find(f fragment) (call *openCall, again bool) {
	for _, c := range slices.Backward(a.calls) {
		switch {
		case f.ID != "" && f.ID == c.id:
			return c, !c.sameIndex(f) && c.complete()
		case !c.sameIndex(f), f.ID != "" && c.id != "": // a piece of another call
		case c.isFollowedBy(f):
			return nil, false
		default:
			return c, false
		}
	}
	return nil, false
}

// sameIndex reports whether the indexes allow f to be a piece of c; an absent one allows everything.
func (c *openCall) sameIndex(f fragment) bool {
	return f.Index == nil || c.index == nil || *f.Index == *c.index
}

// isFollowedBy reports whether f begins the next call, where there are no ids to tell: it names a tool although c is
// complete, or names another one.
func (c *openCall) isFollowedBy(f fragment) bool {
	return f.Function.Name != "" && (c.complete() || c.name != f.Function.Name)
}

// complete reports whether the arguments are whole. It is asked for each piece, so that it looks at the end first.
func (c *openCall) complete() bool {
	text := c.arguments.String()
	return strings.HasSuffix(text, "}") && isObject([]byte(text))
}

// toolCall is the call as it stands in the history. A call without an id gets one: its result has to name it.
func (c *openCall) toolCall() ToolCall {
	if c.id == "" {
		c.id = "call_" + rand.Text()
	}
	return ToolCall{c.id, "function", FunctionCall{c.name, c.arguments.String()}}
}

// isObject reports whether data is a JSON object.
func isObject(data []byte) bool {
	data = bytes.TrimSpace(data)
	return len(data) > 0 && data[0] == '{' && json.Valid(data)
}

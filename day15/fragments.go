package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
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
	for i := len(a.calls) - 1; i >= 0; i-- {
		c := a.calls[i]
		sameIndex := f.Index == nil || c.index == nil || *f.Index == *c.index
		switch {
		case f.ID != "" && f.ID == c.id:
			return c, !sameIndex && c.complete()
		case !sameIndex, f.ID != "" && c.id != "":
			continue
		case f.Function.Name != "" && (f.ID == "" || c.id == "") && (c.complete() || c.name != f.Function.Name):
			return nil, false // without ids to compare, a name after a complete call opens the next one
		}
		return c, false
	}
	return nil, false
}

func (c *openCall) complete() bool {
	return isObject([]byte(c.arguments.String()))
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

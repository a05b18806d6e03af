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
	call := a.find(f)
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
	call.arguments.WriteString(f.text())
}

// text is the fragment's piece of the arguments.
func (f fragment) text() string {
	var text string
	if json.Unmarshal(f.Function.Arguments, &text) != nil {
		return string(f.Function.Arguments)
	}
	return text
}

// blank reports whether a piece of arguments says nothing.
func blank(text string) bool { return strings.TrimSpace(text) == "" }

// find returns the call that a fragment continues, nil if it opens a new one.
func (a *assembly) find(f fragment) *openCall {
	for _, c := range slices.Backward(a.calls) {
		sameID := f.ID != "" && f.ID == c.id
		indexed := f.Index != nil && c.index != nil
		switch {
		case sameID && indexed && *f.Index == *c.index: // id and index come with every piece
			return c
		case sameID && indexed && c.complete(): // the call once more, or another one under its id
			return nil
		case sameID && f.Function.Name == c.name && blank(f.text()): // nothing new
			return c
		case !sameID && (!c.sameIndex(f) || f.ID != "" && c.id != ""): // a piece of another call
		case c.isFollowedBy(f):
			return nil
		default:
			return c
		}
	}
	return nil
}

// toolCalls are the calls as they stand in the history. Servers send a call twice, and give one id to several calls;
// each call has to have its own.
func (a *assembly) toolCalls() (calls []ToolCall) {
	for i, c := range a.calls {
		if slices.ContainsFunc(a.calls[:i], c.repeats) {
			continue
		}
		call := ToolCall{c.id, "function", FunctionCall{c.name, c.arguments.String()}}
		taken := func(other ToolCall) bool { return other.ID == call.ID }
		if call.ID == "" || slices.ContainsFunc(calls, taken) {
			call.ID = "call_" + rand.Text()
		}
		calls = append(calls, call)
	}
	return calls
}

// sameIndex reports whether the indexes allow f to be a piece of c; an absent one allows everything.
func (c *openCall) sameIndex(f fragment) bool {
	return f.Index == nil || c.index == nil || *f.Index == *c.index
}

// isFollowedBy reports whether f begins the next call, where ids and indexes do not tell: it names a tool although c is
// complete, or names another one.
func (c *openCall) isFollowedBy(f fragment) bool {
	return f.Function.Name != "" && (c.complete() || c.name != f.Function.Name)
}

// repeats reports whether c is an earlier call that was sent again, with other white space or without its arguments.
func (c *openCall) repeats(earlier *openCall) bool {
	if c.id == "" || c.id != earlier.id || c.name != "" && c.name != earlier.name {
		return false
	}
	args := c.arguments.String()
	return blank(args) || compact([]byte(args)) == compact([]byte(earlier.arguments.String()))
}

// complete reports whether the arguments are whole. It is asked for each piece, so that it looks at the end first.
func (c *openCall) complete() bool {
	text := c.arguments.String()
	return strings.HasSuffix(text, "}") && isObject([]byte(text))
}

// isObject reports whether data is a JSON object.
func isObject(data []byte) bool {
	data = bytes.TrimSpace(data)
	return len(data) > 0 && data[0] == '{' && json.Valid(data)
}

package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// value is a JSON value that arrives in pieces. It keeps all members, also those that this program does not know. The
// zero value is one of which nothing has come yet.
type value struct {
	object map[string]value
	list   []value
	raw    json.RawMessage // of anything else; half a character at the end of a string is completed by the next piece
}

// UnmarshalJSON takes a value apart.
func (v *value) UnmarshalJSON(data []byte) error {
	switch data[0] {
	case '{':
		return json.Unmarshal(data, &v.object)
	case '[':
		return json.Unmarshal(data, &v.list)
	}
	v.raw = bytes.Clone(data)
	return nil
}

// MarshalJSON puts it together.
func (v value) MarshalJSON() ([]byte, error) {
	if v.object != nil {
		return json.Marshal(v.object)
	}
	if v.list != nil {
		return json.Marshal(v.list)
	}
	return v.raw.MarshalJSON()
}

// text returns a member that is a string, else "".
func (v value) text(name string) (text string) {
	_ = json.Unmarshal(v.object[name].raw, &text)
	return text
}

// textValue returns text as a value.
func textValue(text string) value { return value{raw: json.RawMessage(quoted(text))} }

// merge adds a piece of what is called name: strings are appended, objects merged member by member, elements of a list
// merged into those that they continue. A member that is null says nothing.
func (v *value) merge(name string, piece value) {
	quote := []byte(`"`)
	switch {
	case name == "arguments" && piece.object != nil: // the object itself, where the API has its text
		data, _ := json.Marshal(piece)
		v.merge(name, textValue(string(data)))
	case name == "content" && piece.list != nil: // a list of parts, where others send text
		for _, part := range piece.list {
			v.merge(name, part.object["text"])
		}
	case piece.object != nil:
		if v.object == nil {
			v.object = map[string]value{}
		}
		for name, member := range piece.object {
			if string(member.raw) != "null" {
				whole := v.object[name]
				whole.merge(name, member)
				v.object[name] = whole
			}
		}
	case piece.list != nil:
		if v.list == nil {
			v.list = []value{}
		}
		for _, element := range piece.list {
			v.continued(name, element).merge("", element)
		}
	case len(v.raw) > len(`""`) && slices.Contains([]string{"role", "id", "type", "name"}, name): // some servers repeat it
	case bytes.HasPrefix(v.raw, quote) && bytes.HasPrefix(piece.raw, quote):
		v.raw = append(v.raw[:len(v.raw)-1], piece.raw[1:]...)
	case piece.raw != nil:
		v.raw = piece.raw
	}
}

// continued returns the element of a list that a piece continues, or a new one. Servers disagree on which of id, index
// and name come with every piece of a tool call, and some give one index, or one id, to several.
func (v *value) continued(name string, piece value) *value {
	differ := func(a, b string) bool { return a != "" && b != "" && a != b }
	calls, index, id := name == "tool_calls", string(piece.object["index"].raw), piece.text("id")
	tool := piece.object["function"].text("name")
	for i := len(v.list) - 1; i >= max(0, len(v.list)-maxCalls) && (calls || index != ""); i-- {
		element := &v.list[i]
		if differ(index, string(element.object["index"].raw)) || differ(id, element.text("id")) {
			continue
		}
		function := element.object["function"]
		if tool != "" && (differ(tool, function.text("name")) || isObject(function.text("arguments"))) {
			break // it begins a call
		}
		return element
	}
	if calls && len(v.list) > maxCalls {
		return &value{} // of so many, none is run
	}
	v.list = append(v.list, value{})
	return &v.list[len(v.list)-1]
}

// goodName matches what the API takes for a tool's name.
var goodName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// finishCalls returns the tool calls of a message as the model wrote them, without those that were sent twice. What stays
// in the message is valid, for the API reads its own history strictly: a bad name is kept as "unknown", arguments that are
// not an object as {}, and each call has an id of its own.
func (v *value) finishCalls() (calls []Call) {
	var kept []value
	seen := map[string]bool{" ": true} // "id ", and "id arguments"
	for _, call := range v.object["tool_calls"].list {
		function, id := call.object["function"], call.text("id")
		name, arguments := function.text("name"), function.text("arguments")
		key, known := id+" "+compact([]byte(arguments)), seen[id+" "]
		if function.object == nil || id != "" && seen[key] {
			continue // no call, or one once more, with other white space or without its arguments
		}
		calls = append(calls, Call{name, arguments})
		if seen[key], seen[id+" "] = true, true; known {
			id = "call_" + rand.Text()
		}
		if !goodName.MatchString(name) {
			name = "unknown"
		}
		if !isObject(arguments) {
			arguments = "{}"
		}
		function.object["name"], function.object["arguments"] = textValue(name), textValue(arguments)
		call.object["id"], call.object["type"] = textValue(id), textValue("function")
		delete(call.object, "index")
		kept = append(kept, call)
	}
	if delete(v.object, "tool_calls"); kept != nil {
		v.object["tool_calls"] = value{list: kept}
	}
	return calls
}

// isObject reports whether text is a JSON object.
func isObject(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(text), "{") && json.Valid([]byte(text))
}

// reason finds what an error says, whatever its shape: {"error":{"message":"…"}}, [{"error":"…"}], {"detail":"…"}, …
func (v value) reason() (why string) {
	if len(v.list) > 0 {
		return v.list[0].reason()
	}
	_ = json.Unmarshal(v.raw, &why)
	for _, name := range []string{"message", "error", "detail", "msg"} {
		if member, ok := v.object[name]; ok && why == "" {
			why = member.reason()
		}
	}
	return why
}

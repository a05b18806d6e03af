package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// partial is a JSON object that arrives in pieces. In it a string is a rawText, an object a partial, a list a []any, null
// is nil, and anything else a json.RawMessage. Members that this program does not know are kept like all others.
type partial map[string]any

// rawText is a string as it stands in JSON, without its quotes: pieces can be joined even where one of them ends in the
// middle of a character.
type rawText []byte

// String is the text itself; half a character is U+FFFD.
func (t rawText) String() string {
	if utf8.Valid(t) && !bytes.ContainsRune(t, '\\') {
		return string(t)
	}
	var s string
	data, _ := t.MarshalJSON()
	_ = json.Unmarshal(data, &s) // it comes from valid JSON
	return s
}

// MarshalJSON writes the text as a JSON string; it never fails.
func (t rawText) MarshalJSON() ([]byte, error) {
	return slices.Concat([]byte(`"`), t, []byte(`"`)), nil
}

// text returns what has come of a member that is a string, else "".
func (o partial) text(name string) string {
	t, _ := o[name].(rawText)
	return t.String()
}

// parse returns a JSON value in the form that it has in a partial; nil where there is none. It is valid, as encoding/json leaves it.
func parse(value json.RawMessage) any {
	if len(value) == 0 {
		return nil
	}
	switch value[0] {
	case '"':
		return rawText(value[1 : len(value)-1])
	case '{':
		var members map[string]json.RawMessage
		_ = json.Unmarshal(value, &members)
		o := partial{}
		for name, member := range members {
			o[name] = parse(member)
		}
		return o
	case '[':
		var elements []json.RawMessage
		_ = json.Unmarshal(value, &elements)
		list := []any{}
		for _, element := range elements {
			list = append(list, parse(element))
		}
		return list
	case 'n':
		return nil
	}
	return value
}

// merge adds the members of a piece; null says nothing.
func (o partial) merge(piece partial) {
	for name, value := range piece {
		if value != nil {
			o[name] = merged(name, o[name], value)
		}
	}
}

// merged returns the value of a member after a piece of it has come: strings are appended, objects merged, elements of a
// list merged into those that they continue.
func merged(name string, old, piece any) any {
	switch piece := piece.(type) {
	case rawText:
		text, _ := old.(rawText)
		if len(text) > 0 && slices.Contains([]string{"role", "id", "type", "name"}, name) {
			return text // some servers repeat it
		}
		return append(text, piece...)
	case partial:
		if name == "arguments" { // the object itself, where the API has its text
			data, _ := json.Marshal(piece)
			return merged(name, old, parse(json.RawMessage(quoted(string(data)))))
		}
		object, ok := old.(partial)
		if !ok {
			object = partial{}
		}
		object.merge(piece)
		return object
	case []any:
		list, _ := old.([]any)
		for _, element := range piece {
			part, _ := element.(partial)
			if name == "content" { // a list of parts, where others send text
				text, _ := part["text"].(rawText)
				old = merged(name, old, text)
			} else if at := continued(list, part, name == "tool_calls"); at >= 0 {
				list[at] = merged("", list[at], element)
			} else if name != "tool_calls" || len(list) <= maxCalls { // of more, none is run
				list = append(list, merged("", nil, element))
			}
		}
		if name == "content" {
			return old
		}
		return list
	}
	return piece
}

// continued returns the place of the element that a piece continues, or -1: the one with its index. Of tool calls, servers
// disagree on which of id, index and name come with every piece, and some give one index, or one id, to several.
func continued(list []any, piece partial, calls bool) int {
	itsIndex, _ := piece["index"].(json.RawMessage)
	itsID := piece.text("id")
	itsName, _ := piece.function()
	for i := len(list) - 1; i >= max(0, len(list)-maxCalls); i-- {
		element, _ := list[i].(partial)
		index, _ := element["index"].(json.RawMessage)
		otherIndex := index != nil && itsIndex != nil && !bytes.Equal(index, itsIndex)
		switch id := element.text("id"); {
		case !calls && itsIndex != nil && !otherIndex:
			return i
		case !calls, itsID != id && itsID != "" && id != "", otherIndex && (itsID == "" || itsID != id): // it is another one
		default:
			name, arguments := element.function()
			if itsName != "" && name != "" && itsName != name || (itsName != "" || otherIndex) && isObject(arguments) {
				return -1 // it begins a call
			}
			return i
		}
	}
	return -1
}

// function returns the name and the arguments of a tool call, as far as they have come.
func (o partial) function() (name, arguments string) {
	function, _ := o["function"].(partial)
	return function.text("name"), function.text("arguments")
}

// goodName matches what the API takes for a tool's name.
var goodName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// finishCalls returns the tool calls of a message as the model wrote them, without those that were sent twice. What stays
// in the message is valid, for the API reads its own history strictly: a bad name is kept as "unknown", arguments that are
// not an object as {}, and each call has an id of its own.
func (o partial) finishCalls() (calls []Call) {
	list, _ := o["tool_calls"].([]any)
	var kept []any
	seen := map[string]bool{"": true} // ids, and ids with arguments
	for _, element := range list {
		call, _ := merged("", element, partial{}).(partial)
		function, _ := merged("", call["function"], partial{}).(partial)
		id := call.text("id")
		name, arguments := call.function()
		key := compact([]byte(strings.TrimSpace(arguments)))
		if id != "" && seen[id] && (key == "" || seen[id+" "+key]) {
			continue // once more, with other white space or without its arguments
		}
		calls = append(calls, Call{name, arguments})
		if seen[id+" "+key] = true; seen[id] {
			id = "call_" + rand.Text()
		}
		seen[id] = true
		if !goodName.MatchString(name) {
			name = "unknown"
		}
		if !isObject(arguments) {
			arguments = "{}"
		}
		function["name"], function["arguments"] = name, arguments
		call["id"], call["type"], call["function"] = id, "function", function
		delete(call, "index")
		kept = append(kept, call)
	}
	if delete(o, "tool_calls"); kept != nil {
		o["tool_calls"] = kept
	}
	return calls
}

// isObject reports whether text is a JSON object. It is asked for each piece, so that it looks at the end first.
func isObject(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") && json.Valid([]byte(text))
}

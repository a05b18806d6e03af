package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxElements is how many elements a list in a model's message may have, such as that of its tool calls.
const maxElements = 128

// partial is a JSON object that arrives in pieces. A string in it is a rawText, an object a partial, a list a []any;
// numbers and the like stay raw. Members that this program does not know are kept like all others.
type partial map[string]any

// rawText is a string as it stands in JSON, without its quotes: pieces can be joined even where one of them ends in the
// middle of a character.
type rawText []byte

// String is the text itself; half a character is U+FFFD.
func (t rawText) String() string {
	var s string
	_ = json.Unmarshal(t.quoted(), &s) // it comes from valid JSON
	return s
}

// MarshalJSON writes the text as a JSON string.
func (t rawText) MarshalJSON() ([]byte, error) { return t.quoted(), nil }

func (t rawText) quoted() []byte { return slices.Concat([]byte(`"`), t, []byte(`"`)) }

// whole returns how many bytes of the text can be shown, whatever follows: a character at its end may lack bytes, or the
// second escape of its pair (\ud83c\udf89).
func (t rawText) whole() int {
	end := len(t)
	if at := end - 6; at >= 0 && t[at] == '\\' && t[at+1] == 'u' && t[at+2]|0x20 == 'd' && bytes.IndexByte([]byte("89abAB"), t[at+3]) >= 0 {
		if escaping := at - len(bytes.TrimRight(t[:at], `\`)); escaping%2 == 0 {
			return at
		}
	}
	for at := end - 1; at >= max(0, end-utf8.UTFMax); at-- {
		if utf8.RuneStart(t[at]) {
			if !utf8.FullRune(t[at:]) {
				return at
			}
			break
		}
	}
	return end
}

// text returns what has come of a member that is a string, else "".
func (o partial) text(name string) string {
	t, _ := o[name].(rawText)
	return t.String()
}

// merge adds the members of a piece: strings are appended, objects merged, elements of a list merged into those that they
// continue. Null says nothing. It fails where a list gets too long.
func (o partial) merge(piece json.RawMessage) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(piece, &members); err != nil {
		return err
	}
	for name, value := range members {
		if string(value) == "null" {
			continue
		}
		var err error
		if o[name], err = merged(name, o[name], value); err != nil {
			return err
		}
	}
	return nil
}

// merged returns the value of a member after a piece of it has come.
func merged(name string, old any, piece json.RawMessage) (any, error) {
	switch {
	case name == "content" && piece[0] == '[': // a list of parts, where others send text
		piece = json.RawMessage(quoted(partsText(piece)))
	case name == "arguments" && piece[0] == '{': // the object itself, where the API has its text
		piece = json.RawMessage(quoted(string(piece)))
	}
	switch piece[0] {
	case '"':
		t, _ := old.(rawText)
		if len(t) > 0 && slices.Contains([]string{"role", "id", "type", "name"}, name) {
			return t, nil // some servers repeat it
		}
		return append(t, piece[1:len(piece)-1]...), nil
	case '{':
		o, ok := old.(partial)
		if !ok {
			o = partial{}
		}
		return o, o.merge(piece)
	case '[':
		list, _ := old.([]any)
		return mergedList(name, list, piece)
	}
	return piece, nil
}

// mergedList returns a list after a piece of it has come.
func mergedList(name string, list []any, piece json.RawMessage) ([]any, error) {
	var elements []json.RawMessage
	if err := json.Unmarshal(piece, &elements); err != nil {
		return list, err
	}
	for _, element := range elements {
		value, err := merged("", nil, element)
		if err != nil {
			return list, err
		}
		at := continued(list, value, name == "tool_calls")
		switch {
		case at >= 0:
			list[at], err = merged("", list[at], element)
		case len(list) == maxElements:
			err = fmt.Errorf("there are more than %d %s", maxElements, name)
		default:
			list = append(list, value)
		}
		if err != nil {
			return list, err
		}
	}
	return list, nil
}

// continued returns the place of the element that a piece continues: the one with its index. Of tool calls, servers
// disagree on which of id, index and name come with every piece, and some give one index, or one id, to several. -1 stands
// for a new element.
func continued(list []any, piece any, calls bool) int {
	p, _ := piece.(partial)
	for i, element := range slices.Backward(list) {
		e, _ := element.(partial)
		index, _ := e["index"].(json.RawMessage)
		itsIndex, _ := p["index"].(json.RawMessage)
		otherIndex := index != nil && itsIndex != nil && !bytes.Equal(index, itsIndex)
		id, itsID := e.text("id"), p.text("id")
		switch {
		case !calls && (otherIndex || itsIndex == nil):
		case !calls:
			return i
		case itsID != id && itsID != "" && id != "", otherIndex && (itsID == "" || itsID != id): // a piece of another call
		default:
			name, arguments := e.function()
			itsName, _ := p.function()
			begins := itsName != "" && name != "" && itsName != name || (itsName != "" || otherIndex) && isObject(arguments)
			if begins {
				return -1
			}
			return i
		}
	}
	return -1
}

// function returns the name and the arguments of a tool call, as far as they have come.
func (o partial) function() (name, arguments string) {
	f, _ := o["function"].(partial)
	return f.text("name"), f.text("arguments")
}

// goodName matches what the API takes for a tool's name.
var goodName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// finishCalls returns the tool calls of a message as the model wrote them, without those that were sent twice. What stays
// in the message is valid, for the API reads its own history strictly: a bad name is kept as "unknown", arguments that are
// not an object as {}, and each call has an id of its own.
func (o partial) finishCalls() (calls []Call) {
	list, _ := o["tool_calls"].([]any)
	var kept []any
	ids := map[string]bool{"": true}
	seen := map[string]bool{}
	for _, element := range list {
		call, _ := element.(partial)
		id := call.text("id")
		name, arguments := call.function()
		key := compact([]byte(strings.TrimSpace(arguments)))
		if ids[id] && id != "" && (key == "" || seen[id+key]) {
			continue // once more, with other white space or without its arguments
		}
		seen[id+key] = true
		calls = append(calls, Call{name, arguments})
		if ids[id] {
			id = "call_" + rand.Text()
		}
		ids[id] = true
		if !goodName.MatchString(name) {
			name = "unknown"
		}
		if !isObject(arguments) {
			arguments = "{}"
		}
		function, ok := call["function"].(partial)
		if !ok {
			function = partial{}
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

// partsText is the text of a content that comes as a list of parts.
func partsText(list json.RawMessage) (text string) {
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(list, &parts) // a part of another shape has no text
	for _, part := range parts {
		text += part.Text
	}
	return text
}

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// jsonObject is a JSON object that keeps its order, and its values byte for byte: a map would sort the one, a float64
// would round the other.
type jsonObject []jsonMember

type jsonMember struct {
	key   string
	value json.RawMessage
}

// parseObject fails if text is no JSON object. Of a key that stands twice the last value counts.
func parseObject(text json.RawMessage) (jsonObject, error) {
	var object jsonObject
	seen := map[string]int{} // key → index
	whole := json.Valid(text) && members(text, func(key string, value json.RawMessage) {
		name := stringValue(json.RawMessage(`"` + key + `"`))
		if i, twice := seen[name]; twice {
			object[i].value = value
			return
		}
		seen[name] = len(object)
		object = append(object, jsonMember{name, value})
	})
	if !whole {
		return nil, errors.New("not a JSON object")
	}
	return object, nil
}

func (o jsonObject) index(key string) int {
	return slices.IndexFunc(o, func(m jsonMember) bool { return m.key == key })
}

// get returns nil where there is no such key.
func (o jsonObject) get(key string) json.RawMessage {
	if i := o.index(key); i >= 0 {
		return o[i].value
	}
	return nil
}

// set replaces a value in its place, or appends it.
func (o *jsonObject) set(key string, value json.RawMessage) {
	if i := o.index(key); i >= 0 {
		(*o)[i].value = value
		return
	}
	*o = append(*o, jsonMember{key, value})
}

// remove does nothing where there is no such key.
func (o *jsonObject) remove(key string) {
	*o = slices.DeleteFunc(*o, func(m jsonMember) bool { return m.key == key })
}

// json is the object as JSON text.
func (o jsonObject) json() json.RawMessage {
	var b bytes.Buffer
	for i, member := range o {
		b.WriteByte("{,"[min(i, 1)])
		b.Write(jsonString(member.key))
		b.WriteByte(':')
		b.Write(member.value)
	}
	if len(o) == 0 {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return b.Bytes()
}

// nesting returns how deep a JSON text nests. text must be valid JSON.
func nesting(text json.RawMessage) (deepest int) {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++ // what is escaped does not end the string
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// mapStrings applies change to every string of a JSON text, property names too, and leaves all other bytes as they are,
// those of strings that do not change too. Strings that are no valid UTF-8 are made valid. text must be valid JSON.
func mapStrings(text json.RawMessage, change func(string) string) json.RawMessage {
	return replaceStrings(text, func(literal []byte, value string) []byte {
		changed := change(value)
		// A replacement character stands for bytes, or half a surrogate pair, that JSON must not contain.
		if changed == value && !strings.ContainsRune(value, utf8.RuneError) {
			return literal
		}
		return jsonString(changed)
	})
}

// plainStrings writes every string of a JSON text with no more escapes than it takes. text must be valid JSON.
func plainStrings(text json.RawMessage) json.RawMessage {
	return replaceStrings(text, func(_ []byte, value string) []byte { return jsonString(value) })
}

// replaceStrings puts something else in the place of each string, given as it is written and as what it means.
func replaceStrings(text json.RawMessage, replacement func(literal []byte, value string) []byte) json.RawMessage {
	var out bytes.Buffer
	for rest := []byte(text); ; {
		open := bytes.IndexByte(rest, '"')
		if open < 0 {
			out.Write(rest)
			return out.Bytes()
		}
		end := open + 1
		for ; rest[end] != '"'; end++ {
			if rest[end] == '\\' {
				end++ // what is escaped does not end the string
			}
		}
		literal := rest[open : end+1]
		var value string
		_ = json.Unmarshal(literal, &value) // cannot fail: a part of valid JSON
		out.Write(rest[:open])
		out.Write(replacement(literal, value))
		rest = rest[end+1:]
	}
}

// jsonString writes text as JSON, with <, > and & as they are: a model reads it.
func jsonString(text string) []byte {
	line, _ := encodeLine(text) // a string always has a JSON form
	return bytes.TrimSuffix(line, []byte("\n"))
}

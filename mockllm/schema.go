package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// parameter is one of a tool's parameters.
type parameter struct {
	name     string
	required bool
	property
}

// property is the part of a parameter's JSON Schema that the rules look at.
type property struct {
	Type    json.RawMessage   `json:"type"`
	Enum    []json.RawMessage `json:"enum"`
	Const   json.RawMessage   `json:"const"`
	Default json.RawMessage   `json:"default"`
	Items   *struct {
		Type json.RawMessage `json:"type"`
	} `json:"items"`
}

// parameters reads a tool's schema: the required parameters in the order in
// which the schema requires them, then the others in the order in which it
// describes them. What it does not understand counts as a string.
func parameters(schema json.RawMessage) []parameter {
	var root struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	_ = json.Unmarshal(schema, &root) // checked before; what is odd stays empty
	var properties map[string]json.RawMessage
	_ = json.Unmarshal(root.Properties, &properties)

	var list []parameter
	for i, name := range append(slices.Clone(root.Required), keys(root.Properties)...) {
		if slices.ContainsFunc(list, func(p parameter) bool { return p.name == name }) {
			continue
		}
		p := parameter{name: name, required: i < len(root.Required)}
		_ = json.Unmarshal(properties[name], &p.property)
		if p.Const != nil {
			p.Enum = []json.RawMessage{p.Const}
		}
		list = append(list, p)
	}
	return list
}

// keys gives the keys of a JSON object in their order, which a Go map loses.
func keys(object json.RawMessage) []string {
	var list []string
	decoder := json.NewDecoder(bytes.NewReader(object))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return nil
	}
	for decoder.More() {
		key, err := decoder.Token()
		name, isString := key.(string)
		var skipped json.RawMessage
		if err != nil || !isString || decoder.Decode(&skipped) != nil {
			break
		}
		list = append(list, name)
	}
	return list
}

// kind is the type of the values: string, number, integer, boolean, array,
// object or null; string if the schema does not say.
func (p property) kind() string { return kindOf(p.Type) }

// itemKind is the type of an array's elements.
func (p property) itemKind() string {
	if p.Items == nil {
		return "string"
	}
	return kindOf(p.Items.Type)
}

// kindOf reads "type", which may be a list such as ["string", "null"].
func kindOf(raw json.RawMessage) string {
	var one string
	var several []string
	if json.Unmarshal(raw, &one) != nil && json.Unmarshal(raw, &several) == nil {
		several = slices.DeleteFunc(several, func(t string) bool { return t == "null" })
		one = strings.Join(several[:min(1, len(several))], "")
	}
	switch one {
	case "number", "integer", "boolean", "array", "object", "null":
		return one
	}
	return "string"
}

// pathWords are the words in a name of a parameter that wants a path or a web
// address.
var pathWords = set(`path file filename filepath url uri link source directory dir folder src dst destination`)

// wantsAll tells whether a parameter without a quote gets all of the step: in a
// command, "for" and "in" introduce nothing.
func (p parameter) wantsAll() bool {
	return p.required && slices.ContainsFunc(tokens(p.name), func(w string) bool { return w == "command" || w == "cmd" || w == "code" })
}

// wantsPath tells whether a path or web address belongs here.
func (p parameter) wantsPath() bool {
	return slices.ContainsFunc(tokens(p.name), func(w string) bool { return pathWords[w] })
}

// jsonString is s as JSON, with <, > and & as they are.
func jsonString(s string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // a string can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

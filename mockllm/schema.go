package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// parameter is one of a tool's parameters: the part of its JSON Schema that the
// rules look at.
type parameter struct {
	name     string
	required bool

	Type    json.RawMessage   `json:"type"`
	Enum    []json.RawMessage `json:"enum"`
	Default json.RawMessage   `json:"default"`
	Items   json.RawMessage   `json:"items"`
}

// parameters reads a tool's schema: the required parameters in the order in
// which the schema requires them, then the others by name. What it does not
// understand counts as a string.
func parameters(schema json.RawMessage) []parameter {
	var root struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	_ = json.Unmarshal(schema, &root) // checked before; what is odd stays empty
	var list []parameter
	for i, name := range append(root.Required, slices.Sorted(maps.Keys(root.Properties))...) {
		if slices.ContainsFunc(list, func(p parameter) bool { return p.name == name }) {
			continue
		}
		p := parameter{name: name, required: i < len(root.Required)}
		_ = json.Unmarshal(root.Properties[name], &p)
		list = append(list, p)
	}
	return list
}

// types finds the name of a type, also in a list such as ["null", "string"].
var types = regexp.MustCompile(`string|integer|number|boolean|array|object`)

// kind is the type that a schema names, string if it names none.
func kind(schema json.RawMessage) string { return cmp.Or(types.FindString(string(schema)), "string") }

var (
	pathNames    = set(`path file filename filepath url uri link source directory dir folder src dst destination`)
	commandNames = set(`command cmd code`)
)

// wantsPath tells by the name whether a path or web address belongs here.
func (p parameter) wantsPath() bool { return p.nameHas(pathNames) }

func (p parameter) nameHas(wanted map[string]bool) bool {
	return slices.ContainsFunc(word.FindAllString(p.name, -1), func(w string) bool { return wanted[strings.ToLower(w)] })
}

// jsonString is s as JSON, with <, > and & as they are.
func jsonString(s string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // a string can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

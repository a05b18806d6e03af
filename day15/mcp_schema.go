package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Schemas are foreign text: beyond these bounds no model could use the tool, and some parser on the way gives up.
const (
	maxSchema      = 256 << 10 // bytes
	maxSchemaDepth = 64        // schemas inside schemas
	maxBranches    = 200       // that are merged: a few lines of $ref can describe millions of them
)

// apiSchema makes a tool's inputSchema fit for the model's API. That API wants an object with properties and without
// combinators at the root, and at any depth items in an array and no null in place of a keyword; else it refuses the
// whole request. A schema in which nothing is to be mended passes through byte for byte; of any other, all that can stay
// stays, and mended says what was changed, for a person. It fails where a schema is too large or cannot be mended.
func apiSchema(received json.RawMessage) (schema json.RawMessage, mended []string, err error) {
	root, err := decodeSchema(received)
	if err != nil {
		return nil, nil, err
	}
	m := &mender{notes: map[string]bool{}}
	m.mergeBranches(root)
	if kind := root["type"]; kind != nil && !hasType(root, "object") {
		return nil, nil, fmt.Errorf("its schema has the type %v; arguments are an object", kind)
	} else if kind != "object" {
		root["type"] = "object"
		m.notes["type is object now"] = true
	}
	if _, ok := root["properties"]; !ok {
		root["properties"] = nil // which mend replaces
	}
	m.mend(root, 0)
	if m.err != nil || len(m.notes) == 0 {
		return received, nil, m.err
	}
	schema, err = encode(root)
	return schema, slices.Sorted(maps.Keys(m.notes)), err
}

// decodeSchema returns a schema with its numbers as they are written. Nothing, and null, are an empty one.
func decodeSchema(text json.RawMessage) (schema map[string]any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if len(text) > maxSchema || len(text) > 0 && decoder.Decode(&schema) != nil {
		return nil, fmt.Errorf("its schema is not a JSON object, or has more than %d bytes, the limit", maxSchema)
	}
	if schema == nil {
		schema = map[string]any{}
	}
	return schema, nil
}

// eachInside calls visit for each schema directly inside another one, with the keyword that holds it, and its name where
// it has one. Such a name may look like a keyword, and is none; keywords that are not listed hold data, whatever it looks
// like.
func eachInside(schema map[string]any, visit func(keyword, name string, inside any)) {
	for keyword, value := range schema {
		switch keyword {
		case "properties", "patternProperties", "dependentSchemas", "$defs", "definitions":
			for name, inside := range asObject(value) {
				visit(keyword, name, inside)
			}
		case "items", "prefixItems", "contains", "additionalProperties", "propertyNames", "unevaluatedItems",
			"unevaluatedProperties", "allOf", "anyOf", "oneOf", "not", "if", "then", "else":
			list, _ := value.([]any)
			for _, inside := range append(list, value) { // one schema, or several
				visit(keyword, "", inside)
			}
		}
	}
}

// asObject returns nil where a decoded value is no object.
func asObject(value any) map[string]any {
	object, _ := value.(map[string]any)
	return object
}

// mender mends a decoded schema in place.
type mender struct {
	notes map[string]bool // what was changed
	err   error           // why it cannot be mended
}

// mergeBranches drops what the API refuses at the root, after the properties inside were merged into those of the root,
// whose own win. What is lost is which of them go together: the server checks that itself, and the model reads its error.
func (m *mender) mergeBranches(root map[string]any) {
	if ref, ok := root["$ref"].(string); ok && root["properties"] == nil { // beside properties the API takes it
		delete(root, "$ref")
		maps.Copy(root, asObject(resolve(root, ref)))
		m.notes["$ref replaced by what it refers to"] = true
	}
	own := asObject(root["properties"])
	merged := map[string]any{}
	for name, schemas := range branchProperties(root) {
		merged[name] = schemas[0]
		if len(schemas) > 1 {
			merged[name] = map[string]any{"anyOf": schemas} // refused at the root alone
		}
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf", "not", "enum"} {
		if root[keyword] == nil {
			continue
		}
		delete(root, keyword)
		m.notes[keyword+" dropped, its properties merged"] = true
		maps.Copy(merged, own)
		root["properties"] = merged
		if text, _ := encode(root); bytes.Contains(text, []byte(`"#/`+keyword+`/`)) {
			m.err = fmt.Errorf("its schema refers into its own %s, which the model's API refuses at the root", keyword)
		}
	}
}

// branchProperties collects the schemas of each property in a schema and all that it combines, without repetition.
func branchProperties(root map[string]any) map[string][]any {
	found := map[string][]any{}
	branches := []any{root}
	followed := map[string]bool{"": true} // a schema may contain itself
	for i := 0; i < min(len(branches), maxBranches); i++ {
		schema := asObject(branches[i])
		for name, property := range asObject(schema["properties"]) {
			if !slices.ContainsFunc(found[name], func(other any) bool { return reflect.DeepEqual(other, property) }) {
				found[name] = append(found[name], property)
			}
		}
		for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
			list, _ := schema[keyword].([]any)
			branches = append(branches, list...)
		}
		if ref, _ := schema["$ref"].(string); !followed[ref] {
			followed[ref] = true
			branches = append(branches, resolve(root, ref))
		}
	}
	return found
}

// resolve returns the schema that a local $ref such as "#/$defs/Point" points to (RFC 6901), or nil. Nothing is fetched.
func resolve(root map[string]any, ref string) (target any) {
	steps := strings.Split(ref, "/")
	if steps[0] != "#" {
		return nil
	}
	target = root
	for _, step := range steps[1:] {
		target = asObject(target)[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]
	}
	return target
}

// mend mends what may be wrong in a schema at any depth.
func (m *mender) mend(value any, depth int) {
	if depth > maxSchemaDepth {
		m.err = fmt.Errorf("its schema nests more than %d deep", maxSchemaDepth)
		return
	}
	schema := asObject(value) // true and false are schemas as well, with nothing to mend
	for keyword, value := range schema {
		_, isObject := value.(map[string]any)
		_, isList := value.([]any)
		switch {
		case keyword == "properties" && !isObject: // null, or [] as PHP writes {}
			schema[keyword] = map[string]any{}
			m.notes["properties are {} now"] = true
		case value == nil && keyword != "default" && keyword != "const",
			keyword == "required" && !isList: // in an old draft, it is true
			delete(schema, keyword)
			m.notes[fmt.Sprintf("%s: %v dropped", keyword, value)] = true
		}
	}
	if _, ok := schema["items"]; !ok && hasType(schema, "array") {
		schema["items"] = map[string]any{}
		m.notes["items added to an array"] = true
	}
	eachInside(schema, func(_, _ string, inside any) { m.mend(inside, depth+1) })
}

// hasType reports whether a schema names a type, alone or in a list.
func hasType(schema map[string]any, name any) bool {
	list, _ := schema["type"].([]any)
	return schema["type"] == name || slices.Contains(list, name)
}

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Schemas are foreign text: beyond these bounds no model could use the tool, and some parser on the way gives up.
const (
	maxSchema      = 256 << 10 // bytes
	maxSchemaDepth = 64        // schemas inside schemas
	maxBranches    = 200       // that are merged: a few lines of $ref can describe millions of them
)

// apiSchema makes a tool's inputSchema fit for the model's API, which wants an object with properties and without combinators
// at the root, at any depth items in an array, and no null for a keyword; else it refuses the whole request. A schema with
// nothing to mend passes byte for byte. It fails where a schema is too large or cannot be mended.
func apiSchema(received json.RawMessage) (json.RawMessage, error) {
	root, err := decodeSchema(received)
	if err != nil {
		return nil, err
	}
	mergeBranches(root)
	if kind := root["type"]; kind != nil && !hasType(root, "object") {
		return nil, fmt.Errorf("its schema has the type %v; arguments are an object", kind)
	}
	root["type"] = "object"
	if err := mend(root, 0); err != nil {
		return nil, err
	}
	if original, _ := decodeSchema(received); reflect.DeepEqual(root, original) {
		return received, nil
	}
	schema, err := encode(root)
	if lost := intoBranches.Find(schema); lost != nil {
		err = fmt.Errorf("its schema refers into its own %s, which the model's API refuses at the root", lost)
	}
	return schema, err
}

// combinators are what the API refuses at the root; intoBranches finds a reference into them.
var (
	combinators  = []string{"allOf", "anyOf", "oneOf", "not", "enum"}
	intoBranches = regexp.MustCompile(`"#/(allOf|anyOf|oneOf|not)/.*?"`)
)

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

// eachInside calls visit for each schema directly inside another one. Keywords that are not listed hold data.
func eachInside(schema map[string]any, visit func(inside any)) {
	for keyword, value := range schema {
		switch keyword {
		case "properties", "patternProperties", "dependentSchemas", "$defs", "definitions":
			for _, inside := range asObject(value) { // a name in there may look like a keyword, and is none
				visit(inside)
			}
		case "items", "prefixItems", "contains", "additionalProperties", "propertyNames", "unevaluatedItems",
			"unevaluatedProperties", "allOf", "anyOf", "oneOf", "not", "if", "then", "else":
			list, _ := value.([]any)
			for _, inside := range append(list, value) { // one schema, or several
				visit(inside)
			}
		}
	}
}

// asObject returns nil where a decoded value is no object.
func asObject(value any) map[string]any {
	object, _ := value.(map[string]any)
	return object
}

// mergeBranches merges the properties of what the API refuses at the root into the root's own, which win. What is lost is which
// of them go together: the server checks that itself, and the model reads its error.
func mergeBranches(root map[string]any) {
	if ref, ok := root["$ref"].(string); ok && root["properties"] == nil { // beside properties the API takes it
		delete(root, "$ref")
		maps.Copy(root, asObject(resolve(root, ref)))
	}
	merged := map[string]any{}
	for name, schemas := range branchProperties(root) {
		merged[name] = schemas[0]
		if len(schemas) > 1 {
			merged[name] = map[string]any{"anyOf": schemas} // refused at the root alone
		}
	}
	maps.Copy(merged, asObject(root["properties"]))
	root["properties"] = merged
	for _, keyword := range combinators {
		delete(root, keyword)
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
		for _, keyword := range combinators {
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

// mend mends what may be wrong in a schema at any depth, in place.
func mend(value any, depth int) (err error) {
	if depth > maxSchemaDepth {
		return fmt.Errorf("its schema nests more than %d deep", maxSchemaDepth)
	}
	schema := asObject(value) // true and false are schemas as well, with nothing to mend
	for keyword, value := range schema {
		_, isObject := value.(map[string]any)
		_, isList := value.([]any)
		switch {
		case keyword == "properties" && !isObject: // null, or [] as PHP writes {}
			schema[keyword] = map[string]any{}
		case value == nil && keyword != "default" && keyword != "const",
			keyword == "required" && !isList: // in an old draft, it is true
			delete(schema, keyword)
		}
	}
	if _, ok := schema["items"]; !ok && hasType(schema, "array") {
		schema["items"] = map[string]any{}
	}
	eachInside(schema, func(inside any) { err = cmp.Or(err, mend(inside, depth+1)) })
	return err
}

// hasType reports whether a schema names a type, alone or in a list.
func hasType(schema map[string]any, name any) bool {
	list, _ := schema["type"].([]any)
	return schema["type"] == name || slices.Contains(list, name)
}

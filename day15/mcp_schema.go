package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Above this size, in bytes, or depth of an inputSchema no model could do anything with the tool, and some parsers on
// the way to it give up.
const (
	maxSchema      = 256 << 10
	maxSchemaDepth = 64
)

// apiSchema makes a tool's inputSchema fit for the model's API, which wants an object with properties at the root, and
// neither null nor a combinator there. All else passes through as it is, byte for byte where nothing is to be mended:
// keywords that nobody here knows, $defs, the order, every digit. mended says what was changed, for a person. It fails
// where the schema cannot be mended; the tool is then left out.
func apiSchema(received json.RawMessage) (schema json.RawMessage, mended []string, err error) {
	if text := string(bytes.TrimSpace(received)); text == "" || text == "null" {
		return json.RawMessage(`{"type":"object","properties":{}}`), []string{"there was no schema"}, nil
	}
	if len(received) > maxSchema {
		return nil, nil, fmt.Errorf("its schema has %d bytes, the limit is %d", len(received), maxSchema)
	}
	if depth := nesting(received); depth > maxSchemaDepth {
		return nil, nil, fmt.Errorf("its schema nests %d deep, the limit is %d", depth, maxSchemaDepth)
	}
	root, err := parseObject(received)
	if err != nil {
		return nil, nil, fmt.Errorf("its schema is %w", err)
	}
	for _, member := range slices.Clone(root) {
		if string(member.value) == "null" {
			root.remove(member.key)
			mended = append(mended, fmt.Sprintf("%s: null dropped", member.key))
		}
	}
	for _, mend := range []func(*jsonObject) (string, error){mendRequired, mendCombinators, mendType, mendProperties} {
		note, err := mend(&root)
		if err != nil {
			return nil, nil, err
		}
		if note != "" {
			mended = append(mended, note)
		}
	}
	if mended == nil {
		return received, nil, nil
	}
	return root.json(), mended, nil
}

// mendType makes the root an object where it does not say that it is something else.
func mendType(root *jsonObject) (note string, err error) {
	var types []string
	value := root.get("type")
	switch {
	case value == nil:
		note = `type "object" added`
	case string(value) == `"object"`:
		return "", nil
	case json.Unmarshal(value, &types) == nil && slices.Contains(types, "object"):
		note = fmt.Sprintf(`type %s narrowed to "object"`, value)
	default:
		return "", fmt.Errorf(`its schema has the type %s; arguments are an "object"`, preview(string(value), 60))
	}
	root.set("type", json.RawMessage(`"object"`))
	return note, nil
}

func mendProperties(root *jsonObject) (note string, err error) {
	value := root.get("properties")
	if value == nil {
		root.set("properties", json.RawMessage(`{}`))
		return "empty properties added", nil
	}
	if _, err := parseObject(value); err != nil {
		return "", fmt.Errorf("its schema's properties are %w", err)
	}
	return "", nil
}

// mendRequired drops what is no list of names: an old draft has a boolean there.
func mendRequired(root *jsonObject) (note string, err error) {
	var names []*string
	value := root.get("required")
	if value == nil || json.Unmarshal(value, &names) == nil && !slices.Contains(names, nil) {
		return "", nil
	}
	root.remove("required")
	return "required dropped: not a list of names", nil
}

// mendCombinators drops what the API refuses at the root, after the properties inside were merged into those of the
// root. What is lost is which of them go together: the server checks that itself, and the model reads its error.
func mendCombinators(root *jsonObject) (note string, err error) {
	m := newMerger(*root)
	var dropped []string
	for _, keyword := range []string{"$ref", "allOf", "anyOf", "oneOf", "not", "enum"} {
		value := root.get(keyword)
		if value == nil || keyword == "$ref" && (root.get("properties") != nil || m.resolve(value) == nil) {
			continue // a $ref beside properties is none of the API's concern
		}
		if err := m.keyword(keyword, value, true, 0); err != nil {
			return "", err
		}
		dropped = append(dropped, keyword)
	}
	if dropped == nil {
		return "", nil
	}
	for _, keyword := range dropped {
		root.remove(keyword)
	}
	note = strings.Join(dropped, ", ") + " dropped"
	if merged := m.into(root); merged != nil {
		note += "; properties merged: " + strings.Join(merged, ", ")
	}
	for _, keyword := range dropped {
		if bytes.Contains(root.json(), []byte(`"#/`+keyword+`/`)) { // a $ref that would lead nowhere
			return "", fmt.Errorf("its schema refers into its own %s, which the model's API refuses at the root", keyword)
		}
	}
	return note, nil
}

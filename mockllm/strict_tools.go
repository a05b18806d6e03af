package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"unicode/utf8"
)

const (
	maxTools    = 128
	maxToolName = 64 // characters
)

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// tool is one that the request offers.
type tool struct {
	name        string
	description string
	parameters  json.RawMessage // an object schema; nil for a tool without parameters
}

// tools wants tools that the real API accepts. Leaving them out is fine, null
// is not.
func (c *checker) tools(raw json.RawMessage) []tool {
	if raw == nil {
		return nil
	}
	c.want(!isNull(raw), "tools", "invalid_type", "Invalid type for 'tools': expected an array of objects, but got null instead.")
	var list []json.RawMessage
	c.decode(raw, &list, "tools")
	c.wantElements(len(list), "tools")
	c.want(len(list) <= maxTools, "tools", "array_above_max_length", "Invalid 'tools': array too long. Expected an array with maximum length %d, but got an array with length %d instead.", maxTools, len(list))
	var tools []tool
	for i, item := range list[:min(len(list), maxTools)] {
		place := fmt.Sprintf("tools[%d]", i)
		t := c.tool(item, place)
		taken := slices.ContainsFunc(tools, func(other tool) bool { return other.name == t.name })
		c.want(!taken, place+".function.name", "invalid_value", "Two tools have the name '%s'.", t.name)
		tools = append(tools, t)
	}
	return tools
}

// tool reads one tool.
func (c *checker) tool(raw json.RawMessage, place string) tool {
	var wire struct {
		Type     string `json:"type"`
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	}
	c.decode(raw, &wire, place)
	c.wantOneOf(wire.Type, place+".type", "function")
	f := wire.Function
	c.wantName(f.Name, place+".function.name")
	if f.Parameters != nil {
		c.schema(f.Parameters, f.Name, place+".function.parameters")
	}
	return tool{f.Name, f.Description, f.Parameters}
}

// wantName wants the name of a function.
func (c *checker) wantName(name, place string) {
	n := utf8.RuneCountInString(name)
	c.wantField(n > 0, place)
	c.want(n <= maxToolName, place, "string_above_max_length", "Invalid '%s': string too long. Expected a string with maximum length %d, but got a string with length %d instead.", place, maxToolName, n)
	c.want(toolName.MatchString(name), place, "invalid_value", "Invalid '%s': string does not match pattern. Expected a string that matches the pattern '%s'.", place, toolName)
}

// schema wants an object schema with properties, and no choice between schemas
// at its root.
func (c *checker) schema(raw json.RawMessage, name, place string) {
	wantSchema := func(holds bool, problem string) {
		c.want(holds, place, "invalid_function_parameters", "Invalid schema for function '%s': %s.", name, problem)
	}
	var root map[string]json.RawMessage
	_ = json.Unmarshal(raw, &root) // the next line sees what it gave
	wantSchema(root != nil, "it is not a JSON Schema object")
	for _, keyword := range []string{"anyOf", "oneOf", "allOf", "not", "enum"} {
		_, found := root[keyword]
		wantSchema(!found, "'"+keyword+"' is not allowed at its root")
	}
	wantSchema(string(root["type"]) == `"object"`, "its root must have the type 'object'")
	wantSchema(isObject(root["properties"]), "an object schema must have 'properties'")
}

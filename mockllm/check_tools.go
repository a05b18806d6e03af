package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
)

const (
	badName       = "expected a string that matches ^[a-zA-Z0-9_-]{1,64}$"
	invalidSchema = "invalid_function_parameters"
)

var functionName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// tool is one that the request offers.
type tool struct {
	Name, Description string
	Parameters        json.RawMessage // an object schema; nil for a tool without parameters
}

// offeredTool is how a request has a tool.
type offeredTool struct {
	Type     string
	Function tool
}

// offer adds a tool to those of the conversation.
func (c *checker) offer(t offeredTool, place string) {
	name := t.Function.Name
	c.want(len(c.tools) < 128, "tools", "array_above_max_length", "expected at most 128 elements")
	c.want(t.Type == "function", place+".type", "invalid_value", "expected function")
	c.want(functionName.MatchString(name), place+".function.name", "invalid_value", badName)
	c.want(c.toolNamed(name) < 0, place+".function.name", "invalid_value", "another tool has this name")
	if t.Function.Parameters != nil {
		c.wantParameters(t.Function.Parameters, place+".function.parameters")
	}
	c.tools = append(c.tools, t.Function)
}

// toolNamed gives the index of the tool of that name, -1 if there is none.
func (c *conversation) toolNamed(name string) int {
	return slices.IndexFunc(c.tools, func(t tool) bool { return t.Name == name })
}

// wantParameters wants an object schema with properties, no choice between
// schemas at its root, and items in each array.
func (c *checker) wantParameters(raw json.RawMessage, place string) {
	var root map[string]any
	_ = json.Unmarshal(raw, &root) // what is no object leaves it empty
	_, hasProperties := root["properties"].(map[string]any)
	c.want(root["type"] == "object" && hasProperties, place, invalidSchema, "expected a schema with the type 'object' and 'properties'")
	for _, keyword := range []string{"anyOf", "oneOf", "allOf", "not", "enum"} {
		_, found := root[keyword]
		c.want(!found, place, invalidSchema, keyword+" is not allowed at the root of a schema")
	}
	c.wantItems(root, place)
}

// wantItems wants items in each array of a schema, at any depth.
func (c *checker) wantItems(schema any, place string) {
	switch v := schema.(type) {
	case []any:
		for i, inner := range v {
			c.wantItems(inner, fmt.Sprintf("%s[%d]", place, i))
		}
	case map[string]any:
		types, _ := v["type"].([]any)
		isArray := slices.Contains(append(types, v["type"]), "array")
		c.want(!isArray || v["items"] != nil, place, invalidSchema, "array schema missing items")
		for _, keyword := range slices.Sorted(maps.Keys(v)) {
			c.wantItems(v[keyword], place+"."+keyword)
		}
	}
}

// choose reads tool_choice: which tools may be called, and whether one must be.
func (c *checker) choose(raw json.RawMessage) {
	c.want(c.tools != nil, "tool_choice", "", "it is only allowed with 'tools'")
	var choice struct {
		toolCall
		Allowed struct {
			Mode  string
			Tools []toolCall
		} `json:"allowed_tools"`
	}
	var mode string
	if json.Unmarshal(raw, &mode) != nil {
		c.decode(raw, &choice, "tool_choice")
	}
	var allowed []toolCall
	switch choice.Type {
	case "function":
		mode, allowed = "required", []toolCall{choice.toolCall}
	case "allowed_tools":
		mode, allowed = choice.Allowed.Mode, choice.Allowed.Tools
	}
	var tools []tool
	for _, call := range allowed {
		if i := c.toolNamed(call.Function.Name); i >= 0 {
			tools = append(tools, c.tools[i])
		}
	}
	c.must, c.only = mode == "required", choice.Type != ""
	known := c.must || mode == "auto" || mode == "none" && !c.only
	c.want(known && len(tools) == len(allowed) && c.only == (tools != nil), "tool_choice", "invalid_value", "expected none, auto, required, or an object that names a function, or allowed_tools, of 'tools'")
	if c.only || mode == "none" {
		c.tools = tools
	}
}

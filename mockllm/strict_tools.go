package main

import (
	"encoding/json"
	"fmt"
	"regexp"
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

// checkTools refuses tools that the real API does not accept. Leaving tools out
// is fine, null is not.
func checkTools(raw json.RawMessage) ([]tool, *refusal) {
	if raw == nil {
		return nil, nil
	}
	if isNull(raw) {
		return nil, invalid("tools", "invalid_type", "Invalid type for 'tools': expected an array of objects, but got null instead.")
	}
	var list []json.RawMessage
	if err := decode(raw, &list, "tools"); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, emptyArray("tools")
	}
	if len(list) > maxTools {
		return nil, invalid("tools", "array_above_max_length", "Invalid 'tools': array too long. Expected an array with maximum length %d, but got an array with length %d instead.", maxTools, len(list))
	}
	var tools []tool
	taken := map[string]bool{}
	for i, item := range list {
		t, err := checkTool(item, fmt.Sprintf("tools[%d]", i))
		if err != nil {
			return nil, err
		}
		if taken[t.name] {
			return nil, invalid(fmt.Sprintf("tools[%d].function.name", i), "invalid_value", "Two tools have the name '%s'.", t.name)
		}
		taken[t.name] = true
		tools = append(tools, t)
	}
	return tools, nil
}

// checkTool reads one tool.
func checkTool(raw json.RawMessage, place string) (tool, *refusal) {
	var wire struct {
		Type     string `json:"type"`
		Function *struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	}
	if err := decode(raw, &wire, place); err != nil {
		return tool{}, err
	}
	if wire.Type != "function" {
		return tool{}, invalid(place+".type", "invalid_value", "Invalid value: '%s'. Supported values are: 'function'.", wire.Type)
	}
	if wire.Function == nil {
		return tool{}, invalid(place+".function", "missing_required_parameter", "Missing required parameter: '%s.function'.", place)
	}
	f := wire.Function
	if err := checkName(f.Name, place+".function.name"); err != nil {
		return tool{}, err
	}
	if problem := schemaProblem(f.Parameters); problem != "" {
		return tool{}, invalid(place+".function.parameters", "invalid_function_parameters", "Invalid schema for function '%s': %s.", f.Name, problem)
	}
	return tool{name: f.Name, description: f.Description, parameters: f.Parameters}, nil
}

// checkName refuses what cannot be a function's name.
func checkName(name, place string) *refusal {
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		return invalid(place, "missing_required_parameter", "Missing required parameter: '%s'.", place)
	case n > maxToolName:
		return invalid(place, "string_above_max_length", "Invalid '%s': string too long. Expected a string with maximum length %d, but got a string with length %d instead.", place, maxToolName, n)
	case !toolName.MatchString(name):
		return invalid(place, "invalid_value", "Invalid '%s': string does not match pattern. Expected a string that matches the pattern '%s'.", place, toolName)
	}
	return nil
}

// schemaProblem says what is wrong with a tool's parameters, nothing if they
// are fine: an object schema with properties, and no choice between schemas at
// its root. Leaving them out declares a tool without parameters.
func schemaProblem(raw json.RawMessage) string {
	if raw == nil {
		return ""
	}
	var root map[string]json.RawMessage
	if !isObject(raw) || json.Unmarshal(raw, &root) != nil {
		return "it is not a JSON Schema object"
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf", "not", "enum"} {
		if _, found := root[keyword]; found {
			return fmt.Sprintf("'%s' is not allowed at its root", keyword)
		}
	}
	if string(root["type"]) != `"object"` {
		return fmt.Sprintf("its root must have the type 'object', not %q", root["type"])
	}
	if !isObject(root["properties"]) {
		return "an object schema must have 'properties'"
	}
	return ""
}

// emptyArray refuses an array that must have elements.
func emptyArray(place string) *refusal {
	return invalid(place, "empty_array", "Invalid '%s': empty array. Expected an array with minimum length 1, but got an empty array instead.", place)
}

// isObject tells whether raw is the text of exactly one JSON object.
func isObject(raw []byte) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(raw, &object) == nil && object != nil
}

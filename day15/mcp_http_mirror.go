package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// headerAnnotation marks a property of a tool's inputSchema whose value is to be repeated in a header:
//
//	"properties": {"region": {"type": "string", "x-mcp-header": "Region"}}      →  Mcp-Param-Region: us-west1
const headerAnnotation = "x-mcp-header"

// mirror is an argument that is repeated in a header.
type mirror struct {
	path []string // the names of the properties that lead to it
	name string   // of the header, after Mcp-Param-
}

// mirrored finds the annotations of a schema, and fails where one breaks a rule: then "the client MUST exclude the
// invalid tool from the result of tools/list".
func mirrored(schema json.RawMessage) ([]mirror, error) {
	if !bytes.Contains(schema, []byte(headerAnnotation)) {
		return nil, nil
	}
	s := schemaScan{names: map[string]bool{}}
	s.schema(schema, nil, true, 0)
	return s.found, s.err
}

// schemaScan is the state of mirrored.
type schemaScan struct {
	found []mirror
	names map[string]bool // of headers, in lower case
	err   error           // the first broken rule
}

// schema reads one schema. path are the properties that lead to it; reachable says that nothing else does: "reachable
// via a chain consisting solely of properties keys".
func (s *schemaScan) schema(raw json.RawMessage, path []string, reachable bool, depth int) {
	if depth > maxSchemaDepth {
		s.err = errors.New("the schema is nested too deep to look for " + headerAnnotation)
	}
	if s.err != nil {
		return
	}
	var kind, name json.RawMessage
	members(raw, func(key string, value json.RawMessage) {
		switch key {
		case "type":
			kind = value
		case headerAnnotation:
			name = value
		case "properties":
			s.named(value, path, reachable, depth)
		case "patternProperties", "dependentSchemas", "$defs", "definitions":
			s.named(value, path, false, depth)
		case "const", "enum", "default", "examples": // data, whatever it looks like
		default:
			s.nested(value, path, depth)
		}
	})
	if name != nil && s.err == nil {
		s.annotated(stringValue(name), stringValue(kind), path, reachable)
	}
}

// named reads an object of schemas, whose keys are names and no keywords.
func (s *schemaScan) named(raw json.RawMessage, path []string, reachable bool, depth int) {
	members(raw, func(key string, value json.RawMessage) {
		name := stringValue(json.RawMessage(`"` + key + `"`)) // a name may have escapes
		s.schema(value, append(slices.Clone(path), name), reachable, depth+1)
	})
}

// nested reads the value of another keyword, which may be a schema or a list of them.
func (s *schemaScan) nested(raw json.RawMessage, path []string, depth int) {
	var list []json.RawMessage
	if len(raw) > 0 && raw[0] == '[' && json.Unmarshal(raw, &list) == nil { // what is no list has no schemas in it
		for _, element := range list {
			s.schema(element, path, false, depth+1)
		}
		return
	}
	s.schema(raw, path, false, depth+1)
}

// annotated checks an annotation against the rules of the specification (Streamable HTTP, "Schema Extension").
func (s *schemaScan) annotated(name, kind string, path []string, reachable bool) {
	where := strings.Join(path, ".")
	switch {
	case !reachable || len(path) == 0:
		s.err = fmt.Errorf("%s stands at %q, which is no property reached through properties alone", headerAnnotation, where)
	case !headerName.MatchString(name):
		s.err = fmt.Errorf("%s of %q is no header name: %q", headerAnnotation, where, preview(name, 40))
	case kind != "string" && kind != "integer" && kind != "boolean":
		s.err = fmt.Errorf("%s of %q is on a value of type %q; it may be string, integer or boolean",
			headerAnnotation, where, preview(kind, 40))
	case s.names[strings.ToLower(name)]:
		s.err = fmt.Errorf("%s of %q repeats the name %q", headerAnnotation, where, name)
	}
	s.names[strings.ToLower(name)] = true
	s.found = append(s.found, mirror{path, name})
}

// keepValid takes a page of tools/list: it remembers what of each tool is mirrored, and leaves out the tools whose
// annotations are invalid. What stays, stays as it was written.
func (e *endpoint) keepValid(page json.RawMessage) json.RawMessage {
	var list listResult
	if json.Unmarshal(page, &list) != nil {
		return page // whoever asked for it will say so
	}
	var valid, rest [][]byte
	for _, tool := range list.Tools {
		if e.keep(tool) {
			valid = append(valid, tool)
		}
	}
	if len(valid) == len(list.Tools) {
		return page
	}
	members(page, func(key string, value json.RawMessage) {
		if key == "tools" {
			value = fmt.Appendf(nil, "[%s]", bytes.Join(valid, []byte(",")))
		}
		rest = append(rest, fmt.Appendf(nil, `"%s":%s`, key, value))
	})
	return fmt.Appendf(nil, "{%s}", bytes.Join(rest, []byte(",")))
}

// keep remembers what is mirrored of a tool, and reports whether the tool is valid.
func (e *endpoint) keep(raw json.RawMessage) bool {
	var tool toolInfo
	_ = decodeLoosely(raw, &tool) // what is no tool is left to whoever asked for the list
	mirrors, err := mirrored(tool.InputSchema)
	if err != nil {
		e.peer.note("left out its tool %s: %v", preview(tool.Name, 80), err)
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.mirrors[tool.Name] = mirrors
	return true
}

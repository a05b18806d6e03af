package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const versionHeader = "Mcp-Protocol-Version"

// header returns what a request repeats in its headers, so that "intermediaries (load balancers, gateways, observability tooling)
// route and inspect requests without parsing the body". It is nil before a version is agreed upon.
func (e era) header(method string, p params) map[string]string {
	if e.protocol == "" {
		return nil
	}
	header := map[string]string{versionHeader: e.protocol}
	if !e.stateless() {
		return header
	}
	header["Mcp-Method"] = method
	if p.Name != "" {
		header["Mcp-Name"] = headerValue(p.Name)
	}
	mirrors, _ := e.mirrors(p.schema) // where that fails the tool was left out
	for _, m := range mirrors {
		if text, ok := argumentText(p.Arguments, m.path); ok {
			header["Mcp-Param-"+m.name] = headerValue(text)
		}
	}
	return header
}

// mirror is an argument of a tool that is repeated in a header:
//
//	"properties": {"region": {"type": "string", "x-mcp-header": "Region"}}      →  Mcp-Param-Region: us-west1
type mirror struct {
	path []string // the names of the properties that lead to it
	name string   // of the header, after Mcp-Param-
}

// mirrors finds the annotations in a tool's schema, where there is no handshake. If one breaks a rule of the specification,
// "the client MUST exclude the invalid tool from the result of tools/list".
func (e era) mirrors(schema json.RawMessage) ([]mirror, error) {
	if !e.stateless() {
		return nil, nil
	}
	root, err := decodeSchema(schema)
	var found []mirror
	names := map[string]bool{}
	var scan func(schema map[string]any, path []string)
	scan = func(schema map[string]any, path []string) {
		for property, inside := range asObject(schema["properties"]) {
			schema, path := asObject(inside), append(slices.Clone(path), property)
			name, _ := schema["x-mcp-header"].(string)
			kind, lower := schema["type"], strings.ToLower(name)
			if headerName.MatchString(name) && !names[lower] && (kind == "string" || kind == "integer" || kind == "boolean") {
				found = append(found, mirror{path, name})
				names[lower] = true
			}
			scan(schema, path)
		}
	}
	scan(root, nil)
	if strings.Count(string(schema), `"x-mcp-header"`) != len(found) {
		err = errors.New("its x-mcp-header is not allowed: it has to be a header name of its own, on a string, integer or boolean " +
			"that is reached through properties alone")
	}
	return found, err
}

// argumentText is the argument at a path of property names: "string: use the value as-is; integer: convert to decimal string
// representation; boolean: lowercase". false where there is none, or null: "Client MUST omit the header".
func argumentText(arguments json.RawMessage, path []string) (string, bool) {
	for _, name := range path {
		arguments = parseObject(arguments).raw(name)
	}
	n := number(arguments)
	switch {
	case isNull(arguments), arguments[0] == '{', arguments[0] == '[':
		return "", false
	case arguments[0] == '"':
		return unquoted(arguments), true
	case n != 0 && strings.ContainsAny(string(arguments), ".eE"):
		return strconv.FormatInt(n, 10), true // of 42.0 or 4.2e1, too
	}
	return string(arguments), true
}

// plainValue matches what a header can hold as it is.
var plainValue = regexp.MustCompile("^([!-~]([ -~]*[!-~])?)?$")

// headerValue encodes a text that is no plain header value, or looks encoded: "=?base64?{Base64EncodedValue}?=".
func headerValue(text string) string {
	if plainValue.MatchString(text) && !(strings.HasPrefix(text, "=?base64?") && strings.HasSuffix(text, "?=")) {
		return text
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(text)) + "?="
}

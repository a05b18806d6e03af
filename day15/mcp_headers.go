package main

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// headers returns what a request of the stateless era repeats in its headers, "so that intermediaries (load balancers,
// gateways, observability tooling) can route and inspect requests without parsing the body". nil in the eras with a
// handshake, whose headers are those of their session.
func (e *endpoint) headers(method string, params any) http.Header {
	var m *meta
	switch p := params.(type) {
	case discoverParams:
		m = p.Meta
	case listParams:
		m = p.Meta
	case callParams:
		m = p.Meta
	}
	if m == nil || m.Version == "" {
		return nil
	}
	header := http.Header{}
	header.Set(versionHeader, m.Version) // "The header value MUST match the protocolVersion field carried in _meta"
	header.Set("Mcp-Method", method)
	if p, ok := params.(callParams); ok {
		header.Set("Mcp-Name", headerValue(p.Name))
		e.mu.Lock()
		mirrors := e.mirrors[p.Name]
		e.mu.Unlock()
		for _, m := range mirrors {
			if text, ok := argumentText(p.Arguments, m.path); ok {
				header.Set("Mcp-Param-"+m.name, headerValue(text))
			}
		}
	}
	return header
}

// argumentText finds the argument at a path of property names and returns it as text: "string: use the value as-is;
// integer: convert to decimal string representation; boolean: lowercase". false where there is none, or null: "Client
// MUST omit the header".
func argumentText(arguments json.RawMessage, path []string) (string, bool) {
	value := arguments
	for _, name := range path {
		var next json.RawMessage
		var object map[string]json.RawMessage
		if json.Unmarshal(value, &object) == nil { // else there is nothing at the path
			next = object[name]
		}
		value = next
	}
	switch text := string(value); {
	case text == "" || text == "null" || strings.ContainsRune("{[", rune(text[0])):
		return "", false
	case text[0] == '"':
		return stringValue(value), true
	default:
		if n, exact, ok := number(value); ok && !exact {
			text = strconv.FormatInt(n, 10) // of 42.0 or 4.2e1
		}
		return text, true
	}
}

// headerValue encodes a text that is no plain header value, or looks encoded: "=?base64?{Base64EncodedValue}?=".
func headerValue(text string) string {
	plain := text == strings.TrimSpace(text) && !(strings.HasPrefix(text, "=?base64?") && strings.HasSuffix(text, "?="))
	for i := range len(text) {
		plain = plain && text[i] >= ' ' && text[i] <= '~'
	}
	if plain {
		return text
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(text)) + "?="
}

package main

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
)

// Only what a header can hold as it is stays as it is, unless it looks encoded.
func TestHeaderValues(t *testing.T) {
	for text, value := range map[string]string{
		"us-west1": "us-west1", "us west 1": "us west 1", "": "", "x": "x",
		"Hello, 世界":          "=?base64?SGVsbG8sIOS4lueVjA==?=",
		" padded ":           "=?base64?IHBhZGRlZCA=?=",
		"a\r\nX-Evil: 1":     "=?base64?YQ0KWC1FdmlsOiAx?=",
		"a\n":                "=?base64?YQo=?=",
		"a\tb":               "=?base64?YQli?=",
		"a\x7f":              "=?base64?YX8=?=",
		"=?base64?literal?=": "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
		"=?base64?literal":   "=?base64?literal",
	} {
		if got := headerValue(text); got != value {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

func TestTheHeadersOfEachEra(t *testing.T) {
	for arguments, want := range map[string]string{ // of the property x, or a.b in x
		`{"x":"a\u00e9b"}`: "=?base64?YcOpYg==?=", `{"x":""}`: "", `{"x":42}`: "42", `{"x":42.0}`: "42", `{"x":4.2e1}`: "42",
		`{"x":9007199254740993}`: "9007199254740993", `{"x":-7}`: "-7", `{"x":true}`: "true",
		`{"x":null}`: "none", `{}`: "none", `{"x":[1]}`: "none", `{"x":{"a.b":"y"}}`: "y", `{"x":{"z":1}}`: "none",
	} {
		schema := `{"properties":{"x":{"type":"integer","x-mcp-header":"H"}}}`
		if strings.Contains(arguments, ":{") {
			schema = `{"properties":{"x":{"properties":{"a.b":{"type":"string","x-mcp-header":"H"}}}}}`
		}
		p := params{Name: "dé", Arguments: json.RawMessage(arguments), schema: json.RawMessage(schema)}
		header := map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "=?base64?ZMOp?="}
		if want != "none" {
			header["Mcp-Param-H"] = want
		}
		if got := (era{statelessVersion}).header("tools/call", p); !maps.Equal(got, header) {
			t.Errorf("%s: %v", arguments, got)
		}
	}
	if got := (era{"2025-06-18"}).header("tools/call", params{Name: "x"}); len(got) != 1 || got["Mcp-Protocol-Version"] != "2025-06-18" {
		t.Errorf("with a handshake: %v", got)
	}
}

func TestAnnotations(t *testing.T) {
	const annotated = `{"type":"string","x-mcp-header":"A"}`
	modern, legacy := era{statelessVersion}, era{handshakeVersion}
	for schema, want := range map[string]string{ // in each, P stands for the annotated property
		"": "", `{"properties":{"p":{"type":"string"}}}`: "",
		`{"properties":{"p":P}}`:                                                                  "p=A",
		`{"properties":{"p":{"x-mcp-header":"N","type":"integer"}}}`:                              "p=N",
		`{"properties":{"p":{"type":"boolean","x-mcp-header":"B"}}}`:                              "p=B",
		"{\"properties\":{\"p\":{\"type\":\"string\",\"x-mcp-header\":\"aZ09!#$%&'*+-.^_`|~\"}}}": "p=aZ09!#$%&'*+-.^_`|~",
		`{"properties":{"p":{"type":"object","properties":{"q\"":P}}}}`:                           `p/q"=A`,
	} {
		schema := json.RawMessage(strings.ReplaceAll(schema, "P", annotated))
		mirrors, err := modern.mirrors(schema)
		got := ""
		for _, m := range mirrors {
			got += strings.Join(m.path, "/") + "=" + m.name
		}
		if none, _ := legacy.mirrors(schema); got != want || err != nil || none != nil {
			t.Errorf("%s: got %s, %v", schema, got, err)
		}
	}
	for _, schema := range []string{
		`{"properties":{"p":{"type":"string","x-mcp-header":""}}}`,
		`{"properties":{"p":{"type":"string","x-mcp-header":"My Region"}}}`,
		`{"properties":{"p":{"type":"string","x-mcp-header":"Région"}}}`,
		`{"properties":{"p":{"type":"string","x-mcp-header":"A\n"}}}`,
		`{"properties":{"p":{"type":"number","x-mcp-header":"A"}}}`,
		`{"properties":{"p":{"type":"object","x-mcp-header":"A"}}}`,
		`{"properties":{"p":{"x-mcp-header":"A"}}}`,
		`{"properties":{"p":{"type":["string","null"],"x-mcp-header":"A"}}}`,
		`{"properties":{"a":P,"b":{"type":"string","x-mcp-header":"a"}}}`,
		`P`,
		`{"properties":{"x-mcp-header":{"type":"object"}}}`, // only looks like an annotation, but who would
		`{"properties":{"p":{"type":"array","items":P}}}`,
		`{"oneOf":[{"properties":{"q":P}}]}`,
		`{"properties":{"p":{"anyOf":[P,{"type":"null"}]}}}`,
		`{"$defs":{"d":P},"properties":{"p":{"$ref":"#/$defs/d"}}}`,
	} {
		if _, err := modern.mirrors(json.RawMessage(strings.ReplaceAll(schema, "P", annotated))); err == nil {
			t.Errorf("%s: no error", schema)
		}
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestHeaderValues(t *testing.T) {
	for _, test := range []struct{ name, text, value string }{
		{"plain ASCII stays", "us-west1", "us-west1"},
		{"with space inside", "us west 1", "us west 1"},
		{"and nothing at all", "", ""},
		{"other letters are encoded", "Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="},
		{"space around the value", " padded ", "=?base64?IHBhZGRlZCA=?="},
		{"a line feed", "line1\nline2", "=?base64?bGluZTEKbGluZTI=?="},
		{"a carriage return and a line feed", "a\r\nX-Evil: 1", "=?base64?YQ0KWC1FdmlsOiAx?="},
		{"a tab", "a\tb", "=?base64?YQli?="},
		{"a DEL", "a\x7f", "=?base64?YX8=?="},
		{"and what looks encoded", "=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="},
		{"but not what only begins like it", "=?base64?literal", "=?base64?literal"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := headerValue(test.text); got != test.value {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestTheTextOfAnArgument(t *testing.T) {
	const arguments = `{"s":"a\u00e9b","n":42,"f":42.0,"e":4.2e1,"big":9007199254740993,"neg":-7,"pi":3.14,"yes":true,"no":false,
		"null":null,"o":{"deep":{"x":"y"}},"l":[1],"":"empty name","a.b":"dot","q\"":"quote"}`
	for path, want := range map[string]string{
		"s": "aéb", "n": "42", "f": "42", "e": "42", "big": "9007199254740993", "neg": "-7", "pi": "3.14", "yes": "true", "no": "false",
		"null": "-", "o": "-", "l": "-", "absent": "-", "o/deep/x": "y", "o/deep/z": "-", "s/x": "-", "null/x": "-", "l/x": "-",
		"": "empty name", "a.b": "dot", `q"`: "quote",
	} {
		got, ok := argumentText(json.RawMessage(arguments), strings.Split(path, "/"))
		if !ok {
			got += "-"
		}
		if got != want {
			t.Errorf("%s: got %q", path, got)
		}
	}
}

func TestAnnotations(t *testing.T) {
	property := func(schema string) string { return `{"type":"object","properties":{"p":` + schema + `}}` }
	misplaced := func(schema string) string {
		return fmt.Sprintf(schema, `{"type":"string","x-mcp-header":"A"}`)
	}
	const notReached = "which is no property reached through properties alone"
	for _, test := range []struct{ name, schema, mirrors, err string }{
		{"a schema without any", property(`{"type":"string"}`), "", ""},
		{"no schema", ``, "", ""},
		{"a string", property(`{"type":"string","x-mcp-header":"Region"}`), "p=Region", ""},
		{"an integer", property(`{"x-mcp-header":"N","type":"integer"}`), "p=N", ""},
		{"a boolean", property(`{"type":"boolean","x-mcp-header":"B"}`), "p=B", ""},
		{"every character of a token", property("{\"type\":\"string\",\"x-mcp-header\":\"aZ09!#$%&'*+-.^_`|~\"}"), "p=aZ09!#$%&'*+-.^_`|~", ""},
		{"a property of a property", property(`{"type":"object","properties":{"q\"":{"type":"string","x-mcp-header":"Q"}}}`), `p/q"=Q`, ""},
		{"two of them", `{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"B"}}}`, "a=A b=B", ""},
		{"a property that has the name of an annotation", `{"properties":{"x-mcp-header":{"type":"object"}}}`, "", ""},
		{"and is annotated itself", `{"properties":{"x-mcp-header":{"type":"string","x-mcp-header":"A"}}}`, "x-mcp-header=A", ""},
		{"data that looks like one", property(`{"const":{"x-mcp-header":1},"enum":[{"x-mcp-header":2}],"default":{"x-mcp-header":""},"examples":[{"x-mcp-header":3}]}`), "", ""},

		{"an empty name", property(`{"type":"string","x-mcp-header":""}`), "", `x-mcp-header of "p" is no header name: ""`},
		{"a name that is no string", property(`{"type":"string","x-mcp-header":7}`), "", "no header name"},
		{"a space", property(`{"type":"string","x-mcp-header":"My Region"}`), "", "no header name"},
		{"a colon", property(`{"type":"string","x-mcp-header":"A:B"}`), "", "no header name"},
		{"a letter that is not ASCII", property(`{"type":"string","x-mcp-header":"Région"}`), "", "no header name"},
		{"a line feed", property(`{"type":"string","x-mcp-header":"A\nB"}`), "", "no header name"},
		{"a tab", property(`{"type":"string","x-mcp-header":"A\tB"}`), "", "no header name"},
		{"a number", property(`{"type":"number","x-mcp-header":"A"}`), "", `on a value of type "number"`},
		{"an object", property(`{"type":"object","x-mcp-header":"A"}`), "", `on a value of type "object"`},
		{"an array", property(`{"type":"array","x-mcp-header":"A","items":{"type":"string"}}`), "", `on a value of type "array"`},
		{"null", property(`{"type":"null","x-mcp-header":"A"}`), "", `on a value of type "null"`},
		{"no type", property(`{"x-mcp-header":"A"}`), "", `on a value of type ""`},
		{"several types", property(`{"type":["string","null"],"x-mcp-header":"A"}`), "", `on a value of type ""`},
		{"a name twice", `{"properties":{"a":{"type":"string","x-mcp-header":"R"},"b":{"type":"string","x-mcp-header":"R"}}}`, "", "repeats the name"},
		{"a name twice, in another case", `{"properties":{"a":{"type":"string","x-mcp-header":"My"},"b":{"type":"string","x-mcp-header":"mY"}}}`, "", "repeats the name"},
		{"at the root", `{"type":"string","x-mcp-header":"A"}`, "", notReached},
		{"under items", misplaced(`{"properties":{"p":{"type":"array","items":%s}}}`), "", notReached},
		{"under properties of items", misplaced(`{"properties":{"p":{"items":{"properties":{"q":%s}}}}}`), "", notReached},
		{"under prefixItems", misplaced(`{"properties":{"p":{"prefixItems":[true,%s]}}}`), "", notReached},
		{"under oneOf", misplaced(`{"oneOf":[{"properties":{"q":%s}}]}`), "", notReached},
		{"under anyOf", misplaced(`{"properties":{"p":{"anyOf":[%s,{"type":"null"}]}}}`), "", notReached},
		{"under allOf", misplaced(`{"allOf":[{"properties":{"q":%s}}]}`), "", notReached},
		{"under not", misplaced(`{"not":{"properties":{"q":%s}}}`), "", notReached},
		{"under if", misplaced(`{"if":{"properties":{"q":%s}}}`), "", notReached},
		{"under then", misplaced(`{"then":{"properties":{"q":%s}}}`), "", notReached},
		{"under else", misplaced(`{"else":{"properties":{"q":%s}}}`), "", notReached},
		{"in a definition", misplaced(`{"$defs":{"d":%s},"properties":{"p":{"$ref":"#/$defs/d"}}}`), "", notReached},
		{"in an old definition", misplaced(`{"definitions":{"d":%s}}`), "", notReached},
		{"under additionalProperties", misplaced(`{"additionalProperties":%s}`), "", notReached},
		{"under patternProperties", misplaced(`{"patternProperties":{"^x":%s}}`), "", notReached},
		{"under dependentSchemas", misplaced(`{"dependentSchemas":{"a":{"properties":{"q":%s}}}}`), "", notReached},
		{"too deep to be found", strings.Repeat(`{"items":`, 100) + `{"x-mcp-header":"A"}` + strings.Repeat(`}`, 100), "", "nested too deep"},
	} {
		t.Run(test.name, func(t *testing.T) {
			mirrors, err := mirrored(json.RawMessage(test.schema))
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("error: %v", err)
			}
			var got []string
			for _, m := range mirrors {
				got = append(got, strings.Join(m.path, "/")+"="+m.name)
			}
			if text := strings.Join(got, " "); err == nil && text != test.mirrors {
				t.Errorf("got %s", text)
			}
		})
	}
}

func TestOnlyInvalidToolsAreLeftOut(t *testing.T) {
	n := &notebook{}
	e, err := openHTTP(remote{url: "http://127.0.0.1:1/mcp"}, n.peer())
	if err != nil {
		t.Fatal(err)
	}
	const good, other = `{"name":"good", "inputSchema":{"properties":{"a":{"type":"string","x-mcp-header":"A"}},"x":1.0,"y":"<b>&"}}`, `{"name":"other"}`
	const bad = `{"name":"bad","inputSchema":{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}}`
	whole := `{"resultType":"complete","tools":[` + good + `, 7, ` + other + `],"nextCursor":"x","ttl\u004ds":1}`
	for page, want := range map[string]string{
		whole: whole,
		`{"resultType":"complete","tools":[` + bad + `,` + good + `, 7, ` + bad + `,` + other + `], "nextCursor":"x","ttl\u004ds":1}`:// as it was written
		`{"resultType":"complete","tools":[` + good + `,7,` + other + `],"nextCursor":"x","ttl\u004ds":1}`,
		`{"tools":[` + bad + `]}`: `{"tools":[]}`,
		`{"tools":{}}`:            `{"tools":{}}`,
		`null`:                    `null`,
	} {
		if got := string(e.keepValid(json.RawMessage(page))); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	if names := slices.Sorted(maps.Keys(e.mirrors)); !slices.Equal(names, []string{"", "good", "other"}) || len(e.mirrors["good"]) != 1 {
		t.Errorf("remembered %v", e.mirrors)
	}
	if want := `left out its tool bad: x-mcp-header of "a" is on a value of type "number"; it may be string, integer or boolean`; !strings.HasPrefix(n.text(), want+"\n"+want) {
		t.Errorf("notes: %s", n.text())
	}
}

func FuzzAnnotations(f *testing.F) {
	f.Add(`{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}`)
	f.Add(`{"x-mcp-header":[],"items":[{"properties":{"x-mcp-header":{}`)
	f.Fuzz(func(t *testing.T, schema string) {
		mirrors, err := mirrored(json.RawMessage(schema))
		for _, m := range mirrors {
			if err == nil && (len(m.path) == 0 || !headerName.MatchString(m.name)) {
				t.Errorf("%q: %+v", schema, m)
			}
		}
	})
}

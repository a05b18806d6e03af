package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSchemasThatPassAsTheyAre(t *testing.T) {
	for name, schema := range map[string]string{
		"$defs, type arrays and odd property names": `{"type":"object","additionalProperties":false,"$defs":{"K":{"type":"integer","enum":[1,2]}},` +
			`"properties":{"k":{"$ref":"#/$defs/K"},"n":{"type":["string","null"]},"properties":{"type":"object"},"anyOf":{"type":"string"}},"required":["k"]}`,
		"order, white space, escapes and every digit": "{ \"properties\" :{\"z\":{\"maximum\":12345678901234567890.10,\"const\":1e400},\"a\":{\"default\":\"\\u00e9<\\/b>\"}}\n,\"type\":\"object\"}",
		"keywords that nobody knows":                  `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{},"x-mcp-header":1,"if":{},"then":{"anyOf":[]}}`,
		"combinators below the root":                  `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null}}}`,
		"a $ref beside properties":                    `{"type":"object","properties":{"a":{"$ref":"#"}},"$ref":"#/$defs/X","$defs":{"X":{}}}`,
		"a type of its own below the root":            `{"type":"object","properties":{"type":{"type":"string"},"type2":{}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			got, mended, err := apiSchema(json.RawMessage(schema))
			if string(got) != schema || mended != nil || err != nil {
				t.Errorf("got %s, %q, %v", got, mended, err)
			}
		})
	}
}

func TestSchemasThatAreMended(t *testing.T) {
	const empty = `{"type":"object","properties":{}}`
	for name, test := range map[string]struct{ schema, want, mended string }{
		"no properties":   {`{"type":"object"}`, empty, "empty properties added"},
		"an empty object": {`{}`, empty, `type "object" added; empty properties added`},
		"no schema":       {``, empty, "there was no schema"},
		"null":            {` null `, empty, "there was no schema"},
		"null members": {
			`{"type":"object","properties":null,"required":null}`,
			empty,
			"properties: null dropped; required: null dropped; empty properties added",
		},
		"no type": {
			`{"properties":{"b":{},"a":{"minimum":1.50}},"x":[1,  2]}`,
			`{"properties":{"b":{},"a":{"minimum":1.50}},"x":[1,  2],"type":"object"}`,
			`type "object" added`,
		},
		"a type array": {
			`{"type":["null","object"],"properties":{}}`,
			empty,
			`type ["null","object"] narrowed to "object"`,
		},
		"a repeated key": {`{"type":"array","type":"object"}`, empty, "empty properties added"},
		"required of an old draft": {
			`{"type":"object","properties":{},"required":true}`,
			empty,
			"required dropped: not a list of names",
		},
		"null among the required": {
			`{"type":"object","properties":{},"required":["a",null]}`,
			empty,
			"required dropped: not a list of names",
		},
		"not and enum": {
			`{"type":"object","properties":{"a":{}},"not":{"required":["a"],"properties":{"n":{}}},"enum":[{"a":1}]}`,
			`{"type":"object","properties":{"a":{}}}`,
			"not, enum dropped",
		},
		"allOf: properties and required": {
			`{"allOf":[{"properties":{"a":{}},"required":["a"]},{"properties":{"b":{}},"required":["b","a"]}]}`,
			`{"properties":{"a":{},"b":{}},"required":["a","b"],"type":"object"}`,
			`allOf dropped; properties merged: a, b; type "object" added`,
		},
		"anyOf: properties alone": {
			`{"type":"object","properties":{"x":{}},"required":["x"],"anyOf":[{"properties":{"a":{}},"required":["a"]},{"required":["b"]}]}`,
			`{"type":"object","properties":{"x":{},"a":{}},"required":["x"]}`,
			"anyOf dropped; properties merged: a",
		},
		"oneOf inside allOf": {
			`{"type":"object","allOf":[{"oneOf":[{"properties":{"a":{}},"required":["a"]}]}]}`,
			`{"type":"object","properties":{"a":{}}}`,
			"allOf dropped; properties merged: a",
		},
		"the root's own properties win": {
			`{"type":"object","properties":{"a":{"type":"string"}},"allOf":[{"properties":{"a":{"type":"integer"}}}]}`,
			`{"type":"object","properties":{"a":{"type":"string"}}}`,
			"allOf dropped",
		},
		"branches that differ": {
			`{"type":"object","oneOf":[{"properties":{"kind":{"const":"a"},"v":{}}},{"properties":{"kind":{"const": "b"},"v":{}}}]}`,
			`{"type":"object","properties":{"kind":{"anyOf":[{"const":"a"},{"const":"b"}]},"v":{}}}`,
			"oneOf dropped; properties merged: kind, v",
		},
		"branches by reference": {
			`{"allOf":[{"$ref":"#/$defs/A~1B%20c"}],"$defs":{"A/B c":{"properties":{"a":{}},"required":["a"]}}}`,
			`{"$defs":{"A/B c":{"properties":{"a":{}},"required":["a"]}},"properties":{"a":{}},"required":["a"],"type":"object"}`,
			`allOf dropped; properties merged: a; type "object" added`,
		},
		"a reference as the root": {
			`{"$ref":"#/definitions/Args","definitions":{"Args":{"properties":{"a":{}},"required":["a"]}}}`,
			`{"definitions":{"Args":{"properties":{"a":{}},"required":["a"]}},"properties":{"a":{}},"required":["a"],"type":"object"}`,
			`$ref dropped; properties merged: a; type "object" added`,
		},
		"a schema that contains itself": {
			`{"type":"object","allOf":[{"$ref":"#/$defs/A"}],"$defs":{"A":{"properties":{"a":{}},"allOf":[{"$ref":"#/$defs/A"},{"$ref":"#"}]}}}`,
			`{"type":"object","$defs":{"A":{"properties":{"a":{}},"allOf":[{"$ref":"#/$defs/A"},{"$ref":"#"}]}},"properties":{"a":{}}}`,
			"allOf dropped; properties merged: a",
		},
		"a reference to another document": {
			`{"$ref":"http://127.0.0.1:1/schema.json"}`,
			`{"$ref":"http://127.0.0.1:1/schema.json","type":"object","properties":{}}`,
			`type "object" added; empty properties added`,
		},
		"combinators that are no lists": {
			`{"type":"object","properties":{},"allOf":{"properties":{"a":{}}},"anyOf":[true,7,null]}`,
			empty,
			"allOf, anyOf dropped",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, mended, err := apiSchema(json.RawMessage(test.schema))
			if string(got) != test.want || strings.Join(mended, "; ") != test.mended || err != nil {
				t.Errorf("got  %s %q %v\nwant %s %q", got, strings.Join(mended, "; "), err, test.want, test.mended)
			}
		})
	}
}

func TestSchemasThatCannotBeMended(t *testing.T) {
	var deep, wide strings.Builder
	deep.WriteString(strings.Repeat(`{"allOf":[`, 100) + "{}" + strings.Repeat("]}", 100))
	wide.WriteString(`{"allOf":[{}` + strings.Repeat(",{}", 1000) + "]}")
	for name, test := range map[string]struct{ schema, want string }{
		"a string":                {`"object"`, "not a JSON object"},
		"true":                    {`true`, "not a JSON object"},
		"a list":                  {`[{}]`, "not a JSON object"},
		"a type that is none":     {`{"type":"string"}`, `its schema has the type "string"`},
		"types without an object": {`{"type":["string","null"]}`, `its schema has the type ["string","null"]`},
		"a type in no form":       {`{"type":{"a":1}}`, `its schema has the type {"a":1}`},
		"properties in a list":    {`{"type":"object","properties":["a"]}`, "its schema's properties are not a JSON object"},
		"the same beside an allOf": {`{"type":"object","properties":["a"],"allOf":[{"properties":{"b":{}}}]}`,
			"its schema's properties are not a JSON object"},
		"a reference into what is dropped": {`{"anyOf":[{"properties":{"a":{"type":"string"},"b":{"$ref":"#/anyOf/0/properties/a"}}}]}`,
			"its schema refers into its own anyOf"},
		"branches without end": {deep.String(), "nests 201 deep, the limit is 64"},
		"too many branches":    {wide.String(), "too many branches"},
		"too large":            {`{"x":"` + strings.Repeat("x", maxSchema) + `"}`, "bytes, the limit is"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, _, err := apiSchema(json.RawMessage(test.schema)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %.100s, %v; want an error with %q", got, err, test.want)
			}
		})
	}
}

// apiRefuses says why the API would refuse a schema, or "".
func apiRefuses(schema json.RawMessage) string {
	var root map[string]any
	if !utf8.Valid(schema) || json.Unmarshal(schema, &root) != nil || root == nil {
		return "no JSON object"
	}
	if _, ok := root["properties"].(map[string]any); !ok || root["type"] != "object" {
		return "no object with properties"
	}
	for key, value := range root {
		switch key {
		case "anyOf", "oneOf", "allOf", "not", "enum":
			return key
		}
		if value == nil {
			return key + " is null"
		}
	}
	if list, ok := root["required"].([]any); root["required"] != nil && !ok {
		return fmt.Sprintf("required is %v", list)
	}
	return ""
}

func FuzzAPISchema(f *testing.F) {
	f.Add([]byte(`{"type":["object"],"properties":{"a":null},"required":["a"],"anyOf":[{"properties":{"b":{}}},{"$ref":"#/x"}],"x":{"allOf":[{"$ref":"#/x"}]}}`))
	f.Add([]byte(`{"$ref":"#/$defs/a","$defs":{"a":{"oneOf":[{"properties":{"\ud800":1}},{"properties":{"a":2},"required":["a"]}]}},"not":null}`))
	f.Add([]byte("{\"description\":\"a\u200bb\\udb40\\udc69\xff\",\"enum\":[]}"))
	f.Add([]byte(`{"type\u200b":"string","type":"object"}`))
	f.Add([]byte(` null`))
	f.Fuzz(func(t *testing.T, received []byte) {
		if !json.Valid(received) { // the decoder of messages lets nothing else through
			return
		}
		removed := 0
		clean := mapStrings(received, func(text string) string {
			text, n := withoutInvisible(text)
			removed += n
			return text
		})
		schema, mended, err := apiSchema(clean)
		if err != nil {
			return
		}
		if why := apiRefuses(schema); why != "" {
			t.Errorf("%s became %s: %s", received, schema, why)
		}
		if mended == nil && removed == 0 && utf8.Valid(received) && !strings.Contains(strings.ToLower(string(received)), `\ud`) &&
			!strings.ContainsRune(string(received), utf8.RuneError) && string(schema) != string(received) {
			t.Errorf("%s became %s, and nothing is said", received, schema)
		}
		if again, more, err := apiSchema(schema); err != nil || more != nil || !reflect.DeepEqual(again, schema) {
			t.Errorf("%s is mended again: %s %q %v", schema, again, more, err)
		}
	})
}

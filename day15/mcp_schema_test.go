package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestSchemasThatPassAsTheyAre(t *testing.T) {
	for name, schema := range map[string]string{
		"$defs, type arrays and odd property names": `{"type":"object","additionalProperties":false,"$defs":{"K":{"type":"integer","enum":[1,null]}},` +
			`"properties":{"k":{"$ref":"#/$defs/K"},"n":{"type":["string","null"]},"properties":{"type":"object"},"anyOf":{"type":"string"},"items":{},"type":true},"required":["k"]}`,
		"order, white space, escapes and every digit": "{ \"properties\" :{\"z\":{\"maximum\":12345678901234567890.10,\"const\":1e400},\"a\":{\"default\":\"\\u00e9<\\/b>\"}}\n,\"type\":\"object\"}",
		"keywords that nobody knows":                  `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{},"x-mcp-header":1,"if":{},"then":{"anyOf":[{}]}}`,
		"combinators below the root, and data":        `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null},"b":{"const":null,"examples":[{"type":"array"}]}}}`,
		"a $ref beside properties":                    `{"type":"object","properties":{"a":{"$ref":"#"}},"$ref":"#/$defs/X","$defs":{"X":{}}}`,
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
	in := func(schema string) string { return `{"type":"object","properties":{"p":` + schema + `}}` }
	for name, test := range map[string]struct{ schema, want, mended string }{
		"no properties":   {`{"type":"object"}`, empty, "properties are {} now"},
		"an empty object": {`{}`, empty, "properties are {} now; type is object now"},
		"no schema":       {``, empty, "properties are {} now; type is object now"},
		"null":            {` null `, empty, "properties are {} now; type is object now"},
		"the empty list of PHP": {
			`{"type":"object","properties":[],"required":[]}`,
			`{"type":"object","properties":{},"required":[]}`,
			"properties are {} now",
		},
		"properties that are none": {in(`{"properties":["a"]}`), in(`{"properties":{}}`), "properties are {} now"},
		"null members": {
			`{"type":"object","properties":null,"required":null,"title":null}`,
			empty,
			"properties are {} now; required: <nil> dropped; title: <nil> dropped",
		},
		"a type array":            {`{"type":["null","object"],"properties":{}}`, empty, "type is object now"},
		"numbers keep each digit": {`{"properties":{"a":{"minimum":1.50,"x":"<b>&"}}}`, `{"type":"object","properties":{"a":{"minimum":1.50,"x":"<b>&"}}}`, "type is object now"},

		"an array without items": {in(`{"type":"array"}`), in(`{"type":"array","items":{}}`), "items added to an array"},
		"an array or null":       {in(`{"type":["array","null"]}`), in(`{"type":["array","null"],"items":{}}`), "items added to an array"},
		"deep inside":            {in(`{"anyOf":[{"items":{"additionalProperties":{"type":"array"}}}]}`), in(`{"anyOf":[{"items":{"additionalProperties":{"type":"array","items":{}}}}]}`), "items added to an array"},
		"in a definition":        {`{"type":"object","properties":{},"$defs":{"a":{"type":"array"}}}`, `{"type":"object","properties":{},"$defs":{"a":{"type":"array","items":{}}}}`, "items added to an array"},
		"null inside":            {in(`{"type":"string","enum":null,"default":null}`), in(`{"type":"string","default":null}`), "enum: <nil> dropped"},
		"required in a property": {in(`{"required":true,"properties":[]}`), in(`{"properties":{}}`), "properties are {} now; required: true dropped"},

		"not and enum": {
			`{"type":"object","properties":{"a":{}},"not":{"required":["a"],"properties":{"n":{}}},"enum":[{"a":1}]}`,
			`{"type":"object","properties":{"a":{}}}`,
			"enum dropped, its properties merged; not dropped, its properties merged",
		},
		"allOf": {
			`{"type":"object","allOf":[{"properties":{"a":{}},"required":["a"]},{"properties":{"b":{}},"required":["b","a"]}]}`,
			`{"type":"object","properties":{"a":{},"b":{}}}`,
			"allOf dropped, its properties merged",
		},
		"anyOf: properties alone": {
			`{"type":"object","properties":{"x":{}},"required":["x"],"anyOf":[{"properties":{"a":{}},"required":["a"]},{"required":["b"]},true]}`,
			`{"type":"object","properties":{"x":{},"a":{}},"required":["x"]}`,
			"anyOf dropped, its properties merged",
		},
		"oneOf inside allOf, and the root's own win": {
			`{"type":"object","properties":{"b":{"type":"string"}},"allOf":[{"oneOf":[{"properties":{"a":{},"b":{}},"required":["a"]}]}]}`,
			`{"type":"object","properties":{"a":{},"b":{"type":"string"}}}`,
			"allOf dropped, its properties merged",
		},
		"branches that differ": {
			`{"type":"object","oneOf":[{"properties":{"kind":{"const":"a"},"v":{}}},{"properties":{"kind":{"const": "b"},"v":{}}}]}`,
			`{"type":"object","properties":{"kind":{"anyOf":[{"const":"a"},{"const":"b"}]},"v":{}}}`,
			"oneOf dropped, its properties merged",
		},
		"branches by reference": {
			`{"type":"object","allOf":[{"$ref":"#/$defs/A~1B c"}],"$defs":{"A/B c":{"properties":{"a":{}},"required":["a"]}}}`,
			`{"type":"object","$defs":{"A/B c":{"properties":{"a":{}},"required":["a"]}},"properties":{"a":{}}}`,
			"allOf dropped, its properties merged",
		},
		"a reference as the root": {
			`{"type":"object","$ref":"#/definitions/Args","definitions":{"Args":{"properties":{"a":{}},"required":["a"]}}}`,
			`{"type":"object","definitions":{"Args":{"properties":{"a":{}},"required":["a"]}},"properties":{"a":{}},"required":["a"]}`,
			"$ref replaced by what it refers to",
		},
		"a schema that contains itself": {
			`{"type":"object","allOf":[{"$ref":"#/$defs/A"}],"$defs":{"A":{"properties":{"a":{}},"allOf":[{"$ref":"#/$defs/A"},{"$ref":"#"}]}}}`,
			`{"type":"object","$defs":{"A":{"properties":{"a":{}},"allOf":[{"$ref":"#/$defs/A"},{"$ref":"#"}]}},"properties":{"a":{}}}`,
			"allOf dropped, its properties merged",
		},
		"a reference to another document": {
			`{"type":"object","$ref":"http://127.0.0.1:1/schema.json"}`,
			empty,
			"$ref replaced by what it refers to; properties are {} now",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, mended, err := apiSchema(json.RawMessage(test.schema))
			root, _ := decodeSchema(json.RawMessage(test.want)) // its order does not matter
			if want, _ := encode(root); string(got) != string(want) || strings.Join(mended, "; ") != test.mended || err != nil {
				t.Errorf("got  %s %q %v\nwant %s %q", got, strings.Join(mended, "; "), err, test.want, test.mended)
			}
		})
	}
}

func TestSchemasThatCannotBeMended(t *testing.T) {
	const noObject = "its schema is not a JSON object, or has more than 262144 bytes, the limit"
	large := `{"x":"` + strings.Repeat("x", maxSchema) + `"}`
	deep := strings.Repeat(`{"properties":{"a":`, 70) + "{}" + strings.Repeat("}}", 70)
	for schema, want := range map[string]string{
		`"object"`: noObject, `true`: noObject, `[{}]`: noObject, large: noObject,
		deep:                         "its schema nests more than 64 deep",
		`{"type":"string"}`:          "its schema has the type string; arguments are an object",
		`{"type":["string","null"]}`: "its schema has the type [string null]; arguments are an object",
		`{"anyOf":[{"properties":{"a":{"type":"string"},"b":{"$ref":"#/anyOf/0/properties/a"}}}]}`: "its schema refers into its own anyOf, which the model's API refuses at the root",
	} {
		if _, _, err := apiSchema(json.RawMessage(schema)); err == nil || err.Error() != want {
			t.Errorf("%.100s: %v", schema, err)
		}
	}
}

// Each definition refers twice to the next one: 2^60 branches, if they were all followed.
func TestASchemaThatGrowsWithEachReference(t *testing.T) {
	schema := `{"$ref":"#/$defs/d0","$defs":{`
	for i := range 60 {
		schema += fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}],"properties":{"p%d":{}}},`, i, i+1, i+1, i)
	}
	got, _, err := apiSchema(json.RawMessage(schema + `"d60":true}}`))
	if err != nil || !strings.Contains(string(got), `"p59":{}`) {
		t.Errorf("%s, %v", got, err)
	}
}

func FuzzAPISchema(f *testing.F) {
	f.Add([]byte(`{"type":["object"],"properties":{"a":null},"required":["a"],"anyOf":[{"properties":{"b":{}}},{"$ref":"#/x"}],"x":{"allOf":[{"$ref":"#/x"}]}}`))
	f.Add([]byte(`{"$ref":"#/$defs/a","$defs":{"a":{"oneOf":[{"properties":{"\ud800":1}},{"properties":{"a":2},"required":["a"]}]}},"not":null}`))
	f.Add([]byte(`{"properties":{"items":[{"type":"array"}],"a":{"items":[[]]}},"items":null,"$defs":[]}`))
	f.Fuzz(func(t *testing.T, received []byte) {
		schema, _, err := apiSchema(received)
		if err != nil {
			return
		}
		if again, more, err := apiSchema(schema); err != nil || more != nil || string(again) != string(schema) {
			t.Errorf("%s is mended again: %s %q %v", schema, again, more, err)
		}
	})
}

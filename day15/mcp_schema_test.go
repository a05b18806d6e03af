package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestSchemasThatPassAsTheyAre(t *testing.T) {
	for _, schema := range []string{
		`{"type":"object","additionalProperties":false,"$defs":{"K":{"type":"integer","enum":[1,null]}},` +
			`"properties":{"k":{"$ref":"#/$defs/K"},"n":{"type":["string","null"]},"properties":{"type":"object"},"anyOf":{"type":"string"},"items":{},"type":true},"required":["k"]}`,
		"{ \"properties\" :{\"z\":{\"maximum\":12345678901234567890.10,\"const\":1e400},\"a\":{\"default\":\"\\u00e9<\\/b>\"}}\n,\"type\":\"object\"}",
		`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{},"x-mcp-header":1,"if":{},"then":{"anyOf":[{}]}}`,
		`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null},"b":{"const":null,"examples":[{"type":"array"}]}}}`,
		`{"type":"object","properties":{"a":{"$ref":"#"}},"$ref":"#/$defs/X","$defs":{"X":{}}}`,
	} {
		if got, err := apiSchema(json.RawMessage(schema)); string(got) != schema || err != nil {
			t.Errorf("%s became %s, %v", schema, got, err)
		}
	}
}

func TestSchemasThatAreMended(t *testing.T) {
	const empty = `{"type":"object","properties":{}}`
	in := func(schema string) string { return `{"type":"object","properties":{"p":` + schema + `}}` }
	for schema, want := range map[string]string{
		`{"type":"object"}`: empty, // no properties
		`{}`:                empty, // an empty object
		``:                  empty, // no schema
		` null `:            empty, // null
		`{"type":"object","properties":[],"required":[]}`:                                                                   `{"type":"object","properties":{},"required":[]}`,                                // the empty list of PHP
		in(`{"properties":["a"]}`):                                                                                          in(`{"properties":{}}`),                                                          // properties that are none
		`{"type":"object","properties":null,"required":null,"title":null}`:                                                  empty,                                                                            // null members
		`{"type":["null","object"],"properties":{}}`:                                                                        empty,                                                                            // a type array
		`{"properties":{"a":{"minimum":1.50,"x":"<b>&"}}}`:                                                                  `{"type":"object","properties":{"a":{"minimum":1.50,"x":"<b>&"}}}`,               // numbers keep each digit
		in(`{"type":"array"}`):                                                                                              in(`{"type":"array","items":{}}`),                                                // an array without items
		in(`{"type":["array","null"]}`):                                                                                     in(`{"type":["array","null"],"items":{}}`),                                       // an array or null
		in(`{"anyOf":[{"items":{"additionalProperties":{"type":"array"}}}]}`):                                               in(`{"anyOf":[{"items":{"additionalProperties":{"type":"array","items":{}}}}]}`), // deep inside
		`{"type":"object","properties":{},"$defs":{"a":{"type":"array"}}}`:                                                  `{"type":"object","properties":{},"$defs":{"a":{"type":"array","items":{}}}}`,    // in a definition
		in(`{"type":"string","enum":null,"default":null}`):                                                                  in(`{"type":"string","default":null}`),                                           // null inside
		in(`{"required":true,"properties":[]}`):                                                                             in(`{"properties":{}}`),                                                          // required in a property
		`{"type":"object","properties":{"a":{}},"not":{"required":["a"],"properties":{"n":{}}},"enum":[{"a":1}]}`:           `{"type":"object","properties":{"a":{}}}`,                                        // not and enum
		`{"type":"object","allOf":[{"properties":{"a":{}},"required":["a"]},{"properties":{"b":{}},"required":["b","a"]}]}`: `{"type":"object","properties":{"a":{},"b":{}}}`,                                 // allOf
		`{"type":"object","properties":{"x":{}},"required":["x"],"anyOf":[{"properties":{"a":{}},"required":["a"]},{"required":["b"]},true]}`: `{"type":"object","properties":{"x":{},"a":{}},"required":["x"]}`,                                                           // anyOf: properties alone
		`{"type":"object","properties":{"b":{"type":"string"}},"allOf":[{"oneOf":[{"properties":{"a":{},"b":{}},"required":["a"]}]}]}`:        `{"type":"object","properties":{"a":{},"b":{"type":"string"}}}`,                                                             // oneOf inside allOf, and the root's own win
		`{"type":"object","oneOf":[{"properties":{"kind":{"const":"a"},"v":{}}},{"properties":{"kind":{"const": "b"},"v":{}}}]}`:              `{"type":"object","properties":{"kind":{"anyOf":[{"const":"a"},{"const":"b"}]},"v":{}}}`,                                    // branches that differ
		`{"type":"object","allOf":[{"$ref":"#/$defs/A~1B c"}],"$defs":{"A/B c":{"properties":{"a":{}},"required":["a"]}}}`:                    `{"type":"object","$defs":{"A/B c":{"properties":{"a":{}},"required":["a"]}},"properties":{"a":{}}}`,                        // branches by reference
		`{"type":"object","$ref":"#/definitions/Args","definitions":{"Args":{"properties":{"a":{}},"required":["a"]}}}`:                       `{"type":"object","definitions":{"Args":{"properties":{"a":{}},"required":["a"]}},"properties":{"a":{}},"required":["a"]}`,  // a reference as the root
		`{"type":"object","allOf":[{"$ref":"#/$defs/A"}],"$defs":{"A":{"properties":{"a":{}},"allOf":[{"$ref":"#/$defs/A"},{"$ref":"#"}]}}}`:  `{"type":"object","$defs":{"A":{"properties":{"a":{}},"allOf":[{"$ref":"#/$defs/A"},{"$ref":"#"}]}},"properties":{"a":{}}}`, // a schema that contains itself
		`{"type":"object","$ref":"http://127.0.0.1:1/schema.json"}`:                                                                           empty,                                                                                                                       // a reference to another document
	} {
		got, err := apiSchema(json.RawMessage(schema))
		root, _ := decodeSchema(json.RawMessage(want)) // its order does not matter
		if want, _ := encode(root); string(got) != string(want) || err != nil {
			t.Errorf("%s\ngot  %s %v\nwant %s", schema, got, err, want)
		}
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
		`{"anyOf":[{"properties":{"a":{"type":"string"},"b":{"$ref":"#/anyOf/0/properties/a"}}}]}`: `its schema refers into its own "#/anyOf/0/properties/a", which the model's API refuses at the root`,
	} {
		if _, err := apiSchema(json.RawMessage(schema)); err == nil || err.Error() != want {
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
	got, err := apiSchema(json.RawMessage(schema + `"d60":true}}`))
	if err != nil || !strings.Contains(string(got), `"p59":{}`) {
		t.Errorf("%s, %v", got, err)
	}
}

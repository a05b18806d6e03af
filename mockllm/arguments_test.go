package main

import (
	"encoding/json"
	"testing"
)

func TestArgumentsComeFromTheSchema(t *testing.T) {
	schema := func(properties, required string) string {
		return `{"type":"object","properties":{` + properties + `},"required":[` + required + `]}`
	}
	tests := []struct {
		name, step, schema, want string
	}{
		{"no parameters", "go", schema(``, ``), `{}`},
		{"no schema", "go", ``, `{}`},
		{"JSON in the step is taken as it is", `go {"x": 1.0e3,"y":[ ]} please`, schema(`"z":{"type":"string"}`, `"z"`), `{"x": 1.0e3,"y":[ ]}`},
		{"JSON in quotes is a string", `go "{}"`, schema(`"z":{"type":"string"}`, `"z"`), `{"z":"{}"}`},
		{"an enum value that occurs", "convert 20.5 to fahrenheit", schema(`"to":{"enum":["celsius","fahrenheit"]},"value":{"type":"number"}`, `"value","to"`), `{"value":20.5,"to":"fahrenheit"}`},
		{"an enum of which the step says nothing", "go", schema(`"unit":{"enum":["m","km"]}`, `"unit"`), `{"unit":"m"}`},
		{"an enum with underscores and one of numbers", "set in progress to 2", schema(`"s":{"enum":["done","in_progress"]},"n":{"type":"integer","enum":[1,2]}`, ``), `{"n":2,"s":"in_progress"}`},
		{"a default", "go", schema(`"d":{"type":"string","default":"x"},"o":{"default":1}`, `"d"`), `{"d":"x"}`},
		{"an integer takes no fraction", "use 1.5 or 3", schema(`"n":{"type":"integer"}`, `"n"`), `{"n":3}`},
		{"numbers keep their digits", "use 9007199254740993123 and 1.10", schema(`"a":{"type":"integer"},"b":{"type":"number"}`, `"a","b"`), `{"a":9007199254740993123,"b":1.10}`},
		{"a version, a word or a file name is no number", "use v2 or x86 or a1.txt", schema(`"n":{"type":"integer"}`, ``), `{}`},
		{"a number behind the name", "draw sides 20 and limit 5", schema(`"limit":{"type":"integer"},"sides":{"type":"integer"},"x":{"type":"integer"}`, ``), `{"limit":5,"sides":20}`},
		{"a boolean is true when its name is said", "go recursive", schema(`"recursive":{"type":"boolean"},"x":{"type":"boolean"},"y":{"type":"boolean"}`, `"y"`), `{"y":false,"recursive":true}`},
		{"an array takes all quotes", `tag "a" and “b” and 「c」`, schema(`"tags":{"type":"array","items":{"type":"string"}}`, `"tags"`), `{"tags":["a","b","c"]}`},
		{"an array of paths", `open a.txt and https://example.com/b.`, schema(`"paths":{"type":"array"}`, `"paths"`), `{"paths":["a.txt","https://example.com/b"]}`},
		{"an array of numbers", `sum 1, 2 and 3`, schema(`"n":{"type":"array","items":{"type":"number"}}`, `"n"`), `{"n":[1,2,3]}`},
		{"a type with null", `go "x"`, schema(`"s":{"type":["null","string"]},"n":{"type":["integer","null"]}`, `"s","n"`), `{"s":"x","n":1}`},
		{"objects and arrays of them", `go`, schema(`"o":{"type":"object"},"l":{"type":"array","items":{"type":"object"}}`, `"o","l"`), `{"o":{},"l":[]}`},
		{"a property that is only required", `go "x"`, schema(``, `"s"`), `{"s":"x"}`},
		{"optional parameters in the order of their names", `go "x" "y"`, schema(`"b":{},"a":{}`, ``), `{"a":"x","b":"y"}`},
		{"required first", `go "x" "y"`, schema(`"b":{},"a":{}`, `"b"`), `{"b":"x","a":"y"}`},
		{"a colon and an equals sign", `go title="trip", n: 3`, schema(`"n":{"type":"integer"},"title":{"type":"string"}`, ``), `{"n":3,"title":"trip"}`},
		{"origin and goal", "flights from Paris to Rome", schema(`"origin":{"type":"string"},"goal":{"type":"string"}`, `"origin","goal"`), `{"origin":"Paris","goal":"Rome"}`},
		{"a phrase ends at the next marker", "news about tea in Siem Reap, please", schema(`"q":{"type":"string"},"where":{"type":"string"}`, `"q"`), `{"q":"tea","where":"Siem Reap"}`},
		{"the phrase that only names the parameter is skipped", "weather for the city of Paris", schema(`"city":{"type":"string"}`, `"city"`), `{"city":"Paris"}`},
		{"the rest of the step", "please echo what time is it?", schema(`"text":{"type":"string"}`, `"text"`), `{"text":"what time is it"}`},
		{"an apostrophe is no quote", `echo "it's" and don't`, schema(`"text":{"type":"string"}`, `"text"`), `{"text":"it's"}`},
		{"a mark that never closes is no quote", `echo 5" more`, schema(`"text":{"type":"string"}`, `"text"`), `{"text":"5\" more"}`},
		{"markup stays readable", `echo "<b>&"`, schema(`"text":{"type":"string"}`, `"text"`), `{"text":"<b>&"}`},
	}
	for _, test := range tests {
		got := arguments(test.step, tool{name: "echo", description: "Echo", parameters: json.RawMessage(test.schema)})
		if got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}

// FuzzDecide: whatever the task and the schema, nothing panics, the answer is
// the same twice, and arguments are the text of a JSON object.
func FuzzDecide(f *testing.F) {
	for _, schema := range []string{
		`{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"}},"required":["path"]}`,
		`{"type":"object","properties":{"a":{"enum":["x",1,null]},"b":{"type":["null","array"],"items":{"type":"number"}},"c":true},"required":["b","c","zzz"]}`,
		`{"type":"object","properties":{"a":{"type":"boolean","default":{"x":[]}},"a":{"const":null}},"required":["a","a"]}`,
		`{"properties":[],"required":7}`, ``, `null`,
	} {
		for _, task := range []string{
			`echo "a then b", and then echo 'c' ; echo 「d」 and at the same time echo 007 -0 1.50`,
			`call echo {"a": "\"", "b": 12345678901234567890}; call echo {"a"`,
			"把 x=1、“y”写入 ./z.txt，然后再 echo limit:5 no a from İ to \x00\xff",
		} {
			f.Add(task, schema, "mcp_echo", "[MCP:x] Echo 写")
		}
	}
	f.Fuzz(func(t *testing.T, task, schema, name, description string) {
		c := conversation{parallel: true, messages: []message{{"user", task}}, tools: []tool{{name, description, json.RawMessage(schema)}}}
		for _, mode := range []string{"auto", "required"} {
			c.choice = toolChoice{mode: mode}
			for _, step := range cutSteps(task) {
				for _, step := range step {
					call, ok := c.callFor(step)
					if ok && !isObject([]byte(call.arguments)) {
						t.Errorf("arguments %q", call.arguments)
					}
					if again, _ := c.callFor(step); again != call {
						t.Errorf("first %q, then %q", call, again)
					}
				}
			}
			if a := decide(c); (a.text == "") == (len(a.calls) == 0) || mode == "required" && len(a.calls) == 0 {
				t.Errorf("%s: neither text nor calls, or both: %+v", mode, a)
			}
		}
	})
}

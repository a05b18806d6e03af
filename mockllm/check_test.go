package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestRefusals(t *testing.T) {
	const user = `{"role":"user","content":"hi"}`
	const ab = `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	const toolA, toolB = `{"role":"tool","tool_call_id":"a","content":"1"}`, `{"role":"tool","tool_call_id":"b","content":""}`
	body := func(messages, more string) string {
		return `{"model":"mock","messages":[` + messages + `]` + more + `}`
	}
	called := func(call string) string {
		return body(user+`,{"role":"assistant","tool_calls":[`+call+`]},`+toolA, ``)
	}
	function := func(f string) string {
		return body(user, `,"tools":[{"type":"function","function":{"name":"ok"}},{"type":"function","function":`+f+`}]`)
	}
	schema := func(s string) string { return function(`{"name":"f","parameters":` + s + `}`) }
	property := func(s string) string { return schema(`{"type":"object","properties":{"x":` + s + `}}`) }
	const withTool = `,"tools":[{"type":"function","function":{"name":"f"}}]`

	tests := []struct {
		name, body, param, code string
	}{
		{"no JSON", `{"model":`, ``, ``},
		{"more than JSON", body(user, ``) + `{}`, ``, ``},
		{"no UTF-8", "{\"model\":\"mock\xff\"}", ``, ``},
		{"an array", `[]`, ``, `invalid_type`},
		{"a number as model", `{"model":5}`, `model`, `invalid_type`},
		{"no model", `{"messages":[` + user + `]}`, `model`, `missing_required_parameter`},
		{"no messages", `{"model":"mock"}`, `messages`, `missing_required_parameter`},
		{"empty messages", body(``, ``), `messages`, `empty_array`},
		{"messages that are no array", `{"model":"mock","messages":{}}`, `messages`, `invalid_type`},
		{"usage options without a stream", body(user, `,"stream_options":{"include_usage":true}`), `stream_options`, ``},

		{"tools null", body(user, `,"tools":null`), `tools`, `missing_required_parameter`},
		{"tools empty", body(user, `,"tools":[]`), `tools`, `empty_array`},
		{"129 tools", body(user, `,`+manyTools(129)), `tools`, `array_above_max_length`},
		{"a tool of another type", body(user, `,"tools":[{"type":"custom"}]`), `tools[0].type`, `invalid_value`},
		{"a tool without its function", body(user, `,"tools":[{"type":"function"}]`), `tools[0].function.name`, `invalid_value`},
		{"a function without a name", function(`{}`), `tools[1].function.name`, `invalid_value`},
		{"a name of 65 characters", function(`{"name":"` + strings.Repeat("n", 65) + `"}`), `tools[1].function.name`, `invalid_value`},
		{"a name with a dot", function(`{"name":"a.b"}`), `tools[1].function.name`, `invalid_value`},
		{"a name with a line end", function(`{"name":"a\n"}`), `tools[1].function.name`, `invalid_value`},
		{"a name that is taken", function(`{"name":"ok"}`), `tools[1].function.name`, `invalid_value`},
		{"a name that is no string", function(`{"name":1}`), `tools[1].function.name`, `invalid_type`},
		{"parameters null", schema(`null`), `tools[1].function.parameters`, `invalid_function_parameters`},
		{"parameters that are no object", schema(`[]`), `tools[1].function.parameters`, `invalid_function_parameters`},
		{"parameters without a type", schema(`{"properties":{}}`), `tools[1].function.parameters`, `invalid_function_parameters`},
		{"parameters of another type", schema(`{"type":["object"],"properties":{}}`), `tools[1].function.parameters`, `invalid_function_parameters`},
		{"parameters without properties", schema(`{"type":"object"}`), `tools[1].function.parameters`, `invalid_function_parameters`},
		{"properties null", schema(`{"type":"object","properties":null}`), `tools[1].function.parameters`, `invalid_function_parameters`},

		{"a tool choice without tools", body(user, `,"tool_choice":"none"`), `tool_choice`, ``},
		{"an unknown tool choice", body(user, withTool+`,"tool_choice":"some"`), `tool_choice`, `invalid_value`},
		{"a choice of another type", body(user, withTool+`,"tool_choice":{"type":"x"}`), `tool_choice`, `invalid_value`},
		{"the choice of a tool that is not there", body(user, withTool+`,"tool_choice":{"type":"function","function":{"name":"g"}}`), `tool_choice`, `invalid_value`},
		{"parallel calls without tools", body(user, `,"parallel_tool_calls":true`), `parallel_tool_calls`, ``},

		{"an unknown role", body(`{"role":"robot","content":""}`, ``), `messages[0].role`, `invalid_value`},
		{"no role", body(`{"content":""}`, ``), `messages[0].role`, `invalid_value`},
		{"a user without content", body(user+`,{"role":"user"}`, ``), `messages[1].content`, `missing_required_parameter`},
		{"an assistant without content or calls", body(user+`,{"role":"assistant","content":null}`, ``), `messages[1].content`, `missing_required_parameter`},
		{"content that is a number", body(`{"role":"user","content":5}`, ``), `messages[0].content`, `invalid_type`},
		{"a tool message with null", body(user+`,`+ab+`,`+toolA+`,{"role":"tool","tool_call_id":"b","content":null}`, ``), `messages[3].content`, `missing_required_parameter`},
		{"a tool message without parts", body(user+`,`+ab+`,`+toolA+`,{"role":"tool","tool_call_id":"b","content":[]}`, ``), `messages[3].content`, `empty_array`},

		{"no answer to a call, at the end", body(user+`,`+ab+`,`+toolA, ``), `messages[1].tool_calls`, ``},
		{"no answer to a call, in between", body(user+`,`+ab+`,`+toolA+`,`+user, ``), `messages[1].tool_calls`, ``},
		{"an answer without a call", body(user+`,`+toolA, ``), `messages[1].tool_call_id`, ``},
		{"an answer after another message", body(user+`,`+ab+`,`+toolA+`,`+toolB+`,`+user+`,`+toolA, ``), `messages[5].tool_call_id`, ``},
		{"two answers to a call", body(user+`,`+ab+`,`+toolA+`,`+toolA, ``), `messages[3].tool_call_id`, ``},
		{"an answer without an id", body(user+`,`+ab+`,{"role":"tool","content":""}`, ``), `messages[2].tool_call_id`, ``},

		{"calls of a user", body(`{"role":"user","content":"","tool_calls":[{}]}`, ``), `messages[0].tool_calls`, ``},
		{"an empty list of calls", body(user+`,{"role":"assistant","content":"","tool_calls":[]}`, ``), `messages[1].tool_calls`, `empty_array`},
		{"a call without an id", called(`{"type":"function","function":{"name":"f","arguments":"{}"}}`), `messages[1].tool_calls[0].id`, `invalid_value`},
		{"a call without a type", called(`{"id":"a","function":{"name":"f","arguments":"{}"}}`), `messages[1].tool_calls[0].type`, `invalid_value`},
		{"two calls with one id", called(`{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}`), `messages[1].tool_calls[1].id`, `invalid_value`},
		{"a call without a name", called(`{"id":"a","type":"function","function":{"arguments":"{}"}}`), `messages[1].tool_calls[0].function.name`, `invalid_value`},
		{"a call with a wrong name", called(`{"id":"a","type":"function","function":{"name":"a b","arguments":"{}"}}`), `messages[1].tool_calls[0].function.name`, `invalid_value`},
		{"arguments that are cut off", called(`{"id":"a","type":"function","function":{"name":"f","arguments":"{\"a\":"}}`), `messages[1].tool_calls[0].function.arguments`, `invalid_value`},
		{"arguments that are empty", called(`{"id":"a","type":"function","function":{"name":"f","arguments":""}}`), `messages[1].tool_calls[0].function.arguments`, `invalid_value`},
		{"arguments that are null", called(`{"id":"a","type":"function","function":{"name":"f","arguments":"null"}}`), `messages[1].tool_calls[0].function.arguments`, `invalid_value`},
		{"arguments with something behind", called(`{"id":"a","type":"function","function":{"name":"f","arguments":"{}{}"}}`), `messages[1].tool_calls[0].function.arguments`, `invalid_value`},
		{"several answers", body(user, `,"n":2`), `n`, `unsupported_value`},
		{"no answer", body(user, `,"n":0`), `n`, `unsupported_value`},
		{"a count that is no number", body(user, `,"n":"2"`), `n`, `invalid_type`},
		{"an answer in JSON", body(user, `,"response_format":{"type":"json_object"}`), `response_format`, `unsupported_value`},
		{"an answer by a schema", body(user, `,"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{}}}`), `response_format`, `unsupported_value`},
		{"a tool message with an image", body(user+`,`+ab+`,{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"x"},{"type":"image_url"}]}`, ``), `messages[2].content[1].type`, `invalid_value`},
		{"a refusal of a user", body(`{"role":"user","refusal":"no"}`, ``), `messages[0].content`, `missing_required_parameter`},
		{"no allowed tool", body(user, withTool+`,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[]}}`), `tool_choice`, `invalid_value`},
		{"an allowed tool that is not there", body(user, withTool+`,"tool_choice":`+allow("auto", "f", "g")), `tool_choice`, `invalid_value`},
		{"allowed tools in an unknown mode", body(user, withTool+`,"tool_choice":`+allow("none", "f")), `tool_choice`, `invalid_value`},
		{"an array without items", property(`{"type":"array"}`), `tools[1].function.parameters.properties.x`, `invalid_function_parameters`},
		{"an array or null without items", property(`{"type":["array","null"]}`), `tools[1].function.parameters.properties.x`, `invalid_function_parameters`},
		{"an array in an object", property(`{"type":"object","properties":{"y":{"type":"array"}}}`), `tools[1].function.parameters.properties.x.properties.y`, `invalid_function_parameters`},
		{"an array in an array", property(`{"type":"array","items":{"type":"array"}}`), `tools[1].function.parameters.properties.x.items`, `invalid_function_parameters`},
		{"an array in a combinator", property(`{"anyOf":[{"type":"null"},{"type":"array"}]}`), `tools[1].function.parameters.properties.x.anyOf[1]`, `invalid_function_parameters`},
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf", "not", "enum"} {
		tests = append(tests, struct{ name, body, param, code string }{
			keyword + " at the root", schema(`{"type":"object","properties":{},"` + keyword + `":[]}`), `tools[1].function.parameters`, `invalid_function_parameters`})
	}
	url := serve(t) + "/chat/completions"
	for _, test := range tests {
		status, contentType, answer := post(t, url, test.body)
		var got struct {
			Error struct{ Message, Type, Param, Code string }
		}
		if err := json.Unmarshal([]byte(answer), &got); err != nil || status != 400 || contentType != "application/json" || got.Error.Type != "invalid_request_error" {
			t.Errorf("%s: %d %s", test.name, status, answer)
		}
		if got.Error.Param != test.param || got.Error.Code != test.code || !strings.HasPrefix(got.Error.Message, test.param) {
			t.Errorf("%s: got param %s, code %s: %s", test.name, got.Error.Param, got.Error.Code, got.Error.Message)
		}
	}
}

// manyTools gives n tools as a request has them.
func manyTools(n int) string {
	var list strings.Builder
	for i := range n {
		fmt.Fprintf(&list, "f%d | Do it.\n", i)
	}
	return toolsOf(list.String())
}

func TestWhatIsNotRefused(t *testing.T) {
	const user = `"messages":[{"role":"user","content":""}]`
	call := `{"id":"a","type":"function","function":{"name":"f","arguments":" {\"n\":1} "}}`
	answered := `{"role":"assistant","content":"","tool_calls":[` + call + `]},{"role":"tool","tool_call_id":"a","content":"x"}`
	url := serve(t)
	for name, fields := range map[string]string{
		"all roles":                      `"messages":[{"role":"system","content":""},{"role":"developer","content":""},{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image_url"}]},{"role":"assistant","content":"x"}]`,
		"one id in two turns":            `"messages":[` + answered + `,` + answered + `]`,
		"a tool message with parts":      `"messages":[` + strings.ReplaceAll(answered, `"content":"x"`, `"content":[{"type":"text","text":"x"}]`) + `]`,
		"an assistant that only refuses": `"messages":[{"role":"assistant","content":null,"refusal":"no"}]`,
		"a conversation without a user":  `"messages":[{"role":"system","content":"x"}]`,
		"128 tools":                      user + `,` + manyTools(128),
		"a name of 64 characters":        user + `,"tools":[{"type":"function","function":{"name":"` + strings.Repeat("n", 64) + `"}}]`,
		"what is only refused at a root": user + `,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"type":{"anyOf":[{"type":"string"}]},"items":{"type":"array","items":{}}}}}}]`,
		"null where nothing is asked":    user + `,"tool_choice":null,"stream":null,"stream_options":null,"parallel_tool_calls":null,"n":null,"response_format":null`,
		"what asks for the usual":        user + `,"n":1,"response_format":{"type":"text"}`,
		"fields that it does not know":   `"messages":[{"role":"user","content":"","name":"x","extra":{}}],"temperature":0,"metadata":{"a":"b"}`,
	} {
		t.Run(name, func(t *testing.T) { ask(t, url, []string{fields}) })
	}
}

// TestRequestsOfOtherClients has the last request of a task with two calls as
// these clients send it.
func TestRequestsOfOtherClients(t *testing.T) {
	const task, want = `roll the die, then count the words in \"a b\"`, "Here is what I found:\n1. Roll: 5\n2. Words 2"
	for name, body := range map[string]string{
		"qwen-code": `{"model":"mock","messages":[{"role":"system","content":"You are an agent in a terminal."},{"role":"user","content":[{"type":"text","text":"This is the context of our chat."}]},{"role":"assistant","content":"Got it."},
			{"role":"user","content":[{"type":"text","text":"` + task + `"}]},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"dice","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_1","content":[{"type":"text","text":"Roll: 5"}]},
			{"role":"assistant","content":null,"tool_calls":[{"id":"call_2","type":"function","function":{"name":"word_count","arguments":"{\"text\":\"a b\"}"}}]},{"role":"tool","tool_call_id":"call_2","content":[{"type":"text","text":"Words 2"}]}],
			"stream":false,"max_tokens":8000,"tools":[{"type":"function","function":{"name":"dice","description":"Roll a die","parameters":{"type":"object","properties":{},"required":[]}}},{"type":"function","function":{"name":"word_count","description":"Count words","parameters":{"type":"object","properties":{"text":{"type":"string","description":"The text"},"paths":{"type":"array","items":{"type":"string"}}},"required":["text"]}}}]}`,
		"LangChain": `{"model":"mock","tools":[{"type":"function","function":{"name":"dice","description":"Roll a die","parameters":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{},"additionalProperties":false}}},{"type":"function","function":{"name":"word_count","description":"Count words","parameters":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}}}],"messages":[{"role":"system","content":"be brief"},{"role":"user","content":[{"type":"text","text":"` + task + `"}]},
			{"role":"assistant","content":"","tool_calls":[{"id":"call_3","type":"function","function":{"name":"dice","arguments":"{}"}}]},{"role":"tool","content":[{"type":"text","text":"Roll: 5"}],"tool_call_id":"call_3"},
			{"role":"assistant","content":"","tool_calls":[{"id":"call_4","type":"function","function":{"name":"word_count","arguments":"{\"text\":\"a b\"}"}}]},{"role":"tool","content":[{"type":"text","text":"Words 2"}],"tool_call_id":"call_4"}]}`,
		"OpenAI Agents SDK": `{"model":"mock","messages":[{"content":"be brief","role":"system"},{"role":"user","content":"` + task + `"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_3","type":"function","function":{"name":"dice","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_3","content":"Roll: 5"},
			{"role":"assistant","content":null,"tool_calls":[{"id":"call_4","type":"function","function":{"name":"word_count","arguments":"{\"text\":\"a b\"}"}}]},{"role":"tool","tool_call_id":"call_4","content":"Words 2"}],"tools":[{"type":"function","function":{"name":"dice","description":"Roll a die","parameters":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{},"additionalProperties":false,"required":[]},"strict":true}},{"type":"function","function":{"name":"word_count","description":"Count words","parameters":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false},"strict":true}}],"stream":false}`,
	} {
		t.Run(name, func(t *testing.T) {
			if got := ask(t, serve(t), []string{body[1 : len(body)-1]}); got.Content == nil || *got.Content != want {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestABodyThatIsTooLarge(t *testing.T) {
	status, _, answer := post(t, serve(t)+"/chat/completions", `{"model":"`+strings.Repeat("x", 32<<20)+`"}`)
	if status != 413 || !strings.Contains(answer, `"code":"request_too_large"`) {
		t.Errorf("%d %s", status, answer)
	}
}

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
	many := strings.TrimSuffix(strings.Repeat(`{"type":"function","function":{"name":"f"}},`, 129), ",")
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

		{"tools null", body(user, `,"tools":null`), `tools`, `invalid_type`},
		{"tools empty", body(user, `,"tools":[]`), `tools`, `empty_array`},
		{"129 tools", body(user, `,"tools":[`+many+`]`), `tools`, `array_above_max_length`},
		{"a tool of another type", body(user, `,"tools":[{"type":"custom"}]`), `tools[0].type`, `invalid_value`},
		{"a tool without its function", body(user, `,"tools":[{"type":"function"}]`), `tools[0].function.name`, `missing_required_parameter`},
		{"a function without a name", function(`{}`), `tools[1].function.name`, `missing_required_parameter`},
		{"a name of 65 characters", function(`{"name":"` + strings.Repeat("n", 65) + `"}`), `tools[1].function.name`, `string_above_max_length`},
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
		{"a choice of another type", body(user, withTool+`,"tool_choice":{"type":"x"}`), `tool_choice.type`, `invalid_value`},
		{"the choice of a tool that is not there", body(user, withTool+`,"tool_choice":{"type":"function","function":{"name":"g"}}`), `tool_choice.function.name`, `invalid_value`},
		{"parallel calls without tools", body(user, `,"parallel_tool_calls":true`), `parallel_tool_calls`, ``},

		{"an unknown role", body(`{"role":"robot","content":""}`, ``), `messages[0].role`, `invalid_value`},
		{"no role", body(`{"content":""}`, ``), `messages[0].role`, `invalid_value`},
		{"a user without content", body(user+`,{"role":"user"}`, ``), `messages[1].content`, `invalid_type`},
		{"an assistant without content or calls", body(user+`,{"role":"assistant","content":null}`, ``), `messages[1].content`, `invalid_type`},
		{"content that is a number", body(`{"role":"user","content":5}`, ``), `messages[0].content`, `invalid_type`},
		{"a tool message with null", body(user+`,`+ab+`,`+toolA+`,{"role":"tool","tool_call_id":"b","content":null}`, ``), `messages[3].content`, `invalid_type`},
		{"a tool message with parts", body(user+`,`+ab+`,`+toolA+`,{"role":"tool","tool_call_id":"b","content":[]}`, ``), `messages[3].content`, `invalid_type`},

		{"no answer to a call, at the end", body(user+`,`+ab+`,`+toolA, ``), `messages[1].tool_calls`, ``},
		{"no answer to a call, in between", body(user+`,`+ab+`,`+toolA+`,`+user, ``), `messages[1].tool_calls`, ``},
		{"an answer without a call", body(user+`,`+toolA, ``), `messages[1].tool_call_id`, ``},
		{"an answer after another message", body(user+`,`+ab+`,`+toolA+`,`+toolB+`,`+user+`,`+toolA, ``), `messages[5].tool_call_id`, ``},
		{"two answers to a call", body(user+`,`+ab+`,`+toolA+`,`+toolA, ``), `messages[3].tool_call_id`, ``},
		{"an answer without an id", body(user+`,`+ab+`,{"role":"tool","content":""}`, ``), `messages[2].tool_call_id`, ``},

		{"calls of a user", body(`{"role":"user","content":"","tool_calls":[{}]}`, ``), `messages[0].tool_calls`, ``},
		{"an empty list of calls", body(user+`,{"role":"assistant","content":"","tool_calls":[]}`, ``), `messages[1].tool_calls`, `empty_array`},
		{"a call without an id", called(`{"type":"function","function":{"name":"f","arguments":"{}"}}`), `messages[1].tool_calls[0].id`, `missing_required_parameter`},
		{"a call without a type", called(`{"id":"a","function":{"name":"f","arguments":"{}"}}`), `messages[1].tool_calls[0].type`, `invalid_value`},
		{"two calls with one id", called(`{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}`), `messages[1].tool_calls[1].id`, `invalid_value`},
		{"a call without a name", called(`{"id":"a","type":"function","function":{"arguments":"{}"}}`), `messages[1].tool_calls[0].function.name`, `missing_required_parameter`},
		{"a call with a wrong name", called(`{"id":"a","type":"function","function":{"name":"a b","arguments":"{}"}}`), `messages[1].tool_calls[0].function.name`, `invalid_value`},
		{"arguments that are cut off", called(`{"id":"a","type":"function","function":{"name":"f","arguments":"{\"a\":"}}`), `messages[1].tool_calls[0].function.arguments`, `invalid_value`},
		{"arguments that are empty", called(`{"id":"a","type":"function","function":{"name":"f","arguments":""}}`), `messages[1].tool_calls[0].function.arguments`, `invalid_value`},
		{"arguments that are null", called(`{"id":"a","type":"function","function":{"name":"f","arguments":"null"}}`), `messages[1].tool_calls[0].function.arguments`, `invalid_value`},
		{"arguments with something behind", called(`{"id":"a","type":"function","function":{"name":"f","arguments":"{}{}"}}`), `messages[1].tool_calls[0].function.arguments`, `invalid_value`},
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf", "not", "enum"} {
		tests = append(tests, struct{ name, body, param, code string }{
			keyword + " at the root", schema(`{"type":"object","properties":{},"` + keyword + `":[]}`), `tools[1].function.parameters`, `invalid_function_parameters`})
	}
	url := startServer(t, nil) + "/chat/completions"
	for _, test := range tests {
		status, contentType, answer := post(t, url, test.body)
		var got struct {
			Error struct{ Message, Type, Param, Code string } `json:"error"`
		}
		if err := json.Unmarshal([]byte(answer), &got); err != nil || status != 400 || contentType != "application/json" || got.Error.Message == "" || got.Error.Type != "invalid_request_error" {
			t.Errorf("%s: %d %s", test.name, status, answer)
		}
		if got.Error.Param != test.param || got.Error.Code != test.code {
			t.Errorf("%s: got param %s, code %s: %s", test.name, got.Error.Param, got.Error.Code, got.Error.Message)
		}
	}
}

func TestWhatIsNotRefused(t *testing.T) {
	call := `{"id":"a","type":"function","function":{"name":"f","arguments":" {\"n\":1} "}}`
	answered := `{"role":"assistant","content":"","tool_calls":[` + call + `]},{"role":"tool","tool_call_id":"a","content":"x"}`
	tools := strings.TrimSuffix(strings.Repeat(`{"type":"function","function":{"name":"f%d","parameters":{"type":"object","properties":{},"additionalProperties":false}}},`, 128), ",")
	var numbers []any
	for i := range 128 {
		numbers = append(numbers, i)
	}
	for name, body := range map[string]string{
		"all roles":                      `"messages":[{"role":"system","content":""},{"role":"developer","content":""},{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image_url"}]},{"role":"assistant","content":"x"}]`,
		"one id in two turns":            `"messages":[` + answered + `,` + answered + `]`,
		"a conversation without a user":  `"messages":[{"role":"system","content":"x"}]`,
		"128 tools":                      `"messages":[{"role":"user","content":""}],"tools":[` + fmt.Sprintf(tools, numbers...) + `]`,
		"a name of 64 characters":        `"messages":[{"role":"user","content":""}],"tools":[{"type":"function","function":{"name":"` + strings.Repeat("n", 64) + `"}}]`,
		"combinators below the root":     `"messages":[{"role":"user","content":""}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"x":{"anyOf":[{"type":"string"}]}}}}}]`,
		"null where nothing is asked":    `"messages":[{"role":"user","content":""}],"tool_choice":null,"stream":null,"stream_options":null,"parallel_tool_calls":null`,
		"fields that it does not know":   `"messages":[{"role":"user","content":"","name":"x","extra":{}}],"temperature":0,"metadata":{"a":"b"}`,
		"options of a stream, streaming": `"messages":[{"role":"user","content":""}],"stream":true,"stream_options":{"include_usage":true}`,
	} {
		if _, _, refused := check([]byte(`{"model":"mock",` + body + `}`)); refused != nil {
			t.Errorf("%s: %s", name, refused.Message)
		}
	}
}

func TestABodyThatIsTooLarge(t *testing.T) {
	status, _, answer := post(t, startServer(t, nil)+"/chat/completions", `{"model":"`+strings.Repeat("x", bodyLimit)+`"}`)
	if status != 413 || !strings.Contains(answer, `"code":"request_too_large"`) {
		t.Errorf("%d %s", status, answer)
	}
}

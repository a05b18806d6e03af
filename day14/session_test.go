package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

func TestASessionComesBackAsItWasSaved(t *testing.T) {
	call := func(id, args string) (c ToolCall) {
		c.ID, c.Type, c.Function.Name, c.Function.Arguments = id, "function", "add", args
		return c
	}
	messages := []Message{
		{Role: "system", Content: "You are an agent."},
		{Role: "user", Content: "加 <1> & \"2\" 🎉\n\x1b"},
		{Role: "assistant", ToolCalls: []ToolCall{call("c1", `{"a":1234567890123456789}`), call("c2", "{}")}},
		{Role: "tool", ToolCallID: "c2", Content: ""},
		{Role: "tool", ToolCallID: "c1", Content: "(error) no"},
		{Role: "assistant", Content: "3"},
		{Role: "user", Content: "cut off, without an answer"},
	}
	session := Session{filepath.Join(t.TempDir(), ".geekagent", "session.json")}
	if err := session.Save(messages); err != nil {
		t.Fatal(err)
	}
	got, err := session.Load()
	if err != nil || !reflect.DeepEqual(got, messages) {
		t.Errorf("got %+v, %v", got, err)
	}
	if info, err := os.Stat(session.file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
}

func TestAConversationInWhichNothingWasSaidIsNotSaved(t *testing.T) {
	session := Session{filepath.Join(t.TempDir(), "session.json")}
	for _, nothing := range [][]Message{nil, {{Role: "system", Content: "x"}}} {
		if err := session.Save(nothing); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := session.Load(); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "there is no saved session") {
		t.Errorf("error %v, want that there is none", err)
	}
	if err := session.Save([]Message{{Role: "user", Content: "hi"}}); err != nil {
		t.Fatal(err)
	}
	if err := session.Save([]Message{{Role: "system", Content: "x"}}); err != nil {
		t.Fatal(err)
	}
	if got, err := session.Load(); err != nil || len(got) != 1 {
		t.Errorf("got %v, %v; want the conversation before", got, err)
	}
}

func TestASessionThatTheModelWouldRefuseIsNotLoaded(t *testing.T) {
	const user = `{"role":"user","content":"u"}`
	calls := func(calls ...string) string {
		return `{"role":"assistant","content":"","tool_calls":[` + strings.Join(calls, ",") + `]}`
	}
	call := func(id string) string {
		return `{"id":"` + id + `","type":"function","function":{"name":"add","arguments":"{}"}}`
	}
	result := func(id string) string { return `{"role":"tool","tool_call_id":"` + id + `","content":"r"}` }
	tests := []struct {
		name, messages, want string
	}{
		{"an empty list", "", "there are no messages in it"},
		{"an unknown role", user + `,{"role":"robot"}`, `message 2: unknown role "robot"`},
		{"no role", `{"content":"u"}`, `message 1: unknown role ""`},
		{"a call without its tool message", user + "," + calls(call("c1")), `the end: the tool call "c1" has no tool message`},
		{"one of two tool messages is missing", calls(call("c1"), call("c2")) + "," + result("c1") + "," + user,
			`message 3: the tool call "c2" before it has no tool message`},
		{"a message between a call and its tool message", calls(call("c1")) + "," + user + "," + result("c1"),
			`message 2: the tool call "c1" before it has no tool message`},
		{"a tool message without a call", user + "," + result("c1"), `message 2: a tool message for "c1", which no call before it waits for`},
		{"a second tool message for a call", calls(call("c1")) + "," + result("c1") + "," + result("c1"),
			`message 3: a tool message for "c1", which no call before it waits for`},
		{"two calls with one id", calls(call("c1"), call("c1")) + "," + result("c1") + "," + result("c1"),
			`message 1: two tool calls have the id "c1"`},
		{"tool calls of a user", `{"role":"user","content":"","tool_calls":[` + call("c1") + `]},` + result("c1"),
			`message 1: tool calls in a message of role "user"`},
		{"a call without an id", calls(call("")) + "," + result(""), "message 1: a tool call must have an id, the type function, and a name"},
		{"a call without a name", calls(strings.Replace(call("c1"), "add", "", 1)) + "," + result("c1"),
			"message 1: a tool call must have an id, the type function, and a name"},
		{"a call of a tool that can have no such name", calls(strings.Replace(call("c1"), "add", "add it!", 1)) + "," + result("c1"),
			"message 1: a tool call must have an id, the type function, and a name"},
		{"a call of another type", calls(strings.Replace(call("c1"), `"type":"function"`, `"type":"custom"`, 1)) + "," + result("c1"),
			"message 1: a tool call must have an id, the type function, and a name"},
		{"arguments that are cut off", calls(strings.Replace(call("c1"), `"{}"`, `"{"`, 1)) + "," + result("c1"),
			`message 1: the arguments of the tool call "c1" are no JSON object`},
		{"arguments that are null", calls(strings.Replace(call("c1"), `"{}"`, `"null"`, 1)) + "," + result("c1"),
			`message 1: the arguments of the tool call "c1" are no JSON object`},
		{"arguments that are a list", calls(strings.Replace(call("c1"), `"{}"`, `"[]"`, 1)) + "," + result("c1"),
			`message 1: the arguments of the tool call "c1" are no JSON object`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			session := Session{filepath.Join(t.TempDir(), "session.json")}
			writeFile(t, session.file, `{"messages":[`+test.messages+`]}`)
			_, err := session.Load()
			want := "cannot load the session: " + session.file + ": " + test.want + "; mend the file, or remove it"
			if err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

func TestAFileThatCannotBeDecodedIsNamedWithLineAndColumn(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"an empty file", "", ":1:1: the file is empty"},
		{"a file that was cut off", "{\n  \"messages\": [", ":2:15: unexpected end of JSON input"},
		{"a comma too many", "{\"messages\":\n[{\"role\":\"user\"},\n]}", ":3:1: invalid character ']'"},
		{"a second value", "{}\n{}", ":2:1: invalid character '{'"},
		{"a value of another type", "{\"messages\":\n[{\"role\":7}]}", ":2:10: messages.role cannot be a JSON number"},
		{"a list where an object belongs", "[]", ":1:1: the file cannot be a JSON array"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			session := Session{filepath.Join(t.TempDir(), "session.json")}
			writeFile(t, session.file, test.text)
			if _, err := session.Load(); err == nil || !strings.Contains(err.Error(), session.file+test.want) {
				t.Errorf("got  %v\nwant %s", err, session.file+test.want)
			}
		})
	}
}

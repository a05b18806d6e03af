package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestASessionComesBackAsItWasSaved(t *testing.T) {
	var messages []Message
	sent := `[{"role":"user","content":"加 <1> & \"2\" 🎉\n\u001b"},
		{"role":"assistant","content":"","reasoning_content":"hm","tool_calls":[{"id":"c1","type":"function","extra_content":{"google":{"thought_signature":"c2ln"}},
			"function":{"name":"add","arguments":"{\"a\":1234567890123456789}"}}]},
		{"role":"tool","tool_call_id":"c1","content":"(error) no"},
		{"role":"assistant","content":"","refusal":"I would rather not."},
		{"role":"user","content":"cut off, without an answer"}]`
	if err := json.Unmarshal([]byte(sent), &messages); err != nil {
		t.Fatal(err)
	}
	session := newSession(filepath.Join(t.TempDir(), ".geekagent", "session.json"))
	for range 2 { // the second time in its own place
		if note, err := session.Save(messages); err != nil || note != "" {
			t.Fatal(note, err)
		}
	}
	got, err := session.Load("")
	if err != nil {
		t.Fatal(err)
	}
	for i := range messages {
		want, _ := json.Marshal(messages[i])
		if text, _ := json.Marshal(got[i]); string(text) != string(want) || !strings.Contains(string(want), got[i].Role) {
			t.Errorf("message %d: got %s, want %s", i, text, want)
		}
	}
	if calls := got[1].ToolCalls; len(calls) != 1 || calls[0].ID != "c1" || calls[0].Function.Name != "add" {
		t.Errorf("the calls are %v", calls)
	}
	if info, err := os.Stat(session.file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
}

func TestTwoAgentsDoNotOverwriteEachOthersSession(t *testing.T) {
	file := filepath.Join(t.TempDir(), "session.json")
	first, second := newSession(file), newSession(file)
	if note, err := first.Save([]Message{{Role: "user", Content: "one"}}); note != "" || err != nil {
		t.Fatal(note, err)
	}
	note, err := second.Save([]Message{{Role: "user", Content: "two"}})
	if err != nil || !strings.Contains(note, "another agent keeps its conversation in "+file) || !strings.Contains(note, second.file) {
		t.Fatalf("note %q, error %v", note, err)
	}
	for session, want := range map[*Session]string{first: "one", second: "two"} {
		if note, err := session.Save([]Message{{Role: "user", Content: want}}); note != "" || err != nil {
			t.Errorf("it is said again: %q, %v", note, err)
		}
		if got, err := session.Load(session.file); err != nil || got[0].Content != want {
			t.Errorf("got %v, %v; want %s", got, err, want)
		}
	}
	if third := newSession(file); third.last == nil { // a later start takes the place of an agent that has ended
		t.Error("the file was not found")
	} else if note, err := third.Save([]Message{{Role: "user"}}); note != "" || err != nil {
		t.Error(note, err)
	}
}

func TestAFileThatCannotBeDecodedIsNamedWithLineAndColumn(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a file without messages", "{}", "there is no saved session in "},
		{"an empty file", "", ":1:1: the file is empty"},
		{"a file that was cut off", "{\n  \"messages\": [", ":2:15: unexpected end of JSON input"},
		{"a comma too many", "{\"messages\":\n[{\"role\":\"user\"},\n]}", ":3:1: invalid character ']'"},
		{"a second value", "{}\n{}", ":2:1: invalid character '{'"},
		{"a value of another type", "{\"messages\":\n[{\"role\":7}]}", "a message cannot be read"},
		{"a list where an object belongs", "[]", ":1:1: the file cannot be a JSON array"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			session := newSession(filepath.Join(t.TempDir(), "session.json"))
			if err := os.WriteFile(session.file, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := session.Load(""); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

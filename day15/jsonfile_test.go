package main

import (
	"strings"
	"testing"
)

func TestPermissionsFileMistakes(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"empty file", "", "f.json:1:1: the file is empty"},
		{"white space only", "\n \n", "f.json:1:1: the file is empty"},
		{"comment", "{ // note\n}", "f.json:1:3: invalid character '/'"},
		{"comment after a value", "{\"root\": \"..\" /* x */}", "f.json:1:15: invalid character '/'"},
		{"comma before the bracket", "{\n  \"tools\": {\"ls\": \"allow\",}\n}", "f.json:2:27: invalid character '}'"},
		{"cut off", "{\"tools\": {", "f.json:1:11: unexpected end of JSON input"},
		{"something after the end", "{}\n{}", "f.json:2:1: invalid character '{'"},
		{"not an object", "[]", "f.json:1:1: the file must be an object"},
		{"null", "null", "f.json:1:1: the file must be an object"},
		{"unknown key", "{\"root\": \"..\",\n \"tool\": {}}", "f.json:2:2: unknown key \"tool\""},
		{"unknown policy", "{\"tools\": {\n\t\"ls\": \"alow\"}}", "f.json:2:8: the policy of ls is \"alow\"; expected allow, ask or deny"},
		{"policy in capitals", `{"tools": {"ls": "Allow"}}`, "expected allow, ask or deny"},
		{"policy that is no string", `{"tools": {"ls": true}}`, "f.json:1:18: the policy of ls must be a string"},
		{"policy null", `{"tools": {"ls": null}}`, "the policy of ls must be a string"},
		{"repeated tool", `{"tools": {"ls": "deny", "ls": "allow"}}`, "f.json:1:26: \"ls\" stands twice in tools"},
		{"repeated tools", `{"tools": {}, "tools": {}}`, "\"tools\" stands twice"},
		{"tools that is no object", `{"tools": []}`, "f.json:1:11: tools must be an object"},
		{"root that is no string", `{"root": 3}`, "f.json:1:10: root must be a string"},
		{"malformed pattern", `{"tools": {"mcp_[": "deny"}}`, "\"mcp_[\" is no valid pattern"},
		{"column counts characters", `{"tools": {"读取": "x"}}`, "f.json:1:18: the policy"},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := ".."
			_, err := parsePermissions("f.json", []byte(test.text), &root)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestByteOrderMarkIsSkipped(t *testing.T) {
	root := ".."
	rules, err := parsePermissions("f.json", []byte("\xEF\xBB\xBF{\"root\": \"src\", \"tools\": {\"ls\": \"deny\"}}"), &root)
	if err != nil || len(rules) != 1 || rules[0] != (rule{"ls", Deny}) || root != "src" {
		t.Errorf("got %v, root %q, error %v", rules, root, err)
	}
}

func FuzzPermissionsFile(f *testing.F) {
	f.Add(`{"root": "..", "tools": {"a*": "ask", "b": "deny"}}`)
	f.Add("{\"tools\": {\"a\": \"allow\",\n \"a\"")
	f.Fuzz(func(t *testing.T, text string) {
		root := ".."
		_, err := parsePermissions("f.json", []byte(text), &root)
		if err != nil && !strings.HasPrefix(err.Error(), "f.json:") {
			t.Errorf("the error names no place: %v", err)
		}
	})
}

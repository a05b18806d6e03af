package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestGrowAnnouncesItsTool(t *testing.T) {
	s := start(t, "-tools=flaky")
	s.send(call1("grow", `{}`))
	s.want(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	s.want(text1("Added tool extra_1"))
	s.send(call1("extra_1", `{}`))
	s.want(text1("Hello from extra_1"))
	s.send(call1("grow", `{}`))
	s.want(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	s.want(text1("Added tool extra_2"))
	if names := toolNames(t, s); !slices.Equal(names[len(names)-2:], []string{"extra_1", "extra_2"}) {
		t.Errorf("tools after growing: %v", names)
	}
	// A modern client did not subscribe to the announcement.
	s.send(strings.Replace(call1("grow", `{}`), `"name"`, modernMeta+`,"name"`, 1))
	s.want(strings.Replace(text1("Added tool extra_3"), `"content"`, modernStart+`,"content"`, 1))
	s.end(0)
}

// toolNames asks for the tools and checks what every client relies on.
func toolNames(t *testing.T, s *session) (names []string) {
	t.Helper()
	s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":null}}`)
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Result struct {
			Tools []struct {
				Name, Description string
				InputSchema       struct {
					Type       string
					Properties map[string]struct{ Type string }
					Required   []string
				}
			}
		}
	}
	if err := json.Unmarshal(line, &list); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	for _, tool := range list.Result.Tools {
		names = append(names, tool.Name)
		if tool.Description == "" || tool.InputSchema.Type != "object" || tool.InputSchema.Properties == nil {
			t.Errorf("tool %s is not well described: %+v", tool.Name, tool)
		}
		for _, name := range tool.InputSchema.Required {
			if tool.InputSchema.Properties[name].Type == "" {
				t.Errorf("tool %s requires %s, which has no type", tool.Name, name)
			}
		}
	}
	return names
}

func TestSets(t *testing.T) {
	tests := []struct {
		flags string
		want  string
	}{
		{"", "[word_count dice]"},
		{"-tools=notes", "[get_weather add save_note read_note list_notes]"},
		{"-tools=flaky,basic", "[slow_lookup crash_now slow_count big_result grow word_count dice]"},
	}
	for _, test := range tests {
		s := start(t, strings.Fields(test.flags)...)
		if got := fmt.Sprint(toolNames(t, s)); got != test.want {
			t.Errorf("%s offers %s, want %s", test.flags, got, test.want)
		}
		s.end(0)
	}
}

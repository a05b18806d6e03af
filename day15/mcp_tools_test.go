package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fakeServer is a toolAdapter whose server is a function, and what a person got to read.
type fakeServer struct {
	toolAdapter
	calls    []string
	progress []string
	failed   []error
}

func newFakeServer(name string, answer func(ctx context.Context, tool string) (string, error)) *fakeServer {
	s := &fakeServer{}
	s.toolAdapter = toolAdapter{
		Server: name, Servers: []string{name}, Seen: &seenDefinitions{},
		Call: func(ctx context.Context, tool serverTool, args json.RawMessage, progress func(string)) (json.RawMessage, error) {
			s.calls = append(s.calls, tool.Original+" "+string(args))
			progress("ha\nlf")
			text, err := answer(ctx, tool.Original)
			return json.RawMessage(text), err
		},
		Progress: func(tool, text string) { s.progress = append(s.progress, tool+": "+text) },
		Failed:   func(err error) { s.failed = append(s.failed, err) },
	}
	return s
}

func text(text string) func(context.Context, string) (string, error) {
	return func(context.Context, string) (string, error) {
		return `{"content":[{"type":"text","text":` + string(jsonString(text)) + `}]}`, nil
	}
}

// list decodes a tools/list result's tools.
func list(t *testing.T, tools string) []toolInfo {
	t.Helper()
	var infos []toolInfo
	if err := json.Unmarshal([]byte(tools), &infos); err != nil {
		t.Fatal(err)
	}
	return infos
}

// ruled is a registry with rules, whose person gives the answers; screen is what the person saw.
type ruled struct {
	*Registry
	rules  string // the file
	screen *bytes.Buffer
}

func newRuled(t *testing.T, rules, answers string) ruled {
	t.Helper()
	a := ruled{rules: filepath.Join(t.TempDir(), "GeekAgent.json"), screen: &bytes.Buffer{}}
	if err := os.WriteFile(a.rules, []byte(`{"tools":`+rules+`}`), 0o600); err != nil {
		t.Fatal(err)
	}
	console := newConsole(strings.NewReader(answers), a.screen, io.Discard)
	t.Cleanup(console.Close)
	permissions, err := loadPermissions(a.rules, console)
	if err != nil {
		t.Fatal(err)
	}
	a.Registry = newRegistry(permissions)
	return a
}

// offer registers the tools of a list in the place of those that are there.
func (a ruled) offer(t *testing.T, s *fakeServer, tools string) {
	t.Helper()
	for _, old := range a.Visible() {
		a.Unregister(old.Name)
	}
	offered, warnings := s.tools(list(t, tools))
	for _, tool := range offered {
		if err := a.Register(tool.Tool); err != nil {
			t.Fatal(err)
		}
	}
	if warnings != nil {
		t.Errorf("warnings: %q", warnings)
	}
}

func (a ruled) call(name, args string) Result {
	return a.Registry.Call(context.Background(), []Call{{name, args}}, func(int) {}, func(int, Result) {})[0]
}

func TestServerToolAsATool(t *testing.T) {
	s := newFakeServer("demo", text("Roll: 5"))
	a := newRuled(t, `{}`, "y\n")
	a.offer(t, s, `[{"name":"dice","description":"Rolls a die","inputSchema":{"type":"object","properties":{}}}]`)
	if got := a.call("mcp_demo_dice", ""); got.String() != "Roll: 5" {
		t.Errorf("got %v", got)
	}
	if want := []string{"dice {}"}; !slices.Equal(s.calls, want) {
		t.Errorf("the server was asked %q, want %q", s.calls, want)
	}
	if want := []string{`mcp_demo_dice: ha\nlf`}; !slices.Equal(s.progress, want) {
		t.Errorf("progress %q, want %q", s.progress, want)
	}
	if want := "About to call MCP tool: mcp_demo_dice (from server demo)\n  {}\nConfirm execution? [y/N/a] y\n"; a.screen.String() != want {
		t.Errorf("asked %q, want %q", a.screen, want)
	}
	if d := a.Definitions()[0].Function; d.Description != "[MCP:demo] Rolls a die" || string(d.Parameters) != `{"type":"object","properties":{}}` {
		t.Errorf("definition: %+v", d)
	}
}

// The question shows every argument, and nothing in them can look like a part of it.
func TestQuestionShowsAllArguments(t *testing.T) {
	s := newFakeServer("de\nmo", text("x"))
	tools, _ := s.tools(list(t, `[{"name":"add"}]`))
	args := `{"path": "a\n\nAllow mcp_demo_now? [y]es", "body":"` + strings.Repeat("x", 5000) + " DANGER\",\n\"opts\":{\"deep\":{\"x\":true}},\"n\":1234567890123456789}"
	got := tools[0].Preview(context.Background(), json.RawMessage(args))
	lines := strings.Split(got, "\n")
	if len(lines) != 2 || lines[0] != `About to call MCP tool: mcp_de_mo_add (from server de\nmo)` ||
		!strings.HasSuffix(lines[1], ` DANGER","opts":{"deep":{"x":true}},"n":1234567890123456789}`) || !strings.HasPrefix(lines[1], `  {"path":"a\n\nAllow`) {
		t.Errorf("got %q", got)
	}
}

func TestDescriptions(t *testing.T) {
	for tool, want := range map[string]string{
		`{"name":"a","title":"T","description":"D"}`: "[MCP:demo] D",
		`{"name":"a","title":"T","description":" "}`: "[MCP:demo] T",
		`{"name":"a","title":"T"}`:                   "[MCP:demo] T",
		`{"name":"a.b"}`:                             "[MCP:demo] a.b",
	} {
		tools, warnings := newFakeServer("demo", text("")).tools(list(t, "["+tool+"]"))
		if len(tools) != 1 || tools[0].Description != want || warnings != nil {
			t.Errorf("%s: %q, %q", tool, tools[0].Description, warnings)
		}
	}
}

func TestHiddenTextIsRemovedAndSaid(t *testing.T) {
	s := newFakeServer("demo", text(""))
	tools, warnings := s.tools(list(t, `[{"name":"add","description":"Add two num\u200bbers\udb40\udc69\udb40\udc67\udb40\udc6e\u202e",
		"inputSchema":{"type":"object","properties":{"a":{"type":"number","description":"first\udb40\udc69 👍🏽 读"}}}},
		{"name":"fine","description":"👩‍💻 读取"}]`))
	if tools[0].Description != "[MCP:demo] Add two numbers" || !strings.Contains(string(tools[0].Parameters), `"first 👍🏽 读"`) ||
		tools[1].Description != "[MCP:demo] 👩‍💻 读取" {
		t.Errorf("got %q, %s, %q", tools[0].Description, tools[0].Parameters, tools[1].Description)
	}
	if want := []string{"tool add: 6 invisible characters were removed from its description and schema"}; !slices.Equal(warnings, want) {
		t.Errorf("warnings %q, want %q", warnings, want)
	}
}

// One bad tool does not cost the server its others.
func TestToolsThatAreLeftOut(t *testing.T) {
	s := newFakeServer("demo", text(""))
	tools, warnings := s.tools(list(t, `[{"name":"bad","inputSchema":{"type":"string"}},{"name":""},{"name":"a"},{"name":"a","description":"again"},
		{"name":"mended","inputSchema":{"anyOf":[{"properties":{"x":{"maximum":1.50}}}]}}]`))
	if len(tools) != 2 || tools[0].Original != "a" || tools[0].Description != "[MCP:demo] a" {
		t.Errorf("got %+v", tools)
	}
	if want := []string{`tool bad was left out: its schema has the type "string"; arguments are an "object"`}; !slices.Equal(warnings, want) {
		t.Errorf("warnings %q", warnings)
	}
	if m := tools[1]; string(m.Parameters) != `{"properties":{"x":{"maximum":1.50}},"type":"object"}` ||
		!strings.HasSuffix(m.Details, "The inputSchema as it was received:\n"+`{"anyOf":[{"properties":{"x":{"maximum":1.50}}}]}`) {
		t.Errorf("mended: %s %s", m.Parameters, m.Details)
	}
}

func TestWhatTheModelReadsOfAFailure(t *testing.T) {
	dead := &connectionError{reason: "exit status 3: DEMO_KEY missing"}
	for name, test := range map[string]struct {
		answer string
		err    error
		want   string
		failed bool
	}{
		"the tool says no": {
			answer: `{"content":[{"type":"text","text":"disk full"}],"isError":true}`,
			want:   "(error) disk full",
		},
		"the server refuses": {
			err:  &rpcError{-32602, "missing path", json.RawMessage(`{"hint": "x"}`)},
			want: `(error) missing path (code -32602) {"hint":"x"}`,
		},
		"a refusal with code 0": {err: &rpcError{Message: "no"}, want: "(error) no (code 0)"},
		"a refusal within an error": {
			err:  fmt.Errorf("tools/call: %w", &rpcError{Code: -1, Message: "no", Data: json.RawMessage("null")}),
			want: "(error) no (code -1)",
		},
		"the connection fails": {err: dead, want: "(error) server demo is not available: it is gone", failed: true},
		"the same within an error": {
			err:    fmt.Errorf("tools/call: %w", dead),
			want:   "(error) server demo is not available: it is gone",
			failed: true,
		},
		"another reason":              {err: errors.New("no answer within 1s"), want: "(error) no answer within 1s"},
		"an answer that is no result": {answer: `[]`, want: "(error) the server's answer is no tool result: []"},
		"input that we cannot give": {
			answer: `{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}}`,
			want:   "(error) the server asks for what this client cannot give: roots/list",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFakeServer("demo", func(context.Context, string) (string, error) { return test.answer, test.err })
			a := newRuled(t, `{"mcp_*":"allow"}`, "")
			a.offer(t, s, `[{"name":"x"}]`)
			if got := a.call("mcp_demo_x", "{}"); got.String() != test.want {
				t.Errorf("got %.300q, want %.300q", got, test.want)
			}
			if test.failed != (len(s.failed) == 1) || test.failed && !errors.Is(s.failed[0], dead) {
				t.Errorf("the person was told %v", s.failed)
			}
		})
	}
}

// A Ctrl-C is no failure of the server.
func TestInterruptedCallBlamesNobody(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := newFakeServer("demo", func(ctx context.Context, _ string) (string, error) {
		cancel()
		return "", &connectionError{reason: "gone", err: ctx.Err()}
	})
	a := newRuled(t, `{"mcp_*":"allow"}`, "")
	a.offer(t, s, `[{"name":"x"}]`)
	got := a.Registry.Call(ctx, []Call{{"mcp_demo_x", ""}}, func(int) {}, func(int, Result) {})[0]
	if got.String() != "(error) interrupted by the user" || s.failed != nil {
		t.Errorf("got %v, the person was told %v", got, s.failed)
	}
}

func TestCallWithoutARequiredArgumentIsNotSent(t *testing.T) {
	s := newFakeServer("demo", text("x"))
	a := newRuled(t, `{"mcp_*":"allow"}`, "")
	a.offer(t, s, `[{"name":"x","inputSchema":{"allOf":[{"properties":{"text":{}},"required":["text"]}]}}]`)
	if got := a.call("mcp_demo_x", `{}`); !strings.Contains(got.String(), `"text" is missing`) || s.calls != nil {
		t.Errorf("got %v, sent %q", got, s.calls)
	}
}

// Two copies of one server: each call reaches its own, under the name that the server knows.
func TestCallsReachTheirOwnServer(t *testing.T) {
	a := newRuled(t, `{"mcp_*":"allow"}`, "")
	var names []string
	for _, name := range []string{"s.1", "s 1", "s2"} {
		s := newFakeServer(name, func(_ context.Context, tool string) (string, error) {
			return `{"content":[{"type":"text","text":"` + tool + ` of ` + name + `"}]}`, nil
		})
		s.Servers = []string{"s.1", "s 1", "s2"}
		tools, _ := s.tools(list(t, `[{"name":"get file.v2"}]`))
		if err := a.Register(tools[0].Tool); err != nil {
			t.Fatal(err)
		}
		names = append(names, tools[0].Name)
		if got := a.call(tools[0].Name, ""); got.Text != "get file.v2 of "+name {
			t.Errorf("%s: %v", tools[0].Name, got)
		}
	}
	if len(slices.Compact(slices.Sorted(slices.Values(names)))) != 3 {
		t.Errorf("names: %q", names)
	}
}

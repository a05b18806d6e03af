package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// fakeModel is a Chat Completions server that answers each request with the next of its scripts, byte for byte.
type fakeModel struct {
	*httptest.Server
	mu       sync.Mutex
	answers  []string
	requests []modelRequest
	bodies   []string
}

// newFakeModel starts the server. An answer that begins with "{" is sent as application/json, others as events; one
// that begins with a number, such as "401 {…}", has that status. Past the last one it says "done".
func newFakeModel(t testing.TB, answers ...string) *fakeModel {
	f := &fakeModel{answers: answers}
	f.Server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.Close)
	return f
}

func (f *fakeModel) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	f.mu.Lock()
	defer f.mu.Unlock()
	var request modelRequest
	if err := json.Unmarshal(body, &request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	f.requests = append(f.requests, request)
	f.bodies = append(f.bodies, string(body))
	answer := says("done")
	if len(f.answers) > 0 {
		answer, f.answers = f.answers[0], f.answers[1:]
	}
	var status int
	if n, _ := fmt.Sscanf(answer, "%3d ", &status); n == 1 {
		w.Header().Set("x-should-retry", "false")
		w.WriteHeader(status)
		io.WriteString(w, answer[4:])
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if strings.HasPrefix(answer, "{") {
		w.Header().Set("Content-Type", "application/json")
	}
	io.WriteString(w, answer)
}

// last returns the messages of the last request, without the system prompt.
func (f *fakeModel) last() []Message {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.requests[len(f.requests)-1].Messages[1:]
}

// events is a stream: each line of JSON becomes one event.
func events(data ...string) string {
	var b strings.Builder
	for _, line := range data {
		b.WriteString("data: " + line + "\n\n")
	}
	return b.String() + "data: [DONE]\n\n"
}

// deltas is a stream of deltas that ends with the given finish reason.
func deltas(finish string, deltas ...string) string {
	var data []string
	for _, delta := range deltas {
		data = append(data, `{"choices":[{"index":0,"delta":`+delta+`}]}`)
	}
	return events(append(data, `{"choices":[{"index":0,"delta":{},"finish_reason":"`+finish+`"}]}`)...)
}

func says(text string) string { return deltas("stop", `{"content":`+quoted(text)+`}`) }

// calls is an answer with tool calls, given as name and arguments in turn; their ids are c1, c2, …
func calls(pairs ...string) string {
	var list []string
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, fmt.Sprintf(`{"index":%d,"id":"c%d","type":"function","function":{"name":%s,"arguments":%s}}`,
			i/2, i/2+1, quoted(pairs[i]), quoted(pairs[i+1])))
	}
	return deltas("tool_calls", `{"tool_calls":[`+strings.Join(list, ",")+`]}`)
}

// bench is a chat with a fake model, a registry of test tools and a console in memory.
type bench struct {
	*agent
	server   *fakeModel
	out, err bytes.Buffer
	ran      []string // "name args" of each tool that ran, in order of their ends
	mu       sync.Mutex
}

// newBench reads stdin from input. The rules are those of a GeekAgent.json; "" stands for none.
func newBench(t testing.TB, model *fakeModel, rules, input string) *bench {
	t.Helper()
	t.Chdir(t.TempDir())
	if rules != "" {
		if err := replaceFile(home+"/GeekAgent.json", []byte(rules)); err != nil {
			t.Fatal(err)
		}
	}
	b := &bench{server: model}
	console := newConsole(strings.NewReader(input), &b.out, &b.err)
	permissions, err := loadPermissions(home+"/GeekAgent.json", console)
	if err != nil {
		t.Fatal(err)
	}
	url := "http://127.0.0.1:1"
	if model != nil {
		url = model.URL
	}
	root, err := os.OpenRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	b.agent = &agent{console: console, permissions: permissions, registry: newRegistry(permissions), trace: &Trace{console: console}}
	b.skills = newSkills(home+"/skills", b.registry, nil)
	b.model = newModel(modelEnv(url))
	b.chat = &Chat{model: b.model, registry: b.registry, skills: b.skills, files: newFiles(root, home), redact: console.redact, trace: b.trace}
	return b
}

// modelEnv is an environment that names the model.
func modelEnv(url string) func(string) string {
	return func(name string) string {
		return map[string]string{"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "test-key", "OPENAI_MODEL": "fake"}[name]
	}
}

// register adds a tool.
func (b *bench) register(t testing.TB, tool Tool) {
	t.Helper()
	if err := b.registry.Register(tool); err != nil {
		t.Fatal(err)
	}
}

// turn is a turn that must not fail.
func (b *bench) turn(t testing.TB, text string) Turn {
	t.Helper()
	turn, err := b.chat.Turn(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	return turn
}

// add registers a tool that answers with the text of answer.
func (b *bench) add(t testing.TB, name string, policy Policy, answer string) {
	t.Helper()
	b.register(t, Tool{Name: name, Parameters: json.RawMessage(`{"type":"object","properties":{}}`), Policy: policy,
		Run: func(_ context.Context, args json.RawMessage) (string, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.ran = append(b.ran, name+" "+string(args))
			return answer, nil
		}})
}

// mustBeValid fails unless the API would accept the messages as a history: above all, a message with tool calls is
// followed at once by exactly one tool message for each call.
func mustBeValid(t testing.TB, messages []Message) {
	t.Helper()
	var open []string // the ids of calls that wait for their tool message
	for i, m := range messages {
		at := slices.Index(open, m.ToolCallID)
		switch {
		case m.Role == "tool" && at >= 0:
			open = slices.Delete(open, at, at+1)
			continue
		case m.Role == "tool" || len(open) > 0:
			t.Fatalf("message %d, %v: tool messages are missing or too many; open are %q", i, m, open)
		}
		for _, call := range m.ToolCalls {
			if call.ID == "" || slices.Contains(open, call.ID) || !goodName.MatchString(call.Function.Name) || !isObject(call.Function.Arguments) {
				t.Fatalf("message %d has the tool call %v", i, call)
			}
			open = append(open, call.ID)
		}
	}
	if len(open) > 0 {
		t.Fatalf("at the end the calls %q have no tool message", open)
	}
}

package main

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// knowledgeTool returns the tool of that name.
func knowledgeTool(t *testing.T, k *Knowledge, name string) Tool {
	t.Helper()
	for _, tool := range k.Tools() {
		if tool.Name == name {
			return tool
		}
	}
	t.Fatalf("there is no tool %s", name)
	return Tool{}
}

func TestRagSearch(t *testing.T) {
	files := map[string]string{
		"tea.md":   "# Tea\n\n" + strings.Repeat("Filler text. ", 60) + "\n\n## Green\n\nGreen tea needs eighty degrees.",
		"bread.md": "# Bread\n\nBread needs two hundred degrees.",
		"茶.md":     "# 茶\n\n绿茶用八十度的水泡。",
	}
	tests := []struct{ name, args, want string }{
		{"a passage with title, number and source", `{"query":"green"}`,
			"[1] Tea, passage 2 (tea.md)\n## Green\n\nGreen tea needs eighty degrees."},
		{"in Chinese", `{"query":"绿茶要多少度"}`, "[1] 茶, passage 1 (茶.md)\n# 茶\n\n绿茶用八十度的水泡。"},
		{"several passages, the best first", `{"query":"degrees for bread"}`,
			"[1] Bread, passage 1 (bread.md)\n# Bread\n\nBread needs two hundred degrees.\n\n" +
				"[2] Tea, passage 2 (tea.md)\n## Green\n\nGreen tea needs eighty degrees."},
		{"no more than asked for", `{"query":"degrees for bread","limit":1}`,
			"[1] Bread, passage 1 (bread.md)\n# Bread\n\nBread needs two hundred degrees."},
		{"nothing found", `{"query":"zebra\n"}`, `Nothing found: no passage in the knowledge base (3 documents) has a word of "zebra\n".`},
		{"a limit that is none", `{"query":"zebra","limit":-3}`, `Nothing found: no passage in the knowledge base (3 documents) has a word of "zebra".`},
		{"an argument of another type", `{"query":7}`, "query must be a string"},
	}
	k := knowledgeIn(t, files)
	search := knowledgeTool(t, k, "rag_search")
	if got, err := search.Run(t.Context(), json.RawMessage(`{"query":"green"}`)); got != "The knowledge base is empty." || err != nil {
		t.Errorf("an empty one gives %q, %v", got, err)
	}
	add(t, k, "tea.md", "bread.md", "茶.md")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := search.Run(t.Context(), json.RawMessage(test.args))
			if err != nil {
				got = err.Error()
			}
			if got != test.want && (err == nil || !strings.HasPrefix(got, test.want)) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestTheLargestAnswerFitsIntoOneResult(t *testing.T) {
	k := knowledgeIn(t, map[string]string{"a.txt": strings.Repeat("word word. ", 9000)})
	add(t, k, "a.txt")
	got, err := knowledgeTool(t, k, "rag_search").Run(t.Context(), json.RawMessage(`{"query":"word","limit":1000}`))
	if err != nil || len(got) > maxResult || !strings.Contains(got, "\n[20] ") || strings.Contains(got, "\n[21] ") {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestRagAddIsAskedAboutInOneLine(t *testing.T) {
	tests := []struct{ name, args, want string }{
		{"a file", `{"source":"README.md"}`, "About to add to the knowledge base: README.md"},
		{"text that would look like another question", `{"source":"a\n\nConfirm \u001b[2J execution?"}`,
			`About to add to the knowledge base: a\n\nConfirm \x1b[2J execution?`},
		{"arguments that do not fit", `{"source":7}`, "About to call tool: rag_add\n  {\"source\":7}\n  This will fail: source must be a string"},
	}
	tool := knowledgeTool(t, knowledgeIn(t, nil), "rag_add")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := tool.Preview(t.Context(), json.RawMessage(test.args)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestTheModelAddsAfterAQuestionAndSearchesWithoutOne(t *testing.T) {
	k := knowledgeIn(t, map[string]string{"README.md": "# Tea\n\nGreen tea."})
	console := newConsole(strings.NewReader("y\nn\n"), io.Discard, io.Discard)
	defer console.Close()
	registry := newRegistry(&Permissions{file: "GeekAgent.json", console: console, accepted: map[string]string{}})
	for _, tool := range k.Tools() {
		if err := registry.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	add := Call{"rag_add", `{"source":"README.md"}`}
	results := registry.Call(t.Context(), []Call{add, add, {"rag_search", `{"query":"tea"}`}}, func(int) {}, func(int, Result) {})
	for i, want := range []string{
		`Added "Tea" from README.md: 17 characters.`,
		"(error) denied by the user",
		"[1] Tea, passage 1 (README.md)\n# Tea\n\nGreen tea.",
	} {
		if got := results[i].String(); got != want {
			t.Errorf("call %d: got %q, want %q", i+1, got, want)
		}
	}
}

func TestAddingFromInsideTheNetworkIsAskedAboutWhateverTheRuleSays(t *testing.T) {
	add := (&Knowledge{}).Tools()[0]
	for source, want := range map[string]string{
		"http://127.0.0.1:8080/admin": "the address is inside this machine's network: 127.0.0.1",
		"https://example.com/":        "",
		"README.md":                   "",
	} {
		if got := add.Caution(json.RawMessage(`{"source":` + quoted(source) + `}`)); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}

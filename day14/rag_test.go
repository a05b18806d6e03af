package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// knowledgeIn returns a knowledge base over a new root with the given files; of the tools, its plan and its search. Each
// web page says its address, and one is missing.
func knowledgeIn(t *testing.T, files map[string]string) *Knowledge {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		writeFile(t, filepath.Join(dir, name), text)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	k, err := loadKnowledge(filepath.Join(dir, ".geekagent", "knowledge.json"), root, func(_ context.Context, url string) (string, error) {
		if strings.HasSuffix(url, "/missing") {
			return "", errors.New("404 Not Found")
		}
		return "A page\n===\nat " + url, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// outcome adds sources in turn; it is the last one's report or error, and what is in the knowledge base then.
func outcome(k *Knowledge, sources ...string) (got string) {
	for _, source := range sources {
		report, err := k.Add(context.Background(), source)
		if got = report; err != nil {
			got = err.Error()
		}
	}
	for _, d := range k.Documents() {
		got += " " + d.Source
	}
	return got
}

func TestAdd(t *testing.T) {
	big := strings.Repeat("x", maxDocument)
	files := map[string]string{
		"a.txt": "# not Markdown", "docs/b.md": "# B", "docs/c.txt": "c", "docs2/d d.txt": "d", "ROOT/deep.sh": "# a comment",
		"x/.git/config": "no", "x/node_modules/i.js": "no", "x/empty": " \n", "x/bin": "\x00", "x/big": big + "x", "x/latin": "caf\xe9", "x/y/e": "e",
		"big.txt": big, ".geekagent/s.json": "no", "win.txt": "\xff\xfeA\x00\n\x00", "gbk.html": "<meta charset=gbk>\xbd\xf1",
	}
	const missing, page = ": file does not exist", "https://example.com/docs"
	tests := []struct {
		name    string
		sources []string
		want    string
	}{
		{"a file, as its path is spelled or not", []string{"a.txt", "./docs/../a.txt"}, `Added 1 file from a.txt. a.txt`},
		{"a path with a space", []string{"docs2/d d.txt"}, `Added 1 file from docs2/d d.txt. docs2/d d.txt`},
		{"UTF-16", []string{"win.txt"}, `Added 1 file from win.txt. win.txt`},
		{"the largest file that fits", []string{"big.txt"}, `Added 1 file from big.txt. big.txt`},
		{"a page, whose parts are no other pages", []string{page + "#x", page + "#y"}, "Added 1 file from " + page + ". " + page},
		{"a folder, in place of its files", []string{"docs/b.md", "a.txt", "docs/"}, "Added 2 files from docs. a.txt docs/b.md docs/c.txt"},
		{"a folder with other things", []string{"x"}, "Added 1 file from x.\n[4 skipped, such as x/big: it has more than 1048576 bytes] x/y/e"},
		{"no folder or page that begins alike", []string{"docs2", page + "/", "docs", page}, "Added 1 file from " + page + ". docs2/d d.txt " + page + "/ docs/b.md docs/c.txt " + page},
		{"the root, in place of all files", []string{page, "docs", "."}, "Added 8 files from ..\n[5 skipped, such as gbk.html: the page is in gbk, which this program does not decode] " +
			page + " ROOT/deep.sh a.txt big.txt docs/b.md docs/c.txt docs2/d d.txt win.txt x/y/e"},

		{"a file that is not there", []string{"a.txt", "nope.md"}, "cannot add nope.md: file does not exist a.txt"},
		{"nothing", []string{""}, "cannot add : path is empty"},
		{"a path out of the root", []string{"../x"}, `cannot add ../x: ../x is outside the root folder: paths are relative to it, such as "." or "notes.txt"`},
		{"an empty file", []string{"x/empty"}, "cannot add x/empty: there is no text in it, or not in UTF-8"},
		{"another encoding", []string{"x/latin"}, "cannot add x/latin: there is no text in it, or not in UTF-8"},
		{"a page in another character set", []string{"gbk.html"}, "cannot add gbk.html: the page is in gbk, which this program does not decode"},
		{"a page that is not there", []string{"https://example.com/missing"}, "cannot add https://example.com/missing: 404 Not Found"},
	}
	k := knowledgeIn(t, files)
	for _, test := range tests {
		k.file, k.Stored = filepath.Join(t.TempDir(), "knowledge.json"), nil
		if got := outcome(k, test.sources...); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.name, got, test.want)
		}
	}
}

func TestTitles(t *testing.T) {
	tests := []struct{ name, file, text, want string }{
		{"the first heading", "a.md", "\uFEFFIntro\r\n\r\n## The *Title* of C# ##\r\n", "The *Title* of C#"},
		{"an underlined line", "a.md", "- list\n---\n\nTitle\n===\n\n## Install\n", "Title"},
		{"HTML in Markdown", "a.md", "<h1 align=\"center\">\n <img src=x> A &amp;\n <b>B</b></h1>\n\n## Install\n", "A & B"},
		{"front matter", "a.MARKDOWN", "---\n# no\ntitle: \"The: guide\"\n---\n# Other\n", "The: guide"},
		{"front matter without a title", "a.md", "---\n# no\nlayout: x\n---\n# Title\n", "Title"},
		{"an HTML file", "a.html", "<html><TITLE lang=en>Tea &amp;\n Bread</TITLE><h1>x</h1>", "Tea & Bread"},
		{"one without a title", "a.htm", "<p>x<h1>Tea</h1>", "Tea"},
		{"one line that draws nothing", "a.md", "# \x1b[31mred\u202e", `\x1b[31mred\u202e`},
		{"a long one", "a.md", "# " + strings.Repeat("long ", 100), strings.Repeat("long ", 20)[:99] + "…"},
	}
	for _, test := range tests {
		k := knowledgeIn(t, map[string]string{test.file: test.text})
		if got := outcome(k, test.file); k.Len() != 1 || k.Documents()[0].Title != test.want {
			t.Errorf("%s: got %s, want the title %q", test.name, got, test.want)
		}
	}
}

func TestTheFileOfTheKnowledgeBase(t *testing.T) {
	k := knowledgeIn(t, map[string]string{"a.txt": "apple", "docs/b.txt": "banana", "docs/c.txt": "c"})
	other := *k
	outcome(&other, "a.txt", "docs")
	if err := os.Remove(filepath.Join(k.files.root.Name(), "docs/c.txt")); err != nil {
		t.Fatal(err)
	}
	if got := outcome(k, "docs"); got != "Added 1 file from docs. a.txt docs/b.txt" || len(k.Search("apple", 1)) != 1 {
		t.Errorf("what another agent has added stays, what is gone goes: got %s", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := k.Add(ctx, "docs"); err == nil || k.Len() != 2 {
		t.Errorf("an interrupted addition gives %v, %d documents", err, k.Len())
	}
	writeFile(t, k.file, `{"documents":[{"source":"full","text":"`+strings.Repeat("x", maxKnowledge)+`"}]}`)
	if got := outcome(k, "a.txt"); !strings.HasPrefix(got, "cannot add a.txt: the knowledge base would hold more than 8388608 bytes") || k.Len() != 1 {
		t.Errorf("over the limit: got %.200s", got)
	}
	const broken = "{\n  \"documents\": [\n    {\"title\": 7}\n  ]\n}\n"
	writeFile(t, k.file, broken)
	if got := outcome(k, "a.txt"); !strings.Contains(got, k.file+":3:15: documents.title cannot be a JSON number") || k.Len() != 1 {
		t.Errorf("a file that is broken by now: got %s", got)
	}
	if text, err := os.ReadFile(k.file); err != nil || string(text) != broken {
		t.Errorf("it now holds %q, %v", text, err)
	}
}

func TestRagSearch(t *testing.T) {
	k := knowledgeIn(t, map[string]string{
		"tea.md":   "# Tea\n\n" + strings.Repeat("Filler text. ", 60) + "\n\n## Green\n\nGreen tea needs eighty degrees.",
		"bread.md": "# Bread\n\nBread needs two hundred degrees.", "long.txt": strings.Repeat("word word. ", 9000),
	})
	outcome(k, ".")
	const bread, tea = "] Bread, passage 1 (bread.md)\n# Bread\n\nBread needs two hundred degrees.", "] Tea, passage 2 (tea.md)\n## Green\n\nGreen tea needs eighty degrees."
	for args, want := range map[string]string{
		`{"query":"green"}`:                          "[1" + tea,
		`{"query":"degrees for bread"}`:              "[1" + bread + "\n\n[2" + tea,
		`{"query":"degrees for bread","limit":-1}`:   "[1" + bread,
		`{"query":"degrees for bread","limit":null}`: "[1" + bread + "\n\n[2" + tea,
		"{\"query\":\"zebra\\n\",\"limit\":3}":       `Nothing found: no passage in the knowledge base (3 documents) has a word of "zebra\n".`,
	} {
		if got, err := k.Tools()[1].Run(t.Context(), json.RawMessage(args)); got != want || err != nil {
			t.Errorf("%s: got %q, %v\nwant %q", args, got, err, want)
		}
	}
	got, err := k.Tools()[1].Run(t.Context(), json.RawMessage(`{"query":"word","limit":1000}`))
	if err != nil || len(got) > maxResult || !strings.Contains(got, "\n[20] ") || strings.Contains(got, "\n[21] ") {
		t.Errorf("the largest answer has to fit into one result: %d bytes, %v", len(got), err)
	}
}

func TestWhatIsAskedBeforeAnAddition(t *testing.T) {
	k := knowledgeIn(t, map[string]string{"a\n\nConfirm \x1b[2J?": "x"})
	const about = "About to add to the knowledge base: "
	for source, want := range map[string]string{ // the preview, the caution, and the report; or the error
		"https://example.com/":        about + "https://example.com/||Added 1 file from https://example.com/.",
		"a\n\nConfirm \x1b[2J?":       about + `a\n\nConfirm \x1b[2J?||` + "Added 1 file from a\n\nConfirm \x1b[2J?.",
		"http://127.0.0.1:8080/":      about + "http://127.0.0.1:8080/|the address is inside this machine's network: 127.0.0.1|Added 1 file from http://127.0.0.1:8080/.",
		"https://me:secret@localhost": "the address must begin with http:// or https:// and a host, without user name and password",
	} {
		plan, err := k.Tools()[0].Plan(t.Context(), json.RawMessage(`{"source":`+quoted(source)+`}`))
		got := plan.Preview + "|" + plan.Caution + "|"
		if err != nil {
			got = err.Error()
		} else if report, err := plan.Run(t.Context()); err == nil {
			got += report
		}
		if got != want {
			t.Errorf("%q:\ngot  %q\nwant %q", source, got, want)
		}
	}
}

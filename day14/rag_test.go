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
	k := knowledgeIn(t, map[string]string{
		"a.txt": "# not Markdown", "docs/b.md": "# B", "docs/c.txt": "c", "docs2/d d.txt": "d", "ROOT/deep.sh": "# a comment",
		"x/.git/config": "no", "x/node_modules/i.js": "no", "x/empty": " \n", "x/bin": "\x00", "x/big": big + "x", "x/latin": "caf\xe9", "x/y/e": "e",
		"big.txt": big, ".geekagent/s.json": "no", "gbk.html": "<meta charset=gbk>\xbd\xf1",
	})
	for sources, want := range map[string]string{
		"a.txt|./docs/../a.txt": "Added \"a.txt\" from a.txt. a.txt",
		"docs2/d d.txt":         "Added \"d d.txt\" from docs2/d d.txt. docs2/d d.txt",
		"big.txt":               "Added \"big.txt\" from big.txt. big.txt",
		"https://a.test/docs#x|https://a.test/docs#y": "Added \"A page\" from https://a.test/docs. https://a.test/docs",
		"docs/b.md|a.txt|docs/":                       "Added 2 files from docs. a.txt docs/b.md docs/c.txt",
		"x":                                           "Added \"e\" from x.\n[4 skipped, such as x/big: it has more than 1048576 bytes] x/y/e",
		"docs2|https://a.test/docs/|docs|https://a.test/docs": "Added \"A page\" from https://a.test/docs. docs2/d d.txt https://a.test/docs/ docs/b.md docs/c.txt https://a.test/docs",
		"https://a.test|docs|.": "Added 7 files from ..\n[5 skipped, such as gbk.html: the page is in gbk, which this program does not decode] " +
			"https://a.test ROOT/deep.sh a.txt big.txt docs/b.md docs/c.txt docs2/d d.txt x/y/e",

		"a.txt|nope.md":          "cannot add nope.md: file does not exist a.txt",
		"":                       "cannot add : path is empty",
		"../x":                   `cannot add ../x: ../x is outside the root folder: paths are relative to it, such as "." or "notes.txt"`,
		"x/empty":                "cannot add x/empty: there is no text in it, or not in UTF-8",
		"x/latin":                "cannot add x/latin: there is no text in it, or not in UTF-8",
		"gbk.html":               "cannot add gbk.html: the page is in gbk, which this program does not decode",
		"https://a.test/missing": "cannot add https://a.test/missing: 404 Not Found",
	} {
		k.file, k.Stored = filepath.Join(t.TempDir(), "knowledge.json"), nil
		if got := outcome(k, strings.Split(sources, "|")...); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", sources, got, want)
		}
	}
}

func TestTitles(t *testing.T) {
	for text, want := range map[string]string{ // the text after the file's name
		"a.md \uFEFFIntro\r\n\r\n## The *Title* of C# ##\r\n":                               "The *Title* of C#",
		"a.md ```sh\n# no\n```\n````md\n```sh\n# no\n```\n````\n~~~\n# no\n~~~~\n# Title\n": "Title", // a fence is closed by one as long
		"a.md ```\n# no\n": "a.md",
		"a.md - list\n---\n\nTitle\n===\n\n## Install\n":                                   "Title",
		"a.md <h1 align=\"center\">\n <img src=x> A &amp;\n <b>B</b></h1>\n\n## Install\n": "A & B",
		"a.MARKDOWN ---\n# no\ntitle: \"The: guide\"\n---\n# Other\n":                      "The: guide",
		"a.md ---\n# no\nlayout: x\n---\n# Title\n":                                        "Title",
		"a.html <html><TITLE lang=en>Tea &amp;\n Bread</TITLE><h1>x</h1>":                  "Tea & Bread",
		"a.htm <p>x<h1>Tea</h1>":                                                           "Tea",
		"a.sh # a comment":                                                                 "a.sh",
		"a.md # \x1b[31mred\u202e":                                                         `\x1b[31mred\u202e`,
		"a.md # " + strings.Repeat("x", 101):                                               strings.Repeat("x", 99) + "…",
	} {
		name, text, _ := strings.Cut(text, " ")
		k := knowledgeIn(t, map[string]string{name: text})
		if got := outcome(k, name); k.Len() != 1 || k.Documents()[0].Title != want {
			t.Errorf("%q: got %s, want the title %q", text, got, want)
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
	if got := outcome(k, "docs"); got != `Added "b.txt" from docs. a.txt docs/b.txt` || len(k.Search("apple", 1)) != 1 {
		t.Errorf("what another agent has added stays, what is gone goes: got %s", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := k.Add(ctx, "docs"); err == nil || k.Len() != 2 {
		t.Errorf("an interrupted addition gives %v, %d documents", err, k.Len())
	}
	const broken = "{\n  \"documents\": [\n    {\"title\": 7}\n  ]\n}\n"
	for text, want := range map[string]string{
		`{"documents":[{"source":"full","text":"` + strings.Repeat("x", maxKnowledge) + `"}]}`: "cannot add a.txt: the knowledge base would hold more than 8388608 bytes",
		broken: k.file + ":3:15: documents.title cannot be a JSON number",
	} {
		writeFile(t, k.file, text)
		got := outcome(k, "a.txt")
		after, err := os.ReadFile(k.file)
		if !strings.HasPrefix(got, want) || err != nil || string(after) != text {
			t.Errorf("got %.200s, %v, want %s", got, err, want)
		}
	}
}

func TestRagSearch(t *testing.T) {
	k := knowledgeIn(t, map[string]string{
		"tea.md":   "# Tea\n\n" + strings.Repeat("Filler text. ", 60) + "\n\n## Green\n\nGreen tea needs eighty degrees.",
		"bread.md": "# Bread\n\nBread needs two hundred degrees.", "long.txt": strings.Repeat("word word. ", 9000),
	})
	outcome(k, ".")
	const bread, tea = "[1] Bread, passage 1 (bread.md)\n# Bread\n\nBread needs two hundred degrees.", "] Tea, passage 2 (tea.md)\n## Green\n\nGreen tea needs eighty degrees."
	for args, want := range map[string]string{
		`{"query":"green"}`:                          "[1" + tea,
		`{"query":"degrees for bread","limit":-1}`:   bread,
		`{"query":"degrees for bread","limit":null}`: bread + "\n\n[2" + tea,
		"{\"query\":\"zebra\\n\",\"limit\":3}":       `Nothing found: no passage in the knowledge base (3 documents) has a word of "zebra\n".`,
	} {
		got, err := k.Tools()[1].Run(t.Context(), json.RawMessage(args))
		check(t, want, got, err)
	}
	got, err := k.Tools()[1].Run(t.Context(), json.RawMessage(`{"query":"word","limit":1000}`))
	if err != nil || len(got) > maxResult || !strings.Contains(got, "\n[20] ") || strings.Contains(got, "\n[21] ") {
		t.Errorf("the largest answer has to fit into one result: %d bytes, %v", len(got), err)
	}
}

func TestWhatIsAskedBeforeAnAddition(t *testing.T) {
	k := knowledgeIn(t, map[string]string{"a\nConfirm \x1b[2J?": "x"})
	const about = "About to add to the knowledge base: "
	for source, want := range map[string]string{ // the preview, the caution, and the report; or the error
		"https://example.com/":        about + "https://example.com/||Added \"A page\" from https://example.com/.",
		"a\nConfirm \x1b[2J?":         about + `a\nConfirm \x1b[2J?||Added "a\\nConfirm \\x1b[2J?" from ` + "a\nConfirm \x1b[2J?.",
		"http://127.0.0.1/":           about + "http://127.0.0.1/|the address is inside this machine's network: 127.0.0.1|Added \"A page\" from http://127.0.0.1/.",
		"https://me:secret@localhost": "error: the address must begin with …",
	} {
		plan, err := k.Tools()[0].Plan(t.Context(), json.RawMessage(`{"source":`+quoted(source)+`}`))
		report := ""
		if err == nil {
			report, err = plan.Run(t.Context())
		}
		check(t, want, plan.Preview+"|"+plan.Caution+"|"+report, err)
	}
}

func TestNobodyIsAskedAboutASourceThatIsNotThere(t *testing.T) {
	k := knowledgeIn(t, nil)
	for _, source := range []string{"nope.md", "../up", "ftp://a.test/x"} {
		if _, err := k.Tools()[0].Plan(t.Context(), json.RawMessage(`{"source":`+quoted(source)+`}`)); err == nil {
			t.Errorf("%s is asked about", source)
		}
	}
}

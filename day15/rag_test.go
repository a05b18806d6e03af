package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// knowledgeIn returns a knowledge base over a new root with the given files. The one web page that there is says its
// own address.
func knowledgeIn(t *testing.T, files map[string]string) *Knowledge {
	t.Helper()
	return knowledgeBelow(t, t.TempDir(), files)
}

func knowledgeBelow(t *testing.T, dir string, files map[string]string) *Knowledge {
	t.Helper()
	for name, text := range files {
		writeFile(t, filepath.Join(dir, name), text)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	fetch := func(ctx context.Context, url string) (string, string, error) {
		if strings.HasSuffix(url, "/missing") {
			return "", "", errors.New("404 Not Found")
		}
		return "A  page\n", "This page lies at " + url, nil
	}
	k, err := loadKnowledge(filepath.Join(dir, ".geekagent", "knowledge.json"), root, fetch)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func add(t *testing.T, k *Knowledge, sources ...string) {
	t.Helper()
	for _, source := range sources {
		if _, err := k.Add(t.Context(), source); err != nil {
			t.Fatal(err)
		}
	}
}

func sourcesOf(k *Knowledge) string {
	var sources []string
	for _, d := range k.Documents() {
		sources = append(sources, d.Source)
	}
	return strings.Join(sources, " ")
}

func TestKnowledgeIsKeptInItsFile(t *testing.T) {
	k := knowledgeIn(t, map[string]string{"tea.md": "# Tea\n\nGreen tea: 80 degrees.", "bread.txt": "Bread: 200 degrees."})
	add(t, k, "tea.md", "bread.txt")
	again, err := loadKnowledge(k.file, k.files.root, k.fetch)
	if err != nil || again.Len() != 2 || !slices.Equal(again.Documents(), k.Documents()) {
		t.Fatalf("loaded %v, %v; want %v", again.Documents(), err, k.Documents())
	}
	hits := again.Search("green tea", 5)
	if len(hits) != 1 || hits[0].Title != "Tea" || hits[0].Source != "tea.md" || hits[0].Passage != 1 ||
		hits[0].Text != "# Tea\n\nGreen tea: 80 degrees." || hits[0].Score <= 0 {
		t.Errorf("got %+v", hits)
	}
}

func TestTheSameSourceAgainReplacesWhatItGaveBefore(t *testing.T) {
	files := map[string]string{"a.txt": "old", "docs/b.txt": "b", "docs/c.txt": "c", "docs2/d.txt": "d"}
	const page = "https://example.com/docs/"
	tests := []struct{ name, source, remove, want string }{
		{"a file", "a.txt", "", "docs/b.txt docs/c.txt docs2/d.txt " + page + " a.txt"},
		{"a file by another spelling", "./docs/../a.txt", "", "docs/b.txt docs/c.txt docs2/d.txt " + page + " a.txt"},
		{"a page", page + "#part", "", "a.txt docs/b.txt docs/c.txt docs2/d.txt " + page},
		{"not the pages below a page", "https://example.com/docs", "", "a.txt docs/b.txt docs/c.txt docs2/d.txt " + page + " https://example.com/docs"},
		{"a folder, with a file that is gone", "docs/", "docs/b.txt", "a.txt docs2/d.txt " + page + " docs/c.txt"},
		{"the root", ".", "docs/b.txt", page + " a.txt docs/c.txt docs2/d.txt"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			k := knowledgeIn(t, files)
			add(t, k, "a.txt", "docs", "docs2", page)
			if test.remove != "" {
				if err := os.Remove(filepath.Join(k.files.root.Name(), test.remove)); err != nil {
					t.Fatal(err)
				}
			}
			writeFile(t, filepath.Join(k.files.root.Name(), "a.txt"), "new")
			k.Search("old", 1) // an index of the old text must not stay
			add(t, k, test.source)
			if got := sourcesOf(k); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			renewed := test.source == "." || strings.HasSuffix(test.source, "a.txt")
			if found := len(k.Search("new", 1)) == 1; found != renewed {
				t.Errorf("the new text of a.txt is found: %v, want %v", found, renewed)
			}
		})
	}
}

func TestABrokenKnowledgeBaseIsNamedAndNeverOverwritten(t *testing.T) {
	const broken = "{\n  \"documents\": [\n    {\"title\": 7}\n  ]\n}\n"
	k := knowledgeIn(t, map[string]string{"a.txt": "text", ".geekagent/other.json": broken})
	k.file = filepath.Join(k.files.root.Name(), ".geekagent", "other.json")
	want := k.file + ":3:15: documents.title cannot be a JSON number"
	if _, err := loadKnowledge(k.file, k.files.root, k.fetch); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("loading: got %v, want %s", err, want)
	}
	if _, err := k.Add(t.Context(), "a.txt"); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("adding to a file broken meanwhile: got %v, want %s", err, want)
	}
	if text, err := os.ReadFile(k.file); err != nil || string(text) != broken {
		t.Errorf("the file now holds %q, %v", text, err)
	}
}

func TestWhatAnotherAgentHasAddedMeanwhileStays(t *testing.T) {
	k := knowledgeIn(t, map[string]string{"a.txt": "apple", "b.txt": "banana"})
	other, err := loadKnowledge(k.file, k.files.root, k.fetch)
	if err != nil {
		t.Fatal(err)
	}
	add(t, other, "a.txt")
	add(t, k, "b.txt")
	if got := sourcesOf(k); got != "a.txt b.txt" || len(k.Search("apple", 1)) != 1 {
		t.Errorf("got %s", got)
	}
}

func TestTheKnowledgeBaseHasALimit(t *testing.T) {
	files := map[string]string{"full.txt": "now small", "more.txt": "more"}
	for i := range maxKnowledge/maxDocument + 1 {
		files[fmt.Sprintf("big/%d.txt", i)] = strings.Repeat("0123456789abcde\n", maxDocument/16)
	}
	k := knowledgeIn(t, files)
	writeFile(t, k.file, `{"documents":[{"source":"full.txt","text":"`+strings.Repeat("x", maxKnowledge)+`"}]}`)
	for source, want := range map[string]string{
		"big":      "cannot add big: the files in it hold more than 8388608 bytes of text",
		"more.txt": "cannot add more.txt: the knowledge base would hold 8388612 bytes of text, 8388608 at most; ",
	} {
		if _, err := k.Add(t.Context(), source); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	add(t, k, "full.txt", "more.txt") // replacing a document makes room
	if got := sourcesOf(k); got != "full.txt more.txt" {
		t.Errorf("got %s", got)
	}
}

func TestAnInterruptedAddChangesNothing(t *testing.T) {
	k := knowledgeIn(t, map[string]string{"docs/a.txt": "a"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := k.Add(ctx, "docs"); !errors.Is(err, context.Canceled) || k.Len() != 0 {
		t.Errorf("error %v, %d documents", err, k.Len())
	}
}

func TestKnowledgeIsUsedFromManySidesAtOnce(t *testing.T) {
	files := map[string]string{}
	for i := range 8 {
		files[fmt.Sprintf("%d.txt", i)] = fmt.Sprintf("common word%d", i)
	}
	k := knowledgeIn(t, files)
	var running sync.WaitGroup
	for i := range 8 {
		running.Go(func() {
			for range 3 {
				if _, err := k.Add(t.Context(), fmt.Sprintf("%d.txt", i)); err != nil {
					t.Error(err)
				}
				if len(k.Search(fmt.Sprintf("word%d", i), 1)) != 1 || k.Len() == 0 {
					t.Errorf("%d is not found", i)
				}
			}
		})
	}
	running.Wait()
	if k.Len() != 8 || len(k.Search("common", 20)) != 8 {
		t.Errorf("%d documents", k.Len())
	}
}

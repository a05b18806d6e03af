package main

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// The program of day 14 is in here unchanged: tools from servers needed no other loop. Whoever changes one of its files
// changes it in day14 first, and copies it.
func TestOnlyAFewLinesDifferFromTheDayBefore(t *testing.T) {
	const (
		mostAdded, mostRemoved = 20, 3
		before                 = "../day14"
	)
	mayDiffer := []string{"main.go", "commands.go", "panel.go", "main_test.go", "commands_test.go", "panel_test.go"}
	old, now := folder(t, before), folder(t, ".")
	var added, removed []string
	for _, name := range slices.Sorted(maps.Keys(old)) {
		text, there := now[name]
		switch {
		case !there:
			t.Errorf("%s is missing here", name)
		case text != old[name] && !slices.Contains(mayDiffer, name):
			t.Errorf("%s differs from the file in %s", name, before)
		}
		for _, e := range compare(slices.Collect(strings.Lines(old[name])), slices.Collect(strings.Lines(text))) {
			switch e.op {
			case '+':
				added = append(added, name+": "+e.line)
			case '-':
				removed = append(removed, name+": "+e.line)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if _, there := old[name]; !there && !strings.HasPrefix(path.Base(name), "mcp") {
			t.Errorf("%s is new, but its name does not begin with mcp", name)
		}
	}
	if len(added) > mostAdded || len(removed) > mostRemoved {
		t.Errorf("%d lines were added, at most %d may be:\n%s%d were removed, at most %d may be:\n%s", len(added), mostAdded,
			strings.Join(added, ""), len(removed), mostRemoved, strings.Join(removed, ""))
	}
	t.Logf("%d lines added, %d removed", len(added), len(removed))
}

// folder reads all files of a folder and of those in it. What begins with a dot, and what Go leaves in a folder, is none
// of the program.
func folder(t *testing.T, root string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	files := os.DirFS(root)
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || name != "." && strings.HasPrefix(entry.Name(), ".")):
			return fs.SkipDir
		case !entry.Type().IsRegular() || strings.HasPrefix(entry.Name(), ".") || !slices.Contains([]string{".go", ".md"}, path.Ext(name)):
			return nil
		}
		text, err := fs.ReadFile(files, name)
		texts[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

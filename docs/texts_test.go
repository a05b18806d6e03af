package docs

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var repository, _ = filepath.Abs("..")

func TestTheTextsAreTrue(t *testing.T) {
	t.Parallel()
	built := t.TempDir()
	programs := exec.Command("go", "build", "-C", repository, "-ldflags=-w", "-o", built, "./day14", "./day15", "./demoserver", "./mockllm")
	if out, err := programs.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var texts []*text
	for _, file := range expand(repository, "README.md docs/*.md docs/zh/*.md") {
		text, err := readText(repository, file)
		must(t, err)
		texts = append(texts, text)
	}
	slices.SortFunc(texts, func(a, b *text) int { return len(a.lines) - len(b.lines) }) // of parallel tests the last one begins
	replayed := map[string]bool{}
	for _, text := range texts {
		script := "" // what another text does already is not done again, unless it is to be rewritten
		for _, b := range text.shown() {
			script += fmt.Sprintln(b.lang, b.file, b.notes, b.body)
		}
		again := replayed[script] && !*update
		replayed[script] = true
		t.Run(text.name(), func(t *testing.T) {
			t.Parallel()
			var r *reader
			if !again && !testing.Short() {
				r = newReader(t, repository, built)
			}
			check(text, r, *update)
			for _, fault := range text.faults {
				t.Error(fault)
			}
			if *update {
				must(t, os.WriteFile(filepath.Join(repository, text.path), []byte(text.source()), 0o644))
			}
		})
	}
}

// check compares a text with everything that it speaks of. Without a reader no transcript is run. With fix, the text is
// corrected where that can be done.
func check(t *text, r *reader, fix bool) {
	checkCode(t)
	checkNames(t)
	if path.Base(t.path) == "day15.md" {
		checkDiff(t)
	}
	if strings.HasPrefix(t.path, "docs/zh/") {
		checkTwin(t)
	}
	if r != nil {
		r.replay(t, fix)
	}
	checkNumbers(t, fix)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// shown lists the blocks that show code, a file, a diff, a transcript or frames.
func (t *text) shown() (all []block) {
	for _, b := range t.blocks {
		if b.file != "" || b.lang == "console" || b.lang == "wire" {
			all = append(all, b)
		}
	}
	return all
}

// checkTwin compares a Chinese text with the English one: they show the same kinds of blocks in the same order, and the
// same code, files and diffs.
func checkTwin(zh *text) {
	en, _ := readText(zh.repo, "docs/"+path.Base(zh.path)) // none shows nothing
	a := append(en.shown(), block{start: len(en.lines)})   // the ends are blocks, too
	b := append(zh.shown(), block{start: len(zh.lines)})
	for n := range min(len(a), len(b)) {
		if a[n].lang != b[n].lang || a[n].file != b[n].file || a[n].file != "" && a[n].body != b[n].body {
			zh.fault(b[n].start-1, "not the block of %s:%d, ```%s %s", en.path, a[n].start, a[n].lang, a[n].file)
			return
		}
	}
}

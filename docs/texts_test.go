package docs

import (
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const repository = ".."

// texts reads the README and the texts, English and Chinese.
func texts(t *testing.T) (all []*text) {
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/zh/*.md"} {
		files, err := filepath.Glob(filepath.Join(repository, pattern))
		must(t, err)
		for _, file := range files {
			rel, err := filepath.Rel(repository, file)
			must(t, err)
			text, err := readText(repository, filepath.ToSlash(rel))
			must(t, err)
			all = append(all, text)
		}
	}
	return all
}

// name is a text's name as a subtest: -run /day15.md also finds zh:day15.md.
func (t *text) name() string {
	return strings.ReplaceAll(strings.TrimPrefix(t.path, "docs/"), "/", ":")
}

// each runs a check on every text. Under -update each test builds on the ones before it.
func each(t *testing.T, parallel bool, check func(t *testing.T, text *text)) {
	for _, text := range texts(t) {
		t.Run(text.name(), func(t *testing.T) {
			if parallel {
				t.Parallel()
			}
			check(t, text)
			for _, fault := range text.faults {
				t.Error(fault)
			}
			if *update {
				must(t, text.save())
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestCodeInTheTextsIsTheCode(t *testing.T) {
	diff, err := dayDiff(repository)
	must(t, err)
	each(t, false, func(_ *testing.T, text *text) {
		checkCode(text, *update)
		if path.Base(text.path) == "day15.md" {
			checkDiff(text, diff)
		}
	})
}

func TestTranscriptsShowWhatTheProgramsPrint(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh")
	}
	built := build(t, repository)
	each(t, true, func(t *testing.T, text *text) { newReader(t, repository, built).replay(text, *update) })
}

func TestNumbersAreComputed(t *testing.T) {
	diff, err := dayDiff(repository)
	must(t, err)
	each(t, false, func(_ *testing.T, text *text) { checkNumbers(text, diff, *update) })
}

func TestNamesAndLinksLeadSomewhere(t *testing.T) {
	each(t, false, func(_ *testing.T, text *text) { checkNames(text) })
}

func TestDay14NamesEveryFile(t *testing.T) {
	text, err := readText(repository, "docs/day14.md")
	must(t, err)
	for _, file := range expand(repository, "day14") {
		if !strings.Contains(strings.Join(text.prose(), "\n"), "`"+path.Base(file)+"`") {
			t.Errorf("docs/day14.md says nothing about %s: name it in backticks", file)
		}
	}
}

func TestChineseTextsShowTheSameCode(t *testing.T) {
	each(t, false, func(t *testing.T, zh *text) {
		if !strings.HasPrefix(zh.path, "docs/zh/") {
			return
		}
		en, err := readText(repository, "docs/"+path.Base(zh.path))
		must(t, err)
		checkTwin(en, zh)
	})
}

// checkTwin compares what two texts show: the same kinds of blocks in the same order, and the same code, files and diffs.
func checkTwin(en, zh *text) {
	show := func(t *text) (all []block) {
		for _, b := range t.blocks {
			if b.file != "" || b.lang == "console" || b.lang == "wire" {
				all = append(all, b)
			}
		}
		return all
	}
	a, b := show(en), show(zh)
	for n := range min(len(a), len(b)) {
		same := a[n].lang == b[n].lang && a[n].file == b[n].file
		if !same || a[n].file != "" && !slices.Equal(en.body(a[n]), zh.body(b[n])) {
			zh.fault(b[n].start-1, "not the block of %s:%d, ```%s %s", en.path, a[n].start, a[n].lang, a[n].file)
			return
		}
	}
	if len(a) != len(b) {
		zh.fault(len(zh.lines)-1, "%s shows %d blocks, this text %d", en.path, len(a), len(b))
	}
}

package docs

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const repository = ".."

// texts reads the texts that exist: the README and the English ones, or the Chinese ones.
func texts(t *testing.T, patterns ...string) (all []*text) {
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(repository, pattern))
		must(t, err)
		for _, file := range files {
			rel, err := filepath.Rel(repository, file)
			must(t, err)
			if text, ok := readText(repository, filepath.ToSlash(rel)); ok {
				all = append(all, text)
			}
		}
	}
	return all
}

func english(t *testing.T) []*text { return texts(t, "README.md", "docs/*.md") }
func chinese(t *testing.T) []*text { return texts(t, "docs/zh/*.md") }

// name is a text's name as a subtest: -run /day15.md also finds zh:day15.md.
func (t *text) name() string {
	return strings.ReplaceAll(strings.TrimPrefix(t.path, "docs/"), "/", ":")
}

func report(t *testing.T, faults []string) {
	t.Helper()
	for _, fault := range faults {
		t.Error(fault)
	}
}

// Under -update each test builds on the ones before it.

func TestCodeInTheTextsIsTheCode(t *testing.T) {
	for _, text := range append(english(t), chinese(t)...) {
		t.Run(text.name(), func(t *testing.T) {
			report(t, append(checkCode(text, *update), checkHunks(text)...))
			if *update {
				must(t, text.save())
			}
		})
	}
}

func TestTheLessonShowsAllThatIsNew(t *testing.T) {
	lesson, ok := readText(repository, "docs/day15.md")
	if !ok {
		t.Skip("docs/day15.md is not there yet")
	}
	diff, err := dayDiff(repository)
	must(t, err)
	report(t, checkDiff(lesson, diff))
	report(t, checkTour(lesson, newFiles(repository)))
	for _, file := range append(newFiles(repository), "demoserver/main.go") {
		report(t, checkComplete(english(t), repository, file))
	}
}

func TestTheTourOfDay14NamesEveryFile(t *testing.T) {
	tour, ok := readText(repository, "docs/day14.md")
	if !ok {
		t.Skip("docs/day14.md is not there yet")
	}
	files, err := expand(repository, "day14")
	must(t, err)
	report(t, checkTour(tour, files))
}

func TestTranscriptsShowWhatTheProgramsPrint(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil || os.Getenv("DOCS_REPLAY") != "" {
		t.Skip("there is no sh, or this is the reader of a transcript")
	}
	built := build(t, repository)
	for _, text := range english(t) {
		t.Run(text.name(), func(t *testing.T) {
			t.Parallel()
			report(t, newReader(t, repository, built).replay(text, *update))
			if *update {
				must(t, text.save())
			}
		})
	}
}

func TestNumbersAreComputed(t *testing.T) {
	diff, err := dayDiff(repository)
	must(t, err)
	for _, text := range append(english(t), chinese(t)...) {
		t.Run(text.name(), func(t *testing.T) {
			report(t, checkNumbers(text, diff, *update))
			if *update {
				must(t, text.save())
			}
		})
	}
}

func TestNamesAndLinksLeadSomewhere(t *testing.T) {
	for _, text := range append(english(t), chinese(t)...) {
		t.Run(text.name(), func(t *testing.T) {
			report(t, slices.Concat(checkLinks(text), checkPaths(text), checkCaptions(text), checkDeclarations(text)))
			if text.path == "docs/spec-map.md" {
				report(t, checkSpecMap(text))
			}
		})
	}
}

func TestChineseTextsShowTheSameAsEnglishOnes(t *testing.T) {
	for _, zh := range chinese(t) {
		t.Run(zh.name(), func(t *testing.T) {
			en, ok := readText(repository, "docs/"+path.Base(zh.path))
			if !ok {
				t.Fatalf("%s has no English twin", zh.path)
			}
			report(t, checkTwin(en, zh, *update))
			if *update {
				must(t, zh.save())
			}
		})
	}
}

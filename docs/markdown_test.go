package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// text is one Markdown file of the tutorial.
type text struct {
	repo   string // the folder of the repository
	path   string // relative to it, with slashes
	source string // the file as it was read
	lines  []string
	blocks []block
	faults []string
}

// block is a fenced block: the body is lines[start:end] of its text.
type block struct {
	lang, file string // of the info string
	start, end int
	notes      []string // the HTML comments right before it
}

var (
	fence = regexp.MustCompile("^( *)(`{3,}|~{3,})(.*)$")
	note  = regexp.MustCompile(`^<!-- *(.*?) *-->$`)
)

func readText(repo, path string) (*text, error) {
	data, err := os.ReadFile(filepath.Join(repo, path))
	t := &text{repo: repo, path: path, source: string(data), lines: strings.Split(string(data), "\n")}
	t.parse()
	return t, err
}

func (t *text) parse() {
	t.blocks, t.faults = nil, nil
	for i := 0; i < len(t.lines); i++ {
		open := fence.FindStringSubmatch(t.lines[i])
		if open == nil {
			continue
		}
		if open[1] != "" {
			t.fault(i, "a fence begins in the first column; move it there")
		}
		info := append(strings.Fields(open[3]), "", "")
		b := block{lang: info[0], file: info[1], start: i + 1}
		for above := i - 1; above >= 0 && (t.lines[above] == "" || note.MatchString(t.lines[above])); above-- {
			if m := note.FindStringSubmatch(t.lines[above]); m != nil {
				b.notes = append(b.notes, m[1])
			}
		}
		for i++; i < len(t.lines) && strings.TrimSpace(t.lines[i]) != open[2]; i++ {
		}
		if b.end = i; i == len(t.lines) {
			t.fault(b.start-1, "this fence is never closed")
		}
		t.blocks = append(t.blocks, b)
	}
}

// fault says where something is wrong: line is an index.
func (t *text) fault(line int, format string, args ...any) {
	t.faults = append(t.faults, fmt.Sprintf("%s:%d: ", t.path, line+1)+fmt.Sprintf(format, args...))
}

// note returns what the comments before a block say under a keyword: "mask: …".
func (b block) note(keyword string) (values []string) {
	for _, n := range b.notes {
		if value, ok := strings.CutPrefix(n, keyword+": "); ok {
			values = append(values, value)
		}
	}
	return values
}

func (t *text) body(b block) []string { return t.lines[b.start:b.end] }

// prose is the text without its blocks; the lines keep their numbers.
func (t *text) prose() []string {
	prose := slices.Clone(t.lines)
	for _, b := range t.blocks {
		clear(prose[b.start-1 : min(b.end+1, len(prose))])
	}
	return prose
}

// replace puts other lines in place of a block's body.
func (t *text) replace(i int, body []string) {
	faults := t.faults
	t.lines = slices.Replace(t.lines, t.blocks[i].start, t.blocks[i].end, body...)
	t.parse()
	t.faults = faults
}

// save writes a changed text.
func (t *text) save() error {
	if fresh := strings.Join(t.lines, "\n"); fresh != t.source {
		return os.WriteFile(filepath.Join(t.repo, t.path), []byte(fresh), 0o644)
	}
	return nil
}

var programs = []string{"day14", "day15", "demoserver", "mockllm"}

// isCode reports whether a block shows a file of the repository, isReaders whether it is one that the reader writes.
func (b block) isCode() bool {
	folder, _, _ := strings.Cut(b.file, "/")
	return b.lang != "diff" && (slices.Contains(programs, folder) || b.file == "go.mod")
}

func (b block) isReaders() bool { return b.file != "" && b.lang != "diff" && !b.isCode() }

// readLines reads a file of the repository, without its last line feed.
func readLines(repo, file string) ([]string, error) {
	data, err := os.ReadFile(filepath.Join(repo, file))
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n"), err
}

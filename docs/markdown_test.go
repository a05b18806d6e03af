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
	lines  []string
	blocks []block
	faults []string
}

// block is a fenced block.
type block struct {
	lang, file string // of the info string
	start, end int    // its body was read from these lines of the text
	body       []string
	notes      []string // the HTML comments right before it
	above      string   // the line before those
}

var (
	fence = regexp.MustCompile("^( *)(`{3,}|~{3,})(.*)$")
	note  = regexp.MustCompile(`^<!-- *(.*?) *-->$`)
)

// readText reads a file and its blocks.
func readText(repo, path string) (*text, error) {
	lines, err := readLines(repo, path)
	t := &text{repo: repo, path: path, lines: lines}
	for i := 0; i < len(lines); i++ {
		open := fence.FindStringSubmatch(lines[i])
		if open == nil {
			continue
		}
		if open[1] != "" {
			t.fault(i, "a fence begins in the first column; move it there")
		}
		info := append(strings.Fields(open[3]), "", "")
		b := block{lang: info[0], file: info[1], start: i + 1}
		for above := i - 1; above >= 0 && b.above == ""; above-- {
			if m := note.FindStringSubmatch(lines[above]); m != nil {
				b.notes = append(b.notes, m[1])
			} else {
				b.above = lines[above]
			}
		}
		for i++; i < len(lines) && strings.TrimSpace(lines[i]) != open[2]; i++ {
		}
		if i == len(lines) {
			t.fault(b.start-1, "this fence is never closed")
		}
		b.end, b.body = i, lines[b.start:i]
		t.blocks = append(t.blocks, b)
	}
	return t, err
}

// name is a text's name as a subtest: -run /day15.md also finds zh:day15.md.
func (t *text) name() string {
	return strings.ReplaceAll(strings.TrimPrefix(t.path, "docs/"), "/", ":")
}

// fault says where something is wrong: line is an index.
func (t *text) fault(line int, format string, args ...any) {
	t.faults = append(t.faults, fmt.Sprintf("%s:%d: ", t.path, line+1)+fmt.Sprintf(format, args...))
}

// prose is the text without its blocks; the lines keep their numbers.
func (t *text) prose() []string {
	prose := slices.Clone(t.lines)
	for _, b := range t.blocks {
		clear(prose[b.start-1 : min(b.end+1, len(prose))])
	}
	return prose
}

// source is the text as a file, with what its blocks show now.
func (t *text) source() string {
	lines, at := []string{}, 0
	for _, b := range t.blocks {
		lines = slices.Concat(lines, t.lines[at:b.start], b.body)
		at = b.end
	}
	return strings.Join(append(lines, t.lines[at:]...), "\n") + "\n"
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

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
	lang, file string              // of the info string
	start, end int                 // its body was read from these lines of the text
	body       string              // whole lines
	notes      map[string][]string // the comments right before it, <!-- keyword: value -->
	above      string              // the line before those
}

var (
	fence = regexp.MustCompile("^( *)(`{3,}|~{3,})(.*)$")
	ours  = regexp.MustCompile(`^((day14|day15|demoserver|mockllm)/|go\.mod$)`)
	note  = regexp.MustCompile(`^<!-- *(\w+): *(.*?) *-->$`)
)

// readText reads a file and its blocks.
func readText(repo, path string) (*text, error) {
	data, err := os.ReadFile(filepath.Join(repo, path))
	t := &text{repo: repo, path: path, lines: strings.Split(string(data), "\n")}
	for i := 0; i < len(t.lines); i++ {
		open := fence.FindStringSubmatch(t.lines[i])
		if open == nil {
			continue
		}
		if open[1] != "" {
			t.fault(i, "a fence begins in the first column; move it there")
		}
		info := append(strings.Fields(open[3]), "", "")
		b := block{lang: info[0], file: info[1], start: i + 1, notes: map[string][]string{}}
		for above := i - 1; above >= 0 && b.above == ""; above-- {
			if m := note.FindStringSubmatch(t.lines[above]); m != nil {
				b.notes[m[1]] = append(b.notes[m[1]], m[2])
			} else {
				b.above = t.lines[above]
			}
		}
		for i++; i < len(t.lines) && strings.TrimSpace(t.lines[i]) != open[2]; i++ {
		}
		if i == len(t.lines) {
			t.fault(b.start-1, "this fence is never closed")
		}
		b.end, b.body = i, whole(t.lines[b.start:i])
		t.blocks = append(t.blocks, b)
	}
	return t, err
}

// whole joins lines, with a line feed after each.
func whole(lines []string) string { return strings.Join(append(slices.Clone(lines), ""), "\n") }

// source is the text as a file, with what its blocks show now.
func (t *text) source() (source string) {
	at := 0
	for _, b := range t.blocks {
		source += whole(t.lines[at:b.start]) + b.body
		at = b.end
	}
	return source + strings.Join(t.lines[at:], "\n")
}

// prose is the text without its blocks; the lines keep their numbers.
func (t *text) prose() []string {
	prose := slices.Clone(t.lines)
	for _, b := range t.blocks {
		clear(prose[b.start-1 : min(b.end+1, len(prose))])
	}
	return prose
}

// name is a text's name as a subtest: -run /day15.md also finds zh:day15.md.
func (t *text) name() string {
	return strings.ReplaceAll(strings.TrimPrefix(t.path, "docs/"), "/", ":")
}

// fault says where something is wrong: line is an index.
func (t *text) fault(line int, format string, args ...any) {
	t.faults = append(t.faults, fmt.Sprintf("%s:%d: ", t.path, line+1)+fmt.Sprintf(format, args...))
}

// file returns what a file of the repository holds, "" if there is none.
func (t *text) file(name string) string {
	data, _ := os.ReadFile(filepath.Join(t.repo, name))
	return string(data)
}

// isCode reports whether a block shows a file of the repository, isReaders whether it is one that the reader writes.
func (b block) isCode() bool    { return b.lang != "diff" && ours.MatchString(b.file) }
func (b block) isReaders() bool { return b.lang != "diff" && b.file != "" && !b.isCode() }

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
	faults []string // fences that cannot be read
}

// block is a fenced block: the body is lines[start:end] of its text.
type block struct {
	lang       string   // the first word of the info string
	file       string   // the second one: a file; "" without
	start, end int      // indexes
	notes      []string // the HTML comments right before it, without <!-- and -->
}

var (
	fence     = regexp.MustCompile("^(`{3,}|~{3,})(.*)$")
	indented  = regexp.MustCompile("^ +(```|~~~)")
	note      = regexp.MustCompile(`^<!-- *(.*?) *-->$`)
	firstLine = regexp.MustCompile(`^(?://|#) ([\w.-]+/[\w./-]+\.\w+)$`)
)

// readText reads a text of the repository; ok is false if it does not exist.
func readText(repo, path string) (t *text, ok bool) {
	data, err := os.ReadFile(filepath.Join(repo, path))
	if err != nil {
		return nil, false
	}
	t = &text{repo: repo, path: path, source: string(data), lines: strings.Split(string(data), "\n")}
	t.parse()
	return t, true
}

func (t *text) parse() {
	t.blocks, t.faults = nil, nil
	for i := 0; i < len(t.lines); i++ {
		if indented.MatchString(t.lines[i]) {
			t.faults = append(t.faults, t.at(i, "a fence begins in the first column; move it there"))
		}
		open := fence.FindStringSubmatch(t.lines[i])
		if open == nil {
			continue
		}
		info := append(strings.Fields(open[2]), "", "")
		b := block{lang: info[0], file: info[1], start: i + 1, notes: t.notesBefore(i)}
		for i++; i < len(t.lines) && strings.TrimRight(t.lines[i], " ") != open[1]; i++ {
		}
		if b.end = i; i == len(t.lines) {
			t.faults = append(t.faults, t.at(b.start-1, "this fence is never closed"))
		}
		if b.file == "" && b.start < b.end {
			if m := firstLine.FindStringSubmatch(t.lines[b.start]); m != nil {
				b.file = m[1]
				b.start++
			}
		}
		t.blocks = append(t.blocks, b)
	}
}

// notesBefore collects the comments between the last text and line i.
func (t *text) notesBefore(i int) (notes []string) {
	for i--; i >= 0; i-- {
		m := note.FindStringSubmatch(t.lines[i])
		if m == nil && t.lines[i] != "" {
			break
		}
		if m != nil {
			notes = append([]string{m[1]}, notes...)
		}
	}
	return notes
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
		clear(prose[b.start-1 : b.end])
	}
	return prose
}

// at says where something is wrong: line is an index.
func (t *text) at(line int, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: ", t.path, line+1) + fmt.Sprintf(format, args...)
}

// replace puts other lines in place of a block's body.
func (t *text) replace(i int, body []string) {
	b := t.blocks[i]
	t.lines = slices.Replace(t.lines, b.start, b.end, body...)
	t.parse()
}

// save writes a changed text. It fails if somebody else wrote it in the meantime.
func (t *text) save() error {
	file, fresh := filepath.Join(t.repo, t.path), strings.Join(t.lines, "\n")
	if fresh == t.source {
		return nil
	}
	if now, err := os.ReadFile(file); err != nil || string(now) != t.source {
		return fmt.Errorf("%s was changed while the test ran; run it again", t.path)
	}
	return os.WriteFile(file, []byte(fresh), 0o644)
}

// programs are the folders with code; what the texts show from there is compared with it.
var programs = []string{"day14", "day15", "demoserver", "mockllm"}

// isCode reports whether a block shows a file of the repository, rather than one that the reader writes.
func (b block) isCode() bool {
	folder, _, _ := strings.Cut(b.file, "/")
	return b.lang != "diff" && b.lang != "console" && (slices.Contains(programs, folder) || b.file == "go.mod")
}

// isReaders reports whether a block is a file that the reader writes.
func (b block) isReaders() bool {
	return b.file != "" && !b.isCode() && b.lang != "diff" && b.lang != "console"
}

// checkCaptions wants the name of each file that the reader writes above its block: a page does not show info strings.
func checkCaptions(t *text) (faults []string) {
	for _, b := range t.blocks {
		above := b.start - 2
		for above >= 0 && (t.lines[above] == "" || note.MatchString(t.lines[above])) {
			above--
		}
		if b.isReaders() && (above < 0 || !strings.Contains(t.lines[above], "`"+b.file+"`")) {
			faults = append(faults, t.at(b.start-1, "the line above the block does not name its file, `%s`", b.file))
		}
	}
	return faults
}

// readLines reads a file of the repository, without its last newline.
func readLines(repo, file string) ([]string, error) {
	data, err := os.ReadFile(filepath.Join(repo, file))
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n"), err
}

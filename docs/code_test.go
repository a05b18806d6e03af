package docs

import (
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	gap = regexp.MustCompile(`^\s*// …$`)
	// begins is how the first line of whole declarations looks, ends the last one.
	begins = regexp.MustCompile(`^(\s*// …$|[^\s)}])`)
	ends   = regexp.MustCompile(`^(\s*// …$|[)}]|\S.*[^{(]$)`)
)

// checkCode compares the blocks that show a file with it.
func checkCode(t *text) {
	for _, b := range t.blocks {
		if b.lang == "go" && b.file == "" && b.note("sketch") == nil {
			t.fault(b.start-1, "a block of Go without a file: write ```go day15/NAME.go, or <!-- sketch: why --> before it")
		}
		if !b.isCode() {
			continue
		}
		lines, err := readLines(t.repo, b.file)
		if err != nil {
			t.fault(b.start-1, "there is no file %s", b.file)
		} else if err := shows(lines, b.body); err != nil {
			t.fault(b.start, "not a part of %s: %v", b.file, err)
		} else if strings.HasSuffix(b.file, ".go") && !(begins.MatchString(b.body[0]) && ends.MatchString(b.body[len(b.body)-1])) {
			t.fault(b.start, "a block shows whole declarations of %s; a line // … marks what is left out", b.file)
		}
	}
}

// shows fails if the pieces of a block, between its gaps, do not stand in a file in this order. The error is a line of the
// first piece that does not.
func shows(lines, body []string) error {
	if len(body) == 0 {
		return errors.New("it is empty")
	}
	for more := true; more; {
		piece := body
		n := slices.IndexFunc(body, gap.MatchString)
		if more = n >= 0; more {
			piece, body = body[:n], body[n+1:]
		}
		at := place(lines, piece)
		if at < 0 {
			n := slices.IndexFunc(piece, func(line string) bool { return !slices.Contains(lines, line) })
			return errors.New(piece[max(n, 0)]) // the first: where all are there, but not together
		}
		lines = lines[at+len(piece):]
	}
	return nil
}

// place returns where part first occurs in lines, -1 if it does not.
func place(lines, part []string) int {
	for at := 0; at+len(part) <= len(lines); at++ {
		if slices.Equal(lines[at:at+len(part)], part) {
			return at
		}
	}
	return -1
}

// checkDiff patches day14 with the hunks that a text shows, which has to make the same files of day15 of it.
func checkDiff(t *text) {
	made, rest := map[string][]string{}, map[string][]string{}
	for _, file := range expand(t.repo, "day14") {
		rest[path.Base(file)], _ = readLines(t.repo, file) // it was there just now
	}
	for _, b := range t.blocks {
		if b.lang != "diff" {
			continue
		}
		var before, after []string
		for _, line := range slices.Concat(b.body, []string{"@@"}) {
			switch (line + " ")[:1] {
			case "@":
				if at := place(rest[b.file], before); at >= 0 {
					made[b.file] = slices.Concat(made[b.file], rest[b.file][:at], after)
					rest[b.file] = rest[b.file][at+len(before):]
				} else {
					t.fault(b.start, "a hunk is not a part of day14/%s, or not in its order (a line with @@ separates hunks):\n\t%s", b.file, strings.Join(before, "\n\t"))
				}
				before, after = nil, nil
			case "-":
				before = append(before, line[1:])
			case "+":
				after = append(after, line[1:])
			default:
				line = strings.TrimPrefix(line, " ")
				before, after = append(before, line), append(after, line)
			}
		}
	}
	for _, file := range expand(t.repo, "day14") {
		file = path.Base(file)
		want, err := readLines(t.repo, "day15/"+file)
		if err != nil || !slices.Equal(append(made[file], rest[file]...), want) {
			t.fault(0, "the blocks ```diff %s do not make day15/%[1]s of day14/%[1]s; see git diff --no-index day14/%[1]s day15/%[1]s", file)
		}
	}
}

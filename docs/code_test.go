package docs

import (
	"errors"
	"path"
	"regexp"
	"strings"
)

var (
	gap = regexp.MustCompile(`(?m)^[ \t]*// …\n`)
	// begins is how whole declarations begin, ends how they end, unless with a gap.
	begins = regexp.MustCompile(`^([ \t]*// …\n|[^\s)}])`)
	ends   = regexp.MustCompile(`(^|\n)([ \t]*// …|[)}].*|\S.*[^{(])\n$`)
)

// checkCode compares the blocks that show a file with it.
func checkCode(t *text) {
	for _, b := range t.blocks {
		if b.lang == "go" && b.file == "" && b.notes["sketch"] == nil {
			t.fault(b.start-1, "a block of Go without a file: write ```go day15/NAME.go, or <!-- sketch: why --> before it")
		}
		if !b.isCode() {
			continue
		}
		file := t.file(b.file)
		if file == "" {
			t.fault(b.start-1, "there is no file %s", b.file)
		} else if err := shows(file, b.body); err != nil {
			t.fault(b.start, "not a part of %s: %v", b.file, err)
		} else if path.Ext(b.file) == ".go" && (!begins.MatchString(b.body) || !ends.MatchString(b.body)) {
			t.fault(b.start, "a block shows whole declarations of %s; a line // … marks what is left out", b.file)
		}
	}
}

// shows fails if the pieces of a block, between its gaps, do not stand in a file in this order. The error is a line of the
// first piece that does not.
func shows(file, body string) error {
	for _, piece := range gap.Split(body, -1) {
		_, rest, found := strings.Cut("\n"+file, "\n"+piece)
		for line := range strings.Lines(piece) {
			if !found && !strings.Contains("\n"+file, "\n"+line) {
				return errors.New(strings.TrimSpace(line))
			}
		}
		if !found {
			return errors.New(piece) // its lines are there, but not together
		}
		file = rest
	}
	return nil
}

// checkDiff patches day14 with the hunks that a text shows, which has to make the same files of day15 of it.
func checkDiff(t *text) {
	made, rest := map[string]string{}, map[string]string{}
	for _, file := range expand(t.repo, "day14") {
		rest[path.Base(file)] = t.file(file)
	}
	for _, b := range t.blocks {
		if b.lang != "diff" {
			continue
		}
		before, after := "", ""
		for line := range strings.Lines(b.body + "@@") {
			switch content := line[1:]; line[0] {
			case '@':
				between, next, found := strings.Cut(rest[b.file], before)
				if !found {
					t.fault(b.start, "a hunk is not a part of day14/%s, or not in its order (a line with @@ separates hunks):\n%s", b.file, before)
				}
				made[b.file], rest[b.file] = made[b.file]+between+after, next
				before, after = "", ""
			case '-':
				before += content
			case '+':
				after += content
			default:
				line = strings.TrimPrefix(line, " ")
				before, after = before+line, after+line
			}
		}
	}
	for file := range rest {
		if made[file]+rest[file] != t.file("day15/"+file) {
			t.fault(0, "the blocks ```diff %s do not make day15/%[1]s of day14/%[1]s; see git diff --no-index day14/%[1]s day15/%[1]s", file)
		}
	}
}

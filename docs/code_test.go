package docs

import (
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	gap = regexp.MustCompile(`^\s*// …$`)
	// begins begins a declaration of a Go file, or the comment or the file above one; ends ends one.
	begins = regexp.MustCompile(`^(//|/\*|package |import |func |type |var |const )`)
	ends   = regexp.MustCompile(`^(\}|\)|\*/)|^(type|var|const|package|import|func) .*[^({]$|^(type|func) .*\{.*\}$`)
)

// checkCode compares the blocks that show a file with it. With fix, a block that drifted is taken anew from the file.
func checkCode(t *text, fix bool) {
	for i, b := range t.blocks {
		if b.lang == "go" && b.file == "" && b.note("sketch") == nil {
			t.fault(b.start-1, "a block of Go without a file: write ```go day15/NAME.go, or <!-- sketch: why --> before it")
		}
		if !b.isCode() {
			continue
		}
		lines, err := readLines(t.repo, b.file)
		if err != nil {
			t.fault(b.start-1, "there is no file %s", b.file)
			continue
		}
		body := t.body(b)
		if fresh := takeAnew(lines, body); fix && !shows(lines, body) && fresh != nil {
			t.replace(i, fresh)
			checkCode(t, fix)
			return
		}
		isGo := strings.HasSuffix(b.file, ".go")
		switch {
		case !shows(lines, body):
			t.fault(b.start, "not a part of %s: %s\n\tgo test ./docs -run /%s -update takes it anew where its first and last line are there", b.file, firstMissing(lines, body), t.name())
		case isGo && !begins.MatchString(body[0]) && !gap.MatchString(body[0]), isGo && !ends.MatchString(body[len(body)-1]) && !gap.MatchString(body[len(body)-1]):
			t.fault(b.start, "a block shows whole declarations of %s; a line // … marks what is left out", b.file)
		}
	}
}

// shows reports whether the pieces of a block, between its gaps, stand in a file in this order.
func shows(lines, body []string) bool {
	var piece []string
	for i, line := range append(slices.Clone(body), "// …") {
		if i < len(body) && !gap.MatchString(line) {
			piece = append(piece, line)
			continue
		}
		at := place(lines, piece)
		if at < 0 {
			return false
		}
		lines, piece = lines[at+len(piece):], nil
	}
	return len(body) > 0
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

// firstMissing returns the line of a block that the file does not have, or not at its place.
func firstMissing(lines, body []string) string {
	for n := range body {
		if !shows(lines, body[:n+1]) {
			return body[n]
		}
	}
	return "it is empty"
}

// takeAnew finds what a drifted block without gaps should show: from its first line, of which there must be one, to the
// first end of a declaration after as many as the block has.
func takeAnew(lines, body []string) []string {
	if len(body) == 0 || slices.ContainsFunc(body, gap.MatchString) || place(lines, body[:1]) < 0 {
		return nil
	}
	lines = lines[place(lines, body[:1]):]
	count, want := 0, 0
	for _, line := range body {
		if ends.MatchString(line) {
			want++
		}
	}
	for n, line := range lines {
		if ends.MatchString(line) {
			count++
		}
		if count == want && count > 0 {
			return lines[:n+1]
		}
	}
	return nil
}

// dayDiff returns the + and - lines of each file that both days have and that differs, in order.
func dayDiff(repo string) (map[string][]string, error) {
	cmd := exec.Command("git", "diff", "--no-index", "--no-renames", "--no-color", "--no-ext-diff", "-U0", "--diff-filter=M", "day14", "day15")
	cmd.Dir = repo
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 { // 1: they differ
		return nil, err
	}
	diff, file, header := map[string][]string{}, "", false
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSuffix(line, "\n")
		switch name, isName := strings.CutPrefix(line, "+++ b/day15/"); {
		case strings.HasPrefix(line, "diff --git "):
			header = true
		case header && isName:
			file = name
		case strings.HasPrefix(line, "@@ "):
			header = false
		case !header && line != "" && strings.Contains("+-", line[:1]) && !strings.HasSuffix(file, "_test.go"):
			diff[file] = append(diff[file], line)
		}
	}
	return diff, nil
}

// checkDiff compares the hunks of a text with both days, and all its + and - lines with the whole difference of the days.
func checkDiff(t *text, diff map[string][]string) {
	shown := map[string][]string{}
	for _, b := range t.blocks {
		if b.lang != "diff" {
			continue
		}
		for day, sign := range map[string]string{"day14": "-", "day15": "+"} {
			lines, err := readLines(t.repo, path.Join(day, b.file))
			side := []string{}
			for _, line := range slices.Concat(t.body(b), []string{"@@"}) {
				if strings.HasPrefix(line, "@@") {
					if err != nil || place(lines, side) < 0 {
						t.fault(b.start, "a hunk is not a part of %s/%s (a line with @@ separates hunks):\n\t%s", day, b.file, strings.Join(side, "\n\t"))
					}
					side = nil
				} else if line == "" || line[:1] == " " || line[:1] == sign {
					side = append(side, strings.TrimPrefix(strings.TrimPrefix(line, " "), sign))
				}
			}
		}
		for _, line := range t.body(b) {
			if line != "" && strings.Contains("+-", line[:1]) {
				shown[b.file] = append(shown[b.file], line)
			}
		}
	}
	for file, lines := range diff {
		if !slices.Equal(lines, shown[file]) {
			t.fault(0, "the blocks ```diff %s are not the difference between the days:\n\t%s", file, strings.Join(lines, "\n\t"))
		}
		delete(shown, file)
	}
	for file := range shown {
		t.fault(0, "```diff %s: the days do not differ there", file)
	}
}

package docs

import (
	"errors"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
)

// dayDiff returns the + and - lines of each file that both days have and that differs, in order.
func dayDiff(repo string) (map[string][]string, error) {
	cmd := exec.Command("git", "-c", "core.quotePath=off", "diff", "--no-index", "--no-renames", "--no-ext-diff", "--no-textconv",
		"--no-color", "--diff-algorithm=myers", "--src-prefix=a/", "--dst-prefix=b/", "-U0", "--diff-filter=M", "day14", "day15")
	cmd.Dir = repo
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) { // 1: they differ
		return nil, err
	}
	diff, file, header := map[string][]string{}, "", false
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSuffix(line, "\n")
		name, isName := strings.CutPrefix(line, "+++ b/day15/")
		switch {
		case strings.HasPrefix(line, "diff --git "):
			header = true
		case header && isName:
			file = name
		case strings.HasPrefix(line, "@@ "):
			header = false
		case !header && line != "" && strings.Contains("+-", line[:1]):
			diff[file] = append(diff[file], line)
		}
	}
	return diff, nil
}

// baseName is the name that both days give a file: main.go for day14/main.go.
func baseName(file string) string {
	return strings.TrimPrefix(strings.TrimPrefix(file, "day14/"), "day15/")
}

// checkHunks compares each hunk of a text's diff blocks with both days: what it keeps and removes is a part of the file
// in day14, what it keeps and adds one of that in day15.
func checkHunks(t *text) (faults []string) {
	for _, b := range t.blocks {
		if b.lang != "diff" {
			continue
		}
		if b.file == "" {
			faults = append(faults, t.at(b.start-1, "a diff without a file: write ```diff main.go"))
			continue
		}
		for day, sign := range map[string]string{"day14": "-", "day15": "+"} {
			lines, err := readLines(t.repo, path.Join(day, baseName(b.file)))
			if err != nil {
				faults = append(faults, t.at(b.start-1, "%s is no file of both days", b.file))
				break
			}
			for _, side := range sides(t.body(b), sign) {
				if len(places(lines, side)) == 0 {
					faults = append(faults, t.at(b.start, "a hunk is not a part of %s (a line with @@ separates hunks), %s",
						path.Join(day, baseName(b.file)), closest(lines, side)))
				}
			}
		}
	}
	return faults
}

// sides splits a diff at its @@ lines and returns one side of each hunk, without the signs.
func sides(body []string, sign string) (hunks [][]string) {
	hunks = [][]string{nil}
	for _, line := range body {
		last := len(hunks) - 1
		switch {
		case strings.HasPrefix(line, "@@"):
			hunks = append(hunks, nil)
		case line == "":
			hunks[last] = append(hunks[last], "")
		case line[:1] == " " || line[:1] == sign:
			hunks[last] = append(hunks[last], line[1:])
		case line[:1] != "+" && line[:1] != "-":
			hunks[last] = append(hunks[last], line) // a part of no file
		}
	}
	return hunks
}

// checkDiff compares the + and - lines that a text shows with the whole difference of the days.
func checkDiff(t *text, diff map[string][]string) (faults []string) {
	shown := map[string][]string{}
	for _, b := range t.blocks {
		for _, line := range t.body(b) {
			if b.lang == "diff" && line != "" && strings.Contains("+-", line[:1]) {
				shown[baseName(b.file)] = append(shown[baseName(b.file)], line)
			}
		}
	}
	for file, lines := range diff {
		if i := firstDifference(lines, shown[file]); i >= 0 {
			faults = append(faults, t.path+": the blocks ```diff "+file+" are not the difference between the days.\n\ttext  "+
				lineAt(shown[file], i)+"\n\tdays  "+lineAt(lines, i)+"\n\tShow exactly these lines:\n\t"+strings.Join(lines, "\n\t"))
		}
	}
	for file := range shown {
		if diff[file] == nil {
			faults = append(faults, t.path+": ```diff "+file+": the days do not differ there; remove the block")
		}
	}
	slices.Sort(faults)
	return faults
}

// firstDifference is the index of the first line in which a and b differ, or -1.
func firstDifference(a, b []string) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			return i
		}
	}
	return -1
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing more)"
}

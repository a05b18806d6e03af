package docs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// checkCode compares the blocks that show a file with it. With fix, a block that drifted is taken anew from the file.
func checkCode(t *text, fix bool) (faults []string) {
	faults = t.faults
	for i, b := range t.blocks {
		if !b.isCode() {
			if b.lang == "go" && b.file == "" && b.note("sketch") == nil {
				faults = append(faults, t.at(b.start-1, "a block of Go without a file: write ```go day15/NAME.go, or <!-- sketch: why --> before it"))
			}
			continue
		}
		lines, err := readLines(t.repo, b.file)
		if err != nil {
			faults = append(faults, t.at(b.start-1, "there is no file %s", b.file))
			continue
		}
		body := t.body(b)
		if len(body) == 0 || len(places(lines, body)) == 0 {
			fresh, advice := takeAnew(lines, body), "copy it from the file"
			if fix && fresh != nil {
				t.replace(i, fresh)
				return checkCode(t, fix)
			}
			if fresh != nil {
				advice = "go test ./docs -run /" + t.name() + " -update takes it anew from the file"
			}
			faults = append(faults, t.at(b.start, "not a part of %s, %s\n\t%s", b.file, closest(lines, body), advice))
		}
	}
	return faults
}

// places returns where part occurs in lines.
func places(lines, part []string) (at []int) {
	for i := 0; i+len(part) <= len(lines); i++ {
		if slices.Equal(lines[i:i+len(part)], part) {
			at = append(at, i)
		}
	}
	return at
}

// closest describes the place in a file that resembles a block most, where possible one that begins as the block does, and
// where they part.
func closest(lines, body []string) string {
	best, most := 0, -1
	first := places(lines, body[:min(1, len(body))])
	for i := range lines {
		same := 0
		for j := 0; j < len(body) && i+j < len(lines); j++ {
			if body[j] == lines[i+j] && body[j] != "" {
				same++
			}
		}
		if same > most && (first == nil || slices.Contains(first, i)) {
			best, most = i, same
		}
	}
	for j, line := range body {
		if best+j >= len(lines) {
			return fmt.Sprintf("which ends after line %d; the text goes on with\n\t%s", len(lines), line)
		}
		if line != lines[best+j] {
			return fmt.Sprintf("closest at line %d; they part at line %d of the file:\n\ttext  %s\n\tfile  %s",
				best+1, best+j+1, line, lines[best+j])
		}
	}
	return "the block is empty"
}

// takeAnew finds a drifted block's place by its first line, which must be the only one of its kind, and by its last one,
// of which the block holds as many as the place does.
func takeAnew(lines, body []string) []string {
	if len(body) == 0 || len(places(lines, body[:1])) != 1 {
		return nil
	}
	lines = lines[places(lines, body[:1])[0]:]
	last := body[len(body)-1:]
	ends, n := places(lines, last), len(places(body, last))
	if len(ends) == 0 {
		return nil
	}
	return lines[:ends[min(n, len(ends))-1]+1]
}

// newFiles lists the files that only day15 has, tests aside.
func newFiles(repo string) (files []string) {
	fs.WalkDir(os.DirFS(repo), "day15", func(path string, d fs.DirEntry, err error) error {
		_, missing := os.Stat(filepath.Join(repo, "day14", strings.TrimPrefix(path, "day15")))
		if err == nil && !d.IsDir() && missing != nil && !isTest(path) {
			files = append(files, path)
		}
		return err
	})
	return files
}

func isTest(file string) bool {
	return strings.HasSuffix(file, "_test.go") || strings.Contains(file, "/testdata/")
}

// checkComplete reports what the texts together leave out of a file.
func checkComplete(texts []*text, repo, file string) (faults []string) {
	lines, err := readLines(repo, file)
	if err != nil {
		return []string{err.Error()}
	}
	shown := make([]bool, len(lines))
	for _, t := range texts {
		for _, b := range t.blocks {
			if b.file != file || !b.isCode() || b.start == b.end {
				continue
			}
			for _, at := range places(lines, t.body(b)) {
				for i := range t.body(b) {
					shown[at+i] = true
				}
			}
		}
	}
	for i := 0; i < len(lines); i++ {
		first := i
		for i < len(lines) && (!shown[i] && (lines[i] != "" || i > first)) {
			i++
		}
		if i > first {
			faults = append(faults, fmt.Sprintf("no English text shows lines %d to %d of %s; add them in a block ```go %s\n\t%s",
				first+1, i, file, file, lines[first]))
		}
	}
	return faults
}

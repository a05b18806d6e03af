package docs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

var (
	counted   = regexp.MustCompile(`<!-- count: (.*?) -->(\d*)`)
	uncounted = regexp.MustCompile(`(?i)\d\d*\**[ -](?:lines?|files?|tools?|tokens?)\b|\d+\** ?(?:行|个文件|个工具|个 ?token)`)
)

// checkNumbers computes every marked number of a text anew. With fix, it corrects them.
func checkNumbers(t *text, diff map[string][]string, fix bool) {
	for i, line := range t.prose() {
		fresh := counted.ReplaceAllStringFunc(line, func(marked string) string {
			m := counted.FindStringSubmatch(marked)
			now, err := compute(t, m[1], m[2], diff)
			if err != nil {
				t.fault(i, "count: %s: %v", m[1], err)
				return marked
			}
			if now != m[2] && !fix {
				t.fault(i, "count: %s is %s now, the text says %q", m[1], now, m[2])
			}
			return strings.TrimSuffix(marked, m[2]) + now
		})
		if fix && line != "" {
			t.lines[i] = fresh
		}
		if m := uncounted.FindString(counted.ReplaceAllString(codeSpan.ReplaceAllString(line, ""), "")); m != "" {
			t.fault(i, "nobody checks the number in %q: write <!-- count: … --> before it (doc_test.go says how)", m)
		}
	}
}

// compute is the value of a count; old is what the text says.
func compute(t *text, what, old string, diff map[string][]string) (string, error) {
	kind, args, _ := strings.Cut(what, " ")
	switch kind {
	case "lines", "files":
		lines, files := 0, 0
		for _, pattern := range strings.Fields(args) {
			for _, file := range expand(t.repo, pattern) {
				content, err := readLines(t.repo, file)
				if err != nil {
					return "", err
				}
				lines, files = lines+len(content), files+1
			}
		}
		if files == 0 {
			return "", fmt.Errorf("no file matches %s", args)
		}
		return strconv.Itoa(map[string]int{"lines": lines, "files": files}[kind]), nil
	case "added", "removed":
		n := 0
		for file, lines := range diff {
			for _, line := range lines {
				if (args == "" || file == args) && line[:1] == map[string]string{"added": "+", "removed": "-"}[kind] {
					n++
				}
			}
		}
		return strconv.Itoa(n), nil
	case "const":
		file, name, _ := strings.Cut(args, ":")
		source, _ := readLines(t.repo, file)
		m := regexp.MustCompile(`(?m)^(?:const|\t)\s*` + name + `\s+=\s+([\d_]+)`).FindStringSubmatch(strings.Join(source, "\n"))
		if m == nil {
			return "", fmt.Errorf("%s has no constant %s with a plain value", file, name)
		}
		return m[1], nil
	case "shown":
		pattern, err := regexp.Compile(args)
		if err != nil || pattern.NumSubexp() != 1 {
			return "", errors.New(`write a regular expression with one group, such as about (\d+) tokens`)
		}
		for _, b := range t.blocks {
			if m := pattern.FindStringSubmatch(strings.Join(t.body(b), "\n")); b.lang == "console" && m != nil {
				return m[1], nil
			}
		}
		return "", errors.New("no transcript of this text shows that")
	case "given":
		if old != "" {
			return old, nil
		}
	}
	return "", errors.New("there is no such count; doc_test.go lists them")
}

// expand lists the files that a pattern names, tests aside: a glob, a folder (its .go files) or "new".
func expand(repo, pattern string) (files []string) {
	isNew := pattern == "new"
	if isNew {
		pattern = "day15"
	}
	if info, err := os.Stat(filepath.Join(repo, pattern)); err == nil && info.IsDir() {
		pattern += "/*.go"
	}
	found, _ := filepath.Glob(filepath.Join(repo, pattern))
	for _, file := range found {
		_, missing := os.Stat(filepath.Join(repo, "day14", filepath.Base(file)))
		if !strings.HasSuffix(file, "_test.go") && (!isNew || missing != nil) {
			rel, _ := filepath.Rel(repo, file)
			files = append(files, filepath.ToSlash(rel))
		}
	}
	return files
}

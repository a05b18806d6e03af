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
func checkNumbers(t *text, fix bool) {
	for i, line := range t.prose() {
		fresh := counted.ReplaceAllStringFunc(line, func(marked string) string {
			m := counted.FindStringSubmatch(marked)
			now, err := compute(t, m[1])
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

// compute is the value of a count.
func compute(t *text, what string) (string, error) {
	kind, args, _ := strings.Cut(what, " ")
	switch kind {
	case "lines", "files":
		count := map[string]int{}
		for _, pattern := range strings.Fields(args) {
			for _, file := range expand(t.repo, pattern) {
				content, err := readLines(t.repo, file)
				if err != nil {
					return "", err
				}
				count["lines"] += len(content)
				count["files"]++
			}
		}
		if count["files"] == 0 {
			return "", fmt.Errorf("no file matches %s", args)
		}
		return strconv.Itoa(count[kind]), nil
	case "added", "removed":
		n := 0
		for _, b := range t.blocks {
			for _, line := range b.body {
				if b.lang == "diff" && (args == "" || b.file == args) && strings.HasPrefix(line, map[string]string{"added": "+", "removed": "-"}[kind]) {
					n++
				}
			}
		}
		return strconv.Itoa(n), nil
	case "const":
		file, name, _ := strings.Cut(args, ":")
		source, err := readLines(t.repo, file)
		return find(source, `(?m)^(?:const|\t)\s*`+name+`\s+=\s+([\d_]+)`, err)
	case "shown":
		var shown []string
		for _, b := range t.blocks {
			if b.lang == "console" {
				shown = append(shown, b.body...)
			}
		}
		return find(shown, args, nil)
	}
	return "", errors.New("there is no such count; doc_test.go lists them")
}

// find returns what the one group of a pattern matches.
func find(lines []string, pattern string, err error) (string, error) {
	if err != nil {
		return "", err
	}
	re, err := regexp.Compile(pattern)
	if err != nil || re.NumSubexp() != 1 {
		return "", fmt.Errorf(`%s is no regular expression with one group, such as about (\d+) tokens`, pattern)
	}
	m := re.FindStringSubmatch(strings.Join(lines, "\n"))
	if m == nil {
		return "", fmt.Errorf("nothing there matches %s", pattern)
	}
	return m[1], nil
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

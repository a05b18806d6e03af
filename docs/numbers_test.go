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
	codeSpan  = regexp.MustCompile("`[^`\n]+`")
)

// checkNumbers computes every marked number of a text anew. With fix, it corrects them.
func checkNumbers(t *text, diff map[string][]string, fix bool) (faults []string) {
	for i, line := range t.prose() {
		if line == "" {
			continue
		}
		fresh := counted.ReplaceAllStringFunc(line, func(marked string) string {
			m := counted.FindStringSubmatch(marked)
			now, err := compute(t, m[1], m[2], diff)
			switch {
			case err != nil:
				faults = append(faults, t.at(i, "count: %s: %v", m[1], err))
				return marked
			case now != m[2] && !fix:
				faults = append(faults, t.at(i, "count: %s is %s now, the text says %q; go test ./docs -run /%s -update", m[1], now, m[2], t.name()))
			}
			return strings.TrimSuffix(marked, m[2]) + now
		})
		if fix {
			t.lines[i] = fresh
		}
		plain := counted.ReplaceAllString(codeSpan.ReplaceAllString(line, ""), "")
		if m := uncounted.FindString(plain); m != "" {
			faults = append(faults, t.at(i, "nobody checks the number in %q: write <!-- count: … --> before it (doc_test.go says how)", m))
		}
	}
	return faults
}

// compute is the value of a count; old is what the text says.
func compute(t *text, what, old string, diff map[string][]string) (string, error) {
	kind, args, _ := strings.Cut(what, " ")
	switch kind {
	case "lines", "files", "longest":
		return measure(t.repo, kind, strings.Fields(args))
	case "added", "removed", "changed":
		if args != "" && diff[args] == nil {
			return "", fmt.Errorf("the days do not differ in %q", args)
		}
		return strconv.Itoa(countDiff(diff, kind, args)), nil
	case "const":
		file, name, _ := strings.Cut(args, ":")
		d, err := parseDecls(filepath.Join(t.repo, file))
		if err == nil && d.names[name] == "" {
			err = fmt.Errorf("%s has no constant %s with a plain value", file, name)
		}
		return d.names[name], err
	case "shown":
		return shown(t, args)
	case "given":
		if old == "" {
			return "", errors.New("a given number stands right behind the comment")
		}
		return old, nil
	}
	return "", errors.New("there is no such count; doc_test.go lists them")
}

// measure counts the files that the patterns name, or their lines.
func measure(repo, kind string, patterns []string) (string, error) {
	var files []string
	for _, pattern := range patterns {
		found, err := expand(repo, pattern)
		if err != nil || len(found) == 0 {
			return "", fmt.Errorf("no file matches %s", pattern)
		}
		files = append(files, found...)
	}
	total, longest := 0, 0
	for _, file := range files {
		lines, err := readLines(repo, file)
		if err != nil {
			return "", err
		}
		total += len(lines)
		longest = max(longest, len(lines))
	}
	return strconv.Itoa(map[string]int{"files": len(files), "lines": total, "longest": longest}[kind]), nil
}

// expand lists the files that a pattern names: a glob, a folder (its .go files, tests aside) or "new".
func expand(repo, pattern string) (files []string, err error) {
	if pattern == "new" {
		return newFiles(repo), nil
	}
	info, err := os.Stat(filepath.Join(repo, pattern))
	isFolder := err == nil && info.IsDir()
	if isFolder {
		pattern += "/*.go"
	}
	found, err := filepath.Glob(filepath.Join(repo, pattern))
	for _, file := range found {
		if rel, err := filepath.Rel(repo, file); err == nil && !(isFolder && isTest(rel)) {
			files = append(files, filepath.ToSlash(rel))
		}
	}
	return files, err
}

// countDiff counts the + or - lines of a file, or of all files but tests; or the files that differ.
func countDiff(diff map[string][]string, kind, only string) (n int) {
	for file, lines := range diff {
		switch {
		case only != "" && file != only, only == "" && isTest(file):
		case kind == "changed":
			n++
		default:
			sign := map[string]string{"added": "+", "removed": "-"}[kind]
			for _, line := range lines {
				if strings.HasPrefix(line, sign) {
					n++
				}
			}
		}
	}
	return n
}

// shown finds a number in the transcripts of a text.
func shown(t *text, expression string) (string, error) {
	pattern, err := regexp.Compile(expression)
	if err != nil || pattern.NumSubexp() != 1 {
		return "", errors.New(`write a regular expression with one group, such as about (\d+) tokens`)
	}
	for _, b := range t.blocks {
		if m := pattern.FindStringSubmatch(strings.Join(t.body(b), "\n")); b.lang == "console" && m != nil {
			return m[1], nil
		}
	}
	return "", errors.New("no transcript of this text shows that")
}

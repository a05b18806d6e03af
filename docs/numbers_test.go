package docs

import (
	"cmp"
	"io/fs"
	"os"
	"regexp"
	"slices"
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
			now := compute(t, m[1])
			if now == "" {
				t.fault(i, "count: %s: there is no such count (doc_test.go lists them), or no such file, constant or output", m[1])
			} else if now != m[2] && !fix {
				t.fault(i, "count: %s is %s now, the text says %q", m[1], now, m[2])
			}
			return strings.TrimSuffix(marked, m[2]) + cmp.Or(now, m[2])
		})
		if fix && line != "" {
			t.lines[i] = fresh
		}
		if m := uncounted.FindString(counted.ReplaceAllString(codeSpan.ReplaceAllString(line, ""), "")); m != "" {
			t.fault(i, "nobody checks the number in %q: write <!-- count: … --> before it (doc_test.go says how)", m)
		}
	}
}

// compute is the value of a count, "" if there is none.
func compute(t *text, what string) string {
	kind, args, _ := strings.Cut(what, " ")
	files, n := expand(t.repo, args), 0
	switch kind {
	case "files":
		n = len(files)
	case "lines":
		for _, file := range files {
			n += strings.Count(t.file(file), "\n")
		}
	case "added":
		n = strings.Count(t.all("diff", args), "\n+")
	case "removed":
		n = strings.Count(t.all("diff", args), "\n-")
	case "const":
		file, name, _ := strings.Cut(args, ":")
		return group(`\n(?:const|\t)\s*`+name+`\s+=\s+([\d_]+)`, t.file(file))
	case "shown":
		return group(args, t.all("console", ""))
	}
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// all is what the blocks of a kind show, those of one file if it is given.
func (t *text) all(lang, file string) (all string) {
	for _, b := range t.blocks {
		if b.lang == lang && (file == "" || b.file == file) {
			all += "\n" + b.body
		}
	}
	return all
}

// group returns what the first group of a pattern matches first, "" if it does not.
func group(pattern, in string) string {
	return append(regexp.MustCompile(pattern).FindStringSubmatch(in), "", "")[1]
}

// expand lists the files that patterns name, tests aside: globs, "day14" for its .go files, or "new" for what day15 adds.
func expand(repo, patterns string) (files []string) {
	for pattern := range strings.FieldsSeq(patterns) {
		short := map[string]string{"new": "day15/mcp*.go", "day14": "day14/*.go"}
		found, _ := fs.Glob(os.DirFS(repo), cmp.Or(short[pattern], pattern))
		files = append(files, found...)
	}
	return slices.DeleteFunc(files, func(file string) bool { return strings.HasSuffix(file, "_test.go") })
}

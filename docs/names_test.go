package docs

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

var (
	link      = regexp.MustCompile(`\]\(<?([^)\s>]+)>?\)`)
	elsewhere = regexp.MustCompile(`^[a-z][a-z0-9+.-]*:`)
	heading   = regexp.MustCompile(`^#{1,6} +(.*?) *$`)
	tag       = regexp.MustCompile(`<[^>]*>`)
	codeSpan  = regexp.MustCompile("`[^`\n]+`")
	goFile    = regexp.MustCompile(`^[\w*-]+\.go$`)
	declared  = regexp.MustCompile("^`((?:[\\w-]+/)?[\\w-]+\\.go):(?:([^`.]+)\\.)?([^`]+)`$")
)

// checkNames looks for what a text points at: links with their headings, paths and declarations in backticks.
func checkNames(t *text) {
	for i, line := range t.prose() {
		for _, m := range link.FindAllStringSubmatch(codeSpan.ReplaceAllString(line, ""), -1) {
			if !elsewhere.MatchString(m[1]) {
				t.checkLink(i, m[1])
			}
		}
		for _, span := range codeSpan.FindAllString(line, -1) {
			if !t.exists(strings.TrimPrefix(strings.Trim(span, "`"), "./")) {
				t.fault(i, "%s: the repository has no such file", span)
			}
			if m := declared.FindStringSubmatch(span); m != nil && !declares(t.repo, m[1], m[2], m[3]) {
				t.fault(i, "%s: the file declares no such thing", span)
			}
		}
	}
	for _, b := range t.blocks {
		if b.isReaders() && !strings.Contains(b.above, "`"+b.file+"`") {
			t.fault(b.start-1, "the line above the block does not name its file, `%s`", b.file)
		}
	}
}

// checkLink follows a link to another file, or within the text.
func (t *text) checkLink(i int, target string) {
	file, anchor, _ := strings.Cut(target, "#")
	anchor, err := url.PathUnescape(anchor)
	to := path.Join(path.Dir(t.path), file)
	if file == "" {
		to = t.path
	}
	if _, missing := os.Stat(filepath.Join(t.repo, to)); missing != nil || err != nil {
		t.fault(i, "the link %s leads nowhere: there is no %s", target, to)
	} else if other, _ := readText(t.repo, to); anchor != "" && !slices.Contains(other.anchors(), anchor) {
		t.fault(i, "the link %s: %s has no such heading; it has %v", target, to, other.anchors())
	}
}

// anchors are what GitHub makes of the headings: lower case, spaces to hyphens, punctuation dropped, repeated ones numbered.
func (t *text) anchors() (all []string) {
	for _, line := range t.prose() {
		m := heading.FindStringSubmatch(tag.ReplaceAllString(line, ""))
		if m == nil {
			continue
		}
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r):
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])
		name := slug
		for n := 1; slices.Contains(all, name); n++ {
			name = fmt.Sprintf("%s-%d", slug, n)
		}
		all = append(all, name)
	}
	return all
}

// exists reports whether a code span is something else than a path of the repository, or one that exists, or one that the
// reader writes.
func (t *text) exists(name string) bool {
	folder, _, inside := strings.Cut(name, "/")
	inside = inside && slices.Contains(append(programs, "docs"), folder)
	if strings.ContainsAny(name, " :") || !inside && !goFile.MatchString(name) {
		return true
	}
	if !inside {
		name = "*/" + name
	}
	found, _ := filepath.Glob(filepath.Join(t.repo, strings.TrimSuffix(name, "/")))
	return found != nil || slices.ContainsFunc(t.blocks, func(b block) bool {
		matched, _ := path.Match(name, b.file)
		return matched && b.isReaders()
	})
}

// declares reports whether a Go file, of day15 unless it says so, declares a function, a type, a constant, a variable or,
// with the type of its receiver, a method.
func declares(repo, file, receiver, name string) bool {
	if !strings.Contains(file, "/") {
		file = "day15/" + file
	}
	pattern := `(?m)^(?:func|type|var|const|\t)\s*` + regexp.QuoteMeta(name) + `\b`
	if receiver != "" {
		pattern = `(?m)^func \((?:\w+ )?\*?` + regexp.QuoteMeta(receiver) + `(?:\[\w+\])?\) ` + regexp.QuoteMeta(name) + `\(`
	}
	source, _ := readLines(repo, file)
	return regexp.MustCompile(pattern).MatchString(strings.Join(source, "\n"))
}

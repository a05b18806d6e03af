package docs

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	link     = regexp.MustCompile(`\]\(([^)\s#:]*)(?:#([^)\s:]*))?\)`) // one with a colon leads elsewhere
	heading  = regexp.MustCompile(`^#{1,6} +(.*?) *$`)
	unlinked = regexp.MustCompile(`<[^>]*>|[^\p{L}\p{N}\p{M}_ -]`) // what an anchor leaves out of a heading
	codeSpan = regexp.MustCompile("`[^`\n]+`")
	pathSpan = regexp.MustCompile("^`(?:\\./)?((?:day14|day15|demoserver|mockllm|docs)/[^ :]*|[\\w*-]+\\.go)`$")
	declared = regexp.MustCompile("^`((?:[\\w-]+/)?[\\w-]+\\.go):(?:([^`.]+)\\.)?([^`]+)`$")
)

// checkNames looks for what a text points at: links with their headings, paths and declarations in backticks.
func checkNames(t *text) {
	for i, line := range t.prose() {
		for _, m := range link.FindAllStringSubmatch(codeSpan.ReplaceAllString(line, ""), -1) {
			t.checkLink(i, m[1], m[2])
		}
		for _, span := range codeSpan.FindAllString(line, -1) {
			if m := pathSpan.FindStringSubmatch(span); m != nil && !t.exists(m[1]) {
				t.fault(i, "%s: the repository has no such file", span)
			}
			if m := declared.FindStringSubmatch(span); m != nil && !t.declares(m[1], m[2], m[3]) {
				t.fault(i, "%s: the file declares no such thing", span)
			}
		}
	}
	for _, file := range expand(t.repo, "day14") {
		if t.path == "docs/day14.md" && !strings.Contains(strings.Join(t.prose(), "\n"), "`"+path.Base(file)+"`") {
			t.fault(0, "nothing is said about %s: name it in backticks", file)
		}
	}
	for _, b := range t.blocks {
		if b.isReaders() && !strings.Contains(b.above, "`"+b.file+"`") {
			t.fault(b.start-1, "the line above the block does not name its file, `%s`", b.file)
		}
	}
}

// checkLink follows a link to another file, or within the text.
func (t *text) checkLink(i int, file, anchor string) {
	to := path.Join(path.Dir(t.path), cmp.Or(file, path.Base(t.path)))
	if _, err := os.Stat(filepath.Join(t.repo, to)); err != nil {
		t.fault(i, "the link %s leads nowhere: there is no %s", file, to)
	} else if other, _ := readText(t.repo, to); anchor != "" && !slices.Contains(other.anchors(), anchor) {
		t.fault(i, "the link #%s: %s has no such heading; it has %v", anchor, to, other.anchors())
	}
}

// anchors are what GitHub makes of the headings: lower case, spaces to hyphens, punctuation dropped, repeated ones numbered.
func (t *text) anchors() (all []string) {
	for _, line := range t.prose() {
		if m := heading.FindStringSubmatch(line); m != nil {
			slug := strings.ReplaceAll(strings.ToLower(unlinked.ReplaceAllString(m[1], "")), " ", "-")
			name := slug
			for n := 1; slices.Contains(all, name); n++ {
				name = fmt.Sprintf("%s-%d", slug, n)
			}
			all = append(all, name)
		}
	}
	return all
}

// exists reports whether the repository has a file, or the reader writes it; one without a folder may be in any.
func (t *text) exists(name string) bool {
	if !strings.Contains(name, "/") {
		name = "*/" + name
	}
	found, _ := fs.Glob(os.DirFS(t.repo), strings.TrimSuffix(name, "/"))
	return found != nil || slices.ContainsFunc(t.blocks, func(b block) bool {
		matched, _ := path.Match(name, b.file)
		return matched && b.isReaders()
	})
}

// declares reports whether a Go file, of day15 unless it says so, declares a function, a type, a constant, a variable or,
// with the type of its receiver, a method.
func (t *text) declares(file, receiver, name string) bool {
	if !strings.Contains(file, "/") {
		file = "day15/" + file
	}
	pattern := `(?m)^(?:func|type|var|const|\t)\s*` + regexp.QuoteMeta(name) + `\b`
	if receiver != "" {
		pattern = `(?m)^func \((?:\w+ )?\*?` + regexp.QuoteMeta(receiver) + `(?:\[\w+\])?\) ` + regexp.QuoteMeta(name) + `\(`
	}
	return regexp.MustCompile(pattern).MatchString(t.file(file))
}

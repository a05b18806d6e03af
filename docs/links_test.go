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
	link      = regexp.MustCompile(`\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)|^\[[^\]]+\]: *(\S+)|(?:href|src)="([^"]+)"`)
	heading   = regexp.MustCompile(`^#{1,6} +(.*?)(?: +#+)? *$`)
	idOf      = regexp.MustCompile(`<a (?:id|name)="([^"]+)"`)
	linkText  = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	htmlTag   = regexp.MustCompile(`<[^>]*>`)
	goRun     = regexp.MustCompile(`go run (?:-\w+ )*\./([\w./-]+)`)
	bareGo    = regexp.MustCompile(`^[\w*-]+\.go$`)
	elsewhere = regexp.MustCompile(`^[a-z][a-z0-9+.-]*:`)
)

// checkLinks looks for the target of every relative link, and for its heading.
func checkLinks(t *text) (faults []string) {
	for i, line := range t.prose() {
		for _, m := range link.FindAllStringSubmatch(codeSpan.ReplaceAllString(line, "``"), -1) {
			target := m[1] + m[2] + m[3]
			if elsewhere.MatchString(target) {
				continue
			}
			file, anchor, hasAnchor := strings.Cut(target, "#")
			file, err1 := url.PathUnescape(file)
			anchor, err2 := url.PathUnescape(anchor)
			to := path.Join(path.Dir(t.path), file)
			if file == "" {
				to = t.path
			}
			if _, err := os.Stat(filepath.Join(t.repo, to)); err != nil || err1 != nil || err2 != nil {
				faults = append(faults, t.at(i, "the link %s leads nowhere: there is no %s", target, to))
				continue
			}
			if other, ok := readText(t.repo, to); hasAnchor && ok && !other.anchors()[anchor] {
				faults = append(faults, t.at(i, "the link %s: %s has no such heading; it has %v", target, to, sorted(other.anchors())))
			}
		}
	}
	return faults
}

// anchors are what GitHub makes of the headings: lower case, spaces to hyphens, punctuation dropped, repeated ones numbered.
func (t *text) anchors() map[string]bool {
	all := map[string]bool{}
	for _, line := range t.prose() {
		for _, m := range idOf.FindAllStringSubmatch(line, -1) {
			all[m[1]] = true
		}
		m := heading.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		title := htmlTag.ReplaceAllString(linkText.ReplaceAllString(m[1], "$1"), "")
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(title))
		name := slug
		for n := 1; all[name]; n++ {
			name = fmt.Sprintf("%s-%d", slug, n)
		}
		all[name] = true
	}
	return all
}

// checkPaths looks for every path in backticks that could be one of the repository's, and for every program that is run.
func checkPaths(t *text) (faults []string) {
	for i, line := range t.lines {
		for _, m := range goRun.FindAllStringSubmatch(line, -1) {
			if !t.isProgram(strings.TrimSuffix(m[1], ".")) {
				faults = append(faults, t.at(i, "go run ./%s: there is no package main", m[1]))
			}
		}
	}
	for i, line := range t.prose() {
		for _, span := range codeSpan.FindAllString(line, -1) {
			name := strings.TrimPrefix(strings.Trim(span, "`"), "./")
			if !t.names(name) {
				faults = append(faults, t.at(i, "%s: the repository has no such file", span))
			}
		}
	}
	return faults
}

// names reports whether a code span is something else than a path of the repository, or one that exists.
func (t *text) names(name string) bool {
	folder, _, inside := strings.Cut(name, "/")
	inside = inside && slices.Contains(append(programs, "docs"), folder)
	if strings.ContainsAny(name, " :") || !inside && !bareGo.MatchString(name) {
		return true
	}
	if !inside {
		name = "*/" + name
	}
	found, err := filepath.Glob(filepath.Join(t.repo, strings.TrimSuffix(name, "/")))
	for _, b := range t.blocks {
		if matched, _ := path.Match(name, b.file); b.isReaders() && matched { // Glob has reported a bad pattern
			return true
		}
	}
	return err == nil && len(found) > 0
}

// isProgram reports whether a folder has a package main, or gets one from this text.
func (t *text) isProgram(folder string) bool {
	for _, b := range t.blocks {
		if b.isReaders() && path.Dir(b.file) == path.Clean(folder) {
			return true
		}
	}
	files, err := expand(t.repo, path.Clean(folder)+"/*.go")
	return err == nil && slices.ContainsFunc(files, func(file string) bool {
		lines, err := readLines(t.repo, file)
		return err == nil && slices.Contains(lines, "package main")
	})
}

package main

import (
	"html"
	"path"
	"regexp"
	"strings"
)

// htmlTitle finds the title of a page that lies in a file.
var htmlTitle = regexp.MustCompile(`(?is)<title\b[^>]*>(.*?)</title>`)

// fileTitle returns the title that a file gives itself, on one line: the first heading of Markdown, the title of HTML.
// In any other file, or without one, it is "".
func fileTitle(name, text string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown":
		return heading(text)
	case ".html", ".htm":
		if match := htmlTitle.FindStringSubmatch(text); match != nil {
			return oneLine(html.UnescapeString(match[1]))
		}
	}
	return ""
}

// heading returns the first heading of a Markdown text, on one line, or "". In a code block # begins something else.
func heading(text string) string {
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "\uFEFF"))
		level := len(line) - len(strings.TrimLeft(line, "#"))
		switch {
		case strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~"):
			fenced = !fenced
		case !fenced && 1 <= level && level <= 6 && strings.HasPrefix(line[level:], " "):
			if found := strings.TrimSpace(strings.TrimRight(line[level:], "#")); found != "" {
				return oneLine(found)
			}
		}
	}
	return ""
}

// oneLine is a title as one short line.
func oneLine(title string) string {
	return preview(strings.Join(strings.Fields(strings.ToValidUTF8(title, "\uFFFD")), " "), 100)
}

package main

import (
	"path"
	"strings"
)

// fileText returns the title that a file gives itself, on one line, or "", and its text: of HTML what a person reads, with
// the page's title; of Markdown all of it, with the first heading.
func fileText(name, content string) (title, text string) {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown":
		return heading(content), content
	case ".html", ".htm":
		title, text = pageText(content)
		return oneLine(title), text
	}
	return "", content
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

package main

import (
	"html"
	"strings"
	"unicode"
)

// pageText returns the title of an HTML page and its text as a person reads it: scripts, styles, comments and tags are
// gone, block elements begin a new line, character references are resolved. UTF-8 is assumed; invalid bytes become
// U+FFFD. It never fails: whatever stands in a page, browsers show something too.
func pageText(page string) (title, text string) {
	page = strings.ToValidUTF8(page, "\uFFFD")
	var p pageWriter
	for page != "" {
		start := strings.IndexByte(page, '<')
		if start < 0 {
			start = len(page)
		}
		p.text(html.UnescapeString(page[:start]))
		page = page[start:]
		if page == "" {
			break
		}
		var name string
		name, page = cutTag(page)
		switch name {
		case "":
			p.text("<") // it began no tag
		case "script", "style", "title":
			var inside string
			inside, page = cutRaw(page, name)
			if name == "title" && title == "" {
				title = strings.Join(strings.Fields(html.UnescapeString(inside)), " ")
			}
		default:
			p.tag(name)
		}
	}
	p.newLine()
	return title, strings.TrimSpace(p.done.String())
}

// cutTag takes a comment, declaration or tag from the beginning of page, which is a '<'. name is in lower case, with a
// slash before it for an end tag, "!" for what shows nothing, and "" where the '<' is just a character.
func cutTag(page string) (name, rest string) {
	if after, ok := strings.CutPrefix(page, "<!--"); ok {
		_, rest, _ = strings.Cut(after, "-->")
		return "!", rest
	}
	inside := page[1:]
	letters := strings.TrimPrefix(inside, "/")
	switch {
	case inside != "" && (inside[0] == '!' || inside[0] == '?'):
		_, rest, _ = strings.Cut(inside, ">")
		return "!", rest
	case letters == "" || !isLetter(letters[0]):
		return "", inside
	}
	end := strings.IndexFunc(inside[1:], func(r rune) bool { return r == '>' || r == '/' || unicode.IsSpace(r) }) + 1
	if end == 0 {
		return "!", "" // the page ends in the middle of a tag
	}
	return strings.ToLower(inside[:end]), afterTag(inside[end:])
}

// afterTag skips the attributes of a tag: a '>' inside a quoted value does not end it.
func afterTag(text string) string {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '>':
			return text[i+1:]
		case '=':
			value := strings.TrimLeft(text[i+1:], " \t\r\n\f")
			if value != "" && (value[0] == '"' || value[0] == '\'') {
				quoted := strings.IndexByte(value[1:], value[0])
				if quoted < 0 {
					return ""
				}
				text, i = value[quoted+2:], -1
			}
		}
	}
	return ""
}

// cutRaw takes what stands before the end tag of an element that holds no tags.
func cutRaw(page, name string) (inside, rest string) {
	for at := 0; ; at++ {
		i := strings.Index(page[at:], "</")
		if i < 0 {
			return page, ""
		}
		at += i
		if end := at + 2 + len(name); end <= len(page) && strings.EqualFold(page[at+2:end], name) {
			return page[:at], afterTag(page[end:])
		}
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

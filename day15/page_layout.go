package main

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// pageWriter lays out the text of a page.
type pageWriter struct {
	done strings.Builder // whole lines
	line strings.Builder
	pre  int  // depth of <pre>, in which white space counts
	gap  bool // an empty line comes before the next one
}

// text adds text: white space is one space, but in <pre>.
func (p *pageWriter) text(text string) {
	if p.pre > 0 {
		for line := range strings.Lines(text) {
			whole, ended := strings.CutSuffix(line, "\n")
			p.line.WriteString(strings.TrimSuffix(whole, "\r"))
			if ended {
				p.endLine()
			}
		}
		return
	}
	words := strings.Fields(text)
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	if text != "" && unicode.IsSpace(first) {
		p.space()
	}
	p.line.WriteString(strings.Join(words, " "))
	if len(words) > 0 && unicode.IsSpace(last) {
		p.space()
	}
}

// space ends a word, unless the line is empty or just had a space.
func (p *pageWriter) space() {
	if line := p.line.String(); line != "" && !strings.HasSuffix(line, " ") {
		p.line.WriteByte(' ')
	}
}

// bullet begins the line of a list's item.
const bullet = "- "

// newLine ends the line, if there is anything on it but a bullet. White space alone is dropped: each tag that follows
// would look through it again.
func (p *pageWriter) newLine() {
	switch line := p.line.String(); {
	case line == bullet:
	case strings.TrimSpace(line) == "":
		p.line.Reset()
	default:
		p.endLine()
	}
}

func (p *pageWriter) endLine() {
	if p.gap && p.done.Len() > 0 {
		p.done.WriteByte('\n')
	}
	p.gap = false
	p.done.WriteString(strings.TrimRight(p.line.String(), " ") + "\n")
	p.line.Reset()
}

// tag lays out a start or end tag. Elements that are not named here stand within a line.
func (p *pageWriter) tag(name string) {
	switch strings.TrimPrefix(name, "/") {
	case "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "dl", "table", "blockquote":
		p.newLine()
		p.gap = p.line.Len() == 0 // after a bullet the item goes on
	case "pre":
		p.newLine()
		p.gap = true
		if name == "pre" {
			p.pre++
		} else {
			p.pre = max(0, p.pre-1)
		}
	case "li":
		p.newLine()
		p.line.Reset()
		if name == "li" {
			p.line.WriteString(bullet)
		} else {
			p.gap = false
		}
	case "td", "th":
		if name[0] != '/' {
			p.space()
		}
	case "address", "article", "aside", "body", "br", "dd", "details", "div", "dt", "fieldset", "figcaption", "figure",
		"footer", "form", "head", "header", "hr", "main", "nav", "option", "section", "summary", "template", "tr":
		p.newLine()
	}
}

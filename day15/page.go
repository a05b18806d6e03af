package main

import (
	"cmp"
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode/utf8"
)

// charset finds the character set that a page names, or nothing.
var charset = regexp.MustCompile(`(?i)(?:charset|encoding)\s*=\s*["']?([\w.:-]+)|\z`)

// decodePage returns the text of a page, of HTML what a person reads; the content type, or the end of a file's name, says what
// it is. It fails on binary data, and on a character set other than UTF-8, which the content type or the page names.
func decodePage(contentType string, body []byte) (string, error) {
	text, _, err := decodeText(body)
	if !utf8.ValidString(text) {
		if named := charset.FindStringSubmatch(contentType + "\n" + text)[1]; named != "" && !strings.HasPrefix(strings.ToLower(named), "utf") {
			err = fmt.Errorf("the page is in %s, which this program does not decode", named)
		}
	}
	if strings.Contains(strings.ToLower(contentType), "htm") {
		text = pageText(text)
	}
	return text, err
}

// pageToken finds the next piece of an HTML page: what shows nothing (a comment, a script, a style, a declaration), a tag
// (1: its name, for an end tag with the slash), white space (2), or a word (3). What never ends goes to the end of the
// page, so that no place is looked at twice.
var pageToken = regexp.MustCompile(`(?is)<!--.*?(?:-->|\z)` +
	`|<(?:script|style)[\s/>].*?(?:</(?:script|style)\b[^>]*(?:>|\z)|\z)` +
	`|<[!?][^>]*(?:>|\z)` +
	`|<(/?[a-z][^\s/>]*)(?:[^>=]|=\s*(?:"[^"]*(?:"|\z)|'[^']*(?:'|\z))?)*(?:>|\z)` +
	`|((?:[\s\p{Z}]|&nbsp;)+)|(.[^<&\s\p{Z}]*)`)

// unseen matches a tag that begins what is not to be seen, by its name or an attribute, and not by the value of another.
var unseen = regexp.MustCompile(`(?is)^<(?:(?:svg|template)\b|[^/](?:[^=]|=\s*"[^"]*"|=\s*'[^']*'|=\s*[^"'\s])*?\s(?:hidden[\s=/>]` +
	`|style\s*=\s*(?:"[^"]*|'[^']*|\S*)(?:display\s*:\s*none|visibility\s*:\s*hidden)))`)

// empty matches the names of elements without content.
var empty = regexp.MustCompile(`^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$`)

// gaps are what can stand between two words, the weakest first; white space or a tag that asks for one of them matches the
// group of gapTag with its number. The strongest one wins.
var (
	gaps   = []string{"", " ", "\n", "\n\n", "\n- ", "\n\n# "}
	gapTag = regexp.MustCompile(`(?s)^(?:([^/a-z].*|t[dh])` +
		`|(/li|/?(?:address|article|aside|body|br|dd|details|div|dt|fieldset|figcaption|figure|footer|form|head|header|hr|main|nav|` +
		`option|section|summary|tr))|(/(?:h[1-6]|title)|/?(?:p|ul|ol|dl|table|blockquote|pre))|(li)|(h[1-6]|title))$`)
)

// pageText returns the text of an HTML page as a person reads it: scripts, styles, comments, tags and what is hidden are
// gone, block elements begin a new line, the title and headings one with #, character references are resolved. It never
// fails: whatever stands in a page, browsers show something too.
func pageText(page string) string {
	var text strings.Builder
	gap, pre := 0, false
	inside, depth := "-", 0 // the name of the hidden element around, and how many of that name are open
	for _, token := range pageToken.FindAllStringSubmatch(page, -1) {
		name, blank, word := strings.ToLower(token[1]), token[2], token[3]
		switch {
		case depth == 0 && unseen.MatchString(token[0]) && !empty.MatchString(name):
			inside, depth = name, 1
		case name == "/"+inside || name == inside && (name == "p" || name == "option"): // which do not nest
			depth--
		case name == inside:
			depth++
		}
		if depth > 0 {
			continue
		}
		inside = "-" // the name of no tag
		if word != "" || pre && blank != "" {
			text.WriteString(gaps[gap] + blank + word)
			gap = 0
			continue
		}
		if strings.TrimPrefix(name, "/") == "pre" {
			pre = name == "pre"
		}
		for number, match := range gapTag.FindStringSubmatch(blank + name) {
			if match != "" {
				gap = max(gap, number)
			}
		}
	}
	return strings.TrimSpace(html.UnescapeString(text.String()))
}

var (
	// codeBlock matches a fenced block of code: it ends at a fence that is as long as the first, or with the text.
	codeBlock = regexp.MustCompile("(?ms)^ {0,3}(?:`{5,}[^`\n]*$.*?(?:^ {0,3}`{5,} *$|\\z)|````[^`\n]*$.*?(?:^ {0,3}`{4,} *$|\\z)" +
		"|```[^`\n]*$.*?(?:^ {0,3}`{3,} *$|\\z)|~~~.*?(?:^ {0,3}~{3,} *$|\\z))")
	// firstHeading matches # Title, a title that the next line underlines, or <h1>Title</h1>.
	firstHeading = regexp.MustCompile(`(?m)^ {0,3}#{1,6}[ \t]+(\S.*?)(?:[ \t]+#+)?[ \t]*$` +
		`|^ {0,3}([^\s>|+-].*)\n {0,3}(?:=+|-+)[ \t]*$|(?is:<h1\b[^>]*>(.*?)</h1>)|\z`)
)

// heading returns the title of a text in Markdown, by its front matter or else its first heading, or "".
func heading(text string) string {
	header, body, _ := frontMatter(text)
	first := firstHeading.FindStringSubmatch(codeBlock.ReplaceAllString(body, ""))
	return cmp.Or(header["title"], first[1], first[2], pageText(first[3]))
}

package main

import (
	"cmp"
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode/utf8"
)

// declaredCharset finds the character set that a page names, or nothing.
var declaredCharset = regexp.MustCompile(`(?i)<(?:meta|\?xml)\s[^>]*?(?:charset|encoding)\s*=\s*["']?([\w.:-]+)|\z`)

// windows1252 are the characters of the bytes 0x80 to 0x9f. The others are those of Unicode.
var windows1252 = []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ")

// decodePage returns the text of a page: UTF-8 or UTF-16, as decodeText knows them by their bytes, or what the content type,
// or else the page itself, says that it is; without a word windows-1252, which includes ISO-8859-1. It fails on any other
// character set, and names it, and on binary data.
func decodePage(contentType string, body []byte) (string, error) {
	text, _, err := decodeText(body)
	if err != nil || utf8.ValidString(text) {
		return text, err
	}
	switch declared := declaredCharset.FindStringSubmatch("<meta " + contentType + ">" + text)[1]; strings.ToLower(declared) {
	case "utf-8", "utf8":
		return text, nil // but for some broken bytes
	case "", "windows-1252", "iso-8859-1", "latin1", "us-ascii", "ascii":
	default:
		return "", fmt.Errorf("the page is in %s, which this program does not decode", declared)
	}
	characters := make([]rune, len(body))
	for i, b := range body {
		characters[i] = rune(b)
		if 0x80 <= b && b < 0xa0 {
			characters[i] = windows1252[b-0x80]
		}
	}
	return string(characters), nil
}

// pageToken finds in HTML a text (1) and what follows it: a comment; a script or style with what is in it; a title (2:
// what is in it); a declaration; a tag (3: its name, for an end tag with the slash, 4: its attributes). What never ends
// goes to the end of the page, so that no place is looked at twice.
var pageToken = regexp.MustCompile(`(?is)(.*?)(?:<!--.*?(?:-->|\z)` +
	`|<script[\s/>].*?(?:</script\b[^>]*(?:>|\z)|\z)` +
	`|<style[\s/>].*?(?:</style\b[^>]*(?:>|\z)|\z)` +
	`|<title(?:\s[^>]*)?>(.*?)(?:</title\b[^>]*(?:>|\z)|\z)` +
	`|<[!?][^>]*(?:>|\z)` +
	`|<(/?[a-z][^\s/>]*)((?:[^>=]|=\s*(?:"[^"]*(?:"|\z)|'[^']*(?:'|\z))?)*)(?:>|\z)` +
	`|\z)`)

// hides finds among attributes, and not in their values, what hides an element.
var hides = regexp.MustCompile(`(?is)^(?:[^=]|=\s*"[^"]*"|=\s*'[^']*'|=\s*[^"'\s])*?\s(?:hidden(?:[\s=/]|$)` +
	`|style\s*=\s*(?:"[^"]*|'[^']*|\S*)(?:display\s*:\s*none|visibility\s*:\s*hidden))`)

// A run of white space and tags separates two words. It becomes what the first of these that it matches stands for: the
// bullet of a list's item, an empty line, the end of a line, a space; or nothing.
var (
	separator    = regexp.MustCompile(`(?:[\s\p{Z}]|&nbsp;|<[!/a-z][^\s>]*>)+`)
	itemTag      = regexp.MustCompile(`<li>(?:[^/]|/[^lou])*$`)
	paragraphTag = regexp.MustCompile(`</?(?:p|h[1-6]|ul|ol|dl|table|blockquote|pre)>`)
	lineTag      = regexp.MustCompile(`</?(?:address|article|aside|body|br|dd|details|div|dt|fieldset|figcaption|figure|footer|form|head|` +
		`header|hr|li|main|nav|option|section|summary|tr)>`)
	spaceTag = regexp.MustCompile(`[\s\p{Z}]|&nbsp;|<t[dh]>`)
)

// keepSpace writes the white space of a <pre>, which counts, as character references.
var keepSpace = strings.NewReplacer(" ", "&#32;", "\t", "&#9;", "\r", "", "\n", "&#10;")

// noElement matches the names of tags that begin no element: it has no content, or the tag ends one.
var noElement = regexp.MustCompile(`^(?:[!/].*|area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$`)

// pageText returns the title of an HTML page and its text as a person reads it: scripts, styles, comments, tags and what
// is hidden are gone, block elements begin a new line, character references are resolved. It never fails: whatever
// stands in a page, browsers show something too.
func pageText(page string) (title, text string) {
	var bare strings.Builder           // what is to be seen, with tags that have no attributes
	pre, hidden, depth := false, "", 0 // the hidden element around, and how many of its name are open
	for _, token := range pageToken.FindAllStringSubmatch(page, -1) {
		text, name := token[1], cmp.Or(strings.ToLower(token[3]), "!")
		if pre {
			text = keepSpace.Replace(text)
		}
		if hidden == "" {
			bare.WriteString(text + "<" + name + ">")
		}
		title = cmp.Or(title, strings.Join(strings.Fields(html.UnescapeString(token[2])), " "))
		if strings.TrimPrefix(name, "/") == "pre" {
			pre = name == "pre"
		}
		if name == hidden && (name == "p" || name == "option") { // they do not nest: the next one ends the last
			hidden = ""
		}
		switch {
		case hidden == "" && !noElement.MatchString(name) && (name == "template" || hides.MatchString(token[4])):
			hidden, depth = name, 1
		case name == hidden:
			depth++
		case name == "/"+hidden:
			if depth--; depth == 0 {
				hidden = ""
			}
		}
	}
	text = separator.ReplaceAllStringFunc(bare.String(), func(s string) string {
		switch {
		case itemTag.MatchString(s):
			return "\n- "
		case paragraphTag.MatchString(s):
			return "\n\n"
		case lineTag.MatchString(s):
			return "\n"
		case spaceTag.MatchString(s):
			return " "
		}
		return ""
	})
	return title, strings.TrimSpace(html.UnescapeString(text))
}

var (
	// codeBlock matches a fenced block of code: it ends at a fence that is as long as the first, or with the text.
	codeBlock = regexp.MustCompile("(?ms)^ {0,3}(?:`{5,}[^`\n]*$.*?(?:^ {0,3}`{5,} *$|\\z)|````[^`\n]*$.*?(?:^ {0,3}`{4,} *$|\\z)" +
		"|```[^`\n]*$.*?(?:^ {0,3}`{3,} *$|\\z)|~~~.*?(?:^ {0,3}~{3,} *$|\\z))")
	// firstHeading matches # Title, a title that the next line underlines, or the title or h1 of a page.
	firstHeading = regexp.MustCompile(`(?m)^ {0,3}#{1,6}[ \t]+(\S.*?)(?:[ \t]+#+)?[ \t]*$` +
		`|^ {0,3}([^\s>|+-].*)\n {0,3}(?:=+|-+)[ \t]*$|(?is:<(?:title|h1)\b[^>]*>(.*?)</(?:title|h1)>)|\z`)
)

// heading returns the title of a text in Markdown or HTML, by its front matter or else its first heading, or "".
func heading(text string) string {
	header, body, _ := frontMatter(text)
	first := firstHeading.FindStringSubmatch(codeBlock.ReplaceAllString(body, ""))
	_, html := pageText(first[3])
	return cmp.Or(header["title"], first[1], first[2], html)
}

package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible makes foreign text harmless on a terminal: every character that could move the cursor, change colours,
// reorder text or hide itself is written as an escape such as \x1b or \u202e. Line feeds and tabs stay, and so do the
// joiners and the one variation selector that emoji and several scripts need. Invalid UTF-8 is written byte by byte.
func visible(text string) string {
	foul := func(r rune) bool { return r == utf8.RuneError || harmful(r) }
	if strings.IndexFunc(text, foul) < 0 {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\r':
			b.WriteString(`\r`)
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case harmful(r) && r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case harmful(r) && r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		case harmful(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// visibleLine is visible for text that has to stay on one line: a name, a path, a preview.
func visibleLine(text string) string {
	return visible(strings.ReplaceAll(text, "\n", `\n`))
}

// preview is the first limit characters of text, on one line.
func preview(text string, limit int) string {
	line := []rune(visibleLine(strings.TrimRight(text, "\n")))
	if len(line) <= limit {
		return string(line)
	}
	return string(line[:limit-1]) + "…"
}

// harmful reports whether r is a control or format character that a terminal or a reader could be fooled with.
func harmful(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == '\u200c' || r == '\u200d' || r == '\ufe0f':
		return false
	case r == '\u2028' || r == '\u2029' || r == '\u2800': // separators, and a blank that is no space
		return true
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

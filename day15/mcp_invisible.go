package main

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// withoutInvisible removes from a server's text what a model reads and a person cannot see: tag characters, zero-width
// and bidi characters, controls. Emoji and every script keep what they are written with. removed counts characters.
func withoutInvisible(text string) (clean string, removed int) {
	var before rune // the last character that was kept
	clean = strings.Map(func(r rune) rune {
		if invisible(r, before) {
			removed++
			return -1
		}
		before = r
		return r
	}, text)
	return clean, removed
}

// invisible reports whether r has to go, after the character before it. A joiner or a variation selector belongs to
// the emoji or letter that it follows, one to each; a row of them, or one after each letter of a text in ASCII, says
// nothing to a person, and may to a model.
func invisible(r, before rune) bool {
	const zwnj, zwj = '\u200c', '\u200d'
	joins := func(r rune) bool { return r == zwnj || r == zwj }
	switch {
	case r == '\n' || r == '\t':
		return false
	case joins(r):
		return before < utf8.RuneSelf || joins(before)
	case r >= '\U000e0100' && r <= '\U000e01ef': // they choose between the forms of a Chinese character
		return !unicode.Is(unicode.Han, before)
	case unicode.Is(unicode.Variation_Selector, r):
		return before < utf8.RuneSelf && !strings.ContainsRune("0123456789#*", before) || joins(before) ||
			unicode.Is(unicode.Variation_Selector, before)
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // format characters that are seen, in Arabic for example
		return false
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

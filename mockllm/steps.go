package main

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// steps is a task cut up: steps that come one after the other, each of them one
// or more that may be done at the same time. There is always at least one.
type steps [][]string

var (
	// oneAfterTheOther cuts "do this, and then that", "this; that", 先这个，然后那个.
	oneAfterTheOther = regexp.MustCompile(`(?i)[\s,.]*\b(?:and\s+)?then(?:[\s,:]+|$)|[;；]|[，。\s]*(?:然后|接着|再)[，：\s]*`)
	// atTheSameTime cuts "this and at the same time that", 这个，同时那个.
	atTheSameTime = regexp.MustCompile(`(?i)[\s,]*\b(?:and\s+)?at the same time(?:[\s,:]+|$)|[，\s]*(?:并且|并)?同时[，\s]*`)
)

// cutSteps cuts a task into its steps. What stands in quotes is never
// cut.
func cutSteps(task string) steps {
	var plan steps
	for _, part := range cut(task, oneAfterTheOther) {
		if group := cut(part, atTheSameTime); len(group) > 0 {
			plan = append(plan, group)
		}
	}
	if len(plan) == 0 {
		return steps{{""}}
	}
	return plan
}

// after gives the steps that come next when there are n results; none when all
// are done.
func (s steps) after(n int) []string {
	for _, group := range s {
		if n < len(group) {
			return group[n:]
		}
		n -= len(group)
	}
	return nil
}

// cut splits text where separator matches outside of quotes and web addresses;
// empty parts are left out.
func cut(text string, separator *regexp.Regexp) []string {
	var parts []string
	add := func(part string) {
		if part = strings.Trim(part, " \t\r\n,，、"); part != "" {
			parts = append(parts, part)
		}
	}
	open := mask(text, quotes(text))
	open = mask(open, matches(webAddress, open))
	start := 0
	for _, at := range separator.FindAllStringIndex(open, -1) {
		add(text[start:at[0]])
		start = at[1]
	}
	add(text[start:])
	return parts
}

// span is a piece of a text from byte start to before byte end, and what it
// says: for a quote, what is between the marks.
type span struct {
	start, end int
	text       string
}

// quoteMarks are the pairs that enclose a quote.
var quoteMarks = [][2]rune{{'"', '"'}, {'\'', '\''}, {'`', '`'}, {'“', '”'}, {'「', '」'}, {'『', '』'}}

// quotes finds the quotes in a text. Between double quotes a backslash keeps
// the next character from closing them, as in JSON. A mark that is never
// closed is an ordinary character, and so is the apostrophe in a word.
func quotes(text string) []span {
	var found []span
	unclosed := map[rune]bool{} // marks that have no end from here on
	for i := 0; i < len(text); {
		open, size := utf8.DecodeRuneInString(text[i:])
		inside := i + size
		for _, mark := range quoteMarks {
			if open != mark[0] || unclosed[open] || open == '\'' && wordBefore(text, i) {
				continue
			}
			end := closing(text, inside, mark[1])
			if end < 0 {
				unclosed[open] = true
				continue
			}
			said := text[inside:end]
			if open == '"' {
				said = strings.ReplaceAll(said, `\"`, `"`)
			}
			size = end + utf8.RuneLen(mark[1]) - i
			found = append(found, span{i, i + size, said})
			break
		}
		i += size
	}
	return found
}

// closing gives the index of the mark that closes a quote, -1 if there is none.
func closing(text string, from int, mark rune) int {
	escaped := false
	for i, r := range text[from:] {
		i += from
		switch {
		case escaped:
			escaped = false
		case r == '\\' && mark == '"':
			escaped = true
		case r == mark && (r != '\'' || !wordAfter(text, i+1)):
			return i
		}
	}
	return -1
}

// mask hides spans: each of their bytes becomes a zero byte, which is neither a
// letter nor a space, and all others stay where they are.
func mask(text string, hidden []span) string {
	b := []byte(text)
	for _, s := range hidden {
		clear(b[s.start:s.end])
	}
	return string(b)
}

// wordBefore tells whether a letter or digit ends before byte i.
func wordBefore(text string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:i])
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// wordAfter tells whether a letter or digit begins at byte i.
func wordAfter(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

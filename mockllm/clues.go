package main

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	webAddress = regexp.MustCompile(`(?i)\bhttps?://[^\s\x00"'<>，。；、）」]+`)
	filePath   = regexp.MustCompile(`[\w.~*-]*/[\w.~*/-]*|[\w*-][\w.*-]*\.[A-Za-z]\w{0,7}\b|(?:^|\s)\.\w+`)
	number     = regexp.MustCompile(`-?\d+(?:\.\d+)?`)
	// introduction comes before something the step is about.
	introduction = regexp.MustCompile(`(?i)\b(?:in|for|of|named|called|titled|about|with|saying)\b|名为|叫做|关于`)
	// phraseEnd is where such a thing ends at the latest.
	phraseEnd = regexp.MustCompile(`[\x00,;!?，。；！？]|\.(?:\s|$)`)
	// direction comes before one word that is a goal or an origin.
	direction = regexp.MustCompile(`(?i)\b(?:to|into|from)\s+([^\s\x00,;!?，。；！？]+)`)
)

// vagueWords make a phrase say nothing: "in the current folder".
var vagueWords = set(`following phrase text word string current folder directory project repository workspace root working file line`)

// clue is something in a step that can be the value of an argument. Each is
// used once.
type clue struct {
	span
	used bool
}

// clues are the values that a step has to offer, each list in the order of the
// text.
type clues struct {
	step    string
	words   string // the step with quotes, paths and addresses masked
	quotes  []*clue
	paths   []*clue // also web addresses
	numbers []*clue // as JSON writes them
	phrases []*clue // what follows in, for, of, named, called, about, with
	goals   []*clue // the word after to, into, from
	enums   []int   // places of the enum values that were taken
}

// newClues looks for clues in a step. Phrases of nothing but vague words, stop
// words and the known ones are none.
func newClues(step string, known map[string]bool) *clues {
	c := &clues{step: step, quotes: asClues(quotes(step))}
	c.words = mask(step, spans(c.quotes))
	for _, pattern := range []*regexp.Regexp{webAddress, filePath} {
		c.paths = append(c.paths, asClues(matches(pattern, c.words))...)
		c.words = mask(c.words, spans(c.paths))
	}
	slices.SortFunc(c.paths, func(a, b *clue) int { return a.start - b.start })
	for _, n := range matches(number, c.words) {
		if !latin(step, n.start-1) && !latin(step, n.end) {
			n.text = jsonNumber(n.text)
			c.numbers = append(c.numbers, &clue{span: n})
		}
	}
	c.phrases = asClues(c.findPhrases(known))
	for _, at := range direction.FindAllStringSubmatchIndex(c.words, -1) {
		if goal := strings.TrimRight(step[at[2]:at[3]], "."); !isVague(goal, known) {
			c.goals = append(c.goals, &clue{span: span{at[2], at[3], goal}})
		}
	}
	return c
}

// findPhrases gives what stands between an introduction and the next one, or
// the end of the clause. What a mask hides is a clue of its own.
func (c *clues) findPhrases(known map[string]bool) []span {
	var found []span
	heads := introduction.FindAllStringIndex(c.words, -1)
	for i, head := range heads {
		start, end := head[1], len(c.words)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		if stop := phraseEnd.FindStringIndex(c.words[start:end]); stop != nil {
			end = start + stop[0]
			if c.words[end] == 0 {
				continue
			}
		}
		text := strings.TrimSpace(c.words[start:end])
		for _, article := range []string{"the ", "a ", "an "} {
			text = strings.TrimPrefix(text, article)
		}
		if !isVague(text, known) {
			found = append(found, span{start, end, text})
		}
	}
	return found
}

// isVague tells whether a text is made of words that say nothing.
func isVague(text string, known map[string]bool) bool {
	if strings.IndexFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) }) >= 0 {
		return false
	}
	return !slices.ContainsFunc(tokens(text), func(w string) bool { return !stopWords[w] && !vagueWords[w] && !known[w] })
}

// matches gives all places where pattern matches, without the sentence's
// punctuation at their end.
func matches(pattern *regexp.Regexp, text string) []span {
	var found []span
	for _, at := range pattern.FindAllStringIndex(text, -1) {
		start, end := at[0], at[1]
		for start < end && unicode.IsSpace(rune(text[start])) {
			start++
		}
		trimmed := strings.TrimRight(text[start:end], ".,:;!?)")
		if trimmed == "" {
			trimmed = text[start:end] // "." and ".." are paths
		}
		found = append(found, span{start, start + len(trimmed), trimmed})
	}
	return found
}

// looksLikePath tells whether all of a text is a path or a web address.
func looksLikePath(text string) bool {
	for _, pattern := range []*regexp.Regexp{webAddress, filePath} {
		if at := pattern.FindStringIndex(text); at != nil && at[0] == 0 && at[1] == len(text) {
			return true
		}
	}
	return false
}

// jsonNumber takes the leading zeros off, which JSON does not allow.
func jsonNumber(text string) string {
	digits, negative := strings.CutPrefix(text, "-")
	for len(digits) > 1 && digits[0] == '0' && digits[1] != '.' {
		digits = digits[1:]
	}
	if negative {
		return "-" + digits
	}
	return digits
}

// latin tells whether byte i is part of a Latin word: next to a number it means
// that this is none, while Chinese characters may stand there.
func latin(text string, i int) bool {
	return i >= 0 && i < len(text) && (text[i] == '_' || text[i] < utf8.RuneSelf && unicode.In(rune(text[i]), unicode.Letter, unicode.Digit))
}

// asClues makes clues of spans.
func asClues(list []span) []*clue {
	var all []*clue
	for _, s := range list {
		all = append(all, &clue{span: s})
	}
	return all
}

// spans are the places of clues.
func spans(list []*clue) []span {
	var all []span
	for _, c := range list {
		all = append(all, c.span)
	}
	return all
}

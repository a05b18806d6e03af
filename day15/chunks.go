package main

import (
	"strings"
	"unicode/utf8"
)

// chunkSize is the most characters that one passage has. It is what a model can be shown several of, and still long
// enough to answer a question.
const chunkSize = 800

// cuts are the places where a text may be cut, the best first; keep is how many bytes of the mark stay before the cut.
// A heading goes with the text below it.
var cuts = []struct {
	mark string
	keep int
}{
	{"\n#", 0}, {"\n\n", 0}, {"\n", 0},
	{"。", len("。")}, {"！", len("！")}, {"？", len("？")}, {". ", 1}, {"! ", 1}, {"? ", 1},
	{" ", 0},
}

// chunks cuts a text into passages: all of it, in order, but for the white space around each. They do not overlap: the
// cuts lie where one thought ends, and a repeated sentence would be found, and paid for, twice.
func chunks(text string) []string {
	var passages []string
	text = strings.ToValidUTF8(text, "\uFFFD")
	for len(text) > 0 {
		end := firstCut(text)
		if passage := strings.TrimSpace(text[:end]); passage != "" {
			passages = append(passages, passage)
		}
		text = text[end:]
	}
	return passages
}

// firstCut returns where the first passage of text ends, in bytes: at the best place in the second half of the longest
// passage that there could be, or at its end.
func firstCut(text string) int {
	longest, count := 0, 0
	for longest < len(text) && count < chunkSize {
		_, size := utf8.DecodeRuneInString(text[longest:])
		longest += size
		count++
	}
	if longest == len(text) {
		return longest
	}
	for _, c := range cuts {
		if at := strings.LastIndex(text[:longest], c.mark); at > longest/2 {
			return at + c.keep
		}
	}
	return longest
}

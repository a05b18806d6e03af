package main

import (
	"regexp"
	"slices"
	"strings"
)

var (
	// path finds web addresses, README.md, day14/chat.go, *.go and .env.
	path = regexp.MustCompile(`(` + webAddress.String() + `)|([\w.~*-]*/[\w.~*/-]*|[\w*-][\w.*-]*\.[A-Za-z]\w{0,7}\b)|(?:^|\s)(\.\w+)`)
	// number takes the leading zeros off, which JSON does not allow; v2 is none.
	number = regexp.MustCompile(`(?:^|[^\w.-])(-?)0*(\d+(?:\.\d+)?)\b`)
	// goal finds the word after to, into, from.
	goal = regexp.MustCompile(`(?i)\b(?:to|into|from)\s+([^\s\x00,;!?，。；！？]+)`)
	// introduction comes before a phrase, phraseEnd after it at the latest.
	introduction = regexp.MustCompile(`(?i)\b(?:in|for|of|named|called|about|with)\b(?:\s+(?:the|an?)\b)?|名为|叫做|关于`)
	phraseEnd    = regexp.MustCompile(`[,;!?，。；！？]|\.(?:\s|$)`)
	notASCII     = regexp.MustCompile(`[^\x00-\x7f]`)
	// nameBefore finds the word that stands before a value: title: "trip", limit 5.
	nameBefore = regexp.MustCompile(`([\pL_]+)[\s:=]*$`)
)

// vagueWords make a phrase say nothing: "in the current folder".
var vagueWords = set(`following phrase text string current folder project repository workspace root working file line word`)

// clue is something in a step that can be the value of an argument. Each is
// used once.
type clue struct {
	kind string // path, quote, number, goal or phrase
	text string // without the quotation marks
	name string // the word before it, in lower case
	used bool
}

// clues are all of a step, kind by kind, each kind in the order of the text. A
// quote of nothing but a path is a "quote path", and comes after other paths.
type clues struct {
	masked  string   // the step with quotes and paths masked
	said    []string // the words of that
	hasPath bool
	list    []*clue
}

// findClues looks for clues in a step.
func findClues(step string) *clues {
	unquoted := mask(step, quote)
	c := &clues{masked: mask(unquoted, path)}
	c.said = words(c.masked)
	c.add(step, unquoted, path, "path")
	c.add(step, step, quote, "quote")
	c.hasPath = slices.ContainsFunc(c.list, func(found *clue) bool { return found.kind != "quote" })
	c.add(step, c.masked, number, "number")
	c.add(step, c.masked, goal, "goal")
	for i, part := range introduction.Split(c.masked, -1) {
		phrase := strings.TrimSpace(phraseEnd.Split(part, 2)[0])
		if i > 0 && !strings.Contains(phrase, "\x00") && !isVague(phrase) {
			c.list = append(c.list, &clue{kind: "phrase", text: phrase})
		}
	}
	return c
}

// add adds what pattern finds in a masked step; the text of a clue is what the
// groups of the pattern match.
func (c *clues) add(step, masked string, pattern *regexp.Regexp, kind string) {
	for _, at := range pattern.FindAllStringSubmatchIndex(masked, -1) {
		found := &clue{kind: kind}
		for g := 2; g < len(at); g += 2 {
			found.text += step[max(0, at[g]):max(0, at[g+1])] // -1 is a group without a match
		}
		if before := nameBefore.FindStringSubmatch(c.masked[max(0, at[0]-40):at[0]]); before != nil {
			found.name = strings.ToLower(before[1])
		}
		switch {
		case kind == "path" || kind == "goal":
			found.text = strings.TrimRight(found.text, ".,:;!?)")
		case kind == "quote" && found.text != "" && path.FindString(found.text) == found.text:
			found.kind = "quote path"
		}
		found.text = strings.ReplaceAll(found.text, `\"`, `"`)
		if kind != "goal" || !isVague(found.text) {
			c.list = append(c.list, found)
		}
	}
}

// isVague tells whether a phrase is made of English words that say nothing.
func isVague(phrase string) bool {
	says := func(w string) bool { return !vagueWords[w] }
	return !notASCII.MatchString(phrase) && !slices.ContainsFunc(words(phrase), says)
}

// take uses up the first clue that fits of the first kind that has one, and
// gives it as JSON, empty if there is none.
func (c *clues) take(fits func(*clue) bool, kinds ...string) string {
	for _, kind := range kinds {
		for _, found := range c.list {
			if found.used || !strings.Contains(found.kind, kind) || !fits(found) {
				continue
			}
			found.used = true
			if kind == "number" {
				return found.text
			}
			return jsonString(found.text)
		}
	}
	return ""
}

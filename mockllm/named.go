package main

import (
	"encoding/json"
	"slices"
	"strings"
)

// saidFor are other words by which a step names such a parameter.
var saidFor = map[string][]string{
	"title": {"called", "named", "titled", "名为", "叫做"},
	"name":  {"called", "named", "名为", "叫做"},
}

// named finds the value that stands beside the parameter's own name, as JSON;
// empty if the step does not name it.
func (c *clues) named(p parameter) string {
	lower := strings.ToLower(c.words)
	if len(lower) != len(c.words) || len(p.Enum) > 0 {
		return "" // rare letters whose lower case is longer: places would not agree
	}
	name := strings.ToLower(p.name)
	for _, alias := range append([]string{name, strings.NewReplacer("_", " ", "-", " ").Replace(name)}, saidFor[name]...) {
		for from := 0; ; {
			start, end := indexWord(lower, alias, from)
			if start < 0 {
				break
			}
			if value := c.beside(p, start, end); value != "" {
				return value
			}
			from = end
		}
	}
	return ""
}

// beside finds a value next to the name that stands from start to before end.
func (c *clues) beside(p parameter, start, end int) string {
	tail := strings.TrimLeft(c.words[end:], " ")
	value, assigned := strings.CutPrefix(tail, "=")
	if !assigned {
		value, assigned = strings.CutPrefix(tail, ":")
	}
	value = strings.TrimLeft(value, " ")
	at := len(c.words) - len(value)
	short := len(p.name) < 2 && !assigned // "a" is more often an article than a name
	switch follows := func(clue *clue) bool { return clue.start == at && !short }; p.kind() {
	case "integer", "number":
		before := func(clue *clue) bool {
			return clue.end < start && strings.Trim(c.words[clue.end:start], " ") == "" && !short
		}
		if found := take(c.numbers, both(follows, p.accepts)); found != "" {
			return found
		}
		return take(c.numbers, both(before, p.accepts))
	case "boolean":
		word, _, _ := strings.Cut(strings.ToLower(value), " ")
		if slices.Contains([]string{"false", "off", "no"}, strings.TrimRight(word, ",.;")) || endsWithNo(c.words[:start]) {
			return "false"
		}
		return "true"
	case "string":
		if found := first(slices.Concat(c.quotes, c.paths), follows); found != nil {
			return jsonString(found.use())
		}
		if end := strings.IndexAny(value+" ", " ,;\x00"); assigned && end > 0 {
			return jsonString(value[:end])
		}
	}
	return ""
}

// endsWithNo tells whether a text ends with a word that denies what follows.
func endsWithNo(text string) bool {
	words := strings.Fields(strings.ToLower(text))
	return len(words) > 0 && slices.Contains([]string{"no", "not", "without"}, words[len(words)-1])
}

// indexWord finds word as a whole word at or behind from: its start and end,
// -1 if there is none.
func indexWord(text, word string, from int) (start, end int) {
	for word != "" && from <= len(text) {
		i := strings.Index(text[from:], word)
		if i < 0 {
			break
		}
		start, end = from+i, from+i+len(word)
		if !latin(text, start-1) && !latin(text, end) {
			return start, end
		}
		from = end
	}
	return -1, -1
}

// enumValue gives the allowed value that the step mentions first, not counting
// what another parameter has taken; empty if it mentions none.
func (c *clues) enumValue(p parameter) string {
	lower := strings.ToLower(c.step)
	best, place := "", -1
	for _, allowed := range p.Enum {
		word := string(allowed)
		if json.Unmarshal(allowed, &word) != nil {
			word = string(allowed) // a number: 2 is written 2
		}
		word = strings.ToLower(word)
		for _, spelling := range []string{word, strings.ReplaceAll(word, "_", " ")} {
			start, end := indexWord(lower, spelling, 0)
			for start >= 0 && slices.Contains(c.enums, start) {
				start, end = indexWord(lower, spelling, end)
			}
			if start >= 0 && (place < 0 || start < place) {
				best, place = string(allowed), start
			}
		}
	}
	if place >= 0 {
		c.enums = append(c.enums, place)
	}
	return best
}

// accepts tells whether a number fits: an integer has no fraction.
func (p parameter) accepts(number *clue) bool {
	return !strings.Contains(number.text, ".") || p.kind() == "number" || p.itemKind() == "number" && p.kind() == "array"
}

// onlyNumber tells whether p is the one optional number among the parameters.
func onlyNumber(params []parameter, p parameter) bool {
	count := 0
	for _, other := range params {
		if k := other.kind(); !other.required && (k == "integer" || k == "number") {
			count++
		}
	}
	return count == 1
}

// both tells whether two conditions hold.
func both(a, b func(*clue) bool) func(*clue) bool {
	return func(c *clue) bool { return a(c) && b(c) }
}

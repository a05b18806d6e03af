package main

import (
	"slices"
	"strings"
	"unicode"
)

// arguments makes the text of a JSON object for a tool out of a step:
//
//  1. A JSON object in the step is it.
//  2. A parameter that the step names gets the value beside its name:
//     limit 5, 20 sides, title: "trip".
//  3. Then the required parameters, then the others, take what fits them best
//     of what is left, in the order of the text (see value).
//  4. A required one that found nothing gets its default, or the rest of the
//     step, or whatever its type allows.
func arguments(step string, t tool) string {
	params := parameters(t.parameters)
	known := map[string]bool{}
	for _, p := range params {
		for _, word := range tokens(p.name) {
			known[word] = true
		}
	}
	c := newClues(step, known)
	if at := strings.IndexByte(mask(step, spans(c.quotes)), '{'); at >= 0 {
		if object, ok := leadingObject(step[at:]); ok {
			return object
		}
	}
	values := make([]string, len(params)) // as JSON, empty for none
	for i, p := range params {
		values[i] = c.named(p)
	}
	var members []string
	for i, p := range params {
		if values[i] == "" {
			values[i] = c.value(p, onlyNumber(params, p))
		}
		if values[i] == "" && p.required {
			values[i] = c.fallback(p, t)
		}
		if values[i] != "" {
			members = append(members, jsonString(p.name)+":"+values[i])
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// value finds a value by its type, empty if the step has none. Of several
// optional numbers each needs its name said: "10 lines" is not an offset.
func (c *clues) value(p parameter, onlyNumber bool) string {
	if len(p.Enum) > 0 {
		return c.enumValue(p)
	}
	switch p.kind() {
	case "integer", "number":
		if p.required || onlyNumber {
			return take(c.numbers, p.accepts)
		}
	case "array":
		return c.list(p)
	case "string":
		if text, ok := c.text(p); ok {
			return jsonString(text)
		}
	}
	return ""
}

// text finds a string: for a path whatever looks like one, else quotes, else
// phrases, and for a required parameter any clue that is left.
func (c *clues) text(p parameter) (string, bool) {
	isPath := func(clue *clue) bool { return looksLikePath(clue.text) }
	anything := func(*clue) bool { return true }
	if p.wantsPath() {
		if found := first(c.paths, anything); found != nil {
			return found.use(), true
		}
		if found := first(c.quotes, isPath); found != nil {
			return found.use(), true
		}
		if found := first(c.goals, anything); found != nil {
			return found.use(), true
		}
	}
	if found := first(c.quotes, anything); found != nil && (p.required || !p.wantsPath()) {
		return found.use(), true
	}
	if found := first(c.phrases, anything); found != nil {
		return found.use(), true
	}
	if p.required {
		for _, list := range [][]*clue{c.goals, c.paths} {
			if found := first(list, anything); found != nil {
				return found.use(), true
			}
		}
	}
	return "", false
}

// list takes all that is left for an array: quotes, or paths, or a phrase cut
// at "and"; numbers for an array of numbers.
func (c *clues) list(p parameter) string {
	var items []string
	switch p.itemKind() {
	case "integer", "number":
		for next := take(c.numbers, p.accepts); next != ""; next = take(c.numbers, p.accepts) {
			items = append(items, next)
		}
	case "string":
		for _, from := range [][]*clue{c.quotes, c.paths} {
			for _, clue := range from {
				if !clue.used {
					items = append(items, jsonString(clue.use()))
				}
			}
		}
		if found := first(c.phrases, func(*clue) bool { return true }); found != nil && len(items) == 0 {
			for _, item := range strings.Split(found.use(), " and ") {
				items = append(items, jsonString(item))
			}
		}
	}
	if len(items) == 0 {
		return ""
	}
	return "[" + strings.Join(items, ",") + "]"
}

// fallback is the value of a required parameter of which the step says nothing.
func (c *clues) fallback(p parameter, t tool) string {
	switch {
	case p.Default != nil:
		return string(p.Default)
	case len(p.Enum) > 0:
		return string(p.Enum[0])
	}
	switch p.kind() {
	case "integer", "number":
		return "1"
	case "boolean":
		return "false"
	case "object":
		return "{}"
	case "null":
		return "null"
	case "array":
		if p.itemKind() == "string" {
			return "[" + jsonString(c.rest(t)) + "]"
		}
		return "[]"
	}
	return jsonString(c.rest(t))
}

// rest is the step without the words before and, in Chinese, behind what it is
// about, or all of it if nothing would be left. It uses up the numbers in it.
func (c *clues) rest(t tool) string {
	for _, n := range c.numbers {
		n.used = true
	}
	known := vocabulary(t.name + " " + t.description)
	text := strings.TrimRight(c.step, " ?!.。？！")
	for before := ""; before != text; {
		before = text
		text = strings.TrimLeft(text, " :,：，")
		end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) || unicode.Is(unicode.Han, r) })
		if end > 0 && !strings.ContainsAny(text[end:end+1], "_-./=") && (known[singular(strings.ToLower(text[:end]))] || politeWords[strings.ToLower(text[:end])]) {
			text = text[end:]
		}
		for _, word := range chineseFrame() {
			text = strings.TrimSuffix(strings.TrimPrefix(text, word), word)
		}
	}
	if text == "" {
		return c.step
	}
	return text
}

// politeWords may stand before what a step is about.
var politeWords = set("please can could you the a an me for")

// chineseFrame are the words around what a Chinese step is about.
func chineseFrame() []string {
	frame := []string{"请", "帮我", "把", "一下", "一个", "的", "吗", "吧"}
	for _, entry := range inEnglish {
		frame = append(frame, entry.chinese)
	}
	return frame
}

// first gives the first unused clue that fits, nil if there is none.
func first(list []*clue, fits func(*clue) bool) *clue {
	if i := slices.IndexFunc(list, func(c *clue) bool { return !c.used && fits(c) }); i >= 0 {
		return list[i]
	}
	return nil
}

// take uses the first clue that fits and gives its text, empty if none does.
func take(list []*clue, fits func(*clue) bool) string {
	if found := first(list, fits); found != nil {
		return found.use()
	}
	return ""
}

// use marks the clue as taken.
func (c *clue) use() string {
	c.used = true
	return c.text
}

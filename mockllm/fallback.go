package main

import (
	"strings"
	"unicode"
)

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
	text := strings.TrimRight(c.step, " ?!。？！")
	if end := len(text) - 1; end > 0 && text[end] == '.' && wordBefore(text, end) {
		text = text[:end]
	}
	known := vocabulary(t.name + " " + t.description)
	for before := ""; before != text; {
		before = text
		text = strings.TrimLeft(text, " :,：，")
		end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) || unicode.Is(unicode.Han, r) })
		if end > 0 && !strings.ContainsAny(text[end:end+1], "_-./=") && isFrame(strings.ToLower(text[:end]), known) {
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

// isFrame tells whether an English word stands before what a step is about, as
// the known words of the tool do.
func isFrame(word string, known map[string]bool) bool {
	stem := singular(word)
	return politeWords[word] || known[stem] || len(filter(strings.Fields(alsoMeans[stem]), known)) > 0
}

// chineseFrame are the words around what a Chinese step is about.
func chineseFrame() []string {
	frame := []string{"请", "帮我", "把", "一下", "一个", "今天", "现在", "怎么样", "如何", "的", "吗", "吧"}
	for _, entry := range inEnglish {
		frame = append(frame, entry.chinese)
	}
	return frame
}

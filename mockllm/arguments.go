package main

import (
	"regexp"
	"slices"
	"strings"
)

// arguments makes the text of a JSON object for a tool out of a step:
//
//  1. A JSON object in the step is it.
//  2. A parameter whose name stands before a value gets that: limit 5,
//     title: "trip".
//  3. Then the required parameters, then the others, take what fits them of
//     what is left, in the order of the text (see value).
//  4. A required one that found nothing gets its default, or what its type
//     allows: a string is the rest of the step.
func arguments(step string, t tool) string {
	if at := strings.IndexByte(mask(step, quote), '{'); at >= 0 {
		if object, ok := leadingObject(step[at:]); ok {
			return object
		}
	}
	c, params := findClues(step), parameters(t.parameters)
	values := make([]string, len(params)) // as JSON, empty for none
	for i, p := range params {
		values[i] = c.named(p)
	}
	var members []string
	for i, p := range params {
		if values[i] == "" {
			values[i] = c.value(p)
		}
		if values[i] == "" && p.required {
			values[i] = fallback(step, p, t)
		}
		if values[i] != "" {
			members = append(members, jsonString(p.name)+":"+values[i])
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// named takes the value behind the parameter's own name.
func (c *clues) named(p parameter) string {
	isNamed := func(f *clue) bool {
		called := (f.name == "called" || f.name == "named") && (p.name == "title" || p.name == "name")
		return (called || f.name == strings.ToLower(p.name)) && p.accepts(f)
	}
	switch kind(p.Type) {
	case "integer", "number":
		return c.take(isNamed, "number")
	case "string":
		return c.take(isNamed, "quote", "path")
	}
	return ""
}

// value finds a value by its type, empty if the step has none. An optional
// number must be named: "the first 10 lines" is not an offset.
func (c *clues) value(p parameter) string {
	switch k := kind(p.Type); {
	case len(p.Enum) > 0:
		return p.enumValue(c.said)
	case k == "array":
		return c.all(p)
	case p.required && (k == "integer" || k == "number"):
		return c.take(p.accepts, "number")
	case k == "boolean" && slices.Contains(c.said, strings.ToLower(p.name)):
		return "true"
	case k == "string" && p.wantsPath() && p.required:
		return c.take(p.accepts, "path", "goal", "quote", "phrase")
	case k == "string" && p.wantsPath():
		return c.take(p.accepts, "path", "phrase")
	case k == "string" && p.nameHas(commandNames): // in a command, "for" and "in" introduce nothing
		return c.take(p.accepts, "quote")
	case k == "string" && p.required:
		return c.take(p.accepts, "quote", "phrase", "goal", "path")
	case k == "string":
		return c.take(p.accepts, "quote", "phrase")
	}
	return ""
}

// accepts tells whether a clue fits: an integer has no fraction, and "the city of
// Paris" names the city only once.
func (p parameter) accepts(f *clue) bool {
	isFraction := f.kind == "number" && strings.Contains(f.text, ".")
	return !(isFraction && kind(p.Type) == "integer") && !(f.kind == "phrase" && strings.EqualFold(f.text, p.name))
}

// enumValue gives the first allowed value of which all words are said.
func (p parameter) enumValue(said []string) string {
	for _, allowed := range p.Enum {
		isMissing := func(w string) bool { return !slices.Contains(said, w) }
		if value := words(string(allowed)); len(value) > 0 && !slices.ContainsFunc(value, isMissing) {
			return string(allowed)
		}
	}
	return ""
}

// all takes all that is left for an array: numbers, or quotes and paths.
func (c *clues) all(p parameter) string {
	kinds := map[string][]string{"string": {"quote", "path"}, "integer": {"number"}, "number": {"number"}}[kind(p.Items)]
	var items []string
	for item := c.take(p.accepts, kinds...); item != ""; item = c.take(p.accepts, kinds...) {
		items = append(items, item)
	}
	if items == nil {
		return ""
	}
	return "[" + strings.Join(items, ",") + "]"
}

// fallback is the value of a required parameter of which the step says nothing.
func fallback(step string, p parameter, t tool) string {
	zero := map[string]string{"integer": "1", "number": "1", "boolean": "false", "object": "{}", "array": "[]"}
	switch value, ok := zero[kind(p.Type)]; {
	case p.Default != nil:
		return string(p.Default)
	case len(p.Enum) > 0:
		return string(p.Enum[0])
	case ok:
		return value
	}
	return jsonString(rest(step, t))
}

var (
	around = `[\s,，?？!！。]|请|帮我|把|一下|一个|今天|现在|怎么样|如何|的|吗|吧|` + chinese
	before = regexp.MustCompile(`^(?:` + around + `)+`)
	behind = regexp.MustCompile(`(?:\b\.|` + around + `)+$`)
)

// politeWords may stand before what a step is about.
var politeWords = set(`please can could you the a an me for to`)

// rest is the step without the words around what it is about: polite ones and
// those that the tool has too in front of it, in Chinese those of the dictionary
// on both sides. It is all of the step if nothing would be left.
func rest(step string, t tool) string {
	text, known := behind.ReplaceAllString(step, ""), words(t.name+" "+t.description)
	for {
		text = text[len(before.FindString(text)):]
		first := strings.TrimRight(strings.SplitN(text, " ", 2)[0], ":：")
		meant := words(first)
		if !politeWords[strings.ToLower(first)] && (len(meant) != 1 || !slices.Contains(known, meant[0])) {
			break
		}
		text = strings.TrimLeft(text[len(first):], " :：")
	}
	if text == "" {
		return step
	}
	return text
}

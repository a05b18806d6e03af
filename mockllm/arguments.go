package main

import (
	"slices"
	"strings"
)

// arguments makes the text of a JSON object for a tool out of a step:
//
//  1. A JSON object in the step is it.
//  2. A parameter that the step names gets the value beside its name:
//     limit 5, 20 sides, title: "trip".
//  3. Then the required parameters, then the others, take what fits them best
//     of what is left, in the order of the text (see value).
//  4. A required one that found nothing gets its default, or the rest of the
//     step, or whatever its type allows (see fallback.go).
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
// phrases, and for a required parameter a goal or a pattern such as *.go.
func (c *clues) text(p parameter) (string, bool) {
	anything := func(*clue) bool { return true }
	isPath := func(clue *clue) bool { return looksLikePath(clue.text) }
	isPattern := func(clue *clue) bool { return strings.Contains(clue.text, "*") }
	var found *clue
	look := func(when bool, list []*clue, fits func(*clue) bool) {
		if found == nil && when {
			found = first(list, fits)
		}
	}
	look(p.wantsPath(), c.paths, anything)
	look(p.wantsPath(), c.quotes, isPath)
	look(p.wantsPath(), c.goals, anything)
	look(p.required || !p.wantsPath(), c.quotes, anything)
	look(!p.wantsAll(), c.phrases, anything)
	look(p.required && !p.wantsAll(), c.goals, anything)
	look(p.required && !p.wantsAll(), c.paths, isPattern)
	if found == nil {
		return "", false
	}
	return found.use(), true
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

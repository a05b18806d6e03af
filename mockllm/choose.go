package main

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// explicit is how a step says exactly which tool to call: "call NAME {json}".
var explicit = regexp.MustCompile(`(?i)^\s*(?:please\s+)?(?:call\s+|调用\s*)([a-zA-Z0-9_-]{1,64})\s*`)

// callFor finds the call that does a step; false if there is none.
//
//  1. tool_choice names a function: that one.
//  2. "call NAME {json}": that tool with that JSON, byte for byte, even if
//     nobody offers it. "call NAME" of a tool that is offered: that one.
//  3. The tool that shares most with the step.
//  4. tool_choice is required: the first one.
func (c conversation) callFor(step string) (call, bool) {
	if c.choice.mode == "function" {
		step = explicit.ReplaceAllString(step, "")
		return c.callOf(slices.IndexFunc(c.tools, func(t tool) bool { return t.name == c.choice.name }), step)
	}
	if at := explicit.FindStringSubmatchIndex(step); at != nil {
		name, rest := step[at[2]:at[3]], step[at[1]:]
		if object, ok := leadingObject(rest); ok {
			return call{name, object}, true
		}
		if i := slices.IndexFunc(c.tools, func(t tool) bool { return t.name == name }); i >= 0 {
			return c.callOf(i, rest)
		}
	}
	i := bestTool(step, c.tools)
	if i < 0 && c.choice.mode == "required" {
		i = 0
	}
	return c.callOf(i, step)
}

// callOf is a call of tool number i with arguments from the step.
func (c conversation) callOf(i int, step string) (call, bool) {
	if i < 0 {
		return call{}, false
	}
	return call{c.tools[i].name, arguments(step, c.tools[i])}, true
}

// bestTool gives the index of the tool that matches the step best, -1 if none
// shares a word with it. Quotes, paths and addresses in the step do not count:
// they are what the tool is to work on.
func bestTool(step string, tools []tool) int {
	c := newClues(step, nil)
	best, most := -1, match{}
	for i, t := range tools {
		m := c.match(t)
		if strings.ContainsAny(t.name, "_-") && strings.Contains(step, t.name) {
			m.shared += 100 // the step says the very name
		}
		if m.shared > 0 && (best < 0 || m.compare(most) > 0) {
			best, most = i, m
		}
	}
	return best
}

// match is how well a tool matches a step.
type match struct {
	shared  int // words in common; one in the tool's name counts double
	verb    int // 1 if the step begins with a word of the name: "run ls" is no ls
	missing int // words of the name that the step lacks
	lost    int // 1 if the tool needs a path and the step has none
}

// compare is above 0 if m is the better match, and 0 for equals, of which the
// tool that was offered first is taken.
func (m match) compare(other match) int {
	return cmp.Or(m.shared-other.shared, m.verb-other.verb, other.missing-m.missing, other.lost-m.lost)
}

// match compares a tool with the step.
func (c *clues) match(t tool) match {
	name := ownName(t)
	inName, inDescription := set(strings.Join(name, " ")), vocabulary(label.ReplaceAllString(t.description, ""))
	met := map[string]bool{}
	var m match
	for _, words := range concepts(c.words) {
		named := filter(words, inName)
		if len(named) > 0 {
			m.shared += 2
		} else if len(filter(words, inDescription)) > 0 {
			m.shared++
		}
		for _, word := range named {
			met[word] = true
		}
	}
	if len(filter(c.verb(), inName)) > 0 {
		m.verb = 1
	}
	m.missing = len(filter(name, inName)) - len(met)
	needsPath := func(p parameter) bool { return p.required && p.wantsPath() }
	if len(c.paths) == 0 && slices.ContainsFunc(parameters(t.parameters), needsPath) {
		m.lost = 1
	}
	return m
}

// verb gives the first word of the step that means something, in Chinese in its
// English forms.
func (c *clues) verb() []string {
	text := strings.TrimSpace(c.words)
	for _, entry := range inEnglish {
		if strings.HasPrefix(text, entry.chinese) {
			return strings.Fields(entry.english)
		}
	}
	for _, word := range tokens(text) {
		if !stopWords[word] {
			return []string{word}
		}
	}
	return nil
}

// filter gives those of the words that are in a set, stop words apart.
func filter(words []string, in map[string]bool) []string {
	var list []string
	for _, w := range words {
		if in[w] && !stopWords[w] {
			list = append(list, w)
		}
	}
	return list
}

// label is what hosts put before the description of a tool from elsewhere:
// "[MCP:demo] Roll a die".
var label = regexp.MustCompile(`^\s*\[[^\]]*\]`)

// ownName gives the words of a tool's name without those that only say where
// the tool is from: the words of the label, or mcp and one more.
func ownName(t tool) []string {
	words := tokens(t.name)
	own := words
	for _, from := range tokens(label.FindString(t.description)) {
		if len(own) > 0 && own[0] == from {
			own = own[1:]
		}
	}
	if len(own) == len(words) && len(words) > 2 && words[0] == "mcp" {
		own = words[2:]
	}
	if len(own) == 0 {
		return words
	}
	return own
}

// leadingObject gives the JSON object that a text begins with, as it stands
// there.
func leadingObject(text string) (string, bool) {
	if !strings.HasPrefix(text, "{") {
		return "", false
	}
	var object json.RawMessage
	if json.NewDecoder(strings.NewReader(text)).Decode(&object) != nil {
		return "", false
	}
	return string(object), true
}

package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

var (
	// explicit is how a step says exactly which tool to call: "call NAME {json}".
	explicit = regexp.MustCompile(`(?i)^\s*(?:please\s+)?(?:call\s+|调用\s*)([a-zA-Z0-9_-]{1,64})\s*`)
	// origin is what hosts put before names and descriptions of tools from
	// elsewhere: mcp_demo_dice, "[MCP:demo] Roll a die".
	origin = regexp.MustCompile(`^mcp_[^_]+_|^\s*\[[^\]]*\]`)
)

// callFor finds the call that does a step; false if there is none.
//
//  1. tool_choice names a function: that one.
//  2. "call NAME {json}": that tool with that JSON, byte for byte, even if
//     nobody offers it. "call NAME" of a tool that is offered: that one.
//  3. The tool that shares most with the step.
//  4. tool_choice is required: the first one.
func (c conversation) callFor(step string) (call, bool) {
	if c.choice.mode == "function" {
		return c.callOf(c.index(c.choice.name), explicit.ReplaceAllString(step, ""))
	}
	if at := explicit.FindStringSubmatchIndex(step); at != nil {
		name, rest := step[at[2]:at[3]], step[at[1]:]
		if object, ok := leadingObject(rest); ok {
			return call{name, object}, true
		}
		if i := c.index(name); i >= 0 {
			return c.callOf(i, rest)
		}
	}
	best, most, clues := -1, 0, findClues(step)
	for i, t := range c.tools {
		if s := score(step, clues, t); s > most {
			best, most = i, s
		}
	}
	if best < 0 && c.choice.mode == "required" {
		best = 0
	}
	return c.callOf(best, step)
}

// index finds the tool of that name, -1 if it is not offered.
func (c conversation) index(name string) int {
	return slices.IndexFunc(c.tools, func(t tool) bool { return t.name == name })
}

// callOf is a call of tool number i with arguments from the step.
func (c conversation) callOf(i int, step string) (call, bool) {
	if i < 0 {
		return call{}, false
	}
	return call{c.tools[i].name, arguments(step, c.tools[i])}, true
}

// score tells how well a tool fits a step, 0 for not at all: 1000 for each word
// of the step that is in the tool's name, 500 for one in its description. Ties go
// to a tool whose name has the step's first word ("run ls" is no ls), to one with
// fewer words left over in its name, and to one that has the path it needs.
// Quotes, paths and addresses are what the tool is to work on: no words.
func score(step string, c *clues, t tool) int {
	name, description := words(origin.ReplaceAllString(t.name, "")), words(origin.ReplaceAllString(t.description, ""))
	points, met := 0, map[string]bool{}
	for _, w := range c.said {
		switch {
		case met[w]: // a word counts once
		case slices.Contains(name, w):
			points += 1000
		case slices.Contains(description, w):
			points += 500
		}
		met[w] = true
	}
	if strings.Contains(t.name, "_") && strings.Contains(step, t.name) {
		points += 100_000 // the step says the very name
	}
	if points == 0 {
		return 0
	}
	if len(c.said) > 0 && slices.Contains(name, c.said[0]) {
		points += 200
	}
	needsPath := func(p parameter) bool { return p.required && p.wantsPath() }
	if !c.hasPath && slices.ContainsFunc(parameters(t.parameters), needsPath) {
		points--
	}
	for _, w := range name {
		if !met[w] {
			points -= 10
		}
	}
	return points
}

// leadingObject gives the JSON object that a text begins with, as it stands
// there.
func leadingObject(text string) (string, bool) {
	var object json.RawMessage
	if !strings.HasPrefix(text, "{") || json.NewDecoder(strings.NewReader(text)).Decode(&object) != nil {
		return "", false
	}
	return string(object), true
}

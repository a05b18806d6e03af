package main

import (
	"regexp"
	"strings"
)

// steps is a task cut up: steps that come one after the other, each of them one
// or more that may be done at the same time. There is always at least one.
type steps [][]string

var (
	// oneAfterTheOther cuts "do this, and then that", "this; that", 先这个，然后那个.
	oneAfterTheOther = regexp.MustCompile(`(?i)[\s,.]*\b(?:and\s+)?then(?:[\s,:]+|$)|[;；]|[，。\s]*(?:然后|接着|再)[，：\s]*`)
	// atTheSameTime cuts "this and at the same time that", 这个，同时那个.
	atTheSameTime = regexp.MustCompile(`(?i)[\s,]*\b(?:and\s+)?at the same time(?:[\s,:]+|$)|[，\s]*(?:并且|并)?同时[，\s]*`)
	// quote finds what stands in quotes; a backslash keeps a double quote from
	// closing, and the apostrophe in a word is no mark.
	quote = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"|\B'(.*?)'\B|` + "`([^`]*)`" + `|“([^”]*)”|「([^」]*)」|『([^』]*)』`)
	// webAddress ends at white space or at what closes a clause.
	webAddress = regexp.MustCompile(`(?i)\bhttps?://[^\s\x00"'<>，。；、）」]+`)
)

// cutSteps cuts a task into its steps.
func cutSteps(task string) steps {
	var plan steps
	for _, part := range cut(task, oneAfterTheOther) {
		if group := cut(part, atTheSameTime); len(group) > 0 {
			plan = append(plan, group)
		}
	}
	if len(plan) == 0 {
		return steps{{""}}
	}
	return plan
}

// cut splits text where separator matches outside of quotes and web addresses;
// empty parts are left out.
func cut(text string, separator *regexp.Regexp) []string {
	var parts []string
	add := func(part string) {
		if part = strings.Trim(part, " \t\r\n,，、"); part != "" {
			parts = append(parts, part)
		}
	}
	start := 0
	for _, at := range separator.FindAllStringIndex(mask(mask(text, quote), webAddress), -1) {
		add(text[start:at[0]])
		start = at[1]
	}
	add(text[start:])
	return parts
}

// mask hides what pattern matches: each byte of it becomes a zero byte, which
// is neither a letter nor a space, and all others stay where they are.
func mask(text string, pattern *regexp.Regexp) string {
	return pattern.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("\x00", len(s)) })
}

// after gives the steps that come next when there are n results; none when all
// are done.
func (s steps) after(n int) []string {
	for _, group := range s {
		if n < len(group) {
			return group[n:]
		}
		n -= len(group)
	}
	return nil
}

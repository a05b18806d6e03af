package main

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Skill is a way of working that a person can switch on: text for the system prompt, and the tools it goes with.
type Skill struct {
	Name        string
	Description string
	Tools       []string // globs of the tools that stay visible; nil: all
	Prompt      string
	Err         error // why it cannot be used, with file and line; nil if it can
}

// parseSkill reads a SKILL.md; name is the name of its folder:
//
//	---
//	name: explore
//	description: what it is for, in one line
//	tools: ls, read, mcp_docs_*
//	---
//	The text for the system prompt.
//
// A skill without tools narrows nothing. An unknown key is an error: behind a mistyped "tools" the skill would see
// every tool. A skill that cannot be used is returned with its Err.
func parseSkill(file, name string, data []byte) Skill {
	skill := Skill{Name: name}
	text := strings.TrimPrefix(strings.ReplaceAll(string(data), "\r\n", "\n"), "\uFEFF")
	header, body, line, err := frontMatter(text)
	for _, field := range header {
		if e := skill.set(field, name); e != nil && err == nil {
			line, err = field.line, e
		}
	}
	skill.Prompt = strings.TrimSpace(body)
	switch {
	case err != nil:
	case !slices.ContainsFunc(header, func(f skillField) bool { return f.key == "name" }):
		err = fmt.Errorf("the name is missing; expected name: %s", name)
	case skill.Description == "":
		err = errors.New("the description is missing")
	case skill.Prompt == "":
		err = errors.New("no text follows the front matter")
	}
	if err != nil {
		skill.Err = fmt.Errorf("%s:%d: %w", file, line, err)
	}
	return skill
}

// skillField is a line of the front matter.
type skillField struct {
	key, value string
	line       int // from 1
}

// frontMatter takes a SKILL.md apart. line is that of the error, or of the closing dashes.
func frontMatter(text string) (header []skillField, body string, line int, err error) {
	if !utf8.ValidString(text) {
		valid := strings.Split(strings.ToValidUTF8(text, "\x00"), "\x00")[0]
		return nil, "", strings.Count(valid, "\n") + 1, errors.New("the text is not UTF-8")
	}
	lines := strings.Split(text, "\n")
	if strings.TrimRight(lines[0], " \t") != "---" {
		return nil, "", 1, errors.New("the file must begin with a line of three dashes, ---")
	}
	for i, raw := range lines[1:] {
		line, raw := i+2, strings.TrimRight(raw, " \t")
		if raw == "---" {
			return header, strings.Join(lines[line:], "\n"), line, nil
		}
		if raw == "" || strings.HasPrefix(raw, "#") {
			continue
		}
		key, value, ok := strings.Cut(raw, ":")
		if !ok || strings.TrimSpace(key) != key {
			return nil, "", line, errors.New("expected key: value on one line, or --- at the end of the front matter")
		}
		if slices.ContainsFunc(header, func(f skillField) bool { return f.key == key }) {
			return nil, "", line, fmt.Errorf("%q stands there twice", key)
		}
		header = append(header, skillField{key, unquote(strings.TrimSpace(value)), line})
	}
	return nil, "", 1, errors.New("the front matter has no end: a second line of three dashes, ---")
}

// unquote removes a pair of quotes around a value: other programs that read these files need them around a colon.
func unquote(value string) string {
	for _, quote := range []string{`"`, `'`} {
		if len(value) >= 2 && strings.HasPrefix(value, quote) && strings.HasSuffix(value, quote) {
			return value[1 : len(value)-1]
		}
	}
	return value
}

// set takes over one line of the front matter.
func (s *Skill) set(field skillField, folder string) error {
	switch field.key {
	case "name":
		if field.value != folder {
			return fmt.Errorf("the name is %q, but the folder's is %q", field.value, folder)
		}
	case "description":
		s.Description = field.value
	case "tools":
		for glob := range strings.SplitSeq(field.value, ",") {
			glob = strings.TrimSpace(glob)
			if _, err := path.Match(glob, ""); err != nil || glob == "" {
				return fmt.Errorf("tools: %q is no name of a tool and no pattern; expected names with commas between them", glob)
			}
			s.Tools = append(s.Tools, glob)
		}
	default:
		return fmt.Errorf("unknown key %q; expected name, description or tools", field.key)
	}
	return nil
}

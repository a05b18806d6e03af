package docs

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// command is a command of a transcript and what the terminal shows after it.
type command struct {
	typed  []string // the line after "$ ", and those it goes on in after a backslash
	screen []string
}

// commands splits a transcript at its "$ " lines; what stands before the first one is in rest.
func commands(body []string) (list []command, rest []string) {
	for _, line := range body {
		last := len(list) - 1
		switch entered, ok := strings.CutPrefix(line, "$ "); {
		case ok:
			list = append(list, command{typed: []string{entered}})
		case last < 0:
			rest = append(rest, line)
		case list[last].screen == nil && strings.HasSuffix(list[last].typed[len(list[last].typed)-1], `\`):
			list[last].typed = append(list[last].typed, line)
		default:
			list[last].screen = append(list[last].screen, line)
		}
	}
	return list, rest
}

var prompts = regexp.MustCompile(`(?:^You ›|Confirm execution\? \[y/N/a\])(?: (.*)|$)`)

// stdin is what the reader types into the program: what the screen shows after each prompt. Nothing after the last one
// is the end of input.
func (c command) stdin() string {
	var typed []string
	for _, line := range c.screen {
		if m := prompts.FindStringSubmatch(line); m != nil {
			typed = append(typed, strings.TrimRight(m[1], " "))
		}
	}
	if n := len(typed); n > 0 && typed[n-1] == "" {
		typed = typed[:n-1]
	}
	if len(typed) == 0 {
		return ""
	}
	return strings.Join(typed, "\n") + "\n"
}

// render writes the commands of a block down, with … in what they print for what its masks match, and without the spaces
// and empty lines that no terminal shows. It also returns the masks that match nothing.
func (b block) render(list []command) (lines, unused []string) {
	matched := map[string]bool{}
	for _, c := range list {
		screen := strings.Join(c.screen, "\n")
		for _, mask := range b.note("mask") {
			if pattern, err := regexp.Compile(mask); err == nil && pattern.MatchString(screen) {
				screen, matched[mask] = hide(pattern, screen), true
			}
		}
		lines = append(lines, strings.Split("$ "+strings.Join(c.typed, "\n"), "\n")...)
		screen = regexp.MustCompile(` +(\n|$)`).ReplaceAllString(screen, "$1")
		if screen = strings.TrimRight(screen, "\n"); screen != "" {
			lines = append(lines, strings.Split(screen, "\n")...)
		}
	}
	return lines, slices.DeleteFunc(b.note("mask"), func(mask string) bool { return matched[mask] })
}

func TestAnExampleIsFilledIn(t *testing.T) {
	repo := lay(t, fixture)
	doc, _ := readText(repo, "docs/day15.md")
	doc.lines = strings.Split("```console\n$ go run ./day15\nYou › hello\n```\n```wire\n```\n", "\n")
	doc.parse()
	report(t, newReader(t, repo, filepath.Join(repo, "built")).replay(doc, true))
	want := "```console\n$ go run ./day15\nYou › hello\nhello \nThe answer is 42\nexit status 3\n```\n```wire\n" +
		"demo → {\"id\":1,\"method\":\"a \\\" b\"}\ndemo ← {\"id\":1,\"result\":{}}\n```\n"
	if now := strings.Join(doc.lines, "\n"); now != strings.ReplaceAll(want, "hello \n", "hello\n") {
		t.Errorf("-update makes of it\n%s", now)
	}
}

// hide writes … for what a mask matches, or for its first group where it has one.
func hide(mask *regexp.Regexp, text string) string {
	return mask.ReplaceAllStringFunc(text, func(match string) string {
		at := mask.FindStringSubmatchIndex(match)
		if len(at) < 4 || at[2] < 0 {
			return "…"
		}
		return match[:at[2]] + "…" + match[at[3]:]
	})
}

package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

var banner = []string{
	title,
	"Type a request, or /help for the commands.",
	"Servers in .geekagent/mcp.json are connected at",
	"start-up; /mcp shows their tools.",
}

// panel is the command /panel: the banner with the panel beside it, in 80 columns. A value that is too long goes on in the
// next line.
func (a *agent) panel(context.Context, string) error {
	left := banner
	for _, fact := range []row{
		{"Model", a.model.Name},
		{"Root", shortPath(a.permissions.Root)},
		{"Skill", cmp.Or(a.skills.Name(), "none")},
		{"RAG", plural(a.knowledge.Len(), "document")},
		{"MCP", a.mcp.Summary()},
		{"Context", fmt.Sprintf("%d / %d (%d%%)", a.chat.Context(), contextLimit, a.percent())},
		{"Tokens", fmt.Sprint(a.chat.Tokens)},
	} {
		for _, line := range wrap(visibleLine(fact.right), 19) {
			left = append(left, "")
			a.console.Print(strings.TrimRight(fmt.Sprintf("%-50s│ %-9s%s", left[0], fact.left, line), " ") + "\n")
			left, fact.left = left[1:], ""
		}
	}
	return nil
}

// status is the line after each turn.
func (a *agent) status(turn Turn) string {
	text := fmt.Sprintf("this turn %d tokens · total %d · context %d%%", turn.Tokens, a.chat.Tokens, a.percent())
	text += " · MCP " + a.mcp.Summary()
	return "── " + text + " ──\n"
}

// percent is how full the context is, rounded up.
func (a *agent) percent() int { return (a.chat.Context()*100 + contextLimit - 1) / contextLimit }

// wrap cuts text into lines of at most width columns, at a space where there is one.
func wrap(text string, width int) (lines []string) {
	line := ""
	for _, r := range text {
		if columns(line+string(r)) > width {
			head, tail := line, ""
			if at := strings.LastIndexByte(line, ' '); at > 0 {
				head, tail = line[:at], line[at+1:]
			}
			lines, line = append(lines, head), tail
		}
		line += string(r)
	}
	return append(lines, line)
}

// columns is how wide a terminal shows text: East Asian characters and emoji take two columns.
func columns(text string) int {
	return utf8.RuneCountInString(text) + len(wide.FindAllString(text, -1))
}

var wide = regexp.MustCompile(`[\p{Han}\p{Hangul}\p{Hiragana}\p{Katakana}\x{ff01}-\x{ff60}\x{3000}-\x{303f}\x{1f300}-\x{1faff}]`)

// shortPath writes the home folder as ~.
func shortPath(path string) string {
	home, _ := os.UserHomeDir()
	if rest, err := filepath.Rel(home, path); err == nil && filepath.IsLocal(rest) {
		return filepath.Join("~", rest)
	}
	return path
}

// plural is a count with its noun: 1 step, 2 steps.
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

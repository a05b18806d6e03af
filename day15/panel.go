package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// The screen is 80 columns wide: the banner on the left, the panel beside it.
const (
	bannerWidth = 50
	panelWidth  = 28
	labelWidth  = 9
)

var banner = []string{
	title,
	"Type a request, or /help for the commands.",
	"Servers in .geekagent/mcp.json are connected at",
	"start-up; /mcp shows their tools.",
}

// row is one line of the panel.
type row struct{ label, value string }

// rows are the facts of the panel, taken when it is printed.
func (a *agent) rows() []row {
	return []row{
		{"Model", a.model.Name},
		{"Root", shortPath(a.permissions.Root)},
		{"Skill", cmp.Or(a.skills.Name(), "none")},
		{"RAG", plural(a.knowledge.Len(), "document")},
		{"MCP", a.mcp.Summary()},
		{"Context", fmt.Sprintf("%d / %d (%d%%)", a.chat.Context(), contextLimit, a.percent())},
		{"Tokens", fmt.Sprint(a.chat.Tokens)},
	}
}

// status is the line after each turn.
func (a *agent) status(turn Turn) string {
	parts := []string{
		fmt.Sprintf("this turn %d tokens", turn.Tokens),
		fmt.Sprintf("total %d", a.chat.Tokens),
		fmt.Sprintf("context %d%%", a.percent()),
		"MCP " + a.mcp.Summary(),
	}
	return "── " + strings.Join(parts, " · ") + " ──\n"
}

// percent is how full the context is, rounded up.
func (a *agent) percent() int { return (a.chat.Context()*100 + contextLimit - 1) / contextLimit }

// printPanel prints the banner with the panel beside it. A value that is too long goes on in the next line.
func (a *agent) printPanel() {
	var right []string
	for _, row := range a.rows() {
		label := row.label
		for _, line := range wrap(visibleLine(row.value), panelWidth-labelWidth) {
			right = append(right, pad(label, labelWidth)+line)
			label = ""
		}
	}
	left := slices.Concat(banner, make([]string, len(right))) // the panel is the longer one
	for i, beside := range right {
		a.console.Print(strings.TrimRight(pad(left[i], bannerWidth)+"│ "+beside, " ") + "\n")
	}
}

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

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-columns(text)))
}

// columns is how wide a terminal shows text: East Asian characters and emoji take two columns.
func columns(text string) int {
	return utf8.RuneCountInString(text) + len(wide.FindAllString(text, -1))
}

var wide = regexp.MustCompile(`[\p{Han}\p{Hangul}\p{Hiragana}\p{Katakana}\x{ff01}-\x{ff60}\x{3000}-\x{303f}\x{1f300}-\x{1faff}]`)

// shortPath writes the home folder as ~.
func shortPath(path string) string {
	if home, err := os.UserHomeDir(); err == nil {
		if rest, ok := strings.CutPrefix(path, home); ok && (rest == "" || rest[0] == filepath.Separator) {
			return "~" + rest
		}
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

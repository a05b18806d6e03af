package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
)

// command is a line that begins with a slash. run gets the rest of the line; its error is for a person.
type command struct {
	name, args, help string
	run              func(ctx context.Context, args string) error
}

// errExit is how /exit leaves the loop.
var errExit = errors.New("exit")

// commands is the table of commands. It is no variable: /help, which stands in it, prints it.
func (a *agent) commands() []command {
	return []command{
		{"/help", "", "this list", a.help},
		{"/tools", "[NAME]", "the tools, or one tool's definition as the model gets it", a.tools},
		{"/call", "NAME {json}", "call a tool without the model", a.call},
		{"/skills", "", "the skills", a.listSkills},
		{"/use", "NAME", "work with a skill", a.use},
		{"/unuse", "", "leave the skill", a.unuse},
		{"/rag", "[add SOURCE…]", "the knowledge base; add files, folders or web pages", a.rag},
		{"/mcp", "[NAME]", "the MCP servers and their tools", a.listServers},
		{"/panel", "", "the panel", a.panel},
		{"/resume", "", "go on with the last saved conversation", a.resume},
		{"/reset", "", "forget this conversation", a.reset},
		{"/exit", "", "leave; so does the end of input", a.exit},
	}
}

// command runs a line that begins with a slash.
func (a *agent) command(ctx context.Context, line string) error {
	name, args, _ := strings.Cut(line, " ")
	for _, c := range a.commands() {
		if c.name == name {
			return c.run(ctx, strings.TrimSpace(args))
		}
	}
	return fmt.Errorf("there is no command %s; /help lists them", name)
}

// help is the command /help.
func (a *agent) help(ctx context.Context, args string) error {
	return a.table(func(row func(cells ...string)) {
		for _, c := range a.commands() {
			row(strings.TrimSpace(c.name+" "+c.args), c.help)
		}
	})
}

// table prints rows in columns. fill calls row for each; cells are put on one line before they are aligned.
func (a *agent) table(fill func(row func(cells ...string))) error {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fill(func(cells ...string) {
		for i := range cells {
			cells[i] = visibleLine(strings.ReplaceAll(cells[i], "\t", " "))
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	})
	if err := w.Flush(); err != nil {
		return err
	}
	a.console.Print(b.String())
	return nil
}

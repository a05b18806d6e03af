package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// command is a line that begins with a slash. run gets what follows the name; its error is for a person.
type command struct {
	usage, help string
	run         func(ctx context.Context, args string) error
}

// commands is the table of commands. It is not a variable: /help, which stands in it, prints it.
func (a *agent) commands() []command {
	return []command{
		{"/help", "this list", a.help},
		{"/tools [NAME]", "the tools, or one tool's definition as the model gets it", a.listTools},
		{"/call NAME {json}", "call a tool without the model", a.call},
		{"/skills", "the skills", a.listSkills},
		{"/use NAME [TEXT]", "work with a skill; TEXT is its $ARGUMENTS", a.use},
		{"/unuse", "leave the skill", a.unuse},
		{"/rag [add SOURCE]", "the knowledge base; add a file, a folder or a web page", a.rag},
		{"/panel", "the panel", a.panel},
		{"/resume [FILE]", "go on with the last saved conversation", a.resume},
		{"/reset", "forget this conversation", a.reset},
		{"/exit", "leave; so does the end of input", a.exit},
	}
}

// command runs a line that begins with a slash.
func (a *agent) command(ctx context.Context, line string) error {
	name, args, _ := strings.Cut(line, " ")
	for _, c := range a.commands() {
		if strings.Fields(c.usage)[0] == name {
			return c.run(ctx, strings.TrimSpace(args))
		}
	}
	return fmt.Errorf("there is no command %s; /help lists them", name)
}

func (a *agent) help(context.Context, string) error {
	var rows []row
	for _, c := range a.commands() {
		rows = append(rows, row{c.usage, c.help})
	}
	a.table(rows)
	return nil
}

// row is two cells, which belong side by side.
type row struct{ left, right string }

// table prints rows in two columns.
func (a *agent) table(rows []row) {
	width := 0
	for i, row := range rows {
		rows[i].left = visibleLine(row.left)
		width = max(width, utf8.RuneCountInString(rows[i].left))
	}
	for _, row := range rows {
		a.console.Printf("%-*s  %s\n", width, row.left, visibleLine(row.right))
	}
}

// listTools is the command /tools [NAME]. It fails for a name that no visible tool has.
func (a *agent) listTools(ctx context.Context, name string) error {
	if name == "" {
		definitions := a.registry.Definitions(ctx)
		var rows []row
		for _, tool := range a.registry.Visible() {
			about := fmt.Sprintf("%-5s  %s", a.permissions.Policy(tool), a.console.Preview(tool.Description, 60))
			rows = append(rows, row{tool.Name, about})
		}
		a.table(rows)
		a.console.Printf("%d tools; their definitions take about %d tokens of every request (estimated: characters / 4).\n",
			len(definitions), estimateTokens(definitions))
		return nil
	}
	tool, err := a.registry.Lookup(name)
	if err != nil {
		return err
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err = encoder.Encode(tool.definition())
	a.console.Print(strings.TrimSpace(b.String()+tool.Details) + "\n")
	return err
}

// call is the command /call NAME {json}. Its error wraps errDenied where the call was refused.
func (a *agent) call(ctx context.Context, args string) error {
	name, object, _ := strings.Cut(args, " ")
	if name == "" {
		return errors.New("usage: /call NAME {json}")
	}
	result := a.registry.Call(ctx, []Call{{name, object}}, func(int) {}, func(int, Result) {})[0]
	if result.Err != nil {
		return fmt.Errorf("%s: %w", name, result.Err)
	}
	a.console.Print(strings.TrimSuffix(result.Text, "\n") + "\n")
	return nil
}

// listSkills is the command /skills. A broken skill is listed with its error.
func (a *agent) listSkills(context.Context, string) error {
	var rows []row
	for _, skill := range a.skills.List() {
		mark := "  "
		if skill.Name == a.skills.Name() {
			mark = "* "
		}
		if skill.Err != nil {
			skill.Description = "× " + skill.Err.Error()
		}
		rows = append(rows, row{mark + skill.Name, skill.Description})
	}
	a.table(rows)
	return nil
}

// use is the command /use NAME [TEXT]. It fails for a skill that does not exist or is broken; the one in use then stays.
func (a *agent) use(_ context.Context, args string) error {
	name, text, _ := strings.Cut(args, " ")
	err := a.skills.Use(name, strings.TrimSpace(text))
	if err == nil {
		a.console.Printf("Using the skill %s; %d tools are visible. /unuse leaves it.\n", name, len(a.registry.Visible()))
	}
	return err
}

func (a *agent) unuse(context.Context, string) error {
	a.skills.Unuse()
	a.console.Printf("No skill; %d tools are visible.\n", len(a.registry.Visible()))
	return nil
}

// rag lists the documents, or adds a source: a file or folder below the root, a web page. What the user types needs no
// question.
func (a *agent) rag(ctx context.Context, args string) error {
	source, add := strings.CutPrefix(args, "add ")
	switch {
	case args == "":
		a.console.Print(plural(a.knowledge.Len(), "document") + "\n")
		var rows []row
		for _, d := range a.knowledge.Documents() {
			rows = append(rows, row{"  " + d.Title, d.Source})
		}
		a.table(rows)
		return nil
	case !add:
		return errors.New("usage: /rag [add SOURCE]")
	}
	added, err := a.knowledge.Add(ctx, strings.Trim(source, ` "'`))
	if err == nil {
		a.console.Print(added + "\n")
	}
	return err
}

// resume is the command /resume [FILE]. It fails without a saved conversation, and where one has begun already.
func (a *agent) resume(_ context.Context, file string) error {
	history, err := a.session.Load(file)
	if err == nil {
		err = a.chat.Resume(history)
	}
	if err == nil {
		a.console.Printf("Resumed: %s.\n", plural(len(history), "message"))
	}
	return err
}

func (a *agent) reset(context.Context, string) error {
	a.chat.Reset()
	a.console.Print("The conversation is forgotten.\n")
	return nil
}

func (a *agent) exit(context.Context, string) error {
	a.left = true
	return nil
}

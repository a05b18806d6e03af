package main

import (
	"context"
	"errors"
	"strings"
)

// listSkills is the command /skills. A broken skill is listed with its error.
func (a *agent) listSkills(ctx context.Context, args string) error {
	return a.table(func(row func(cells ...string)) {
		for _, skill := range a.skills.List() {
			mark := " "
			if skill.Name == a.skills.Name() {
				mark = "*"
			}
			if skill.Err != nil {
				skill.Description = "× " + skill.Err.Error()
			}
			row(mark+" "+skill.Name, skill.Description)
		}
	})
}

// use is the command /use NAME. It fails for a skill that does not exist or is broken; the one in use then stays.
func (a *agent) use(ctx context.Context, args string) error {
	if err := a.skills.Use(args); err != nil {
		return err
	}
	a.console.Printf("Using the skill %s; %d tools are visible. /unuse leaves it.\n", args, len(a.registry.Visible()))
	return nil
}

// unuse is the command /unuse.
func (a *agent) unuse(ctx context.Context, args string) error {
	a.skills.Unuse()
	a.console.Printf("No skill; %d tools are visible.\n", len(a.registry.Visible()))
	return nil
}

// rag lists the documents, or adds sources: files and folders below the root, web pages. What the user types needs no
// question.
func (a *agent) rag(ctx context.Context, args string) error {
	words := strings.Fields(args)
	switch {
	case len(words) == 0:
		return a.table(func(row func(cells ...string)) {
			row(plural(a.knowledge.Len(), "document"))
			for _, d := range a.knowledge.Documents() {
				row("  "+d.Title, d.Source)
			}
		})
	case words[0] != "add" || len(words) == 1:
		return errors.New("usage: /rag [add SOURCE…]")
	}
	for _, source := range words[1:] {
		added, err := a.knowledge.Add(ctx, source)
		if err != nil {
			return err
		}
		a.console.Printf("%v\n", added)
	}
	return nil
}

// panel is the command /panel.
func (a *agent) panel(ctx context.Context, args string) error {
	a.printPanel()
	return nil
}

// resume is the command /resume. It fails without a saved conversation, and where one has begun already.
func (a *agent) resume(ctx context.Context, args string) error {
	history, err := a.session.Load()
	if err == nil {
		err = a.chat.Resume(history)
	}
	if err != nil {
		return err
	}
	a.console.Printf("Resumed: %s.\n", plural(len(history), "message"))
	return nil
}

// reset is the command /reset.
func (a *agent) reset(ctx context.Context, args string) error {
	a.chat.Reset()
	a.console.Print("The conversation is forgotten.\n")
	return nil
}

// save keeps the conversation for /resume.
func (a *agent) save() {
	if err := a.session.Save(a.chat.History); err != nil {
		a.console.Errorf("geekagent: %v\n", err)
	}
}

// exit is the command /exit: its error ends the loop.
func (a *agent) exit(ctx context.Context, args string) error { return errExit }

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// tools is the command /tools [NAME]. It fails for a name that no visible tool has.
func (a *agent) tools(ctx context.Context, args string) error {
	if args != "" {
		tool, err := a.registry.Lookup(args)
		if err != nil {
			return err
		}
		return a.printTool(tool)
	}
	definitions := a.registry.Definitions()
	err := a.table(func(row func(cells ...string)) {
		for _, tool := range a.registry.Visible() {
			row(tool.Name, a.permissions.Policy(tool).String(), preview(tool.Description, 60))
		}
	})
	a.console.Printf("%d tools; their definitions take about %d tokens of every request (estimated: characters / 4).\n",
		len(definitions), definitionTokens(definitions))
	return err
}

// printTool prints the definition that the model gets, and what else is known of the tool.
func (a *agent) printTool(tool Tool) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(tool.definition()); err != nil {
		return fmt.Errorf("the definition of %s: %w", tool.Name, err)
	}
	if tool.Details != "" {
		fmt.Fprintln(&b, tool.Details)
	}
	a.console.Print(b.String())
	return nil
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

package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
)

// report is the line about a server's start.
func (s *server) report() {
	switch reason := s.reason(); {
	case s.config.Disabled:
	case reason != nil:
		s.tell("failed: %v", reason)
	default:
		s.tell("connected, %s (%s)", plural(len(s.host.tools(s)), "tool"), s.version())
	}
}

// version is the protocol version of the connection, "" where there is none any more.
func (s *server) version() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil {
		return ""
	}
	return s.client.current().version
}

// tools returns the tools of a server that are offered to the model.
func (m *MCP) tools(s *server) []Tool {
	m.mu.Lock()
	defer m.mu.Unlock()
	var tools []Tool
	for _, tool := range s.list() {
		if _, ok := m.offered[tool.Name]; ok {
			tools = append(tools, tool.Tool)
		}
	}
	return tools
}

// Summary is the servers that are switched on, on one line, for the panel: demo(2) silent(failed).
func (m *MCP) Summary() string {
	var parts []string
	for _, s := range m.servers {
		state := fmt.Sprint(len(m.tools(s)))
		switch {
		case s.config.Disabled:
			continue
		case s.reason() != nil:
			state = "failed"
		}
		parts = append(parts, visibleLine(s.config.Name)+"("+state+")")
	}
	return cmp.Or(strings.Join(parts, " "), "none")
}

// listServers is the command /mcp [NAME].
func (a *agent) listServers(ctx context.Context, name string) error {
	found := false
	for _, s := range a.mcp.servers {
		if name != "" && name != s.config.Name {
			continue
		}
		found = true
		if err := a.listServer(s); err != nil {
			return err
		}
		if name != "" {
			s.printDetails()
		}
	}
	switch {
	case !found && name != "":
		return fmt.Errorf("there is no MCP server %q; /mcp lists them", name)
	case !found:
		a.console.Print("No MCP servers; .geekagent/mcp.json, or the file of -mcp, would name them.\n")
	}
	return nil
}

// listServer prints what a server offers and costs, or why it does not.
func (a *agent) listServer(s *server) error {
	switch reason := s.reason(); {
	case s.config.Disabled:
		a.console.Printf("- %s: disabled\n", visibleLine(s.config.Name))
		return nil
	case reason != nil:
		a.console.Printf("× %s: %s\n", visibleLine(s.config.Name), visibleLine(reason.Error()))
		return nil
	}
	tools := a.mcp.tools(s)
	var definitions []Definition
	for _, tool := range tools {
		definitions = append(definitions, tool.definition())
	}
	a.console.Printf("%s: protocol %s, %s, about %d tokens (estimated: characters / 4); %s\n", visibleLine(s.config.Name),
		s.version(), plural(len(tools), "tool"), definitionTokens(definitions), visibleLine(s.config.target()))
	return a.table(func(row func(cells ...string)) {
		for _, tool := range tools {
			row("  "+tool.Name, a.permissions.Policy(tool).String(), preview(tool.Description, 60))
		}
	})
}

// printDetails prints what the server says of itself, and the last lines that it wrote to its stderr.
func (s *server) printDetails() {
	s.mu.Lock()
	c, stderr := s.client, s.stderr
	s.mu.Unlock()
	if c != nil {
		about := c.current()
		s.host.console.Printf("  calls itself: %s %s\n", preview(about.server.Name, 60), preview(about.server.Version, 30))
		if about.instructions != "" { // for a person: the model does not get them, they are a stranger's words
			s.host.console.Printf("  its instructions: %s\n", preview(about.instructions, 500))
		}
	}
	if stderr == nil {
		return
	}
	for _, line := range stderr.lines() {
		s.host.console.Printf("  stderr: %s\n", line)
	}
}

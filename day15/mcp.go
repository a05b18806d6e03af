package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
)

const maxTools = 128 // that the model's API takes in one request

// MCP connects the agent with the servers of mcp.json. Their tools go into the registry, and are tools like all others there.
type MCP struct {
	file, only, wireFile string // the flags
	console              *Console
	registry             *Registry
	room                 int                   // how many tools it takes besides those that were there before
	times                bool                  // -time
	log                  *os.File              // of -wire; nil where that is -, which is stderr
	mu                   sync.Mutex            // guards what follows; servers is set once, and read without it after that
	servers              []*server             // in the order of the file
	offered              map[string]serverTool // the tools in the registry, by name
	left                 int                   // as many were too many
	first                map[string]string     // a hash of what each tool said of itself when it was first seen
}

// mcpFlags adds the flags to those of the program.
func mcpFlags(flags *flag.FlagSet) *MCP {
	m := &MCP{first: map[string]string{}}
	flags.StringVar(&m.file, "mcp", os.Getenv("MCP_CONFIG"), "the `file` that says which MCP servers to start (default .geekagent/mcp.json)")
	flags.StringVar(&m.only, "only", "", "start only these MCP servers: `names`, with commas between them")
	flags.StringVar(&m.wireFile, "wire", "", "write every MCP message to a `file`; - is stderr")
	return m
}

// connectServers starts all servers side by side, and goes on when each is connected or has failed, or at Ctrl-C. A failure
// costs the others nothing: it is one line on stderr. The error is about the flags. a.mcp.Close must be called in any case.
func (a *agent) connectServers(ctx context.Context) error {
	m := a.mcp
	m.console, m.registry, m.times = a.console, a.registry, a.trace.times
	m.room = maxTools - len(a.registry.Visible())
	configs, err := m.configs()
	if err == nil && m.wireFile != "" && m.wireFile != "-" {
		m.log, err = os.OpenFile(m.wireFile, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600) // for its owner alone
	}
	if err != nil {
		return err
	}
	m.mu.Lock()
	for _, config := range configs {
		m.servers = append(m.servers, newServer(m, config))
	}
	m.mu.Unlock()
	ctx, stop := a.interruptible(ctx)
	defer stop()
	m.start(ctx)
	if m.left > 0 {
		m.say(`%d tools, but the model's API takes no more than %d, those of the agent included; left out: %d, the last of the file.`+
			` Choose some with "tools": ["get_*", …] in the server's entry`, len(m.offered)+m.left, maxTools, m.left)
	}
	a.registry.Refresh = func(ctx context.Context) { m.each(func(s *server) { s.refresh(ctx) }) }
	return nil
}

// start connects to each server that is switched on and has no mistake in its entry, and tells how it went, in the file's order.
func (m *MCP) start(ctx context.Context) {
	m.each(func(s *server) {
		if !s.config.Disabled && s.config.err == nil {
			_, _ = s.connection(ctx) // s keeps the error
		}
	})
	for _, s := range m.servers {
		switch now := s.now(); {
		case s.config.Disabled:
		case now.err == errSkipped:
			s.tell("skipped")
		case now.err != nil:
			s.tell("failed: %v", now.err)
		default:
			s.tell("connected, %s (%s)", plural(len(now.tools), "tool"), now.client.era.Load().protocol)
		}
	}
}

// each does something with all servers, side by side.
func (m *MCP) each(do func(*server)) {
	m.mu.Lock()
	servers := m.servers
	m.mu.Unlock()
	var doing sync.WaitGroup
	for _, s := range servers {
		doing.Go(func() { do(s) })
	}
	doing.Wait()
}

// offer brings the registry up to date with the lists of all servers. What is too much is left out, by the order of the file.
func (m *MCP) offer() {
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.offered
	m.offered, m.left = map[string]serverTool{}, 0
	for _, s := range m.servers {
		var kept []serverTool
		for _, tool := range s.now().tools {
			if _, taken := m.offered[tool.Name]; taken || len(m.offered) >= m.room { // two servers can want the very hash
				m.left++
				continue
			}
			m.offered[tool.Name] = tool
			kept = append(kept, tool)
		}
		s.update(func() { s.offered = kept })
	}
	for name, tool := range old {
		if tool.said != m.offered[name].said {
			m.registry.Unregister(name)
		}
	}
	for name, tool := range m.offered {
		if tool.said != old[name].said {
			_ = m.registry.Register(tool.Tool) // nobody else has names like these
		}
	}
}

// Summary is the servers that are switched on, on one line: demo(2) silent(failed). Many are counted.
func (m *MCP) Summary() string {
	var parts []string
	failed := 0
	for _, s := range m.servers {
		switch {
		case s.config.Disabled:
		case s.live() == nil:
			failed++
			parts = append(parts, s.label+"(failed)")
		default:
			parts = append(parts, fmt.Sprintf("%s(%d)", s.label, len(s.now().offered)))
		}
	}
	if len(parts) > 6 {
		return fmt.Sprintf("%d of %d servers up", len(parts)-failed, len(parts))
	}
	return cmp.Or(strings.Join(parts, " "), "none")
}

// listServers is the command /mcp [NAME].
func (a *agent) listServers(ctx context.Context, name string) error {
	found := false
	for _, s := range a.mcp.servers {
		if name == "" || name == s.config.name {
			found = true
			a.describe(s, name != "")
		}
	}
	if !found && name != "" {
		return fmt.Errorf("there is no MCP server %q; /mcp lists them", name)
	} else if !found {
		a.console.Print("No MCP servers; .geekagent/mcp.json, or the file of -mcp, would name them.\n")
	}
	return nil
}

// describe prints what a server offers and costs, or why it does not; with details also the last lines of its stderr.
func (a *agent) describe(s *server, details bool) {
	print := func(format string, args ...any) { a.console.Printf(format+"\n", args...) }
	c, now := s.live(), s.now()
	count := ""
	if now.calls > 0 {
		count = fmt.Sprintf("; %s, %d failed", plural(now.calls, "call"), now.failed)
	}
	if rest := now.rest(); rest != "" {
		count += "; " + rest
	}
	switch {
	case s.config.Disabled:
		print("- %s: disabled", s.label)
	case c == nil:
		print("× %s: %s%s", s.label, a.mcp.line(now.err.Error(), 500), count)
	default:
		var definitions []Definition
		width := 0
		for _, tool := range now.offered {
			definitions = append(definitions, tool.definition())
			width = max(width, len(tool.Name))
		}
		print("%s: protocol %s, %s, about %d tokens (estimated: characters / 4); %s%s", s.label, c.era.Load().protocol,
			plural(len(definitions), "tool"), estimateTokens(definitions), s.config.target, count)
		for _, tool := range now.offered {
			about := strings.Join(strings.Fields(tool.Description), " ")
			print("  %-*s  %-5s  %s", width, tool.Name, a.permissions.Policy(tool.Tool), a.mcp.line(about, 60))
		}
	}
	for _, line := range now.stderr {
		if details {
			print("  stderr: %s", a.mcp.line(line, lineWidth))
		}
	}
}

// Close stops all servers side by side, within 5 seconds. It may be called at any time, and more than once.
func (m *MCP) Close() { m.each((*server).close) }

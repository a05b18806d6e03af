package main

import (
	"context"
	"flag"
	"os"
	"os/signal"
	"sync"
	"time"
)

// patience is how long the start-up waits for servers before it says so.
const patience = time.Second

// MCP connects the agent with the servers of .geekagent/mcp.json. Their tools go into the registry and are tools like
// all others there: nothing else in the agent knows where they come from.
type MCP struct {
	file, only, wireFile string // the flags

	console  *Console
	registry *Registry
	wire     *wireLog
	seen     seenDefinitions
	servers  []*server      // in the order of the file
	room     int            // how many tools the model's API takes besides those that were there before
	watchers sync.WaitGroup // one goroutine for each connection

	mu      sync.Mutex            // guards what follows
	offered map[string]serverTool // the tools in the registry, by name
	capped  string                // what was said last about tools that were left out
	closing bool
}

// mcpFlags adds the flags to those of the program. Connect has to be called after they were parsed.
func mcpFlags(flags *flag.FlagSet) *MCP {
	m := &MCP{offered: map[string]serverTool{}}
	flags.StringVar(&m.file, "mcp", os.Getenv("MCP_CONFIG"), "the `file` that says which MCP servers to start (default .geekagent/mcp.json)")
	flags.StringVar(&m.only, "only", "", "start only these MCP servers: `names`, with commas between them")
	flags.StringVar(&m.wireFile, "wire", "", "write every MCP message to a `file`; - is stderr")
	return m
}

// Connect starts all servers side by side and waits for each until it is connected or has failed. A server that fails
// costs the others nothing: it is one line on stderr. The error is about the file or the flags. Close must be called in
// any case.
func (m *MCP) Connect(ctx context.Context, console *Console, registry *Registry) error {
	m.console, m.registry = console, registry
	m.room = maxTools - len(registry.Visible())
	configs, err := m.configs()
	if err != nil {
		return err
	}
	if m.wireFile != "" {
		if m.wire, err = openWire(m.wireFile, console); err != nil {
			return err
		}
	}
	for _, config := range configs {
		m.servers = append(m.servers, newServer(m, config, configs))
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt) // Ctrl-C goes on without those that are not ready
	defer stop()
	var starting sync.WaitGroup
	waiting := time.AfterFunc(patience, m.reportWaiting)
	defer waiting.Stop()
	for _, s := range m.servers {
		starting.Go(func() { s.start(ctx) })
	}
	for _, s := range m.servers { // in the file's order, each as soon as it is known
		<-s.started
		s.report()
	}
	starting.Wait()
	return nil
}

// reportWaiting names the servers that are not ready yet.
func (m *MCP) reportWaiting() {
	for _, s := range m.servers {
		select {
		case <-s.started:
		default:
			m.console.Errorf("[mcp] %s: waiting for %s, %g s at most; Ctrl-C goes on without it\n",
				visibleLine(s.config.Name), visibleLine(s.config.target()), s.config.StartTimeout.Seconds())
		}
	}
}

// Close stops all servers side by side, within 5 seconds: a program that ends leaves no process behind.
func (m *MCP) Close() {
	m.mu.Lock()
	m.closing = true
	m.mu.Unlock()
	var closing sync.WaitGroup
	for _, s := range m.servers {
		closing.Go(s.close)
	}
	closing.Wait()
	m.watchers.Wait()
	if err := m.wire.close(); err != nil {
		m.console.Errorf("[mcp] the wire log is not complete: %v\n", err)
	}
}

// isClosing reports whether Close was called: from then on the end of a connection is no news.
func (m *MCP) isClosing() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.closing
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// server is one entry of mcp.json for as long as the agent runs. Its connection may come and go: when it has ended, the
// next call starts the server anew, once.
type server struct {
	host    *MCP
	config  *serverConfig
	adapter toolAdapter
	started chan struct{} // closed when the first start has succeeded or failed

	connecting chan struct{} // holds one value while somebody connects

	mu       sync.Mutex // guards what follows
	client   *client    // nil before the first connection
	stderr   *stderrTail
	err      error        // why the last attempt to connect failed
	attempts int          // how often it was tried to connect
	tools    []serverTool // of the last list
	warned   map[string]bool
}

func newServer(m *MCP, config *serverConfig, all []*serverConfig) *server {
	s := &server{
		host: m, config: config,
		started: make(chan struct{}), connecting: make(chan struct{}, 1),
		warned: map[string]bool{},
	}
	s.adapter = toolAdapter{
		Server: config.Name, Globs: config.Tools, Seen: &m.seen,
		Call: s.call, Failed: s.failed,
		Progress: func(tool, text string) { s.note("%s: %s", tool, text) },
	}
	for _, other := range all {
		s.adapter.Servers = append(s.adapter.Servers, other.Name)
	}
	return s
}

// note tells the person something about the server, on a line of its own.
func (s *server) note(format string, args ...any) {
	s.host.console.Errorf("[mcp] %s: %s\n", visibleLine(s.config.Name), visibleLine(fmt.Sprintf(format, args...)))
}

// start makes the first connection, unless the entry is switched off or wrong.
func (s *server) start(ctx context.Context) {
	defer close(s.started)
	switch {
	case s.config.Disabled:
	case s.config.Err != nil:
		s.err = s.config.Err // nobody else looks at it before started is closed
	default:
		_, _ = s.live(ctx) // the error is kept in s.err
	}
}

// live returns the connection, and makes one if there is none. Callers that wait for the same attempt share its result.
func (s *server) live(ctx context.Context) (*client, error) {
	c, attempts := s.current()
	if c != nil {
		return c, nil
	}
	select {
	case s.connecting <- struct{}{}:
		defer func() { <-s.connecting }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if c, now := s.current(); c != nil {
		return c, nil
	} else if now != attempts {
		s.mu.Lock()
		defer s.mu.Unlock()
		return nil, s.err
	}
	c, err := s.connect(ctx)
	if err == nil && attempts > 0 {
		s.note("started again")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attempts++
	s.client, s.err = c, err
	return c, err
}

// current returns the connection if it is alive, and the number of attempts so far.
func (s *server) current() (*client, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil || s.client.ended() {
		return nil, s.attempts
	}
	return s.client, s.attempts
}

// connect starts the server, shakes hands and lists its tools. The whole has a limit too: a server could answer each of
// many requests just in time.
func (s *server) connect(ctx context.Context) (*client, error) {
	limit := s.config.StartTimeout + s.config.Timeout
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &connectionError{reason: fmt.Sprintf("not ready in %v", limit), late: true})
	defer cancel()
	p := peer{name: s.config.Name, wire: s.host.wire, note: s.note}
	c, err := connect(ctx, p, limits{s.config.StartTimeout, s.config.Timeout}, s.config.ProtocolVersion, s.open)
	if err != nil {
		return nil, err
	}
	if err := s.refresh(ctx, c); err != nil {
		_ = c.close() // err says more
		return nil, fmt.Errorf("tools/list: %w", err)
	}
	s.host.watchers.Go(func() { s.watch(c) })
	return c, nil
}

// open starts the process of the server.
func (s *server) open(p peer) (transport, error) {
	process, err := startProcess(launch{s.config.Command, s.config.Args, s.config.Env, s.config.Dir}, p, func(line string) {
		s.host.console.Errorf("[mcp:%s] %s\n", visibleLine(s.config.Name), line)
	})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stderr = process.stderr
	return process, nil
}

// watch is the goroutine that belongs to a connection. It lists the tools again when the server announces others, away
// from the connection's reader, and ends with the connection.
func (s *server) watch(c *client) {
	for {
		select {
		case <-c.changed:
			if err := s.refresh(context.Background(), c); err != nil && !c.ended() {
				s.note("its new list of tools could not be read, the old one stays: %v", err)
			}
		case <-c.done:
			if !s.host.isClosing() {
				s.note("%v", c.cause)
			}
			return
		}
	}
}

// refresh lists the tools and offers them. A tool that needs attention is reported once.
func (s *server) refresh(ctx context.Context, c *client) error {
	list, err := c.listTools(ctx)
	if err != nil {
		return err
	}
	tools, warnings := s.adapter.tools(list)
	s.mu.Lock()
	s.tools = tools
	var fresh []string
	for _, warning := range warnings {
		if !s.warned[warning] {
			s.warned[warning] = true
			fresh = append(fresh, warning)
		}
	}
	s.mu.Unlock()
	for _, warning := range fresh {
		s.note("%s", warning)
	}
	s.host.offer()
	return nil
}

// list returns the tools of the last listing, also after the connection has ended: a call brings the server back.
func (s *server) list() []serverTool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools
}

// call is a tools/call on the connection that there is, or a new one. It is never repeated: it may have been done.
func (s *server) call(ctx context.Context, tool string, args json.RawMessage, show func(string)) (json.RawMessage, error) {
	c, err := s.live(ctx)
	if err != nil {
		return nil, err
	}
	result, err := c.callTool(ctx, tool, args, func(p progress) { show(p.String()) })
	var refused *rpcError
	if errors.As(err, &refused) && (refused.Code == invalidParams || refused.Code == methodNotFound) {
		c.listAgain() // it may not have this tool any more
	}
	return result, err
}

// failed tells the person why a call failed. That its connection has ended is told by watch.
func (s *server) failed(err error) {
	if s.reason() == nil || !errors.Is(err, s.reason()) {
		s.note("%v", err)
	}
}

// reason is why there is no connection, nil while there is one.
func (s *server) reason() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client != nil && s.client.ended() {
		return s.client.cause
	}
	return s.err
}

func (s *server) close() {
	s.mu.Lock()
	c := s.client
	s.mu.Unlock()
	if c != nil {
		_ = c.close() // nobody is left to act on an error
	}
}

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

	connecting chan struct{}      // holds one value while somebody connects
	settling   chan chan struct{} // from settle to watch, which closes what it gets

	lines limiter // of what it makes us print
	lists limiter // of what it makes us ask

	mu       sync.Mutex // guards what follows
	client   *client    // nil before the first connection
	stderr   *stderrTail
	err      error        // why the last attempt to connect failed
	attempts int          // how often it was tried to connect
	tools    []serverTool // of the last list
	warned   map[string]bool
}

// newServer returns the entry, not started; all are the entries of the file, for the names of its tools.
func newServer(m *MCP, config *serverConfig, all []*serverConfig) *server {
	s := &server{
		host: m, config: config,
		started: make(chan struct{}), connecting: make(chan struct{}, 1),
		settling: make(chan chan struct{}), warned: map[string]bool{},
		lines: limiter{perSecond: linesPerSecond}, lists: limiter{perSecond: listsPerSecond},
	}
	s.adapter = toolAdapter{
		Server: config.Name, Globs: config.Tools, Seen: &m.seen, Redact: m.console.redact,
		Call: s.call, Failed: s.failed,
		Progress: func(tool, text string) { s.note("%s: %s", tool, text) },
	}
	for _, other := range all {
		s.adapter.Servers = append(s.adapter.Servers, other.Name)
	}
	return s
}

// tell prints what a person has to know of the server: that it is there, or why not.
func (s *server) tell(format string, args ...any) {
	s.host.console.Errorf("[mcp] %s: %s\n", visibleLine(s.config.Name), visibleLine(fmt.Sprintf(format, args...)))
}

// note is tell for what the server makes us print.
func (s *server) note(format string, args ...any) {
	s.show("[mcp] %s: %s\n", fmt.Sprintf(format, args...))
}

// show prints a line with the server's name. A server that makes us print without end must not drown everything else:
// beyond some lines a second they are left out.
func (s *server) show(format, text string) {
	switch show, last := s.lines.next(); {
	case show:
		s.host.console.Errorf(format, visibleLine(s.config.Name), visibleLine(text))
	case last:
		s.tell("more than %d lines a second; the others are left out", linesPerSecond)
	}
}

// list returns the tools of the last listing, also after the connection has ended: a call brings the server back.
func (s *server) list() []serverTool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools
}

// tool returns a tool of the last listing by its name on the wire, the zero one if it is not there.
func (s *server) tool(original string) serverTool {
	for _, tool := range s.list() {
		if tool.Original == original {
			return tool
		}
	}
	return serverTool{}
}

// call is a tools/call on the connection that there is, or a new one, of a tool as it was when it was allowed. It is
// never repeated: it may have been done.
func (s *server) call(ctx context.Context, allowed serverTool, args json.RawMessage, show func(string)) (json.RawMessage, error) {
	c, err := s.live(ctx)
	if err != nil {
		return nil, err
	}
	switch now := s.tool(allowed.Original); { // a new start, or an announcement, may have made something else of it
	case now.Original == "":
		return nil, errors.New("not sent: the server has no such tool any more")
	case !now.same(allowed):
		return nil, errors.New("not sent: the server defines this tool differently now; call it again if it still fits")
	}
	result, err := c.callTool(ctx, allowed.Original, args, func(p progress) { show(p.String()) })
	var lost *connectionError
	if errors.As(err, &lost) && !lost.late && !c.ended() {
		err = &connectionError{reason: err.Error(), err: err, alive: true}
	}
	var refused *rpcError
	if errors.As(err, &refused) && (refused.Code == invalidParams || refused.Code == methodNotFound) {
		c.listAgain() // it may not have this tool any more
	}
	s.settle(ctx, c)
	return result, err
}

// failed tells the person why a call failed. That its connection has ended is told by tellEnd.
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

// close ends the connection, if there is one.
func (s *server) close() {
	s.mu.Lock()
	c := s.client
	s.mu.Unlock()
	if c != nil {
		_ = c.close() // nobody is left to act on an error
	}
}

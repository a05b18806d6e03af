package main

import (
	"context"
	"fmt"
	"time"
)

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
	switch {
	case attempts == 0: // report tells of it
	case err == nil:
		s.note("started again")
	case ctx.Err() == nil:
		s.note("could not be started again: %v", err)
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
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &connectionError{reason: fmt.Sprintf("not ready in %g s", limit.Seconds()), late: true})
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

// open makes the transport: a server of ours is a process, one of somebody else's is reached over HTTP.
func (s *server) open(p peer) (transport, error) {
	if s.config.URL != "" {
		return openHTTP(remote{s.config.URL, s.config.Headers}, p)
	}
	process, err := startProcess(launch{s.config.Command, s.config.Args, s.config.Env, s.config.Dir}, p, s.passOn())
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stderr = process.stderr
	return process, nil
}

// passOn returns the function that shows the lines of a server's stderr: some each second, since a server that writes
// without end must not drown everything else. /mcp NAME has the last ones.
func (s *server) passOn() func(line string) {
	const perSecond = 50
	var since time.Time
	shown := 0
	return func(line string) { // by one goroutine
		if now := time.Now(); now.Sub(since) > time.Second {
			since, shown = now, 0
		}
		switch shown++; {
		case shown <= perSecond:
			s.host.console.Errorf("[mcp:%s] %s\n", visibleLine(s.config.Name), line)
		case shown == perSecond+1:
			s.note("writes more than %d lines a second to its stderr; the others are left out", perSecond)
		}
	}
}

// watch is the goroutine that belongs to a connection. It lists the tools again when the server announces others, away
// from the connection's reader, and ends with the connection.
func (s *server) watch(c *client) {
	for {
		select {
		case <-c.changed:
			s.refreshAgain(c)
		case settled := <-s.settling:
			select {
			case <-c.changed:
				s.refreshAgain(c)
			default:
			}
			close(settled)
		case <-c.done:
			s.tellEnd(c)
			return
		}
	}
}

// tellEnd tells the person, once, why a connection has ended. A call that has failed for it returns after that: the
// cause stands on the screen before its consequences.
func (s *server) tellEnd(c *client) {
	c.farewell.Do(func() {
		if !s.host.isClosing() {
			s.note("%v", c.cause)
		}
	})
}

// settle waits until watch has taken in what the server has announced so far: what a call changes holds for the model's
// next request, and a tool that says something else now is asked about.
func (s *server) settle(ctx context.Context, c *client) {
	settled := make(chan struct{})
	select {
	case s.settling <- settled:
	case <-c.done:
		s.tellEnd(c)
		return
	case <-ctx.Done():
		return
	}
	select {
	case <-settled:
	case <-ctx.Done():
	}
}

// refreshAgain is refresh where there is a list already.
func (s *server) refreshAgain(c *client) {
	if err := s.refresh(context.Background(), c); err != nil && !c.ended() {
		s.note("its new list of tools could not be read, the old one stays: %v", err)
	}
}

// refresh lists the tools and offers them. A tool that needs attention is reported once.
func (s *server) refresh(ctx context.Context, c *client) error {
	list, err := c.listTools(ctx)
	if err != nil {
		return err
	}
	for i, tool := range list {
		list[i] = tool.redacted(s.host.console.redact)
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

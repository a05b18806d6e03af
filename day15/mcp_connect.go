package main

import (
	"context"
	"fmt"
)

// start makes the first connection, unless the entry is switched off or wrong.
func (s *server) start(ctx context.Context) {
	defer close(s.started)
	switch {
	case s.config.Disabled:
	case s.config.Err != nil:
		s.err = s.config.Err // nobody else looks at it before started is closed
	default:
		if _, err := s.live(ctx); err != nil { // live keeps it too, but not where ctx ended before it tried
			s.mu.Lock()
			s.err = err
			s.mu.Unlock()
		}
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
		return nil, s.reason()
	}
	c, err := s.connect(ctx)
	switch {
	case attempts == 0: // report tells of it
	case err == nil:
		s.tell("started again")
	case ctx.Err() == nil:
		s.tell("could not be started again: %v", err)
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
	late := &connectionError{reason: fmt.Sprintf("not ready in %g s", limit.Seconds()), late: true}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, late)
	defer cancel()
	p := peer{name: s.config.Name, wire: s.host.wire, redact: s.host.console.redact, note: s.note}
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
	start := launch{s.config.Command, s.config.Args, s.config.Env, s.config.Dir}
	process, err := startProcess(start, p, func(line string) { s.show("[mcp:%s] %s\n", line) })
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stderr = process.stderr
	return process, nil
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// client is a connection to one MCP server, by whatever transport:
//
//	→ initialize                   what we speak; the server answers with its version, name and capabilities
//	→ notifications/initialized
//	→ tools/list                   once for each page
//	→ tools/call                   any number, side by side
//	  ← notifications/progress     while a call runs
//	  ← notifications/tools/list_changed
//	→ notifications/cancelled      for a call that we give up
//
// A server of the stateless version is asked server/discover in place of the first two. A client does not come back to
// life: when its connection has ended, connect anew.
type client struct {
	limits    limits
	note      func(format string, args ...any)
	transport transport

	changed chan struct{} // holds one value when the server has announced other tools; whoever takes it lists them anew
	done    chan struct{} // closed when the connection has ended, after cause is set
	cause   error

	toldEnd sync.Once // for whoever tells a person that it has ended

	mu      sync.Mutex // guards what follows
	session session
	tokens  int64 // the progress token given last
	watches map[int64]watch
}

// limits says how long a server may take for one answer.
type limits struct {
	start   time.Duration // for the first one: npx and go run may have to fetch or compile before it
	request time.Duration // for each of the others; progress starts it anew
}

// session is what the handshake has brought to light.
type session struct {
	era
	server       implementation
	instructions string // of the server, for a model; "" where there are none
	tools        bool   // it offers tools
}

// connect opens a transport and agrees with the server on a version: version first, "" being the newest with a
// handshake. p.name, p.wire and p.note are the caller's. On failure nothing is left open.
func connect(ctx context.Context, p peer, l limits, version string, open func(peer) (transport, error)) (*client, error) {
	c := &client{
		note: p.note, limits: l,
		changed: make(chan struct{}, 1),
		done:    make(chan struct{}),
		watches: map[int64]watch{},
	}
	p.notified = c.notified
	p.silent = func() bool { return c.current().stateless() }
	p.ended = func(cause error) { c.cause = cause; close(c.done) }
	t, err := open(p)
	if err != nil {
		return nil, err
	}
	c.transport = t
	if version == "" {
		version = handshakeVersion
	}
	if err := c.negotiate(ctx, version); err != nil {
		_ = t.close() // err says more than a connection that does not even close
		return nil, err
	}
	return c, nil
}

// close ends the connection; for a child process that takes 5 seconds at most.
func (c *client) close() error { return c.transport.close() }

// current returns the session. A server may make us agree on another version later.
func (c *client) current() session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

// notified takes the server's notifications from the transport's reader. "The receiver MUST NOT send a response", and
// the ones that we do not know are nothing to worry about.
func (c *client) notified(method string, params json.RawMessage) {
	switch method {
	case "notifications/progress":
		c.progressed(params)
	case "notifications/tools/list_changed":
		c.listAgain()
	}
}

// listAgain says that the tools have to be listed anew.
func (c *client) listAgain() {
	select {
	case c.changed <- struct{}{}:
	default: // the last announcement was not taken yet: one list answers both
	}
}

// ended reports whether the connection is over; then cause says why.
func (c *client) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// request sends a request in the terms of the era and checks its result. Where the server turns out to speak another
// version than was agreed upon ("the client SHOULD select a mutually supported version and retry the request"), that
// happens once.
func (c *client) request(ctx context.Context, method string, params func(era) any) (json.RawMessage, error) {
	for retried := false; ; retried = true {
		e := c.current().era
		raw, err := c.transport.call(ctx, method, params(e))
		if err == nil {
			return e.result(raw)
		}
		refused, data := refusal(err)
		next := commonVersion(data.Supported)
		if refused == nil || refused.Code != unsupportedVersion || next == "" || retried {
			return nil, e.failure(err)
		}
		if err := c.negotiate(ctx, next); err != nil {
			return nil, err
		}
	}
}

// within gives a request its time limit: the context ends with a *connectionError as its cause, unless the timer is
// started anew. The caller has to call release.
func within(ctx context.Context, limit time.Duration, method string) (_ context.Context, timer *time.Timer, release func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer = time.AfterFunc(limit, func() {
		cancel(&connectionError{reason: fmt.Sprintf("no answer to %s in %d ms", method, limit.Milliseconds()), late: true})
	})
	return ctx, timer, func() {
		timer.Stop()
		cancel(nil)
	}
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// What one server may cost us.
const (
	patience       = time.Second            // for its start, before the person is told what we wait for
	linesPerSecond = 50                     // that it makes us print
	lineWidth      = 200                    // of each, in characters
	listPause      = 250 * time.Millisecond // between two lists of its tools
	maxFailures    = 3                      // calls in a row that may find it not available …
	restTime       = 30 * time.Second       // … before it is left alone for this long
)

// server is one entry of mcp.json for as long as the agent runs. When its connection has ended, the next call starts it anew.
type server struct {
	mcp    *MCP
	config *serverConfig
	label  string // its name, for the screen
	prefix string // of the names of its tools

	connecting sync.Mutex
	listing    sync.Mutex
	listed     time.Time // when its tools were listed; guarded by listing

	mu    sync.Mutex      // guards what follows; never held while waiting
	state                 // what now returns
	told  map[string]bool // the kinds of oddities that were noted
}

// state is how a server is.
type state struct {
	transport transport    // the last one, connected or not yet
	client    *client      // the last connection; nil before there was one
	err       error        // why there is none now, nil if there is
	tried     time.Time    // when it was tried last to connect
	tools     []serverTool // of the last list, also after the connection has ended
	offered   []serverTool // of them, to the model
	stderr    []string     // its last lines
	calls     int
	failed    int       // of the calls
	failures  int       // of them, in a row
	missed    time.Time // when the last of them failed
	closed    bool      // nothing is shown any more
	second    time.Time // since when lines are counted
	lines     int
}

// errSkipped is the state of a server that was not started, or whose start was interrupted.
var errSkipped = errors.New("skipped")

// newServer returns the server of an entry, not started yet; an entry with a mistake stays as it is, with its error.
func newServer(m *MCP, config *serverConfig) *server {
	return &server{mcp: m, config: config, label: visibleLine(config.name), prefix: "mcp_" + underscored(config.name) + "_",
		told: map[string]bool{}, state: state{err: cmp.Or(config.err, errSkipped)}}
}

// update changes what mu guards, and returns how the server is then.
func (s *server) update(change func()) state {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	return s.state
}

// now returns how the server is.
func (s *server) now() state { return s.update(func() {}) }

// live returns the connection, nil if there is none now. Whoever finds that it has ended tells the person.
func (s *server) live() *client {
	var before error
	now := s.update(func() {
		if before = s.err; before == nil {
			s.err = s.client.ended()
		}
	})
	switch {
	case now.err == nil:
		return now.client
	case before == nil:
		s.tell("%v", now.err)
	}
	return nil
}

// connection returns the connection, and makes one if there is none. Whoever has waited for the attempt of another
// shares its result.
func (s *server) connection(ctx context.Context) (*client, error) {
	came := time.Now()
	s.connecting.Lock()
	defer s.connecting.Unlock()
	if c := s.live(); c != nil {
		return c, nil
	}
	before := s.now()
	switch {
	case before.tried.After(came):
		return nil, before.err
	case before.client != nil:
		before.client.close() // returns when nothing is left of it
	}
	c, err := s.connect(ctx)
	s.update(func() { s.client, s.err, s.tried = c, err, time.Now() })
	s.timed("started", came)
	switch {
	case before.tried.IsZero(): // start tells of it
	case err != nil:
		s.tell("could not be started again: %v", err)
	default:
		s.tell("started again")
	}
	return c, err
}

// connect starts the server, agrees on a version and lists its tools. On failure, or where ctx has ended, nothing is left open.
func (s *server) connect(ctx context.Context) (*client, error) {
	waiting := time.AfterFunc(patience, func() {
		s.tell("waiting for %s, %g s at most; Ctrl-C goes on without it", s.config.target, s.config.limits.start.Seconds())
	})
	defer waiting.Stop()
	var c *client
	err := ctx.Err()
	if err == nil {
		c, err = connect(ctx, peer{note: s.note, wire: s.wire}, s.config.limits, s.config.Version, s.open)
	}
	if err == nil {
		if err = s.list(ctx, c); err == nil {
			return c, nil
		}
		c.close()
	}
	if ctx.Err() != nil {
		err = errSkipped
	}
	return nil, err
}

// open makes the transport: a server of ours is a process, one of somebody else's is reached over HTTP.
func (s *server) open(p peer) (t transport, err error) {
	s.update(func() { s.stderr = nil })
	if s.config.URL != "" {
		t, err = openHTTP(s.config.URL, s.config.Headers, p)
	} else {
		t, err = startProcess(s.config, p, s.heard)
	}
	s.update(func() { s.transport = t })
	return t, err
}

// list lists the tools and offers them; after a pause, since some servers announce another list with each.
func (s *server) list(ctx context.Context, c *client) error {
	s.listing.Lock()
	defer s.listing.Unlock()
	select {
	case <-time.After(listPause - time.Since(s.listed)):
	case <-ctx.Done():
		return ctx.Err()
	}
	began := time.Now()
	list, err := c.listTools(ctx)
	s.timed("tools listed", began)
	s.listed = time.Now()
	if err != nil {
		return fmt.Errorf("tools/list: %w", err)
	}
	tools := s.adapt(list, *c.era.Load())
	s.update(func() { s.tools = tools })
	s.mcp.offer()
	return nil
}

// refresh lists the tools again if the last list is stale.
func (s *server) refresh(ctx context.Context) {
	c := s.live()
	if c == nil || !c.stale.CompareAndSwap(true, false) {
		return
	}
	if err := s.list(ctx, c); ctx.Err() != nil {
		c.stale.Store(true)
	} else if err != nil {
		s.note("list", "its new list of tools could not be read, the old one stays: %v", err)
	}
}

// close ends the connection. Whoever calls it has ended the context of all that may open another one.
func (s *server) close() {
	if t := s.update(func() { s.closed, s.err = true, errSkipped }).transport; t != nil {
		t.close()
	}
}

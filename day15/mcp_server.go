package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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

// server is one entry of mcp.json for as long as the agent runs. Its connection may come and go: when it has ended, the
// next call starts the server anew.
type server struct {
	mcp    *MCP
	config *serverConfig
	label  string // its name, for the screen

	connecting sync.Mutex
	listing    sync.Mutex
	listed     time.Time // when its tools were listed; guarded by listing

	mu     sync.Mutex      // guards what follows; never held while waiting
	state                  // what now returns
	told   map[string]bool // the kinds of oddities that were noted
	second time.Time       // since when lines are counted
	lines  int
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
}

// errSkipped is the state of a server that was not started, or whose start was interrupted.
var errSkipped = errors.New("skipped")

// newServer returns the server of an entry, not started yet; an entry with a mistake stays as it is, with its error.
func newServer(m *MCP, config *serverConfig) *server {
	return &server{mcp: m, config: config, label: visibleLine(config.name), told: map[string]bool{},
		state: state{err: cmp.Or(config.err, errSkipped)}}
}

// now returns how the server is.
func (s *server) now() state {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// live returns the connection, nil if there is none now. Whoever finds that it has ended tells the person.
func (s *server) live() *client {
	s.mu.Lock()
	c, before := s.client, s.err
	if before == nil {
		s.err = c.ended()
	}
	err := s.err
	s.mu.Unlock()
	switch {
	case err == nil:
		return c
	case before == nil:
		s.tell("%v", err)
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
	s.mu.Lock()
	s.client, s.err, s.tried = c, err, time.Now()
	s.mu.Unlock()
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

// connect starts the server, agrees with it on a version and lists its tools. On failure, and where ctx has ended, nothing
// is left open.
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
	if s.config.URL != "" {
		t, err = openHTTP(s.config.URL, s.config.Headers, p)
	} else {
		t, err = startProcess(s.config, p, s.heard)
	}
	s.mu.Lock()
	s.transport = t
	s.mu.Unlock()
	return t, err
}

// list lists the tools and offers them; not before a pause after the last time, since a server that announces others with
// each list would keep us asking.
func (s *server) list(ctx context.Context, c *client) error {
	s.listing.Lock()
	defer s.listing.Unlock()
	select {
	case <-time.After(listPause - time.Since(s.listed)):
	case <-ctx.Done():
	}
	began := time.Now()
	list, err := c.listTools(ctx)
	s.timed("tools listed", began)
	s.listed = time.Now()
	if err != nil {
		return fmt.Errorf("tools/list: %w", err)
	}
	tools := s.adapt(list)
	s.mu.Lock()
	s.tools = tools
	s.mu.Unlock()
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

// ready returns an error, for the model, if a call of the tool cannot work: the server is left alone, or its list shows
// that the tool is gone or something else now.
func (s *server) ready(ctx context.Context, tool serverTool) error {
	s.refresh(ctx)
	now := s.now()
	if rest := now.rest(); rest != "" {
		return fmt.Errorf("server %s is not available: %s", s.config.name, rest)
	}
	if slices.ContainsFunc(now.tools, func(t serverTool) bool { return t.said == tool.said }) {
		return nil
	}
	return errors.New("not sent: the server defines this tool differently now, or no more; call it again if it still fits")
}

// rest says how long the server is left alone, "" if it is not.
func (s state) rest() string {
	rest := restTime - time.Since(s.missed)
	if s.failures < maxFailures || rest <= 0 {
		return ""
	}
	return fmt.Sprintf("it has failed %d times in a row; it is tried again in %d s", s.failures, int(rest.Seconds())+1)
}

// call calls a tool as it was when it was allowed. What was certainly not carried out is sent once more over a new
// connection; all else is never repeated: it may have been done.
func (s *server) call(ctx context.Context, tool serverTool, args json.RawMessage) (raw json.RawMessage, _ error) {
	for again := false; ; again = true {
		c, err := s.connection(ctx)
		if err == nil {
			if err := s.ready(ctx, tool); err != nil { // a new start may have made something else of it
				return nil, err
			}
			raw, err = s.callOn(ctx, c, tool, args)
		}
		var lost *connectionError
		missed := errors.As(err, &lost) && ctx.Err() == nil
		if !missed || c == nil || again || !lost.unsent {
			s.count(err, missed)
			return raw, err
		}
	}
}

// callOn calls a tool. While that takes long, the tools are listed again where the list is stale: there are servers that
// answer only then.
func (s *server) callOn(ctx context.Context, c *client, tool serverTool, args json.RawMessage) (json.RawMessage, error) {
	calling, done := context.WithCancel(ctx)
	var listing sync.WaitGroup
	listing.Go(func() {
		for calling.Err() == nil {
			select {
			case <-calling.Done():
			case <-time.After(listPause):
				s.refresh(calling)
			}
		}
	})
	defer listing.Wait()
	defer done()
	return c.callTool(ctx, tool.info, args, func(text string) { s.note("", "%s: %s", tool.Name, text) })
}

// count keeps account of a call, and tells the person why the server was missed, unless the person knows.
func (s *server) count(err error, missed bool) {
	s.live() // tells of its end
	s.mu.Lock()
	known := fmt.Sprint(err) == fmt.Sprint(s.err)
	s.calls++
	if missed {
		s.failed++
		s.failures++
		s.missed = time.Now()
	} else {
		s.failures = 0
	}
	s.mu.Unlock()
	if missed && !known {
		s.note("", "%v", err)
	}
}

// close ends the connection. Whoever calls it has ended the context of all that may open another one.
func (s *server) close() {
	s.mu.Lock()
	s.closed, s.err = true, errSkipped
	t := s.transport
	s.mu.Unlock()
	if t != nil {
		t.close()
	}
}

// heard takes a line of the server's stderr.
func (s *server) heard(line string) {
	s.mu.Lock()
	s.stderr = append(s.stderr[max(0, len(s.stderr)-stderrLines+1):], line)
	s.mu.Unlock()
	s.show("[mcp:"+s.label+"]", line)
}

// wire implements peer.
func (s *server) wire(arrow string, frame []byte) { s.mcp.wire(s.config.name, arrow, frame) }

// tell prints what a person has to know of the server: that it is there, or why not.
func (s *server) tell(format string, args ...any) {
	s.mcp.say("%s: %s", s.label, fmt.Sprintf(format, args...))
}

// timed tells with -time how long something took.
func (s *server) timed(what string, began time.Time) {
	if s.mcp.times {
		s.tell("%s in %.3f s", what, time.Since(began).Seconds())
	}
}

// note implements peer: it is tell for what the server makes us print.
func (s *server) note(kind, format string, args ...any) {
	s.mu.Lock()
	told := kind != "" && (s.told[kind] || len(s.told) > 100)
	s.told[kind] = true
	s.mu.Unlock()
	if !told {
		s.show("[mcp] "+s.label+":", fmt.Sprintf(format, args...))
	}
}

// show prints a line. A server that makes us print without end must not drown everything else: beyond some lines a second
// they are left out, and all that come after we have closed it.
func (s *server) show(prefix, text string) {
	s.mu.Lock()
	if time.Since(s.second) >= time.Second {
		s.second, s.lines = time.Now(), 0
	}
	s.lines++
	lines, closed := s.lines, s.closed
	s.mu.Unlock()
	switch {
	case closed:
	case lines <= linesPerSecond:
		s.mcp.console.Errorf("%s %s\n", prefix, s.mcp.line(text, lineWidth))
	case lines == linesPerSecond+1:
		s.tell("more than %d lines a second; the others are left out", linesPerSecond)
	}
}

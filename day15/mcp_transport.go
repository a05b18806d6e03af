package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// transport carries the messages of one connection to an MCP server and back. The protocol above does not know which
// one it has, and a transport does not know what the messages are about. One that has failed cleans up by itself.
type transport interface {
	// call sends a request and waits for its response. A server that answers with an error is an *rpcError, a connection
	// that fails, or an answer without a result, a *connectionError. Where ctx ends first, the error wraps ctx's cause,
	// and the server is told that nobody waits any more. Calls may run side by side.
	call(ctx context.Context, r request) (json.RawMessage, error)
	// notify sends a notification: nothing comes back, and nil does not mean that it has arrived.
	notify(ctx context.Context, r request) error
	// ended returns why the connection has ended, nil while it is there.
	ended() error
	// close ends the connection, and every call that still waits, and returns when nothing is left of it: after 5 s at
	// the latest. It may be called more than once, and at any time.
	close()
}

// request is a JSON-RPC request or notification, but for the id, which the transport gives.
type request struct {
	method string
	params json.RawMessage   // nil leaves it out: there are servers that do not answer to null
	header map[string]string // what is repeated outside of the message, by a transport that has an outside
}

// cancelled is the notification that nobody waits for the answer to the request with this id any more.
func cancelled(id int64, cause error) request {
	params := fmt.Appendf(nil, `{"requestId":%d,"reason":%s}`, id, quoted(cause.Error()))
	return request{method: "notifications/cancelled", params: params}
}

// peer is what a transport is given by its client. All functions are set; none may be called while a lock is held.
type peer struct {
	// notified is called with each notification of the server, in order, by whoever reads from it: it does not block.
	notified func(method string, params json.RawMessage)
	// silent reports whether the server's requests must be left unanswered.
	silent func() bool
	// note tells a person about an oddity of the server: once for each kind, and each time where kind is "". It takes
	// whole texts, and redacts and cuts them itself.
	note func(kind, format string, args ...any)
	// wire is called with each message as it goes over the wire, sent (→) or received (←).
	wire func(arrow string, frame []byte)
}

// receive takes a message of the server: it passes a notification on, and has a request answered by send. It returns a
// response, with ok false for everything else.
func (p peer) receive(frame []byte, send func(answer message)) (response message, ok bool) {
	p.wire("←", frame)
	m, known := parseMessage(frame)
	switch {
	case !known:
		p.note("noise", "sent what is no message: %s", frame)
	case m.Method != "" && !isNull(m.ID): // "The ID MUST NOT be null": such a request gets no answer
		if !p.silent() {
			send(m.answer())
		}
	case m.Method != "":
		p.notified(m.Method, m.Params)
	default:
		return m, true
	}
	return m, false
}

// connectionError says that the connection failed: it is gone, the server did not answer in time, or cannot be understood. An
// *rpcError is something else: a server that is well and says no.
type connectionError struct {
	reason string // for a person, in full: what happened, and where possible what to do
	public string // for a model, short and stable; "" says no more than that it failed
	unsent bool   // the request was certainly not carried out: it may be sent once more over a new connection
	unread []byte // of the end of a stream: what the server has not read
}

// broken is a connectionError of which the model reads no more than that the connection failed.
func broken(format string, args ...any) *connectionError {
	return &connectionError{reason: fmt.Sprintf(format, args...)}
}

func (e *connectionError) Error() string { return e.reason }

// say prints a line of our own, with whatever a server put into it.
func (m *MCP) say(format string, args ...any) {
	m.console.Errorf("[mcp] %s\n", m.line(fmt.Sprintf(format, args...), 500))
}

// line is the beginning of a foreign text on one line, at most limit characters.
func (m *MCP) line(text string, limit int) string {
	return m.console.Preview(colour.ReplaceAllString(text, ""), limit)
}

// heard takes a line of the server's stderr, and returns the last ones.
func (s *server) heard(line string) []string {
	s.show("[mcp:"+s.label+"]", line)
	return s.update(func() { s.stderr = append(s.stderr[max(0, len(s.stderr)-stderrLines+1):], line) }).stderr
}

// wire implements peer: with -wire it writes the message down, on one line, without secrets, and without times: the same
// session gives the same log.
func (s *server) wire(arrow string, frame []byte) {
	if s.mcp.wireFile == "" {
		return
	}
	line := s.mcp.console.redact.Redact(fmt.Sprintf("%s %s %s", s.config.name, arrow, bytes.TrimSpace(frame)))
	if line = visibleLine(line); s.mcp.log == nil {
		s.mcp.console.Errorf("%s\n", line)
	} else {
		fmt.Fprintln(s.mcp.log, line)
	}
}

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
	told := false
	s.update(func() {
		told = kind != "" && (s.told[kind] || len(s.told) > 100)
		s.told[kind] = true
	})
	if !told {
		s.show("[mcp] "+s.label+":", fmt.Sprintf(format, args...))
	}
}

// show prints a line. A server must not drown all else: beyond some lines a second they are left out, and all after we closed it.
func (s *server) show(prefix, text string) {
	now := s.update(func() {
		if time.Since(s.second) >= time.Second {
			s.second, s.lines = time.Now(), 0
		}
		s.lines++
	})
	switch {
	case now.closed:
	case now.lines <= linesPerSecond:
		s.mcp.console.Errorf("%s %s\n", prefix, s.mcp.line(text, lineWidth))
	case now.lines == linesPerSecond+1:
		s.tell("more than %d lines a second; the others are left out", linesPerSecond)
	}
}

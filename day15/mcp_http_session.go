package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// The headers of the eras with a handshake.
const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version" // in the stateless era as well
)

// httpSession is what a handshake over HTTP has brought, and all later requests repeat. It does not change.
type httpSession struct {
	id          string // "" if the server gives none
	version     string // that was agreed upon; "" until then
	listChanged bool   // the server says when its tools change
	hello       initializeParams
}

// mark puts the session into a request's headers. "Clients MUST include it in the Mcp-Session-Id header on all of their
// subsequent HTTP requests", and likewise the version.
func (s *httpSession) mark(header http.Header) {
	if s == nil {
		return
	}
	for name, value := range map[string]string{sessionHeader: s.id, versionHeader: s.version} {
		if value != "" {
			header.Set(name, value)
		}
	}
}

// isLost reports whether an answer with an error status says that the session is gone. By the specification that is 404;
// there are servers that send 400, with an error of one of these codes or none, and the reason in words.
func (s *httpSession) isLost(status int, body []byte, m rpcMessage) bool {
	switch {
	case s == nil || s.id == "":
		return false
	case status == http.StatusBadRequest && (m.Error == nil || m.Error.Code == -32000 || m.Error.Code == -32600):
		return bytes.Contains(bytes.ToLower(body), []byte("session"))
	}
	return status == http.StatusNotFound
}

// current returns the session, nil before a handshake.
func (e *endpoint) current() *httpSession {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.session
}

// established takes the session out of the answer to initialize.
func (e *endpoint) established(hello initializeParams, id string, answer json.RawMessage) {
	var result initializeResult
	var tools struct {
		ListChanged bool `json:"listChanged"`
	}
	_ = decodeLoosely(answer, &result)                   // whoever called initialize reads it more closely
	_ = decodeLoosely(result.Capabilities.Tools, &tools) // likewise
	e.mu.Lock()
	defer e.mu.Unlock()
	e.session = &httpSession{id, result.ProtocolVersion, tools.ListChanged, hello}
}

// renew replaces a lost session: "When a client receives HTTP 404 in response to a request containing an Mcp-Session-Id,
// it MUST start a new session by sending a new InitializeRequest without a session ID attached." All calls that have lost
// it share the new one. Where there is no new one, the connection has ended.
func (e *endpoint) renew(ctx context.Context, old *httpSession) (*httpSession, error) {
	select {
	case e.renewal <- struct{}{}:
		defer func() { <-e.renewal }()
	case <-ctx.Done():
		return old, context.Cause(ctx)
	}
	if s := e.current(); s != old {
		return s, nil // another call was first
	}
	err := e.handshake(ctx, old)
	switch {
	case err == nil:
		e.peer.notified("notifications/tools/list_changed", nil) // a server that was started anew may have others
		return e.current(), nil
	case ctx.Err() == nil:
		err = &connectionError{reason: fmt.Sprintf("it has lost our session, and there is no new one: %v", err), err: err}
		e.fail(err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.session = old // one that is half made is of no use to the others
	return old, err
}

// handshake repeats the one that old began with. What was agreed upon then has to come out again.
func (e *endpoint) handshake(ctx context.Context, old *httpSession) error {
	x, err := e.prepare("initialize", old.hello)
	if err != nil {
		return err
	}
	m, err := e.exchange(ctx, x)
	if err != nil {
		return err
	}
	if _, err := e.outcome(x, old.hello, m); err != nil {
		return err
	}
	if now := e.current().version; now != old.version {
		return fmt.Errorf("now it speaks protocol version %q", preview(now, 40))
	}
	return e.notify(ctx, "notifications/initialized", nil)
}

// leave gives the session back: "Clients that no longer need a particular session SHOULD send an HTTP DELETE". Whether
// the server takes it is its own affair.
func (e *endpoint) leave() {
	s := e.current()
	if s == nil || s.id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	if resp, err := e.send(ctx, http.MethodDelete, s, nil, nil); err == nil {
		_, _ = io.CopyN(io.Discard, resp.Body, 4<<10)
		resp.Body.Close()
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// lingering is how long the end of a stream is waited for when the response is there: a stream that was read to its end
// leaves its connection for the next call.
const lingering = 50 * time.Millisecond

// follow reads a stream up to the response. A stream that breaks off goes on elsewhere, where the server can do that.
func (e *endpoint) follow(ctx context.Context, cancel func(), x *exchange, resp *http.Response) (rpcMessage, error) {
	events := newEventReader(resp.Body)
	for {
		m, err := e.await(x, events, cancel)
		resp.Body.Close()
		var failure *connectionError
		switch {
		case err == nil:
			return m, nil
		case errors.As(err, &failure):
			return m, err
		case x.session == nil || events.lastID == "" || ctx.Err() != nil:
			return m, &connectionError{reason: fmt.Sprintf("its stream ended before the response to %s (%v)", x.method, err), err: err}
		}
		if resp, err = e.resume(ctx, x.session, events); err != nil {
			return m, err
		}
		events = events.goOn(resp.Body)
	}
}

// await reads events up to the response, and as much of what follows as comes at once; then it calls cancel.
func (e *endpoint) await(x *exchange, events *eventReader, cancel func()) (rpcMessage, error) {
	var response *rpcMessage
	for {
		frame, err := events.next()
		switch {
		case err != nil && response != nil:
			return *response, nil
		case err != nil:
			return rpcMessage{}, err
		}
		m, ok := e.receive(x.session, frame)
		switch {
		case !ok:
		case response != nil || !e.answers(x, m):
			e.noise.unknown(m.ID)
		default:
			response = &m
			defer time.AfterFunc(lingering, cancel).Stop()
		}
	}
}

// receive does what a message asks for: a request is answered in a POST of its own, a notification passed on. A response
// is returned.
func (e *endpoint) receive(session *httpSession, frame []byte) (m rpcMessage, response bool) {
	e.peer.wire.received(e.peer.name, frame)
	m, ok := parseMessage(frame)
	switch {
	case !ok && (m.JSONRPC != "2.0" || m.Error == nil): // an error may have no ID
		return m, false
	case m.isRequest():
		if session != nil { // else "The client MUST NOT send JSON-RPC responses"
			e.tell(session, m.answer())
		}
	case m.Method != "":
		e.peer.notified(m.Method, m.Params)
	default:
		return m, true
	}
	return m, false
}

// answers reports whether a response is the one to x. An error without an ID is: nothing else can be meant.
func (e *endpoint) answers(x *exchange, m rpcMessage) bool {
	id, exact, ok := number(m.ID)
	if m.Error != nil && (m.ID == nil || string(m.ID) == "null") {
		return true
	}
	if ok && id == x.id && !exact {
		e.noise.once(&e.noise.loose, "gives our id %d back as %s: accepted", id, preview(string(m.ID), 40))
	}
	return ok && id == x.id
}

// resume goes on with a stream that broke off: "The client MUST respect the retry field", and "it SHOULD issue an HTTP
// GET to the MCP endpoint, and include the Last-Event-ID header".
func (e *endpoint) resume(ctx context.Context, s *httpSession, events *eventReader) (*http.Response, error) {
	select {
	case <-time.After(max(events.retry, lingering)): // at least a little: a server may want none
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	resp, err := e.stream(ctx, s, events.lastID)
	if err != nil {
		return nil, &connectionError{reason: fmt.Sprintf("its stream broke off, and does not go on: %v", err), err: err}
	}
	return resp, nil
}

// stream GETs a stream: the rest of the one with the event lastID, or with "" one for what the server says on its own.
func (e *endpoint) stream(ctx context.Context, s *httpSession, lastID string) (*http.Response, error) {
	header := http.Header{"Accept": {"text/event-stream"}}
	if lastID != "" {
		header.Set("Last-Event-ID", lastID)
	}
	resp, err := e.send(ctx, http.MethodGet, s, header, nil)
	if err == nil && (resp.StatusCode != http.StatusOK || mediaType(resp) != "text/event-stream") {
		resp.Body.Close()
		return nil, e.unexpected(resp, nil)
	}
	return resp, err
}

// listen hears what the server says without being asked: that its tools have changed. The stream is optional for both
// sides, so a server without one is fine, and a stream that has ended stays so.
func (e *endpoint) listen(s *httpSession) {
	ctx, end := e.begin(context.Background())
	e.mu.Lock()
	before := e.unlisten
	e.unlisten = end
	e.mu.Unlock()
	before() // ends the stream of a lost session
	e.spawn(func() {
		defer end()
		resp, err := e.stream(ctx, s, "")
		if err != nil {
			return
		}
		defer resp.Body.Close()
		for events := newEventReader(resp.Body); ; {
			frame, err := events.next()
			if err != nil {
				return
			}
			if m, response := e.receive(s, frame); response {
				e.noise.unknown(m.ID)
			}
		}
	})
}

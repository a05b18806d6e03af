package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// exchange is a request and what belongs to it.
type exchange struct {
	id      int64
	method  string
	frame   []byte
	header  http.Header  // what repeats the message, see endpoint.headers
	session *httpSession // nil in the stateless era, and in initialize until it is answered
}

// prepare makes an exchange of a request.
func (e *endpoint) prepare(method string, params any) (*exchange, error) {
	x := &exchange{id: e.last.Add(1), method: method, header: e.headers(method, params)}
	if x.header == nil && method != "initialize" {
		x.session = e.current()
	}
	var err error
	x.frame, err = encodeLine(rpcRequest{JSONRPC: "2.0", ID: x.id, Method: method, Params: params})
	if err != nil {
		return nil, fmt.Errorf("cannot send %s: %w", method, err)
	}
	return x, nil
}

// outcome is the response as call returns it, once the transport has taken from it what concerns itself.
func (e *endpoint) outcome(x *exchange, params any, m rpcMessage) (json.RawMessage, error) {
	result, err := m.outcome()
	if err != nil {
		if m.Error.Code == headerMismatch && x.method == "tools/call" {
			// "The client SHOULD call tools/list to check for changes to the tool's inputSchema": for the next call
			e.peer.notified("notifications/tools/list_changed", nil)
		}
		return nil, err
	}
	if result == nil {
		result = json.RawMessage("null") // a server that leaves out a result of nothing
	}
	switch p := params.(type) {
	case initializeParams:
		e.established(p, x.session.id, result)
	case listParams:
		if x.header != nil {
			result = e.keepValid(result)
		}
	}
	return result, nil
}

// exchange posts a request and reads the answer: "The client MUST support both these cases", a JSON object and a stream.
func (e *endpoint) exchange(ctx context.Context, x *exchange) (rpcMessage, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	e.peer.wire.sent(e.peer.name, x.frame)
	resp, err := e.send(ctx, http.MethodPost, x.session, x.header, x.frame)
	if err != nil {
		return rpcMessage{}, err
	}
	if resp.StatusCode/100 == 2 {
		if x.method == "initialize" {
			x.session = &httpSession{id: resp.Header.Get(sessionHeader)}
		}
		switch mediaType(resp) {
		case "text/event-stream":
			return e.follow(ctx, cancel, x, resp)
		case "application/json":
			return e.only(x, resp)
		}
	}
	defer time.AfterFunc(farewell, cancel).Stop() // what is no answer need not come whole
	return e.rejected(x, resp)
}

// only reads a response that comes alone.
func (e *endpoint) only(x *exchange, resp *http.Response) (rpcMessage, error) {
	defer resp.Body.Close()
	body, err := readBody(resp)
	if err != nil {
		return rpcMessage{}, err
	}
	if m, ok := e.receive(x.session, body); ok && e.answers(x, m) {
		return m, nil
	}
	return rpcMessage{}, &connectionError{reason: fmt.Sprintf("its answer to %s is no response to request %d: %s",
		x.method, x.id, preview(e.peer.redact.Redact(string(body[:min(len(body), 64<<10)])), 100))}
}

// readBody reads a body that is one message.
func readBody(resp *http.Response) ([]byte, error) {
	var body bytes.Buffer
	body.Grow(int(min(max(resp.ContentLength, 0), 1<<20)) + bytes.MinRead) // a length may be a lie, but spares growing
	_, err := body.ReadFrom(io.LimitReader(resp.Body, maxLine+1))
	switch {
	case err != nil:
		return nil, &connectionError{reason: fmt.Sprintf("its answer broke off: %v", err), err: err}
	case body.Len() > maxLine:
		return nil, tooLong()
	}
	return oneMessage(body.Bytes()), nil
}

// mediaType is the type of a body without its parameters, in lower case.
func mediaType(resp *http.Response) string {
	media, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(media))
}

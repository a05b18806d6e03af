package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const sessionHeader = "Mcp-Session-Id"

// How long a server may take for what needs no response; and for word that a call was cancelled: there the caller waits.
const farewell, abandoned = time.Second, 200 * time.Millisecond

// endpoint is the transport to a server over Streamable HTTP: "Every JSON-RPC message sent from the client MUST be a new
// HTTP POST request to the MCP endpoint", and the response to a request comes as the answer to its POST:
//
//	call ── POST ──▶ server
//	call ◀── application/json: the response
//	     or
//	call ◀── text/event-stream: notifications and requests of the server, at last the response
//
// So each call reads its own answer, and there is no goroutine but the one that listens to what the server says on its own.
type endpoint struct {
	peer
	url     string
	client  *http.Client
	last    atomic.Int64    // the id given last
	headers sync.Map        // name → value: of the configuration, of the session if there is one, of the version agreed upon
	life    context.Context // ends with the connection; its cause says why
	end     context.CancelCauseFunc
	closing sync.Once
}

// openHTTP prepares a connection to a server at an absolute URL. Nothing is sent before the first call.
func openHTTP(address string, headers map[string]string, p peer) (transport, error) {
	e := &endpoint{peer: p, url: address, client: &http.Client{CheckRedirect: redirected}}
	e.life, e.end = context.WithCancelCause(context.Background())
	for name, value := range headers {
		e.headers.Store(name, value)
	}
	return e, nil
}

// call implements transport: a POST, whose answer is the response.
func (e *endpoint) call(ctx context.Context, r request) (json.RawMessage, error) {
	ctx, release := e.whileOpen(ctx)
	defer release()
	id := e.last.Add(1)
	resp, err := e.send(ctx, "POST", r.header, newRequest(id, r))
	var result json.RawMessage
	if err == nil {
		var m message
		if m, err = e.answer(ctx, id, r.method, resp); err == nil {
			result, err = m.outcome(r.method)
		}
	}
	switch {
	case err == nil:
		return result, nil
	case hasLostSession(resp, err):
		e.end(errLost)
		return nil, errLost
	case ctx.Err() == nil:
		return nil, err
	case !e.silent() && r.method != "initialize": // "MUST NOT be cancelled by clients"
		// "Disconnection SHOULD NOT be interpreted as the client cancelling its request." Where the server's requests stay
		// unanswered it is: "closing the SSE response stream is itself the cancellation signal".
		e.tell(context.WithoutCancel(ctx), abandoned, "POST", newRequest(0, cancelled(id, context.Cause(ctx))))
	}
	return nil, context.Cause(ctx)
}

// notify implements transport. Any status from 200 to 299 will do. After a handshake the server is listened to.
func (e *endpoint) notify(ctx context.Context, r request) error {
	e.headers.Store(versionHeader, r.header[versionHeader])
	resp, err := e.send(ctx, "POST", r.header, newRequest(0, r))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return refusal(resp, resp.Body)
	}
	if r.method == "notifications/initialized" {
		go e.listen()
	}
	return nil
}

// close implements transport. "Clients that no longer need a particular session SHOULD send an HTTP DELETE".
func (e *endpoint) close() {
	e.closing.Do(func() {
		e.end(errClosed)
		if _, given := e.headers.Load(sessionHeader); given {
			e.tell(context.Background(), farewell, "DELETE", nil)
		}
		e.client.CloseIdleConnections()
	})
}

// Why a connection ends.
var (
	errClosed = broken("the connection was closed")
	errLost   = &connectionError{reason: "it has lost our session", unsent: true} // the call was not even looked at
)

// ended implements transport.
func (e *endpoint) ended() error { return context.Cause(e.life) }

// whileOpen returns a context that ends with the connection, too; after the loss of a session a while later, so that the other
// calls hear of it themselves. The caller has to call release at the end.
func (e *endpoint) whileOpen(ctx context.Context) (_ context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(e.life, func() {
		if e.ended() == errLost {
			time.Sleep(farewell)
		}
		cancel(errClosed)
	})
	return ctx, func() { stop(); cancel(nil) }
}

// tell sends what has no response, and waits no longer than limit for the server to take it.
func (e *endpoint) tell(ctx context.Context, limit time.Duration, method string, m any) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if resp, err := e.send(ctx, method, nil, m); err == nil {
		resp.Body.Close() // whether the server takes it is its own affair
	}
}

// send makes one HTTP request; its body is the message m, or nothing. The caller has to close the answer's body.
func (e *endpoint) send(ctx context.Context, method string, header map[string]string, m any) (*http.Response, error) {
	var frame []byte
	if m != nil {
		frame, _ = encode(m) // what is raw in it was read as JSON
		e.wire("→", frame)
	}
	req, err := http.NewRequestWithContext(ctx, method, e.url, bytes.NewReader(frame))
	if err != nil {
		return nil, errors.New("its url cannot be read") // err would show all of it
	}
	e.headers.Range(func(name, value any) bool {
		req.Header.Set(name.(string), value.(string))
		return true
	})
	req.Host = req.Header.Get("Host") // "" stands for the host of the URL
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Accept-Encoding", "identity") // who compresses a stream tends to hold its events back
	req.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		req.Header.Set(name, value) // an argument may be empty
	}
	resp, err := e.client.Do(req)
	if err != nil { // its text begins with the URL, query and all
		return nil, broken("cannot reach its url: %v", errors.Unwrap(err))
	}
	return resp, err
}

// redirected allows a redirect only to the same server, which may get our credentials, with the same method: 301, 302 and 303
// make a GET of a POST, without the message.
func redirected(req *http.Request, via []*http.Request) error {
	first := via[0]
	if req.Method == first.Method && req.URL.Scheme == first.URL.Scheme && req.URL.Host == first.URL.Host && len(via) < 5 {
		return nil
	}
	return fmt.Errorf("it redirects (%d) to %s: if you trust that address, make it the url", req.Response.StatusCode, plainURL(req.URL))
}

// hasLostSession reports whether the server does not know our session any more: status 404, or in words, with 400 or even 200.
func hasLostSession(resp *http.Response, err error) bool {
	if resp == nil || resp.Request.Header.Get(sessionHeader) == "" {
		return false
	}
	status, code := resp.StatusCode, code(err)
	inWords := strings.Contains(strings.ToLower(err.Error()), "session")
	return status == 404 && code != methodNotFound || // else it is the method that was not found
		inWords && (status == 400 && code != invalidParams || status == 200 && code == -32001) // as the SDKs number it
}

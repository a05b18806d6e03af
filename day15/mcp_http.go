package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// remote says where a server is reached over HTTP.
type remote struct {
	url     string            // http or https, with whatever it takes to be let in
	headers map[string]string // sent with each request
}

// farewell is how long we try to tell a server what it need not answer: that a call was cancelled, that we leave.
const farewell = time.Second

// endpoint is the transport to a server over Streamable HTTP: "Every JSON-RPC message sent from the client MUST be a
// new HTTP POST request to the MCP endpoint", and the response to a request comes as the answer to its POST:
//
//	call ── POST ──▶ server
//	call ◀── application/json: the response
//	     or
//	call ◀── text/event-stream: notifications and requests of the server, at last the response
//
// So each call reads its own answer. Beside them, in goroutines that close waits for, runs what nobody waits for: the
// posts of tell, and the stream of listen.
type endpoint struct {
	peer   peer
	url    string      // without user name and password; its query may be secret
	header http.Header // of the configuration
	client *http.Client
	noise  noise
	last   atomic.Int64 // the ID given last

	renewal chan struct{} // holds a value while a lost session is being replaced
	ending  sync.Once
	closing sync.Once
	working sync.WaitGroup // the goroutines; added to with mu held, and only before the end

	mu       sync.Mutex                      // guards what follows; never held during a request
	cause    error                           // why the connection has ended
	running  map[int]context.CancelCauseFunc // ends what is under way
	begun    int                             // how many were ever under way: the last key of running
	telling  int                             // how many posts of tell are under way
	unlisten func()                          // ends the stream of listen
	session  *httpSession                    // nil before a handshake
	mirrors  map[string][]mirror             // by tool: the arguments that are repeated in headers
}

// openHTTP prepares a connection. Nothing is sent before the first call, so that only an unusable URL is an error.
func openHTTP(r remote, p peer) (*endpoint, error) {
	u, err := url.Parse(r.url)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, &connectionError{reason: "url must be a whole http or https URL"} // err would show all of it
	}
	e := &endpoint{
		peer: p, header: http.Header{}, client: newHTTPClient(),
		noise:   noise{note: p.note, redact: p.redact},
		renewal: make(chan struct{}, 1),
		running: map[int]context.CancelCauseFunc{},
		mirrors: map[string][]mirror{},

		unlisten: func() {},
	}
	if password, _ := u.User.Password(); u.User != nil {
		e.header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password)))
	}
	for name, value := range r.headers {
		e.header.Set(name, value)
	}
	u.User, u.Fragment = nil, ""
	e.url = u.String()
	return e, nil
}

// call implements transport: a POST, whose answer is the response.
func (e *endpoint) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	x, err := e.prepare(method, params)
	if err != nil {
		return nil, err
	}
	ctx, end := e.begin(ctx)
	defer end()
	m, err := e.exchange(ctx, x)
	if errors.Is(err, errSessionLost) {
		if x.session, err = e.renew(ctx, x.session); err == nil {
			m, err = e.exchange(ctx, x)
		}
	}
	switch {
	case err == nil:
		e.noise.answered()
		return e.outcome(x, params, m)
	case ctx.Err() == nil:
		return nil, err
	case x.session != nil && method != "initialize": // "MUST NOT be cancelled by clients"
		// "Disconnection SHOULD NOT be interpreted as the client cancelling its request. To cancel, the client SHOULD
		// explicitly send an MCP CancelledNotification." Without a handshake, "closing the SSE response stream is itself
		// the cancellation signal", and exchange has done that.
		e.tell(x.session, rpcRequest{JSONRPC: "2.0", Method: "notifications/cancelled",
			Params: cancelled{x.id, context.Cause(ctx).Error()}})
	}
	return nil, fmt.Errorf("%w%s", context.Cause(ctx), e.noise.hint())
}

// notify implements transport: a POST that is answered with any status from 200 to 299.
func (e *endpoint) notify(ctx context.Context, method string, params any) error {
	frame, err := encodeLine(rpcRequest{JSONRPC: "2.0", Method: method, Params: params})
	if err != nil {
		return fmt.Errorf("cannot send %s: %w", method, err)
	}
	ctx, end := e.begin(ctx)
	defer end()
	session := e.current()
	if err := e.announce(ctx, session, frame); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("%s: %w", method, err)
	}
	if method == "notifications/initialized" && session != nil && session.listChanged {
		e.listen(session)
	}
	return nil
}

// close ends every call, the stream of listen and the session. It takes twice farewell at most.
func (e *endpoint) close() error {
	e.closing.Do(func() {
		e.fail(&connectionError{reason: "the connection was closed"})
		e.working.Wait()
		e.leave()
		e.client.CloseIdleConnections()
	})
	return nil
}

// fail ends the connection; the first cause counts.
func (e *endpoint) fail(cause error) {
	e.ending.Do(func() {
		e.peer.ended(cause)
		e.mu.Lock()
		defer e.mu.Unlock()
		e.cause = cause
		for _, cancel := range e.running {
			cancel(cause)
		}
	})
}

// begin gives what is under way a context that ends with the connection, too. The caller has to call end.
func (e *endpoint) begin(ctx context.Context) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.cause != nil {
		cancel(e.cause)
	}
	e.begun++
	key := e.begun
	e.running[key] = cancel
	return ctx, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.running, key)
		cancel(nil)
	}
}

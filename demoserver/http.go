package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"time"
)

// serveHTTP is the Streamable HTTP transport (specification, Transports): the
// same messages as on stdio, each in a POST of its own. It prints its URL and
// serves until ctx ends; it fails if addr cannot be listened on, or is not a
// loopback address, since whoever reaches us may call every tool.
func (s *server) serveHTTP(ctx context.Context, addr string, stdout io.Writer) error {
	if !isLoopback(addr) {
		return exit{2, fmt.Sprintf("-http: %s is not a loopback address such as 127.0.0.1:8080", addr)}
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "demo MCP server on http://%s/mcp\n", listener.Addr())
	web := &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	defer context.AfterFunc(ctx, func() { web.Close() })()
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// handler serves the one endpoint, /mcp. There is no stream to GET, which the
// mux answers with 405; sessions, and so DELETE, are legacy.
func (s *server) handler() http.Handler {
	e := &endpoint{server: s}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /mcp", e.post)
	if s.legacy {
		mux.HandleFunc("DELETE /mcp", e.sessions.delete)
	}
	return guard(mux)
}

// endpoint is where all messages arrive.
type endpoint struct {
	server   *server
	sessions sessions
}

// post takes one message. What is wrong with the request as such gives a status
// of its own; all else is as on stdio.
func (e *endpoint) post(w http.ResponseWriter, r *http.Request) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		http.Error(w, "Content-Type must be application/json", http.StatusUnsupportedMediaType)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	req, bad := parse(body)
	modern := false
	if bad == nil {
		modern, bad = e.server.checkHeaders(r.Header, req)
	}
	if bad != nil {
		writeJSON(w, http.StatusBadRequest, response{JSONRPC: "2.0", ID: req.ID, Error: bad})
		return
	}
	calls := &running{} // a modern client ends a call by closing its connection
	if !modern {
		if calls = e.sessions.of(w, r, req); calls == nil {
			return
		}
	}
	if req.ID == nil || req.Method == "" {
		calls.heard(req)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	e.reply(w, r, req, modern, calls)
}

// reply answers a request: with one JSON object, or, once a notification had to
// go first, with a stream of events that the answer ends. A cancelled request
// gets a stream without an answer.
func (e *endpoint) reply(w http.ResponseWriter, r *http.Request, req message, modern bool, calls *running) {
	ctx, end := calls.begin(r.Context(), req.ID)
	defer end()
	events := eventStream{w: w}
	result, err := e.server.answer(ctx, req, func(method string, params any) {
		if ctx.Err() == nil {
			events.send(notification{JSONRPC: "2.0", Method: method, Params: params})
		}
	})
	answer := response{JSONRPC: "2.0", ID: req.ID, Result: result, Error: err}
	switch {
	case r.Context().Err() != nil && !events.opened: // the client has left, or the program ends
		http.Error(w, "the server is stopping", http.StatusServiceUnavailable)
	case ctx.Err() != nil:
		events.open()
	case events.opened:
		events.send(answer)
	case modern && err != nil && err.Code == methodNotFound:
		writeJSON(w, http.StatusNotFound, answer)
	default:
		writeJSON(w, http.StatusOK, answer)
	}
}

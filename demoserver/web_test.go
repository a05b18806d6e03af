package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// web is a server over HTTP without a network: requests go to its handler.
type web struct {
	t       *testing.T
	handler http.Handler
}

// newWeb makes a server with all tools that speaks the given era.
func newWeb(t *testing.T, protocol string) web {
	t.Helper()
	s := &server{legacy: protocol != "modern", modern: protocol != "legacy", stop: func(error) {}}
	if err := s.addSets("basic,notes,flaky", 4); err != nil {
		t.Fatal(err)
	}
	return web{t, s.handler()}
}

// do sends a request with these headers, given as "Name: value; …", and gives
// the answer.
func (s web) do(ctx context.Context, method, headers, body string) *httptest.ResponseRecorder {
	req := httptest.NewRequestWithContext(ctx, method, "http://127.0.0.1:1234/mcp", strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	for pair := range strings.SplitSeq(headers, "; ") {
		if name, value, ok := strings.Cut(pair, ": "); ok && name == "Host" {
			req.Host = value
		} else if ok {
			req.Header.Set(name, value)
		}
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, req)
	return w
}

// want compares an answer's status, media type and body with what it should be.
func want(t *testing.T, got *httptest.ResponseRecorder, status int, media, body string) {
	t.Helper()
	if kind := got.Header().Get("Content-Type"); got.Code != status || kind != media || got.Body.String() != body {
		t.Errorf("got  %d %q %s\nwant %d %q %s", got.Code, kind, got.Body, status, media, body)
	}
}

// initialize opens a legacy session and gives the header that names it.
func (s web) initialize() string {
	s.t.Helper()
	w := s.do(s.t.Context(), "POST", "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`)
	want(s.t, w, 200, "application/json", `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"demo","version":"1.0.0"}}}`+"\n")
	id := w.Header().Get("Mcp-Session-Id")
	if len(id) < 20 {
		s.t.Fatalf("session id %q is easy to guess", id)
	}
	return "Mcp-Session-Id: " + id + "; MCP-Protocol-Version: 2025-06-18"
}

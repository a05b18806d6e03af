package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// web is a server over HTTP that answers as a test wants, and writes down what it is asked: of each request the method,
// the JSON-RPC method, and the headers that say something of the session.
type web struct {
	*httptest.Server
	mu  sync.Mutex
	log []string
}

// answerer answers one request, whose body is m.
type answerer func(w http.ResponseWriter, r *http.Request, m rpcMessage)

func newWeb(t *testing.T, answer answerer) *web {
	s := &web{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		m, _ := parseMessage(body)
		line := r.Method
		switch {
		case m.Method != "":
			line += " " + m.Method
		case len(body) > 0:
			line += " " + string(body[:len(body)-1])
		}
		for _, name := range []string{"Mcp-Session-Id", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Last-Event-Id"} {
			if value := r.Header.Get(name); value != "" {
				line += " " + value
			}
		}
		s.mu.Lock()
		s.log = append(s.log, line)
		s.mu.Unlock()
		answer(w, r, m)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *web) asked() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.log, "\n")
}

// reply answers with a JSON object, and sendEvents with events, each of which goes out at once.
func reply(w http.ResponseWriter, status int, format string, args ...any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, format, args...)
}

func sendEvents(w http.ResponseWriter, parts ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, part := range parts {
		io.WriteString(w, part)
		http.NewResponseController(w).Flush()
	}
}

// legacy is a server with a handshake and the given session; calls answers tools/call, and is free to be nil.
func legacy(session string, calls answerer) answerer {
	return func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
		switch {
		case r.Method == "GET":
			http.Error(w, "no stream here", 405)
		case r.Method == "DELETE":
			w.WriteHeader(204)
		case m.Method == "initialize":
			if session != "" {
				w.Header().Set("Mcp-Session-Id", session)
			}
			reply(w, 200, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, agreed)
		case m.ID == nil || m.Method == "":
			w.WriteHeader(202)
		case m.Method == "tools/list":
			reply(w, 200, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"dice"}]}}`, m.ID)
		default:
			calls(w, r, m)
		}
	}
}

// agreedQuietly is agreed by a server that does not say when its tools change.
var agreedQuietly = strings.Replace(agreed, `{"listChanged":true}`, `{}`, 1)

// dialHTTP connects a client, and sees to it that nothing is left of it at the end of the test.
func dialHTTP(t *testing.T, n *notebook, r remote, version string) (*client, error) {
	t.Helper()
	p := peer{name: "demo", note: n.notef}
	var e *endpoint
	c, err := connect(t.Context(), p, limits{time.Minute, time.Minute}, version, func(p peer) (transport, error) {
		var err error
		e, err = openHTTP(r, p)
		return e, err
	})
	t.Cleanup(func() {
		if c != nil {
			c.close()
		}
		nothingLeft(t)
	})
	return c, err
}

func mustDialHTTP(t *testing.T, n *notebook, url, version string) *client {
	t.Helper()
	c, err := dialHTTP(t, n, remote{url: url}, version)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// dialEndpoint opens the transport alone.
func dialEndpoint(t *testing.T, n *notebook, url string) *endpoint {
	t.Helper()
	e, err := openHTTP(remote{url: url}, n.peer())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		e.close()
		nothingLeft(t)
	})
	return e
}

// nothingLeft fails if a goroutine of an endpoint or one of its connections outlives it.
func nothingLeft(t *testing.T) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	for deadline := time.Now().Add(patienceWithTheEnd); ; time.Sleep(5 * time.Millisecond) {
		text := string(stacks[:runtime.Stack(stacks, true)])
		if !strings.Contains(text, ".(*endpoint)") && !strings.Contains(text, "http.(*persistConn)") && !strings.Contains(text, "dialConn") {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("left behind:\n%s", text)
			return
		}
	}
}

// call calls the tool dice and returns its result or error as text.
func (c *client) dice(ctx context.Context) string {
	return outcomeText(c.callTool(ctx, "dice", nil, nil))
}

func outcomeText(raw json.RawMessage, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return string(raw)
}

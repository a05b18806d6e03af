package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// web is a server over HTTP that answers as a test wants, and writes down what it is asked: of each request the method,
// the JSON-RPC method or message, and the headers that say something of the session.
type web struct {
	*httptest.Server
	mu  sync.Mutex
	log []string
}

// answerer answers one request, whose body is m.
type answerer func(w http.ResponseWriter, r *http.Request, m message)

func newWeb(t *testing.T, answer answerer) *web {
	s := &web{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		m, _ := parseMessage(body)
		line := strings.TrimSpace(r.Method + " " + m.Method)
		if m.Method == "" || m.Method == "notifications/cancelled" {
			line = strings.TrimSpace(r.Method + " " + string(body))
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

// reply answers with a body of a type; JSON may be given as the rest of a response.
func reply(w http.ResponseWriter, status int, kind, body string) {
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	io.WriteString(w, body)
}

func replyJSON(w http.ResponseWriter, status int, m message, rest string) {
	reply(w, status, "application/json", fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, rest))
}

// sendEvents answers with events, each of which goes out at once.
func sendEvents(w http.ResponseWriter, parts ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, part := range parts {
		io.WriteString(w, part)
		http.NewResponseController(w).Flush()
	}
}

// withSession is a server with a handshake that gives a session; calls answers all else.
func withSession(calls answerer) answerer {
	return func(w http.ResponseWriter, r *http.Request, m message) {
		switch {
		case m.Method == "initialize":
			w.Header().Set("Mcp-Session-Id", "A")
			replyJSON(w, 200, m, `"result":{"protocolVersion":"2025-06-18"}`)
		case r.Method == "DELETE" || r.Method == "GET" && r.Header.Get("Last-Event-Id") == "":
			w.WriteHeader(405)
		case r.Method == "POST" && (strings.HasPrefix(m.Method, "notifications/") || m.Method == ""):
			w.WriteHeader(202)
		default:
			calls(w, r, m)
		}
	}
}

// line is a connection under test, and what its peer gets to know.
type line struct {
	transport
	header map[string]string

	mu    sync.Mutex
	notes []string
	wire  []string
	heard chan string
}

func dial(t *testing.T, url string, silent bool, headers map[string]string) *line {
	l := &line{heard: make(chan string, 99)}
	keep := func(list *[]string, text string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		*list = append(*list, text)
	}
	transport, err := openHTTP(url, headers, peer{
		notified: func(method string, params json.RawMessage) { l.heard <- method + string(params) },
		silent:   func() bool { return silent },
		note:     func(kind, format string, args ...any) { keep(&l.notes, kind+": "+fmt.Sprintf(format, args...)) },
		wire:     func(arrow string, frame []byte) { keep(&l.wire, arrow+" "+string(frame)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	l.transport = transport
	t.Cleanup(transport.close)
	return l
}

// shakeHands connects in the usual way.
func (l *line) shakeHands(t *testing.T) *line {
	if got := l.ask(t.Context(), "initialize"); strings.HasPrefix(got, "error") {
		t.Fatal(got)
	}
	l.header = map[string]string{"Mcp-Protocol-Version": "2025-06-18"}
	if err := l.notify(t.Context(), request{method: "notifications/initialized", header: l.header}); err != nil {
		t.Fatal(err)
	}
	return l
}

// ask makes a call and returns its result or error as text.
func (l *line) ask(ctx context.Context, method string) string {
	raw, err := l.call(ctx, request{method, json.RawMessage(`{"name":"dice"}`), l.header})
	var lost *connectionError
	switch {
	case errors.As(err, &lost) && lost.unsent:
		return "unsent: " + err.Error()
	case err != nil:
		return "error: " + err.Error()
	}
	return string(raw)
}

func TestASessionFromBeginningToEnd(t *testing.T) {
	s := newWeb(t, withSession(func(w http.ResponseWriter, r *http.Request, m message) {
		w.Header().Set("Mcp-Session-Id", "not now") // only initialize gives one
		replyJSON(w, 200, m, `"result":{"text":"<ok>"}`)
	}))
	l := dial(t, s.URL, false, nil).shakeHands(t)
	if got := l.ask(t.Context(), "tools/call"); got != `{"text":"<ok>"}` {
		t.Error(got)
	}
	l.close()
	l.close()
	const get = "\nGET A 2025-06-18" // comes at its own time
	want := "POST initialize\nPOST notifications/initialized A 2025-06-18\nPOST tools/call A 2025-06-18\nDELETE A 2025-06-18"
	if got := strings.Replace(s.asked(), get, "", 1); got != want {
		t.Errorf("asked:\n%s", s.asked())
	}
	if l.ended() != errClosed {
		t.Errorf("ended with %v", l.ended())
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	const json, sse = "application/json", "text/event-stream"
	const good = `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`
	noise := "\n" + `noise: sent what is no message: `
	for _, test := range []struct {
		status     int
		kind, body string
		want       string // and the notes
	}{
		{200, "Application/JSON; charset=UTF-8", good, `{"a":1}`},
		{400, json, `{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no"}}`, "error: no (code -32022)"},
		{404, json, `{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}`, "error: no (code -32601)"},
		{200, json, `{"jsonrpc":"2.0","id":7,"result":{}}`,
			`error: it answered 200 OK (application/json), which is no response to our request: {"jsonrpc":"2.0","id":7,"result":{}}`},
		{200, json, `{"detail":"x"}`, `error: it answered 200 OK (application/json), which is no response to our request: {"detail":"x"}` + noise + `{"detail":"x"}`},
		{200, json, "data: " + good, `error: it answered 200 OK (application/json), which is no response to our request: data: ` + good + noise + "data: " + good},
		{200, "text/plain", good, `error: it answered 200 OK (text/plain), which is no response to our request: ` + good},
		{200, sse, good, `{"a":1}`},
		{202, "", "", "error: it answered 202 Accepted ():"},
		{401, json, `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"who?"}}`, `error: it answered 401 Unauthorized (application/json): unauthorized, check headers.Authorization of this server: {"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"who?"}}`},
		{403, "text/plain", "no", "error: it answered 403 Forbidden (text/plain): forbidden, check headers.Authorization, or try localhost for 127.0.0.1 in the url, or the reverse: no"},
		{404, "text/plain", "nothing here\n", "error: it answered 404 Not Found (text/plain): wrong url?: nothing here"},
		{500, "text/html", "<p>broken", "error: it answered 500 Internal Server Error (text/html): <p>broken"},

		{200, "Text/Event-Stream;charset=utf-8", ": hi\r\n\r\nid: 7\r\nretry: 10\r\nevent: message\r\ndata:{\"jsonrpc\":\"2.0\",\"id\":1,\r\ndata: \"result\":{}}\r\n\r\n", "{}"},
		{200, sse, "data: " + good, `{"a":1}`},
		{200, sse, "data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}\n\ndata: {}\n\ndata: " + good + "\n\n",
			`{"a":1}` + noise + "{}"},
		{200, sse, ": hi\n\n", "error: its stream ended before the response: EOF"},
	} {
		s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m message) {
			if r.Header.Get("Accept") != "application/json, text/event-stream" || r.Header.Get("Content-Type") != "application/json" {
				t.Error(r.Header)
			}
			reply(w, test.status, test.kind, test.body)
		})
		l := dial(t, s.URL, false, nil)
		got := l.ask(t.Context(), "tools/call")
		l.close()
		if got = strings.Join(append([]string{got}, l.notes...), "\n"); got != test.want {
			t.Errorf("%d %s %s:\ngot  %s\nwant %s", test.status, test.kind, test.body, got, test.want)
		}
	}
}

func TestTheStreamThatNobodyAskedFor(t *testing.T) {
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m message) {
		if r.Method != "GET" {
			withSession(nil)(w, r, m)
			return
		}
		sendEvents(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n")
	})
	l := dial(t, s.URL, false, nil).shakeHands(t)
	if <-l.heard != "notifications/tools/list_changed" {
		t.Error("not heard")
	}
}

func TestRequestsOfTheServer(t *testing.T) {
	answers := make(chan string, 9)
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m message) {
		if m.Method == "" {
			answers <- fmt.Sprintf("%s %s %v", m.ID, m.Result, m.Error)
			return
		}
		sendEvents(w, "data: {\"jsonrpc\":\"2.0\",\"id\":\"s1\",\"method\":\"ping\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}\n\n",
			"data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{}}\n\n")
		if ping, roots := <-answers, <-answers; ping != `"s1" {} <nil>` || roots != "1  this client has no such method (code -32601)" {
			t.Error(ping, roots)
		}
		sendEvents(w, fmt.Sprintf("data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}\n\n", m.ID))
	})
	l := dial(t, s.URL, false, nil)
	if got := l.ask(t.Context(), "tools/call"); got != "{}" || <-l.heard != "notifications/progress{}" {
		t.Error(got)
	}
}

func TestALostSession(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status int
		body   string
		lost   bool
	}{
		{404, "session not found", true},
		{404, `{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}`, true},
		{400, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`, true},
		{400, "Invalid session", true},
		{200, `{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":2}`, true},
		{400, `{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no such session: dance"}}`, false},
		{200, `{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"browser session closed"}}`, false},
		{404, `{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no session here"}}`, false},
		{503, "no session left", false},
	} {
		s := newWeb(t, withSession(func(w http.ResponseWriter, r *http.Request, m message) {
			reply(w, test.status, "application/json", test.body)
		}))
		l := dial(t, s.URL, false, nil).shakeHands(t)
		got := l.ask(t.Context(), "tools/call")
		if lost := got == "unsent: it has lost our session" && l.ended() != nil; lost != test.lost || !lost && l.ended() != nil {
			t.Errorf("%d %s: %s, %v", test.status, test.body, got, l.ended())
		}
	}
}

func TestAStreamThatBreaksOffGoesOn(t *testing.T) {
	const rest = `data: {"jsonrpc":"2.0","id":2,"result":{}}` + "\n\n"
	for _, test := range []struct {
		first      string   // the events of the answer to the POST, after which the connection breaks
		resume     []string // the answers to each GET; "" refuses it
		want, gets string   // the IDs of the events that were sent
	}{
		{"id: 7\nretry: 10\ndata: \n\nid: 8\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n", []string{rest}, "{}", "8"},
		{"id: 7\nretry: 10\ndata: \n\nid: 8\ndata: half an ev", []string{rest}, "{}", "7"},
		{"id: 1\nretry: 5\ndata: \n\n", []string{"id: 2\ndata:\n\n", ": nothing new\n\n", rest}, "{}", "1 2 2"},
		{"retry: 10\ndata: \n\n", nil, "error: its stream ended before the response: ", ""},
		{"id: 1\nretry: 5\ndata: \n\n", []string{""}, "error: its stream ended before the response: it answered 404 Not Found ():", "1"},
	} {
		var gets []string
		s := newWeb(t, withSession(func(w http.ResponseWriter, r *http.Request, m message) {
			lastID := r.Header.Get("Last-Event-Id")
			if lastID == "" {
				sendEvents(w, test.first)
				panic(http.ErrAbortHandler)
			}
			gets = append(gets, lastID)
			if text := test.resume[len(gets)-1]; text != "" {
				sendEvents(w, text)
			} else {
				w.WriteHeader(404)
			}
		}))
		l := dial(t, s.URL, false, nil).shakeHands(t)
		if got := l.ask(t.Context(), "tools/call"); !strings.HasPrefix(got, test.want) || strings.Join(gets, " ") != test.gets {
			t.Errorf("%s: got %s, resumed at %s", test.first, got, gets)
		}
		if strings.Count(s.asked(), "tools/call") != 1 {
			t.Error(s.asked())
		}
	}
}

// A server that is told that nobody waits gets to know it before the call returns, but not for long.
func TestACallThatIsGivenUp(t *testing.T) {
	t.Parallel()
	const cancelled = `POST {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"stopped by hand"}}`
	for _, test := range []struct {
		method string
		silent bool
		told   string // "" if nothing
	}{{"tools/call", false, cancelled}, {"tools/call", true, ""}, {"initialize", false, ""}} {
		started := make(chan bool, 1)
		s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m message) {
			if m.Method == test.method {
				sendEvents(w, ": headers, then silence\n\n")
				started <- true
			}
			<-r.Context().Done() // the stream is closed in any case
		})
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { <-started; cancel(errors.New("stopped by hand")) }()
		if got := dial(t, s.URL, test.silent, nil).ask(ctx, test.method); got != "error: stopped by hand" {
			t.Error(got)
		}
		if _, told, _ := strings.Cut(s.asked(), "\n"); told != test.told {
			t.Errorf("told %s", told)
		}
	}
}

func TestTheEndOfAConnectionWaitsForNobody(t *testing.T) {
	t.Parallel()
	started := make(chan bool)
	s := newWeb(t, withSession(func(w http.ResponseWriter, r *http.Request, m message) {
		close(started)
		<-r.Context().Done()
	}))
	l := dial(t, s.URL, false, nil).shakeHands(t)
	result := make(chan string, 1)
	go func() { result <- l.ask(context.Background(), "tools/call") }()
	<-started
	l.close()
	if got := <-result; got != "error: the connection was closed" {
		t.Error(got)
	}
}

func TestRedirects(t *testing.T) {
	other := newWeb(t, func(w http.ResponseWriter, r *http.Request, m message) { w.WriteHeader(200) })
	for location, want := range map[string]string{ // HERE and OTHER stand for the servers' URLs
		"307 /there":                        `"moved tools/call"`,
		"308 HERE/there":                    `"moved tools/call"`,
		"302 /there?key=s3cr3t":             "(302) to HERE/there", // would lose the message
		"307 OTHER/mcp?key=s3cr3t":          "(307) to OTHER/mcp",
		"308 https://u:s3cr3t@mcp.test/mcp": "(308) to https://mcp.test/mcp",
		"307 /mcp":                          "(307) to HERE/mcp", // in a circle
	} {
		s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m message) {
			if r.URL.Path == "/there" {
				replyJSON(w, 200, m, `"result":"moved `+m.Method+`"`)
				return
			}
			status, target := 0, ""
			fmt.Sscan(strings.NewReplacer("HERE", "http://"+r.Host, "OTHER", other.URL).Replace(location), &status, &target)
			w.Header().Set("Location", target)
			w.WriteHeader(status)
		})
		got := dial(t, s.URL+"/mcp", false, nil).ask(t.Context(), "tools/call")
		if want := strings.NewReplacer("HERE", s.URL, "OTHER", other.URL).Replace(want); !strings.Contains(got, want) || strings.Contains(got, "s3cr3t") {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if other.asked() != "" {
		t.Errorf("the other server was asked:\n%s", other.asked())
	}
}

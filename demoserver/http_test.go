package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestSession(t *testing.T) {
	s, ctx := newWeb(t, "both"), t.Context()
	session, other := s.initialize(), s.initialize()
	if session == other {
		t.Fatalf("two sessions have the same id: %s", session)
	}
	want(t, s.do(ctx, "POST", session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`), 202, "", "")
	want(t, s.do(ctx, "POST", session, `{"jsonrpc":"2.0","id":1,"result":{}}`), 202, "", "")
	want(t, s.do(ctx, "POST", session, ping), 200, "application/json", pong)
	want(t, s.do(ctx, "POST", session, call1("dice", `{}`)), 200, "application/json", text1("Roll: 5")+"\n")

	want(t, s.do(ctx, "POST", "", ping), 400, "text/plain; charset=utf-8", "Mcp-Session-Id is missing\n")
	want(t, s.do(ctx, "POST", "Mcp-Session-Id: x", ping), 404, "text/plain; charset=utf-8", "no such session\n")
	want(t, s.do(ctx, "DELETE", "", ""), 400, "text/plain; charset=utf-8", "Mcp-Session-Id is missing\n")
	want(t, s.do(ctx, "DELETE", session, ""), 204, "", "")
	want(t, s.do(ctx, "DELETE", session, ""), 404, "text/plain; charset=utf-8", "no such session\n")
	want(t, s.do(ctx, "POST", session, ping), 404, "text/plain; charset=utf-8", "no such session\n")
	want(t, s.do(ctx, "POST", other, ping), 200, "application/json", pong)
}

func TestNotificationsGoFirstOnAStream(t *testing.T) {
	s := newWeb(t, "both")
	w := s.do(t.Context(), "POST", s.initialize(), call1("grow", `{}`))
	want(t, w, 200, "text/event-stream", `event: message
data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}

event: message
data: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Added tool extra_1"}]}}

`)
	if w.Header().Get("X-Accel-Buffering") != "no" || !w.Flushed {
		t.Error("a proxy may hold the events back")
	}
}

func TestHTTPCallEnds(t *testing.T) {
	call := `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"slow_lookup"}}`
	tests := []struct {
		name   string
		end    func(s web, session string, leave func())
		status int
		media  string
	}{
		{"by a notification of the same session", func(s web, session string, _ func()) {
			s.do(t.Context(), "POST", session, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}`)
		}, 200, "text/event-stream"},
		{"with its session", func(s web, session string, _ func()) {
			s.do(t.Context(), "DELETE", session, "")
		}, 200, "text/event-stream"},
		{"when the client leaves", func(_ web, _ string, leave func()) { leave() }, 503, "text/plain; charset=utf-8"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newWeb(t, "both")
				session, other := s.initialize(), s.initialize()
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				done := make(chan *httptest.ResponseRecorder, 1)
				go func() { done <- s.do(ctx, "POST", session, call) }()
				synctest.Wait()
				// An id means nothing in another session.
				s.do(t.Context(), "POST", other, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}`)
				synctest.Wait()
				if len(done) > 0 {
					t.Fatal("another session ended the call")
				}
				test.end(s, session, leave)
				w := <-done
				if kind := w.Header().Get("Content-Type"); w.Code != test.status || kind != test.media || strings.Contains(w.Body.String(), `"id"`) {
					t.Errorf("got %d %q %s", w.Code, kind, w.Body)
				}
			})
		})
	}
}

// Over a real connection each event arrives when it happens, and the end of ctx
// is the end of the server.
func TestServeHTTP(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	out, stdout := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"-tools=flaky", "-http=127.0.0.1:0"}, strings.NewReader(""), stdout, io.Discard)
	}()
	banner, err := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(banner), "demo MCP server on ")
	if err != nil || !ok {
		t.Fatalf("%q (error %v)", banner, err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	body := strings.Replace(call1("slow_count", `{"n":2}`), `"name"`, strings.Replace(modernMeta, "{", `{"progressToken":7,`, 1)+`,"name"`, 1)
	req, err := http.NewRequestWithContext(ctx, "POST", address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Content-Type": {"application/json; charset=UTF-8"}, "Mcp-Protocol-Version": {"2026-07-28"},
		"Mcp-Method": {"tools/call"}, "Mcp-Name": {"slow_count"}}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	want := `event: message
data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1,"total":2,"message":"counting"}}

event: message
data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":2,"total":2,"message":"counting"}}

event: message
data: {"jsonrpc":"2.0","id":1,"result":{` + modernStart + `,"content":[{"type":"text","text":"Counted to 2"}]}}

`
	if err != nil || string(all) != want {
		t.Errorf("got %s (error %v)", all, err)
	}
	stop()
	if got := <-code; got != 0 {
		t.Errorf("exit code %d", got)
	}
}

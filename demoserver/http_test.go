package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// web is a server over HTTP.
type web struct {
	t   *testing.T
	url string
}

// serve starts a server with all tools that speaks the given era.
func serve(t *testing.T, protocol string) web {
	t.Helper()
	p := start(t, "-tools=basic,notes,flaky", "-seed=4", "-http=127.0.0.1:0", "-protocol="+protocol)
	url, ok := strings.CutPrefix(p.line(p.stdout), "demo MCP server on ")
	if !ok || !strings.HasSuffix(url, "/mcp") {
		t.Fatalf("no URL: %q", url)
	}
	return web{t, url}
}

// send sends a request with these headers, given as "Name: value; …". Whoever gets the response closes its body.
func (s web) send(method, headers, body string) *http.Response {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for pair := range strings.SplitSeq(headers, "; ") {
		name, value, _ := strings.Cut(pair, ": ")
		if name == "Host" {
			req.Host = value
		} else if name != "" {
			req.Header.Set(name, value)
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	return res
}

// want sends a request, and compares the status, media type and body of the response; … is for what may follow.
func (s web) want(method, headers, body string, status int, media, answer string) http.Header {
	s.t.Helper()
	res := s.send(method, headers, body)
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	want, open := strings.CutSuffix(answer, "…")
	got := strings.TrimSpace(string(all))
	if kind, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";"); err != nil || res.StatusCode != status || kind != media || got != want && !(open && strings.Contains(got, want)) {
		s.t.Errorf("got  %d %q %s (error %v)\nwant %d %q %s", res.StatusCode, kind, got, err, status, media, answer)
	}
	return res.Header
}

// initialize opens a legacy session, and gives the headers that belong to it.
func (s web) initialize() string {
	s.t.Helper()
	header := s.want("POST", "", initialize("2025-06-18"), 200, "application/json", welcome("2025-06-18"))
	id := header.Get("Mcp-Session-Id")
	if len(id) < 20 {
		s.t.Fatalf("session id %q is easy to guess", id)
	}
	return "Mcp-Session-Id: " + id + "; MCP-Protocol-Version: 2025-06-18"
}

func TestHTTP(t *testing.T) {
	const (
		v    = "MCP-Protocol-Version: 2026-07-28; "
		list = v + "Mcp-Method: tools/list; "
		roll = v + "Mcp-Method: tools/call; "
		json = "application/json"
	)
	lists := strings.Replace(list, v, "", 1)
	modernList, modernDice := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+strings.TrimSuffix(modern, ",")+`}}`, call(1, "dice", "{}", modern)
	swap := strings.NewReplacer
	tests := []struct {
		name, protocol, method, headers, body string
		status                                int
		media, answer                         string
	}{
		{"a modern call", "both", "POST", roll + "Mcp-Name: dice", modernDice, 200, json, `"text":"Roll: …`},
		{"an encoded name", "both", "POST", roll + "Mcp-Name: =?base64?ZGljZQ==?=", modernDice, 200, json, `"text":"Roll: …`},
		{"a session id means nothing to modern", "both", "POST", list + "Mcp-Session-Id: x", modernList, 200, json, `"tools":[…`},
		{"a modern notification", "both", "POST", v, `{"jsonrpc":"2.0","method":"x"}`, 202, "", ""},
		{"an unknown tool is no HTTP error", "both", "POST", roll + "Mcp-Name: nope", swap("dice", "nope").Replace(modernDice), 200, json, `"code":-32602…`},
		{"an unknown modern method", "both", "POST", v + "Mcp-Method: ping", swap("tools/list", "ping").Replace(modernList), 404, json, `"id":1,"error":{"code":-32601…`},

		{"no version header", "both", "POST", lists, modernList, 400, json, `{"code":-32020,"message":"header MCP-Protocol-Version is \"\", the body says \"2026-07-28\""}…`},
		{"another version in the header", "both", "POST", "MCP-Protocol-Version: 2025-11-25; " + lists, modernList, 400, json, `"code":-32020…`},
		{"another version in the body", "both", "POST", list, swap("2026", "2099").Replace(modernList), 400, json, `"code":-32020…`},
		{"no method header", "both", "POST", v, modernList, 400, json, `{"code":-32020,"message":"header Mcp-Method is \"\", the body says \"tools/list\""}…`},
		{"another method in the header", "both", "POST", roll, modernList, 400, json, `"code":-32020…`},
		{"no name header", "both", "POST", roll, modernDice, 400, json, `{"code":-32020,"message":"header Mcp-Name is \"\", the body says \"dice\""}…`},
		{"another name in the header", "both", "POST", roll + "Mcp-Name: Dice", modernDice, 400, json, `"code":-32020…`},
		{"a name that is badly encoded", "both", "POST", roll + "Mcp-Name: =?base64?ZGljZQ=?=", modernDice, 400, json, `"code":-32020…`},
		{"an unknown version", "both", "POST", "MCP-Protocol-Version: 2099-07-28; " + lists, swap("2026", "2099").Replace(modernList), 400, json, `"id":1,"error":{"code":-32022,"message":"Unsupported protocol version","data":{` + supported + `"requested":"2099-07-28"}…`},
		{"an unknown version and no _meta", "both", "POST", "MCP-Protocol-Version: 2099-07-28", ping, 400, json, `"code":-32022…`},
		{"a modern header and no _meta", "both", "POST", v + "Mcp-Method: ping", ping, 400, json, `"code":-32602,"message":"_meta lacks io.modelcontextprotocol/protocolVersion"…`},
		{"no capabilities", "both", "POST", list, swap("clientCapabilities", "x").Replace(modernList), 400, json, `"code":-32602,"message":"_meta lacks io.modelcontextprotocol/clientCapabilities"…`},

		{"initialize where only modern is spoken", "modern", "POST", "", initialize("2025-11-25"), 400, json, `"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}…`},
		{"a legacy version where only modern is spoken", "modern", "POST", "MCP-Protocol-Version: 2025-11-25", ping, 400, json, `"requested":"2025-11-25"…`},
		{"a session where only modern is spoken", "modern", "DELETE", "Mcp-Session-Id: x", "", 405, "text/plain", "Method Not Allowed"},
		{"a modern version where only legacy is spoken", "legacy", "POST", list, modernList, 400, json, `"code":-32022…`},
		{"GET", "both", "GET", "Accept: text/event-stream", "", 405, "text/plain", "Method Not Allowed"},

		{"a body that is not JSON", "both", "POST", "", `{oops`, 400, json, `"id":null,"error":{"code":-32700…`},
		{"a batch", "both", "POST", "", `[]`, 400, json, `"id":null,"error":{"code":-32600…`},
		{"a request without a method", "both", "POST", "", `{"jsonrpc":"2.0","id":1}`, 400, json, `"id":1,"error":{"code":-32600…`},
		{"a body that is too long", "both", "POST", "", strings.Repeat(" ", 64<<20+1), 413, "text/plain", "http: request body too large"},
		{"a charset", "both", "POST", list + "Content-Type: Application/JSON;charset=UTF-8", modernList, 200, json, `"tools":[…`},
		{"another content type", "both", "POST", list + "Content-Type: text/plain", modernList, 415, "text/plain", "Content-Type must be application/json"},

		{"the Host localhost", "both", "POST", list + "Host: LocalHost", modernList, 200, json, "…"},
		{"the Host ::1", "both", "POST", list + "Host: [::1]:80", modernList, 200, json, "…"},
		{"a foreign Host", "both", "POST", list + "Host: evil.example:80", modernList, 403, "text/plain", "Host and Origin must be of this machine"},
		{"a Host that begins like ours", "both", "POST", list + "Host: 127.0.0.1.evil.example", modernList, 403, "text/plain", "…"},
		{"an Origin of this machine", "both", "POST", list + "Origin: http://localhost:3000", modernList, 200, json, "…"},
		{"a foreign Origin", "both", "POST", list + "Origin: https://evil.example", modernList, 403, "text/plain", "…"},
		{"the Origin of a file", "both", "POST", list + "Origin: null", modernList, 403, "text/plain", "…"},
		{"a foreign Origin that only looks like ours", "both", "GET", "Origin: https://localhost.evil.example", "", 403, "text/plain", "…"},
	}
	servers := map[string]web{"both": serve(t, "both"), "legacy": serve(t, "legacy"), "modern": serve(t, "modern")}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := web{t, servers[test.protocol].url}
			if header := s.want(test.method, test.headers, test.body, test.status, test.media, test.answer); header.Get("Mcp-Session-Id") != "" {
				t.Error("a session that nobody asked for")
			}
		})
	}
}

func TestSessions(t *testing.T) {
	s := serve(t, "both")
	first, other := s.initialize(), s.initialize()
	if first == other {
		t.Fatalf("two sessions have the same id: %s", first)
	}
	s.want("POST", first, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202, "", "")
	s.want("POST", first, `{"jsonrpc":"2.0","id":1,"result":{}}`, 202, "", "")
	s.want("POST", first, ping, 200, "application/json", pong)
	s.want("POST", first, call(1, "dice", `{}`, ""), 200, "application/json", text(1, "Roll: 5"))

	s.want("POST", "", ping, 400, "text/plain", "Mcp-Session-Id is missing")
	s.want("POST", "Mcp-Session-Id: x", ping, 404, "text/plain", "no such session")
	s.want("DELETE", "", "", 400, "text/plain", "Mcp-Session-Id is missing")
	s.want("DELETE", first, "", 204, "", "")
	s.want("DELETE", first, "", 404, "text/plain", "no such session")
	s.want("POST", first, ping, 404, "text/plain", "no such session")
	s.want("POST", other, ping, 200, "application/json", pong)

	newest := other
	for range maxSessions { // the oldest one goes
		newest = s.initialize()
	}
	s.want("POST", other, ping, 404, "text/plain", "no such session")
	s.want("POST", newest, ping, 200, "application/json", pong)
}

func TestNotificationsGoFirstOnAStream(t *testing.T) {
	t.Parallel()
	s := serve(t, "both")
	header := s.want("POST", s.initialize(), call(1, "grow", `{}`, ""), 200, "text/event-stream", `event: message
data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}

event: message
data: `+text(1, "Added tool extra_1"))
	if header.Get("X-Accel-Buffering") != "no" {
		t.Error("a proxy may hold the events back")
	}
	began := time.Now()
	res := s.send("POST", "MCP-Protocol-Version: 2026-07-28; Mcp-Method: tools/call; Mcp-Name: slow_count", call(2, "slow_count", `{"n":1000}`, strings.Replace(modern, "{", `{"progressToken":7,`, 1)))
	defer res.Body.Close()
	events := bufio.NewReader(res.Body)
	for range 2 {
		line, err := events.ReadString('\n')
		if took := time.Since(began); err != nil || took > 1500*time.Millisecond {
			t.Fatalf("the first event was held back for %v: %q (error %v)", took, line, err)
		}
	}
}

func TestHTTPCallEnds(t *testing.T) {
	t.Parallel()
	s := serve(t, "both")
	for name, end := range map[string]func(session string){
		"by a notification of its session": func(session string) {
			s.want("POST", session, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, 202, "", "")
		},
		"with its session": func(session string) { s.want("DELETE", session, "", 204, "", "") },
	} {
		t.Run(name, func(t *testing.T) {
			session, other := s.initialize(), s.initialize()
			counting := strings.Replace(call(1, "slow_count", `{"n":1000}`, ""), `"name"`, `"_meta":{"progressToken":1},"name"`, 1)
			res := s.send("POST", session, counting) // returns with the first event
			defer res.Body.Close()
			// An id means nothing in another session.
			s.want("POST", other, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, 202, "", "")
			events := bufio.NewReader(res.Body)
			for got := ""; !strings.Contains(got, `"progress":2`); {
				line, err := events.ReadString('\n')
				if got = line; err != nil {
					t.Fatalf("another session ended the call: %v", err)
				}
			}
			end(session)
			if rest, err := io.ReadAll(events); err != nil || strings.Contains(string(rest), `"result"`) {
				t.Errorf("got %s (error %v)", rest, err)
			}
		})
	}
}

func TestHTTPCallEndsWhenItsClientLeaves(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	e := endpoint{eras: eras{modernVersion}}
	req := httptest.NewRequestWithContext(ctx, "POST", "/mcp", strings.NewReader(call(1, "slow", "{}", modern)))
	req.Header = http.Header{"Content-Type": {"application/json"}, "Mcp-Protocol-Version": {modernVersion}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"slow"}}
	slow := tool{Name: "slow", run: func(req message) (string, error) {
		leave()
		<-req.cancelled
		return "", nil
	}}
	w := httptest.NewRecorder()
	if e.post(e.eras.wrap(server{[]tool{slow}}.handle), w, req); w.Body.Len() > 0 {
		t.Errorf("got %s", w.Body)
	}
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestAnswersToARequest(t *testing.T) {
	const progress = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":7,\"progress\":1}}\n\n"
	typed := func(contentType, body string) answerer {
		return func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
			w.Header()["Content-Type"] = []string{contentType}
			if contentType == "" {
				w.Header()["Content-Type"] = nil
			}
			io.WriteString(w, body)
		}
	}
	status := func(code int, contentType, body string) answerer {
		return func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(code)
			io.WriteString(w, body)
		}
	}
	for _, test := range []struct {
		name   string
		answer answerer
		want   string
		notes  string
	}{
		{"a JSON object", typed("application/json", `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`), `{"tools":[]}`, ""},
		{"with a charset", typed("application/json; charset=UTF-8", ` {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`+"\r\n"), `{"tools":[]}`, ""},
		{"in capitals", typed("Application/JSON", `{"jsonrpc":"2.0","id":1,"result":1}`), `1`, ""},
		{"a byte order mark before it", typed("application/json", "\xEF\xBB\xBF"+`{"jsonrpc":"2.0","id":1,"result":1}`), `1`, ""},
		{"a byte that is no UTF-8", typed("application/json", `{"jsonrpc":"2.0","id":1,"result":"caf`+"\xE9"+`"}`), "\"caf\uFFFD\"", ""},
		{"no result at all", typed("application/json", `{"jsonrpc":"2.0","id":1}`), `null`, ""},
		{"events", typed("text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[]}}\n\n"), `{"tools":[]}`, ""},
		{"the events of a real server", typed("Text/Event-Stream;charset=utf-8", ": hi\r\n\r\nid: 7\r\nretry: 10\r\nevent: message\r\n"+
			"data:{\"jsonrpc\":\"2.0\",\"id\":1,\r\ndata: \"result\":{\"tools\":[]}}\r\n\r\n"), `{"tools":[]}`, ""},
		{"the same, cut between CR and LF", func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
			sendEvents(w, ": hi\r", "\n\r\nid: 7\r\nretry: 10\r", "\nevent: message\r\ndata:{\"jsonrpc\":\"2.0\",\"id\":1,\r",
				"\ndata: \"result\":{\"tools\":[]}}\r\n\r", "\n")
		}, `{"tools":[]}`, ""},
		{"a stream that stays open after the response", func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
			sendEvents(w, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}\n\n")
			<-r.Context().Done()
		}, `1`, ""},
		{"a last event without an empty line", typed("text/event-stream", progress+"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}"), `1`,
			`notified notifications/progress {"progressToken":7,"progress":1}`},
		{"what comes after the response", typed("text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}\n\n"+progress), `1`,
			`notified notifications/progress {"progressToken":7,"progress":1}`},
		{"events that are no messages", typed("text/event-stream", "event: ping\ndata: 2026\n\ndata: null\n\ndata: [1]\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}\n\n"), `1`, ""},
		{"an ID as text", typed("application/json", `{"jsonrpc":"2.0","id":"1","result":1}`), `1`, `gives our id 1 back as "1": accepted`},
		{"an ID as a fraction", typed("text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":1.0,\"result\":1}\n\n"), `1`, `gives our id 1 back as 1.0: accepted`},
		{"an error", typed("application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"missing path"}}`), `error: error -32602: missing path`, ""},
		{"an error of code 0 without an ID", typed("application/json", `{"jsonrpc":"2.0","error":{"code":0,"message":"no"}}`), `error: error 0: no`, ""},
		{"an error as an event without an ID", typed("text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-1,\"message\":\"no\"}}\n\n"), `error: error -1: no`, ""},
		{"status 400 with an error", status(400, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"no"}}`), `error: error -32021: no`, ""},
		{"status 404 with an error", status(404, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"what?"}}`), `error: error -32601: what?`, ""},
		{"status 500 with an error", status(500, "text/plain", `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"oops"}}`), `error: error -32603: oops`, ""},

		{"another ID", typed("application/json", `{"jsonrpc":"2.0","id":7,"result":1}`),
			`error: its answer to tools/list is no response to request 1: {"jsonrpc":"2.0","id":7,"result":1}`, ""},
		{"another ID in an event", typed("text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":1}\n\n"),
			`error: its stream ended before the response to tools/list (EOF)`, `dropped an answer with id 7: nobody waits for it`},
		{"no JSON", typed("application/json", `{oops`), `error: its answer to tools/list is no response to request 1: {oops`, ""},
		{"JSON of another kind", typed("application/json", `[]`), `error: its answer to tools/list is no response to request 1: []`, ""},
		{"a stream that ends early", typed("text/event-stream", progress),
			`error: its stream ended before the response to tools/list (EOF)`, `notified notifications/progress {"progressToken":7,"progress":1}`},
		{"nothing of no type", typed("", ""), `error: it answered 200 OK, but without a Content-Type`, ""},
		{"a web page", typed("text/html", "<html>\n <b>Hello</b>\x1b[2J"), `error: it answered 200 OK, but with a body of type "text/html": <html> <b>Hello</b>\x1b[2J`, ""},
		{"status 202", status(202, "", ""), `error: it answered 202 Accepted, but without a Content-Type`, ""},
		{"status 500 with a web page", status(500, "text/html", "<h1>\r\nIt broke</h1>"), `error: it answered 500 Internal Server Error: <h1> It broke</h1>`, ""},
		{"status 500 with a long page", status(500, "text/html", strings.Repeat("long ", 1000)),
			`error: it answered 500 Internal Server Error: ` + strings.Repeat("long ", 39) + "long…", ""},
		{"a status that nobody knows", status(599, "", ""), `error: it answered 599`, ""},
		{"status 304", status(304, "", ""), `error: it answered 304 Not Modified`, ""},
		{"status 404", status(404, "text/plain", "404 page not found\n"), `error: it answered 404 Not Found: wrong url?: 404 page not found`, ""},
		{"status 405", status(405, "text/plain", ""), `error: it answered 405 Method Not Allowed: wrong url?`, ""},
		{"status 404 with JSON that is no JSON-RPC", status(404, "application/json", `{"error":"nothing here"}`),
			`error: it answered 404 Not Found: wrong url?: {"error":"nothing here"}`, ""},
		{"status 401", status(401, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"s3cr3t-D"}}`),
			`error: unauthorized (401): check headers.Authorization of this server`, ""},
		{"status 403", status(403, "text/plain", "Invalid Host: 127.0.0.1"),
			`error: forbidden (403): check headers.Authorization of this server; where the server is local, try localhost for 127.0.0.1 in its url, or the other way round: it may check Host and Origin`, ""},
		{"a body that breaks off", func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
			w.Header().Set("Content-Length", "100")
			reply(w, 200, `{"jsonrpc":"2.0"`)
		}, `error: its answer broke off: unexpected EOF`, ""},
		{"no answer at all", func(w http.ResponseWriter, r *http.Request, m rpcMessage) { panic(http.ErrAbortHandler) }, `error: cannot reach it: EOF`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := &notebook{}
			s := newWeb(t, test.answer)
			e := dialEndpoint(t, n, s.URL)
			raw, err := e.call(t.Context(), "tools/list", nil)
			if got := outcomeText(raw, err); got != test.want {
				t.Errorf("got %s", got)
			}
			var refused *rpcError
			var failure *connectionError
			if err != nil && !errors.As(err, &refused) && !errors.As(err, &failure) {
				t.Errorf("an error of type %T", err)
			}
			if n.text() != test.notes {
				t.Errorf("notes: %s", n.text())
			}
			if s.asked() != "POST tools/list" {
				t.Errorf("asked:\n%s", s.asked())
			}
		})
	}
}

// roundTrip is an HTTP transport without a network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestAnAnswerWithoutEndIsAnError(t *testing.T) {
	e := dialEndpoint(t, &notebook{}, "http://mcp.test")
	e.client.Transport = roundTrip(func(*http.Request) (*http.Response, error) {
		body := io.NopCloser(&endless{text: strings.Repeat("x", 1<<20)})
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: body, ContentLength: -1}, nil
	})
	_, err := e.call(t.Context(), "tools/list", nil)
	if err == nil || err.Error() != "it sent a message of more than 64 MiB" {
		t.Errorf("got %v", err)
	}
}

func TestEachPostSaysWhatItTakesAndBrings(t *testing.T) {
	var got http.Header
	var body string
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
		got, body = r.Header, string(m.Params)
		got.Set("Host", r.Host)
		w.WriteHeader(202)
	})
	e, err := openHTTP(remote{"http://us%20er:pa%3Ass@" + strings.TrimPrefix(s.URL, "http://") + "/mcp?key=1#part",
		map[string]string{"X-Team": "a b", "accept": "text/html", "host": "mcp.test"}}, (&notebook{}).peer())
	if err != nil {
		t.Fatal(err)
	}
	defer e.close()
	if err := e.notify(t.Context(), "notifications/x", map[string]string{"a": "<&"}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Accept":        "application/json, text/event-stream",
		"Content-Type":  "application/json",
		"X-Team":        "a b",
		"Authorization": "Basic dXMgZXI6cGE6c3M=",
		"Host":          "mcp.test",
	} {
		if got.Get(name) != want {
			t.Errorf("%s: %s", name, got.Get(name))
		}
	}
	if body != `{"a":"<&"}` {
		t.Errorf("params: %s", body)
	}
	if want := s.URL + "/mcp?key=1"; e.url != want {
		t.Errorf("url: %s", e.url)
	}
	own, err := openHTTP(remote{"http://user:pass@127.0.0.1:1", map[string]string{"authorization": "Bearer x"}}, (&notebook{}).peer())
	if err != nil || own.header.Get("Authorization") != "Bearer x" {
		t.Errorf("the header of the configuration does not win: %v, %v", own.header, err)
	}
}

func TestAUselessURL(t *testing.T) {
	for _, url := range []string{"", "mcp.test/mcp", "ftp://mcp.test", "http:///mcp", "http://[::1/s3cr3t", "http://mcp.test/%zz?s3cr3t"} {
		if _, err := openHTTP(remote{url: url}, peer{}); err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%q: %v", url, err)
		}
	}
}

func TestAnswersToNotificationsAndToGET(t *testing.T) {
	initialized := map[string]func(w http.ResponseWriter, r *http.Request){
		"202, empty": func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(202) },
		"202, text": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.WriteHeader(202)
			io.WriteString(w, "Accepted")
		},
		"200, empty, without a type": func(w http.ResponseWriter, r *http.Request) { w.Header()["Content-Type"] = nil },
		"204":                        func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) },
		"200, null":                  func(w http.ResponseWriter, r *http.Request) { reply(w, 200, "null") },
		"a stream that nobody waits for": func(w http.ResponseWriter, r *http.Request) {
			sendEvents(w, ": hi\n\n")
			<-r.Context().Done()
		},
	}
	for name, answer := range initialized {
		for _, status := range []int{405, 404, 406, 400, 409, 500, 202} {
			t.Run(fmt.Sprintf("%s; %d to GET", name, status), func(t *testing.T) {
				get := make(chan struct{}, 9)
				usual := legacy("", func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
					<-get // the GET does come, though nothing waits for its answer
					reply(w, 200, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
				})
				s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
					switch {
					case r.Method == "GET":
						if accept := r.Header.Get("Accept"); accept != "text/event-stream" {
							t.Errorf("Accept: %s", accept)
						}
						w.WriteHeader(status)
						get <- struct{}{}
					case m.Method == "notifications/initialized":
						answer(w, r)
					default:
						usual(w, r, m)
					}
				})
				n := &notebook{}
				c := mustDialHTTP(t, n, s.URL, "")
				if got := c.dice(t.Context()); got != "{}" || n.text() != "" {
					t.Errorf("got %s, notes: %s", got, n.text())
				}
				c.close()
				if count := strings.Count(s.asked(), "GET"); count != 1 {
					t.Errorf("%d times GET", count)
				}
			})
		}
	}
	t.Run("500", func(t *testing.T) {
		usual := legacy("A", nil)
		s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
			if m.Method == "notifications/initialized" {
				http.Error(w, "no\x1b[2J\nway", 500)
				return
			}
			usual(w, r, m)
		})
		_, err := dialHTTP(t, &notebook{}, remote{url: s.URL}, "")
		if want := `notifications/initialized: it answered 500 Internal Server Error: no\x1b[2J way`; err == nil || err.Error() != want {
			t.Errorf("got %v", err)
		}
		if !strings.HasSuffix(s.asked(), "\nDELETE A 2025-06-18") {
			t.Errorf("asked:\n%s", s.asked())
		}
	})
}

func TestSeveralMessagesOnOneStream(t *testing.T) {
	answers := make(chan string, 3)
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
		legacy("A", func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
			sendEvents(w, `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"total":2}}`+"\n\n",
				`data: {"jsonrpc":"2.0","id":"s1","method":"ping"}`+"\n\n",
				`data: {"jsonrpc":"2.0","id":90,"method":"roots/list"}`+"\n\n",
				`data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}`+"\n\n")
			got := map[string]bool{<-answers: true, <-answers: true} // the server waits for both
			sendEvents(w, fmt.Sprintf(`data: {"jsonrpc":"2.0","id":%s,"result":{"answers":%d}}`+"\n\n", m.ID, len(got)))
		})(w, r, m)
		if m.Method == "" && m.ID != nil {
			answers <- string(m.ID)
		}
	})
	n := &notebook{}
	c := mustDialHTTP(t, n, s.URL, "")
	raw, err := c.callTool(t.Context(), "dice", nil, func(p progress) { n.notef("%v of %v", p.Progress, p.Total) })
	if string(raw) != `{"answers":2}` || err != nil || n.text() != "1 of 2" {
		t.Errorf("got %s, %v, notes: %s", raw, err, n.text())
	}
	c.close()
	for _, want := range []string{
		`POST {"jsonrpc":"2.0","id":"s1","result":{}} A 2025-06-18`,
		`POST {"jsonrpc":"2.0","id":90,"error":{"code":-32601,"message":"this client does not support roots/list"}} A 2025-06-18`,
	} {
		if strings.Count(s.asked(), want) != 1 {
			t.Errorf("%s is not in\n%s", want, s.asked())
		}
	}
}

func TestAServerThatFloodsUsWithRequestsIsNotFlooded(t *testing.T) {
	release := make(chan struct{})
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
		if m.Method == "" && m.ID != nil {
			<-release
		}
		legacy("", func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
			sendEvents(w, strings.Repeat(`data: {"jsonrpc":"2.0","id":"p","method":"ping"}`+"\n\n", 1000),
				fmt.Sprintf(`data: {"jsonrpc":"2.0","id":%s,"result":{}}`+"\n\n", m.ID))
		})(w, r, m)
	})
	n := &notebook{}
	c := mustDialHTTP(t, n, s.URL, "")
	if got := c.dice(t.Context()); got != "{}" || n.text() != "could not answer all that it asked: it does not read" {
		t.Errorf("got %s, notes: %s", got, n.text())
	}
	close(release)
	c.close()
	if count := strings.Count(s.asked(), `"id":"p"`); count > maxTelling {
		t.Errorf("%d answers", count)
	}
}

func TestEachFrameOverHTTPIsLogged(t *testing.T) {
	s := newWeb(t, legacy("A", func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
		if string(m.ID) == "2" {
			reply(w, 400, `{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no"}}`)
			return
		}
		sendEvents(w, "id: 1\n\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"method\":\"x\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":\"<ok>\"}\n\n")
	}))
	var log strings.Builder
	p := (&notebook{}).peer()
	p.wire = &wireLog{redact: newRedactor(nil), w: &log}
	e, err := openHTTP(remote{url: s.URL}, p)
	if err != nil {
		t.Fatal(err)
	}
	e.call(t.Context(), "initialize", initializeParams{})
	e.notify(t.Context(), "notifications/x", nil)
	e.call(t.Context(), "tools/call", callParams{Name: "a"})
	e.call(t.Context(), "tools/call", callParams{Name: "b"})
	e.close()
	if want := `demo → {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"","capabilities":{},"clientInfo":null}}
demo ← {"jsonrpc":"2.0","id":1,"result":` + agreed + `}
demo → {"jsonrpc":"2.0","method":"notifications/x"}
demo → {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a","arguments":null}}
demo ← {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no"}}
demo → {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"b","arguments":null}}
demo ← {"jsonrpc":"2.0",\n"method":"x"}
demo ← {"jsonrpc":"2.0","id":3,"result":"<ok>"}
`; log.String() != want {
		t.Errorf("log:\n%s", log.String())
	}
}

func TestACallThatIsGivenUp(t *testing.T) {
	for _, version := range []string{"", statelessVersion} {
		t.Run("in "+version, func(t *testing.T) {
			started, gone, told := make(chan struct{}), make(chan struct{}), make(chan string, 1)
			s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
				switch m.Method {
				case "server/discover":
					reply(w, 200, `{"jsonrpc":"2.0","id":%s,"result":{"supportedVersions":["2026-07-28"]}}`, m.ID)
				case "notifications/cancelled":
					told <- string(m.Params)
					w.WriteHeader(202)
				default:
					legacy("A", func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
						sendEvents(w, ": headers, then silence\n\n")
						close(started)
						<-r.Context().Done()
						close(gone)
					})(w, r, m)
				}
			})
			c := mustDialHTTP(t, &notebook{}, s.URL, version)
			errStop := errors.New("stopped by hand")
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() { <-started; cancel(errStop) }()
			if _, err := c.callTool(ctx, "dice", nil, nil); !errors.Is(err, errStop) {
				t.Errorf("got %v", err)
			}
			<-gone // the stream is closed in both eras
			c.close()
			var last struct {
				RequestID int
				Reason    string
			}
			switch {
			case version != "" && len(told) != 0:
				t.Errorf("told %s", <-told)
			case version == "":
				if err := json.Unmarshal([]byte(<-told), &last); err != nil || last.RequestID != 2 || last.Reason != errStop.Error() {
					t.Errorf("told %+v, %v", last, err)
				}
			}
		})
	}
}

func TestAHandshakeThatIsGivenUpIsNotCancelled(t *testing.T) {
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
		w.Header().Set("Mcp-Session-Id", "A")
		sendEvents(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n")
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	p := (&notebook{}).peer()
	p.notified = func(string, json.RawMessage) { cancel() }
	e, err := openHTTP(remote{url: s.URL}, p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.call(ctx, "initialize", initializeParams{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	e.close()
	if s.asked() != "POST initialize" {
		t.Errorf("asked:\n%s", s.asked())
	}
}

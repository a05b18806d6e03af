package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestASessionFromBeginningToEnd(t *testing.T) {
	listening := make(chan struct{})
	usual := legacy("A", func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
		<-listening
		w.Header().Set("Mcp-Session-Id", "not now") // only initialize gives one
		reply(w, 200, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
	})
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
		usual(w, r, m)
		if r.Method == "GET" {
			close(listening)
		}
	})
	c := mustDialHTTP(t, &notebook{}, s.URL, "")
	c.dice(t.Context())
	c.listTools(t.Context())
	c.close()
	c.close()
	const get = "\nGET A 2025-06-18" // comes at its own time
	if want := "POST initialize\nPOST notifications/initialized A 2025-06-18\nPOST tools/call A 2025-06-18\n" +
		"POST tools/list A 2025-06-18\nDELETE A 2025-06-18"; strings.Replace(s.asked(), get, "", 1) != want || !strings.Contains(s.asked(), get) {
		t.Errorf("asked:\n%s", s.asked())
	}
}

func TestAServerWithoutSessions(t *testing.T) {
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
		if m.Method == "initialize" {
			reply(w, 200, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, agreedQuietly)
			return
		}
		legacy("", func(w http.ResponseWriter, r *http.Request, m rpcMessage) { http.Error(w, "nothing here", 404) })(w, r, m)
	})
	c := mustDialHTTP(t, &notebook{}, s.URL, "")
	if got, want := c.dice(t.Context()), "error: it answered 404 Not Found: wrong url?: nothing here"; got != want {
		t.Errorf("got %s", got)
	}
	c.close()
	if want := "POST initialize\nPOST notifications/initialized 2025-06-18\nPOST tools/call 2025-06-18"; s.asked() != want {
		t.Errorf("asked:\n%s", s.asked())
	}
}

// forgetful is a server that gives the sessions A, B, C … and knows only those that it is told to know.
type forgetful struct {
	mu      sync.Mutex
	given   int
	known   map[string]bool
	refusal func(w http.ResponseWriter, m rpcMessage) // to a session that it does not know
	refuse  func(w http.ResponseWriter, m rpcMessage) // to the second initialize; nil accepts it
}

func (f *forgetful) answer(w http.ResponseWriter, r *http.Request, m rpcMessage) {
	f.mu.Lock()
	known := f.known[r.Header.Get("Mcp-Session-Id")]
	if m.Method == "initialize" {
		f.given++
	}
	given := f.given
	f.mu.Unlock()
	switch {
	case m.Method == "initialize" && given > 1 && f.refuse != nil:
		f.refuse(w, m)
	case m.Method == "initialize":
		if id := r.Header.Get("Mcp-Session-Id"); id != "" {
			panic("initialize in session " + id)
		}
		w.Header().Set("Mcp-Session-Id", string(rune('A'+given-1)))
		reply(w, 200, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, agreedQuietly)
	case m.ID == nil:
		w.WriteHeader(202)
	case !known:
		f.refusal(w, m)
	default:
		reply(w, 200, `{"jsonrpc":"2.0","id":%s,"result":{"in":%q}}`, m.ID, r.Header.Get("Mcp-Session-Id"))
	}
}

func (f *forgetful) know(sessions ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known = map[string]bool{}
	for _, id := range sessions {
		f.known[id] = true
	}
}

func TestALostSession(t *testing.T) {
	plain404 := func(w http.ResponseWriter, m rpcMessage) { http.Error(w, "session not found", 404) }
	for _, test := range []struct {
		name      string
		refusal   func(w http.ResponseWriter, m rpcMessage)
		newOne    bool // the server knows the new session
		refuse    func(w http.ResponseWriter, m rpcMessage)
		result    string
		handshake int // how many there were, with the first
		calls     int // how many tools/call there were
		ended     bool
	}{
		{"is replaced, and the call repeated", plain404, true, nil, `{"in":"B"}`, 2, 2, false},
		{"is replaced when the server says it in JSON", func(w http.ResponseWriter, m rpcMessage) {
			reply(w, 404, `{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}`)
		}, true, nil, `{"in":"B"}`, 2, 2, false},
		{"is replaced when the server says 400 and why", func(w http.ResponseWriter, m rpcMessage) {
			reply(w, 400, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`)
		}, true, nil, `{"in":"B"}`, 2, 2, false},
		{"is something else than wrong arguments", func(w http.ResponseWriter, m rpcMessage) {
			reply(w, 400, `{"jsonrpc":"2.0","error":{"code":-32602,"message":"no such session: dance"},"id":%s}`, m.ID)
		}, true, nil, "error: error -32602: no such session: dance", 1, 1, false},
		{"is something else than a bad request", func(w http.ResponseWriter, m rpcMessage) { http.Error(w, "what?", 400) }, true, nil,
			"error: it answered 400 Bad Request: what?", 1, 1, false},
		{"is replaced once for each call", plain404, false, nil, "error: it does not know our session any more (404)", 2, 2, false},
		{"that cannot be replaced ends the connection", plain404, false, plain404,
			"error: it has lost our session, and there is no new one: it answered 404 Not Found: wrong url?: session not found", 2, 1, true},
		{"that is replaced in another version ends the connection", plain404, true, func(w http.ResponseWriter, m rpcMessage) {
			w.Header().Set("Mcp-Session-Id", "B")
			reply(w, 200, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2024-11-05"}}`, m.ID)
		}, `error: it has lost our session, and there is no new one: now it speaks protocol version "2024-11-05"`, 2, 1, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := &forgetful{refusal: test.refusal, refuse: test.refuse}
			f.know("A")
			s := newWeb(t, f.answer)
			c := mustDialHTTP(t, &notebook{}, s.URL, "")
			if got := c.dice(t.Context()); got != `{"in":"A"}` {
				t.Fatal(got)
			}
			f.know()
			if test.newOne {
				f.know("B")
			}
			before := strings.Count(s.asked(), "tools/call")
			if got := c.dice(t.Context()); got != test.result {
				t.Errorf("got %s", got)
			}
			handshakes, calls := strings.Count(s.asked(), "POST initialize"), strings.Count(s.asked(), "tools/call")-before
			if handshakes != test.handshake || calls != test.calls {
				t.Errorf("%d handshakes, %d calls:\n%s", handshakes, calls, s.asked())
			}
			replaced := strings.Contains(s.asked(), "POST notifications/initialized B")
			if (len(c.changed) == 1) != replaced {
				t.Errorf("tools listed again: %d", len(c.changed))
			}
			select {
			case <-c.done:
				if !test.ended {
					t.Errorf("ended: %v", c.cause)
				}
			default:
				if test.ended {
					t.Error("did not end")
				}
			}
			c.close()
			if strings.Contains(s.asked(), "GET") { // it does not say when its tools change
				t.Errorf("asked:\n%s", s.asked())
			}
			last := "DELETE A 2025-06-18"
			if replaced {
				last = "DELETE B 2025-06-18"
			}
			if !strings.HasSuffix(s.asked(), "\n"+last) {
				t.Errorf("asked:\n%s", s.asked())
			}
		})
	}
}

func TestCallsThatLoseASessionTogetherShareTheNewOne(t *testing.T) {
	const together = 8
	var arrived sync.WaitGroup
	arrived.Add(together)
	f := &forgetful{refusal: func(w http.ResponseWriter, m rpcMessage) {
		arrived.Done()
		arrived.Wait() // all are in flight before one is refused
		w.WriteHeader(404)
	}}
	f.know("B")
	s := newWeb(t, f.answer)
	c := mustDialHTTP(t, &notebook{}, s.URL, "")
	results := make(chan string, together)
	for range together {
		go func() { results <- c.dice(t.Context()) }()
	}
	for range together {
		if got := <-results; got != `{"in":"B"}` {
			t.Errorf("got %s", got)
		}
	}
	if count := strings.Count(s.asked(), "POST initialize"); count != 2 {
		t.Errorf("%d handshakes", count)
	}
	if count := strings.Count(s.asked(), "tools/call"); count != 2*together {
		t.Errorf("%d calls", count)
	}
}

func TestWhoGivesUpDuringTheNewHandshakeLeavesItToTheNext(t *testing.T) {
	f := &forgetful{refusal: func(w http.ResponseWriter, m rpcMessage) { w.WriteHeader(404) }}
	f.know("C")
	started := make(chan struct{})
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
		f.mu.Lock()
		second := m.Method == "notifications/initialized" && f.given == 2
		f.mu.Unlock()
		if second {
			close(started)
			<-r.Context().Done()
			return
		}
		f.answer(w, r, m)
	})
	c := mustDialHTTP(t, &notebook{}, s.URL, "")
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	if got := c.dice(ctx); got != "error: context canceled" {
		t.Errorf("got %s", got)
	}
	if got := c.dice(t.Context()); got != `{"in":"C"}` {
		t.Errorf("got %s, asked:\n%s", got, s.asked())
	}
}

func TestAStreamThatBreaksOffGoesOn(t *testing.T) {
	rest := func(id string) string { return fmt.Sprintf(`data: {"jsonrpc":"2.0","id":%s,"result":{}}`+"\n\n", id) }
	for _, test := range []struct {
		name   string
		first  []string                                       // the events of the answer to the POST
		resume func(w http.ResponseWriter, lastID, id string) // the answer to the GET
		broken bool                                           // the connection breaks, and does not just end
		want   string
		gets   string // the event IDs that were sent
	}{
		{"where the last event was", []string{"id: 7\nretry: 10\ndata: \n\n", "id: 8\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n"},
			func(w http.ResponseWriter, lastID, id string) { sendEvents(w, rest(id)) }, false, "{}", "8"},
		{"also when the connection breaks", []string{"id: 7\nretry: 10\ndata: \n\n", "id: 8\ndata: half an ev"},
			func(w http.ResponseWriter, lastID, id string) { sendEvents(w, rest(id)) }, true, "{}", "7"},
		{"and on, as often as it must", []string{"id: 1\nretry: 0\ndata: \n\n"}, func(w http.ResponseWriter, lastID, id string) {
			if lastID != "4" {
				sendEvents(w, fmt.Sprintf("id: %c\ndata:\n\n", lastID[0]+1))
				return
			}
			sendEvents(w, rest(id))
		}, false, "{}", "1 2 3 4"},
		{"at the same event when nothing new came", []string{"id: 1\nretry: 0\ndata: \n\n"}, func(w http.ResponseWriter, lastID, id string) {
			if w.Header().Get("Times") == "2" {
				sendEvents(w, rest(id))
				return
			}
			sendEvents(w, ": hi\n")
		}, false, "{}", "1 1"},
		{"if it had events with IDs", []string{"retry: 10\ndata: \n\n"}, nil, false,
			"error: its stream ended before the response to tools/call (EOF)", ""},
		{"if the server has the rest", []string{"id: 1\nretry: 0\ndata: \n\n"}, func(w http.ResponseWriter, lastID, id string) { w.WriteHeader(405) }, false,
			"error: its stream broke off, and does not go on: it answered 405 Method Not Allowed", "1"},
		{"but a session lost meanwhile is no reason to call again", []string{"id: 1\nretry: 0\ndata: \n\n"},
			func(w http.ResponseWriter, lastID, id string) { w.WriteHeader(404) }, false,
			"error: its stream broke off, and does not go on: it answered 404 Not Found", "1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var id string
			var gets []string
			s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
				if lastID := r.Header.Get("Last-Event-Id"); lastID != "" {
					gets = append(gets, lastID)
					w.Header().Set("Times", fmt.Sprint(len(gets)))
					if r.Method != "GET" || r.Header.Get("Accept") != "text/event-stream" || r.Header.Get("Mcp-Session-Id") != "A" {
						t.Errorf("resumed with %s, %v", r.Method, r.Header)
					}
					test.resume(w, lastID, id)
					return
				}
				legacy("A", func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
					id = string(m.ID)
					sendEvents(w, test.first...)
					if test.broken {
						panic(http.ErrAbortHandler)
					}
				})(w, r, m)
			})
			c := mustDialHTTP(t, &notebook{}, s.URL, "")
			if got := c.dice(t.Context()); got != test.want {
				t.Errorf("got %s", got)
			}
			if got := strings.Join(gets, " "); got != test.gets {
				t.Errorf("resumed at %s", got)
			}
			if count := strings.Count(s.asked(), "tools/call"); count != 1 {
				t.Errorf("%d calls", count)
			}
		})
	}
}

func TestWithoutAHandshakeABrokenStreamIsLost(t *testing.T) {
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
		if m.Method == "server/discover" {
			reply(w, 200, `{"jsonrpc":"2.0","id":%s,"result":{"supportedVersions":["2026-07-28"]}}`, m.ID)
			return
		}
		sendEvents(w, `data: {"jsonrpc":"2.0","id":"s1","method":"ping"}`+"\n\n", "id: 1\nretry: 0\ndata: \n\n")
	})
	c := mustDialHTTP(t, &notebook{}, s.URL, statelessVersion)
	if got := c.dice(t.Context()); got != "error: its stream ended before the response to tools/call (EOF)" {
		t.Errorf("got %s", got)
	}
	c.close()
	if want := "POST server/discover 2026-07-28 server/discover\nPOST tools/call 2026-07-28 tools/call dice"; s.asked() != want {
		t.Errorf("asked:\n%s", s.asked())
	}
}

func TestTheStreamThatNobodyAskedFor(t *testing.T) {
	send := make(chan string)
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
		if r.Method == "GET" {
			sendEvents(w)
			for text := range send {
				sendEvents(w, text)
			}
			return
		}
		legacy("A", func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
			reply(w, 200, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
		})(w, r, m)
	})
	n := &notebook{}
	c := mustDialHTTP(t, n, s.URL, "")
	send <- `data: {"jsonrpc":"2.0","id":9,"result":{}}` + "\n\n"
	send <- `data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n\n"
	<-c.changed
	close(send) // its end is nothing to worry about
	if got := c.dice(t.Context()); got != "{}" || n.text() != "dropped an answer with id 9: nobody waits for it" {
		t.Errorf("got %s, notes: %s", got, n.text())
	}
	c.close()
	if count := strings.Count(s.asked(), "GET"); count != 1 {
		t.Errorf("%d times GET", count)
	}
}

func TestANewSessionEndsTheStreamOfTheOldOne(t *testing.T) {
	gone := make(chan struct{})
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
		id := r.Header.Get("Mcp-Session-Id")
		switch {
		case r.Method == "GET" && id == "A":
			sendEvents(w, `data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n\n")
			<-r.Context().Done()
			close(gone)
		case m.Method == "tools/call" && id == "A":
			w.WriteHeader(404)
		case m.Method == "tools/call":
			<-gone
			reply(w, 200, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
		case m.Method == "initialize" && string(m.ID) != "1":
			legacy("B", nil)(w, r, m)
		default:
			legacy("A", nil)(w, r, m)
		}
	})
	c := mustDialHTTP(t, &notebook{}, s.URL, "")
	<-c.changed
	if got := c.dice(t.Context()); got != "{}" {
		t.Errorf("got %s", got)
	}
}

// withoutNetwork opens an endpoint whose server is a function. A body in bodies of its answers ends with the request.
func withoutNetwork(t *testing.T, n *notebook, serve func(r *http.Request, m rpcMessage) (status int, contentType string, body io.Reader)) *endpoint {
	e, err := openHTTP(remote{url: "http://mcp.test/mcp"}, n.peer())
	if err != nil {
		t.Fatal(err)
	}
	e.client.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		var m rpcMessage
		if r.Body != nil {
			body, _ := io.ReadAll(r.Body)
			m, _ = parseMessage(body)
		}
		status, contentType, body := serve(r, m)
		if status == 0 {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		read, write := io.Pipe()
		stop := context.AfterFunc(r.Context(), func() { read.CloseWithError(r.Context().Err()) })
		go func() {
			defer stop()
			_, err := io.Copy(write, body)
			write.CloseWithError(err)
		}()
		return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {contentType}, "Mcp-Session-Id": {"A"}}, Body: read, ContentLength: -1}, nil
	})
	return e
}

// never is a body of which nothing comes.
type never struct{ r *http.Request }

func (n never) Read([]byte) (int, error) { <-n.r.Context().Done(); return 0, n.r.Context().Err() }

func TestAServerThatIsSlowOrSilentHoldsNobodyUp(t *testing.T) {
	hello := func(r *http.Request, m rpcMessage) (int, string, io.Reader) {
		return 200, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"result":` + agreed + `}`)
	}
	for _, test := range []struct {
		name  string
		serve func(r *http.Request, m rpcMessage) (int, string, io.Reader) // everything but initialize
	}{
		{"no answer", func(r *http.Request, m rpcMessage) (int, string, io.Reader) { return 0, "", nil }},
		{"headers, then silence", func(r *http.Request, m rpcMessage) (int, string, io.Reader) { return 200, "application/json", never{r} }},
		{"a stream, then silence", func(r *http.Request, m rpcMessage) (int, string, io.Reader) {
			return 200, "text/event-stream", never{r}
		}},
		{"a stream without end", func(r *http.Request, m rpcMessage) (int, string, io.Reader) {
			return 200, "text/event-stream", &endless{text: ": hi\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":99,\"result\":1}\n\n"}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := &notebook{}
				e := withoutNetwork(t, n, func(r *http.Request, m rpcMessage) (int, string, io.Reader) {
					if m.Method == "initialize" {
						return hello(r, m)
					}
					return test.serve(r, m)
				})
				if _, err := e.call(t.Context(), "initialize", initializeParams{}); err != nil {
					t.Fatal(err)
				}
				e.listen(e.current())
				start := time.Now()
				result := make(chan error, 1)
				go func() { // without any limit
					_, err := e.call(t.Context(), "tools/call", callParams{Name: "a"})
					result <- err
				}()
				if strings.Contains(test.name, "silence") || test.name == "no answer" {
					synctest.Wait()
					ctx, _, release := within(t.Context(), time.Minute, "tools/call")
					defer release()
					_, err := e.call(ctx, "tools/call", callParams{Name: "b"})
					var failure *connectionError
					if !errors.As(err, &failure) || err.Error() != "no answer to tools/call in 60000 ms" || time.Since(start) != time.Minute {
						t.Errorf("got %v after %v", err, time.Since(start))
					}
				}
				start = time.Now()
				e.close()
				if took := time.Since(start); took > 2*farewell {
					t.Errorf("close took %v", took)
				}
				if err := <-result; err == nil || !strings.HasPrefix(err.Error(), "the connection was closed") {
					t.Errorf("the other call: %v", err)
				}
				if n.ended == nil {
					t.Error("did not end")
				}
			})
		})
	}
}

func TestAnErrorIsNotWaitedForToTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := withoutNetwork(t, &notebook{}, func(r *http.Request, m rpcMessage) (int, string, io.Reader) {
			return 500, "text/html", io.MultiReader(strings.NewReader("it broke"), never{r})
		})
		defer e.close()
		start := time.Now()
		_, err := e.call(t.Context(), "x", nil)
		if err == nil || err.Error() != "it answered 500 Internal Server Error: it broke" || time.Since(start) != farewell {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
	})
}

func TestTheServersRetryIsRespected(t *testing.T) {
	for retry, want := range map[string]time.Duration{"retry: 2500\n": 2500 * time.Millisecond, "": time.Second, "retry: 0\n": lingering} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			e := withoutNetwork(t, &notebook{}, func(r *http.Request, m rpcMessage) (int, string, io.Reader) {
				switch {
				case r.Method == "GET":
					if waited := time.Since(start); waited != want {
						t.Errorf("waited %v, want %v", waited, want)
					}
					return 200, "text/event-stream", strings.NewReader("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + agreed + "}\n\n")
				case m.Method == "initialize":
					return 200, "text/event-stream", strings.NewReader("id: 1\n" + retry + "\n")
				}
				return 0, "", nil
			})
			if _, err := e.call(t.Context(), "initialize", initializeParams{}); err != nil {
				t.Error(err)
			}
			e.close()
		})
	}
}

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// notebook keeps what a person is told. It is safe for concurrent use.
type notebook struct {
	mu    sync.Mutex
	lines []string
	told  map[string]bool
}

func (n *notebook) note(kind, format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.told == nil {
		n.told = map[string]bool{}
	}
	if kind == "" || !n.told[kind] {
		n.lines = append(n.lines, fmt.Sprintf(format, args...))
	}
	n.told[kind] = true
}

func (n *notebook) text() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.lines, "\n")
}

// fakePeer is a peer that writes into the notebook.
func (n *notebook) fakePeer() peer {
	return peer{note: n.note, wire: func(string, []byte) {}, silent: func() bool { return false },
		notified: func(method string, params json.RawMessage) { n.note("", "notified %s %s", method, params) }}
}

// dialPipe connects to a server that plays the script. The server's input ends with the test.
func dialPipe(t *testing.T, p peer, script func(f *fake)) *stream {
	t.Helper()
	in, w := io.Pipe()
	r, out := io.Pipe()
	s := newStream(w, p, func(err error) *connectionError { return broken("over: %v", err) })
	go func() {
		s.read(r)
		r.Close()
	}()
	var playing sync.WaitGroup
	playing.Go(func() {
		script(&fake{in: bufio.NewReader(in), out: out})
		out.Close()
		io.Copy(io.Discard, in)
	})
	t.Cleanup(func() {
		s.close()
		playing.Wait()
		<-s.over
	})
	return s
}

// askServer sends a request with the name of the test and says what came of it.
func askServer(s *stream, method string) string {
	raw, err := s.call(context.Background(), request{method: method})
	if err != nil {
		return "error " + err.Error()
	}
	return string(raw)
}

func TestWhatAServerMayWrite(t *testing.T) {
	for _, test := range []struct {
		write string // to the request with id 1; $ stands for the id as it is
		want  string // the result
		notes string
	}{
		{`{"jsonrpc":"2.0","id":1,"result":{"a":1}}`, `{"a":1}`, ""},
		{"\xEF\xBB\xBF\r\n\r\n" + `{"jsonrpc":"2.0","id":1,"result":{}}` + "\r", `{}`, ""},
		{`{"jsonrpc":"2.0","id":"1","result":{}}`, `{}`, ""},
		{`{"jsonrpc":"2.0","id":1.0,"result":{}}`, `{}`, ""},
		{"demo v1.2 ready\n[warn] {not json\n42\n\"up\"\nnull\n{\"level\":\"info\"}\n[]\n{\"jsonrpc\":\"2.0\",\"result\":null}\n" +
			`{"jsonrpc":"2.0","id":1,"result":{}}`, `{}`, "sent what is no message: demo v1.2 ready"},
		{`{"jsonrpc":"2.0","id":999,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{}}`, `{}`, ""},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":0,"message":"no"}}`, "error no (code 0)", ""},
		{`{"jsonrpc":"2.0","id":1,"error":"no"}`, `error "no" (code 0)`, ""},
		{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`, "error what? (code -32700)", ""},
		{`{"jsonrpc":"2.0","id":1}`, "error its answer to x has no result", ""},
		{`{"jsonrpc":"2.0","id":1,"result":null}`, "error its answer to x has no result", ""},
		{`{"jsonrpc":"2.0","ID":7,"id":1,"Result":{"a":1},"result":{}}`, `{}`, ""},
		{`{"jsonrpc":"2.0","method":"n","params":{"a":1}}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{}}`, `{}`, `notified n {"a":1}`},
		{"", "error over: EOF", ""},
	} {
		n := &notebook{}
		s := dialPipe(t, n.fakePeer(), func(f *fake) {
			f.next()
			f.say("%s", test.write)
		})
		if got := askServer(s, "x"); got != test.want || n.text() != test.notes {
			t.Errorf("%q: got %s, noted %q; want %s, %q", test.write, got, n.text(), test.want, test.notes)
		}
	}
}

func TestAnswersInAnyOrderReachTheirCalls(t *testing.T) {
	s := dialPipe(t, (&notebook{}).fakePeer(), func(f *fake) {
		var ids []string
		for range 3 {
			f.next()
			ids = append(ids, f.id()+" "+f.method())
		}
		for _, i := range []int{2, 0, 1, 0} { // one of them twice
			id, method, _ := strings.Cut(ids[i], " ")
			f.say(`{"jsonrpc":"2.0","id":%s,"result":%q}`, id, method)
		}
		f.next()
		f.result(`"last"`)
	})
	var calls sync.WaitGroup
	for _, method := range []string{"a", "b", "c"} {
		calls.Go(func() {
			if got := askServer(s, method); got != `"`+method+`"` {
				t.Errorf("%s got %s", method, got)
			}
		})
	}
	calls.Wait()
	if got := askServer(s, "d"); got != `"last"` {
		t.Errorf("d got %s", got)
	}
}

func TestRequestsOfAServerAreAnswered(t *testing.T) {
	var answers []string
	s := dialPipe(t, (&notebook{}).fakePeer(), func(f *fake) {
		f.next()
		id := f.id()
		for _, request := range []string{`{"jsonrpc":"2.0","id":"p-1","method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`} {
			f.say("%s", request)
			f.next()
			answers = append(answers, f.line)
		}
		f.say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
	})
	if got := askServer(s, "x"); got != "{}" {
		t.Error(got)
	}
	want := `{"jsonrpc":"2.0","id":"p-1","result":{}}` + "\n" + `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"this client has no such method"}}`
	if got := strings.Join(answers, "\n"); got != want {
		t.Errorf("answered\n%s\nwant\n%s", got, want)
	}
}

func TestALineThatNeverEnds(t *testing.T) {
	s := dialPipe(t, (&notebook{}).fakePeer(), func(f *fake) {
		f.next()
		for part := strings.Repeat("x", 1<<20); ; {
			if _, err := io.WriteString(f.out, part); err != nil {
				return
			}
		}
	})
	if got := askServer(s, "x"); got != "error over: it sent a line of more than 64 MiB" {
		t.Error(got[:min(len(got), 100)])
	}
}

// Each of the ways that a call ends without an answer.
func TestCallsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := make(chan string, 9)
		s := dialPipe(t, (&notebook{}).fakePeer(), func(f *fake) {
			for f.next() {
				heard <- f.line
			}
		})
		ctx, _, release := within(t.Context(), time.Second, "x")
		defer release()
		_, err := s.call(ctx, request{method: "x"})
		var lost *connectionError
		if !errors.As(err, &lost) || lost.public != "no answer to x in 1000 ms" {
			t.Errorf("over its time: %v", err)
		}
		<-heard
		if got, want := <-heard, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"no answer to x in 1000 ms"}}`; got != want {
			t.Errorf("the server heard %s, want %s", got, want)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := s.call(ctx, request{method: "initialize"}); !errors.Is(err, context.Canceled) {
			t.Errorf("given up: %v", err)
		}
		<-heard // initialize, which is not cancelled
		time.AfterFunc(time.Second, s.close)
		if got := askServer(s, "y"); got != "error the connection was closed" {
			t.Errorf("closed: %s", got)
		}
		if got := <-heard; !strings.Contains(got, `"y"`) {
			t.Errorf("heard %s", got)
		}
	})
}

// scripted is a transport that answers by a script. It keeps what it was sent.
type scripted struct {
	peer
	answer func(r request) (json.RawMessage, error)
	sent   *[]string // the methods
	cause  error
}

func (s *scripted) call(ctx context.Context, r request) (json.RawMessage, error) {
	return s.answer(r)
}
func (s *scripted) notify(_ context.Context, r request) error {
	*s.sent = append(*s.sent, strings.TrimPrefix(r.method, "notifications/"))
	return nil
}
func (s *scripted) ended() error { return s.cause }
func (s *scripted) close()       { s.cause = errClosed }

func TestAgreeingOnAVersion(t *testing.T) {
	refuse := func(code int, message, data string) error {
		return &rpcError{Code: code, Message: message, Data: json.RawMessage(data)}
	}
	modern := `{"resultType":"complete","supportedVersions":["2026-07-28","2025-06-18"],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"demo"}}}`
	speaks := func(version string) string {
		return fmt.Sprintf(`{"protocolVersion":%q,"serverInfo":{"name":"demo"}}`, version)
	}
	for _, test := range []struct {
		name, version        string
		initialize, discover any    // a result, or an error; "dies" ends the connection
		want                 string // the version, or the error
		hellos               string // the methods that were sent
	}{
		{"ours", "", speaks("2025-11-25"), nil, "2025-11-25", "initialize initialized"},
		{"an older one", "", speaks("2024-11-05"), nil, "2024-11-05", "initialize initialized"},
		{"one that does not exist", "", speaks("2099-01-01"), nil, `error it speaks protocol version "2099-01-01", which we do not; we asked for "2025-11-25"`, "initialize"},
		{"none", "", `{}`, nil, `error it speaks protocol version "", which we do not; we asked for "2025-11-25"`, "initialize"},
		{"the stateless one, in an answer", "", speaks("2026-07-28"), modern, "2026-07-28", "initialize discover"},
		{"the stateless one, in an error", "", refuse(-32022, "no", `{"supported":["2026-07-28"]}`), modern, "2026-07-28", "initialize discover"},
		{"initialize is unknown", "", refuse(-32601, "no", "{}"), modern, "2026-07-28", "initialize discover"},
		{"initialize is refused for another reason", "", refuse(-32000, "no disk", "null"), modern, "error initialize: no disk (code -32000)", "initialize"},
		{"only versions that we do not know", "", refuse(-32022, "no", `{"supported":["2027-01-01"]}`), nil,
			"error initialize: no (code -32022) {\"supported\":[\"2027-01-01\"]} (it supports 2027-01-01; we speak 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05)", "initialize"},
		{"neither", "", refuse(-32601, "no", "{}"), refuse(-32601, "no", "{}"), "error initialize: no (code -32601) {}; server/discover: no (code -32601) {}; initialize: no (code -32601) {}", "initialize discover initialize"},
		{"stateless first", "2026-07-28", nil, modern, "2026-07-28", "discover"},
		{"stateless first, with a server of old", "2026-07-28", speaks("2025-03-26"), refuse(-32601, "no", "{}"), "2025-03-26", "discover initialize initialized"},
		{"stateless first, answered with what is no answer", "2026-07-28", speaks("2025-03-26"), broken("400"), "2025-03-26", "discover initialize initialized"},
		{"stateless first, with a server that dies of it", "2026-07-28", speaks("2025-03-26"), "dies", "2025-03-26", "discover (again) initialize initialized"},
		{"it only lists old versions", "2026-07-28", speaks("2025-06-18"), `{"supportedVersions":["2025-06-18"]}`, "2025-06-18", "discover initialize initialized"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var sent []string
			open := func(p peer) (transport, error) {
				if sent != nil {
					sent = append(sent, "(again)")
				}
				s := &scripted{peer: p, sent: &sent}
				s.answer = func(r request) (json.RawMessage, error) {
					sent = append(sent, strings.TrimPrefix(r.method, "server/"))
					answer := map[string]any{"initialize": test.initialize, "server/discover": test.discover}[r.method]
					if err, failed := answer.(error); failed {
						return nil, err
					} else if answer == "dies" {
						s.close()
						return nil, broken("died")
					}
					return json.RawMessage(answer.(string)), nil
				}
				return s, nil
			}
			p := (&notebook{}).fakePeer()
			c, err := connect(t.Context(), p, limits{time.Minute, time.Minute}, test.version, open)
			got := fmt.Sprint("error ", err)
			if err == nil {
				got = c.session.Load().protocol
			}
			if hellos := strings.Join(sent, " "); got != test.want || hellos != test.hellos {
				t.Errorf("got  %s (%s)\nwant %s (%s)", got, hellos, test.want, test.hellos)
			}
		})
	}
}

func TestListsOfTools(t *testing.T) {
	const a, b, null = `"tools":[{"name":"a"}]`, `"tools":[{"name":"b"}]`, "error its answer to tools/list has no list of tools"
	for _, test := range []struct {
		pages       []string // one after the other; an error is a number
		want, notes string
	}{
		{[]string{`{"tools":[{"name":"a"},{"name":"b"}]}`}, "a b", ""},
		{[]string{`{` + a + `,"nextCursor":"x"}`, `{` + b + `}`}, "a b", ""},
		{[]string{`{` + a + `,"nextCursor":""}`, `{` + b + `}`}, "a b", ""}, // an empty cursor is a cursor …
		{[]string{`{` + a + `,"nextCursor":""}`, `-32602`}, "a", ""},        // … but some servers mean the end by it
		{[]string{`{` + a + `,"nextCursor":"x"}`, `{` + a + `,"nextCursor":"x"}`}, "a", "its list of tools does not end; kept the 1 tools of the first 2 pages"},
		{[]string{`{` + a + `,"nextCursor":"x"}`, `-32000`}, "a", "the list of its tools is not whole: no (code -32000)"},
		{[]string{`-32601`}, "", ""},
		{[]string{`-32603`}, "error no (code -32603)", ""},
		{[]string{`{"tools":null}`}, null, ""},
		{[]string{`{}`}, null, ""},
		{[]string{`{"tools":[7,{"name":7},null,{"NAME":"wipe","name":"add"},{"name":"add"}]}`}, "add", ""},
	} {
		n, page := &notebook{}, -1
		c, err := newClient(n.fakePeer(), limits{time.Minute, time.Minute}, func(p peer) (transport, error) {
			return &scripted{answer: func(r request) (json.RawMessage, error) {
				if page++; test.pages[page][0] == '-' {
					return nil, &rpcError{Code: int(number(json.RawMessage(test.pages[page]))), Message: "no"}
				}
				return json.RawMessage(test.pages[page]), nil
			}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		tools, err := c.listTools(t.Context())
		var names []string
		for _, tool := range tools {
			names = append(names, tool.name)
		}
		got := strings.Join(names, " ")
		if err != nil {
			got = "error " + err.Error()
		}
		if got != test.want || n.text() != test.notes {
			t.Errorf("%s: got %s (%s), want %s (%s)", test.pages, got, n.text(), test.want, test.notes)
		}
	}
}

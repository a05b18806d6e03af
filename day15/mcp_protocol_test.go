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
	s := newStream(w, p, func() *connectionError { return broken("over") })
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
		{"", "error over", ""},
	} {
		n := &notebook{}
		s := dialPipe(t, n.fakePeer(), func(f *fake) {
			f.next()
			f.say("%s", test.write)
		})
		if got := askServer(s, "x"); got != test.want || n.text() != test.notes {
			t.Errorf("%.200q: got %s, noted %q; want %s, %q", test.write, got, n.text(), test.want, test.notes)
		}
	}
}

func TestALineThatNeverEnds(t *testing.T) {
	s := dialPipe(t, (&notebook{}).fakePeer(), func(f *fake) {
		f.next()
		f.say("%s", strings.Repeat("x", maxMessage))
	})
	if got := askServer(s, "x"); got != "error it sent a line of more than 64 MiB" {
		t.Error(got)
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

func TestACallThatIsGivenUpOrLosesItsConnection(t *testing.T) {
	heard := make(chan string, 9)
	s := dialPipe(t, (&notebook{}).fakePeer(), func(f *fake) {
		for f.next() {
			heard <- f.method()
		}
	})
	for _, method := range []string{"x", "initialize"} {
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-heard; cancel() }()
		if _, err := s.call(ctx, request{method: method}); !errors.Is(err, context.Canceled) {
			t.Errorf("given up: %v", err)
		}
	}
	go func() {
		for method := range heard {
			if method == "y" {
				s.close()
				return
			}
		}
	}()
	if got := askServer(s, "y"); got != "error the connection was closed" {
		t.Errorf("closed: %s", got)
	}
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
	const speaks, modern = `{"protocolVersion":"%s"}`, `{"resultType":"complete","supportedVersions":["2026-07-28","2025-06-18"]}`
	for _, test := range []struct {
		version              string
		initialize, discover string // a version or a result; the code and the data of an error; or that the server dies
		want                 string // the version, or the error
		hellos               string // the methods that were sent
	}{
		{"", "2025-11-25", "", "2025-11-25", "initialize initialized"},
		{"", "2024-11-05", "", "2024-11-05", "initialize initialized"},
		{"", "2099-01-01", "", `error it speaks protocol version "2099-01-01", which we do not; we asked for "2025-11-25"`, "initialize"},
		{"", `{}`, "", `error it speaks protocol version "", which we do not; we asked for "2025-11-25"`, "initialize"},
		{"", "2026-07-28", modern, "2026-07-28", "initialize discover"},
		{"", `-32022 {"supported":["2026-07-28"]}`, modern, "2026-07-28", "initialize discover"},
		{"", "-32601 1", modern, "2026-07-28", "initialize discover"},
		{"", "-32000 1", modern, "error initialize: no (code -32000) 1", "initialize"},
		{"", `-32022 {"supported":["2027-01-01"]}`, "", `error initialize: no (code -32022) {"supported":["2027-01-01"]}` +
			"; we speak 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05", "initialize"},
		{"", "-32601 1", "-32601 1", "error initialize: no (code -32601) 1; server/discover: no (code -32601) 1; initialize: no (code -32601) 1",
			"initialize discover initialize"},
		{"2026-07-28", "", modern, "2026-07-28", "discover"},
		{"2026-07-28", "2025-03-26", "-32601 1", "2025-03-26", "discover initialize initialized"},
		{"2026-07-28", "2025-03-26", "answers with what is no answer", "2025-03-26", "discover initialize initialized"},
		{"2026-07-28", "2025-03-26", "dies", "2025-03-26", "discover (again) initialize initialized"},
		{"2026-07-28", "2025-06-18", `{"supportedVersions":["2025-06-18"]}`, "2025-06-18", "discover initialize initialized"},
	} {
		var sent []string
		open := func(p peer) (transport, error) {
			if sent != nil {
				sent = append(sent, "(again)")
			}
			s := &scripted{peer: p, sent: &sent}
			s.answer = func(r request) (json.RawMessage, error) {
				sent = append(sent, strings.TrimPrefix(r.method, "server/"))
				answer := map[string]string{"initialize": test.initialize, "server/discover": test.discover}[r.method]
				code, data, _ := strings.Cut(answer, " ")
				switch answer[0] {
				case '-':
					return nil, &rpcError{int(number(json.RawMessage(code))), "no", json.RawMessage(data)}
				case '{':
					return json.RawMessage(answer), nil
				case '2':
					return fmt.Appendf(nil, speaks, answer), nil
				case 'd':
					s.close()
				}
				return nil, broken("it %s", answer)
			}
			return s, nil
		}
		c, err := connect(t.Context(), (&notebook{}).fakePeer(), limits{time.Minute, time.Minute}, test.version, open)
		got := fmt.Sprint("error ", err)
		if err == nil {
			got = c.era.Load().protocol
		}
		if hellos := strings.Join(sent, " "); got != test.want || hellos != test.hellos {
			t.Errorf("%q:\ngot  %s (%s)\nwant %s (%s)", test.initialize, got, hellos, test.want, test.hellos)
		}
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

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

// notebook collects notes and notifications.
type notebook struct {
	mu    sync.Mutex
	lines []string
	ended error
}

func (n *notebook) notef(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

func (n *notebook) text() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.lines, "\n")
}

func (n *notebook) peer() peer {
	return peer{
		name: "demo", note: n.notef, ended: func(err error) { n.ended = err },
		notified: func(method string, params json.RawMessage) { n.notef("notified %s %s", method, params) },
	}
}

// far is the server's end of a stream whose pipes are in memory: what the client writes waits until the test reads it.
type far struct {
	t   *testing.T
	in  *bufio.Reader
	out *io.PipeWriter
	end func() // the server closes its output
}

func newFar(t *testing.T, p peer) (*stream, *far) {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	s := newStream(fromServer, toServer, p, func(err error) error {
		var failure *connectionError
		if errors.As(err, &failure) {
			return failure
		}
		return &connectionError{reason: "the server has gone: " + err.Error(), err: err}
	})
	stopped := make(chan struct{})
	go func() { s.read(); close(stopped) }()
	t.Cleanup(func() { s.close(); fromServer.Close(); fromClient.Close(); <-stopped })
	return s, &far{t, bufio.NewReader(fromClient), toClient, func() { toClient.Close() }}
}

// read returns the next line from the client.
func (f *far) read() string {
	f.t.Helper()
	line, err := f.in.ReadString('\n')
	if err != nil {
		f.t.Errorf("reading from the client: %v", err)
	}
	return strings.TrimSuffix(line, "\n")
}

// write sends bytes to the client as they are.
func (f *far) write(text string) {
	f.t.Helper()
	if _, err := io.WriteString(f.out, text); err != nil {
		f.t.Errorf("writing to the client: %v", err)
	}
}

// outcome is what a call came back with.
type outcome struct {
	result string
	err    error
}

func goCall(ctx context.Context, s *stream, method string) chan outcome {
	done := make(chan outcome, 1)
	go func() {
		raw, err := s.call(ctx, method, nil)
		done <- outcome{string(raw), err}
	}()
	return done
}

// inBubble runs a test with fake time; at its end no goroutine may be left.
func inBubble(t *testing.T, test func(t *testing.T, n *notebook, s *stream, f *far)) {
	synctest.Test(t, func(t *testing.T) {
		n := &notebook{}
		s, f := newFar(t, n.peer())
		test(t, n, s, f)
	})
}

func TestEveryWayOutReleasesTheCall(t *testing.T) {
	errStop := errors.New("stop it")
	for _, test := range []struct {
		name   string
		server func(s *stream, f *far, cancel context.CancelCauseFunc)
		result string
		err    string // a part of the error's text
		class  any    // errors.As must find it
	}{
		{"a reply", func(s *stream, f *far, _ context.CancelCauseFunc) {
			f.write(`{"jsonrpc":"2.0","id":1,"result":{"a":1}}` + "\n")
		}, `{"a":1}`, "", nil},
		{"a null reply", func(s *stream, f *far, _ context.CancelCauseFunc) {
			f.write(`{"jsonrpc":"2.0","id":1,"result":null}` + "\n")
		}, `null`, "", nil},
		{"a reply without a result", func(s *stream, f *far, _ context.CancelCauseFunc) {
			f.write(`{"jsonrpc":"2.0","id":1}` + "\n")
		}, `null`, "", nil},
		{"a reply with a null error beside the result", func(s *stream, f *far, _ context.CancelCauseFunc) {
			f.write(`{"jsonrpc":"2.0","id":1,"error":null,"result":7}` + "\n")
		}, `7`, "", nil},
		{"an error reply", func(s *stream, f *far, _ context.CancelCauseFunc) {
			f.write(`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"missing path","data":{"hint":"x"}}}` + "\n")
		}, "", "error -32602: missing path", new(*rpcError)},
		{"an error reply with code 0", func(s *stream, f *far, _ context.CancelCauseFunc) {
			f.write(`{"jsonrpc":"2.0","id":1,"error":{"code":0,"message":"cancelled"}}` + "\n")
		}, "", "error 0: cancelled", new(*rpcError)},
		{"an error reply of another shape", func(s *stream, f *far, _ context.CancelCauseFunc) {
			f.write(`{"jsonrpc":"2.0","id":1,"error":"boom"}` + "\n")
		}, "", `error 0: "boom"`, new(*rpcError)},
		{"the context ends", func(s *stream, f *far, cancel context.CancelCauseFunc) {
			cancel(errStop)
			if got := f.read(); got != `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"stop it"}}` {
				t.Errorf("cancelled: %s", got)
			}
		}, "", "stop it", nil},
		{"the server ends its output", func(s *stream, f *far, _ context.CancelCauseFunc) { f.end() },
			"", "the server has gone: EOF", new(*connectionError)},
		{"the server ends in the middle of a line", func(s *stream, f *far, _ context.CancelCauseFunc) {
			f.write(`{"jsonrpc":"2.0","id":1,"res`)
			f.end()
		}, "", "the server has gone", new(*connectionError)},
		{"a reply without a line feed before the end", func(s *stream, f *far, _ context.CancelCauseFunc) {
			f.write(`{"jsonrpc":"2.0","id":1,"result":2}`)
			f.end()
		}, "2", "", nil},
		{"the stream is closed", func(s *stream, f *far, _ context.CancelCauseFunc) { s.close() },
			"", "the connection was closed", new(*connectionError)},
	} {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, n *notebook, s *stream, f *far) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				call := goCall(ctx, s, "tools/call")
				if got := f.read(); got != `{"jsonrpc":"2.0","id":1,"method":"tools/call"}` {
					t.Errorf("request: %s", got)
				}
				test.server(s, f, cancel)
				got := <-call
				if got.result != test.result || (got.err == nil) != (test.err == "") {
					t.Fatalf("got %q, %v", got.result, got.err)
				}
				if test.err != "" && !strings.Contains(got.err.Error(), test.err) {
					t.Errorf("error %q, want %q in it", got.err, test.err)
				}
				if test.class != nil && !errors.As(got.err, test.class) {
					t.Errorf("error %T, want %T", got.err, test.class)
				}
				if test.name == "the context ends" && !errors.Is(got.err, errStop) {
					t.Errorf("%v does not wrap the cause", got.err)
				}
			})
		})
	}
}

func TestALineThatIsTooLongEndsTheConnection(t *testing.T) {
	if testing.Short() {
		t.Skip("64 MiB")
	}
	n := &notebook{}
	s, f := newFar(t, n.peer())
	call := goCall(t.Context(), s, "x")
	f.read()
	go func() {
		for part := strings.Repeat("x", 1<<20); ; {
			if _, err := io.WriteString(f.out, part); err != nil {
				return // the test is over
			}
		}
	}()
	if got := <-call; got.err == nil || got.err.Error() != "it sent a line of more than 64 MiB" {
		t.Errorf("got %v", got.err)
	}
}

func TestAfterTheEndCallsFailAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, n *notebook, s *stream, f *far) {
		f.end()
		<-s.done
		_, err := s.call(t.Context(), "x", nil)
		var failure *connectionError
		if !errors.As(err, &failure) || n.ended != err {
			t.Errorf("got %v, the peer was told %v", err, n.ended)
		}
		if err := s.notify(t.Context(), "x", nil); !errors.As(err, &failure) {
			t.Errorf("notify: %v", err)
		}
	})
}

// lateContext is a caller that begins to wait only after the stream has ended.
type lateContext struct {
	context.Context
	ended <-chan struct{}
}

func (c lateContext) Done() <-chan struct{} {
	<-c.ended
	return nil
}

func TestAReplyCountsMoreThanTheEndThatFollowsIt(t *testing.T) {
	for range 50 { // without the rule, it would be up to chance
		inBubble(t, func(t *testing.T, n *notebook, s *stream, f *far) {
			call := goCall(lateContext{t.Context(), s.done}, s, "x")
			f.read()
			f.write(`{"jsonrpc":"2.0","id":1,"result":"bye"}` + "\n")
			f.end()
			if got := <-call; got.result != `"bye"` {
				t.Fatalf("got %v", got)
			}
		})
	}
}

// deafEar is a server's input that is closed.
type deafEar struct{}

func (deafEar) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
func (deafEar) Close() error              { return nil }

func TestAWriteThatFailsLeavesTimeForAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, in := io.Pipe()
		s := newStream(out, deafEar{}, (&notebook{}).peer(), func(err error) error { return err })
		go s.read()
		first, second := goCall(t.Context(), s, "x"), goCall(t.Context(), s, "y")
		time.Sleep(lastReads / 2)
		io.WriteString(in, `{"jsonrpc":"2.0","id":1,"result":"bye"}`+"\n"+`{"jsonrpc":"2.0","id":1,"result":"bye"}`+"\n")
		got := []outcome{<-first, <-second}
		if got[0].err != nil {
			got[0], got[1] = got[1], got[0]
		}
		if got[0].result != `"bye"` || !errors.Is(got[1].err, io.ErrClosedPipe) {
			t.Errorf("got %v", got)
		}
		in.Close()
	})
}

func TestInitializeIsNeverCancelledByANotification(t *testing.T) {
	inBubble(t, func(t *testing.T, n *notebook, s *stream, f *far) {
		ctx, cancel := context.WithCancel(t.Context())
		call := goCall(ctx, s, "initialize")
		f.read()
		cancel()
		if got := <-call; !errors.Is(got.err, context.Canceled) {
			t.Errorf("got %v", got.err)
		}
		next := goCall(t.Context(), s, "ping")
		if got := f.read(); !strings.Contains(got, `"method":"ping"`) {
			t.Errorf("after initialize came %s", got)
		}
		s.close()
		<-next
	})
}

func TestRepliesFindTheirCalls(t *testing.T) {
	inBubble(t, func(t *testing.T, n *notebook, s *stream, f *far) {
		first := goCall(t.Context(), s, "a")
		f.read()
		second := goCall(t.Context(), s, "b")
		f.read()
		f.write(`{"jsonrpc":"2.0","id":2,"result":"two"}` + "\n" +
			`{"jsonrpc":"2.0","id":1,"result":"first"}` + "\n" +
			`{"jsonrpc":"2.0","id":1,"result":"second"}` + "\n" +
			`{"jsonrpc":"2.0","id":999,"result":"?"}` + "\n")
		if a, b := <-first, <-second; a.result != `"first"` || b.result != `"two"` {
			t.Errorf("got %v and %v", a, b)
		}
		third := goCall(t.Context(), s, "c")
		f.read()
		f.write(`{"jsonrpc":"2.0","id":3,"result":3}` + "\n")
		if got := <-third; got.result != "3" {
			t.Errorf("got %v", got)
		}
		want := "dropped an answer with id 1: nobody waits for it\ndropped an answer with id 999: nobody waits for it"
		if n.text() != want {
			t.Errorf("notes:\n%s", n.text())
		}
	})
}

func TestALateReplyIsDroppedWithoutAWord(t *testing.T) {
	inBubble(t, func(t *testing.T, n *notebook, s *stream, f *far) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		call := goCall(ctx, s, "slow")
		f.read()
		if got := <-call; !errors.Is(got.err, context.DeadlineExceeded) {
			t.Errorf("got %v", got.err)
		}
		f.read() // notifications/cancelled
		f.write(`{"jsonrpc":"2.0","id":1,"error":{"code":0,"message":"cancelled"}}` + "\n")
		next := goCall(t.Context(), s, "next")
		f.read()
		f.write(`{"jsonrpc":"2.0","id":2,"result":2}` + "\n")
		if got := <-next; got.result != "2" || n.text() != "" {
			t.Errorf("got %v, notes %q", got, n.text())
		}
	})
}

func TestAGoodAnswerTakesBackTheHint(t *testing.T) {
	inBubble(t, func(t *testing.T, n *notebook, s *stream, f *far) {
		call := goCall(t.Context(), s, "x")
		f.read()
		f.write("noise\n" + `{"jsonrpc":"2.0","id":0,"result":true}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":true}` + "\n")
		<-call
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("no answer"))
		defer cancel()
		call = goCall(ctx, s, "y")
		f.read()
		if got := <-call; got.err == nil || got.err.Error() != "no answer" {
			t.Errorf("got %v", got)
		}
		f.read() // notifications/cancelled
	})
}

func TestIDsThatComeBackInAnotherForm(t *testing.T) {
	for id, accepted := range map[string]bool{`"1"`: true, `1.0`: true, `1e0`: true, `0`: false, `"x"`: false, `1.5`: false, `null`: false,
		`[1]`: false, `{"id":1}`: false, `18446744073709551617`: false, `"NaN"`: false, `-1`: false} {
		t.Run(id, func(t *testing.T) {
			inBubble(t, func(t *testing.T, n *notebook, s *stream, f *far) {
				ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("no answer to x in 1000 ms"))
				defer cancel()
				call := goCall(ctx, s, "x")
				f.read()
				for range 3 { // reported once
					f.write(`{"jsonrpc":"2.0","id":` + id + `,"result":true}` + "\n")
				}
				got := <-call
				switch {
				case accepted && (got.result != "true" || !strings.Contains(n.text(), "gives our id 1 back as "+id+": accepted")):
					t.Errorf("got %v, notes %q", got, n.text())
				case !accepted && (got.err == nil || got.err.Error() !=
					"no answer to x in 1000 ms (but there was an answer with id "+id+", which nobody asked for)"):
					t.Errorf("got %v", got)
				}
				if !accepted {
					f.read() // notifications/cancelled
				}
			})
		})
	}
}

func TestNoiseIsSkippedAndReportedOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, n *notebook, s *stream, f *far) {
		call := goCall(t.Context(), s, "initialize")
		f.read()
		f.write("\xEF\xBB\xBFdemo\x1b[2J v1.2 ready\r\n\n[warn] {not json\n42\n\"up\"\nnull\n{\"level\":\"info\",\"msg\":\"up\"}\n[]\n" +
			`{"jsonrpc":"2.0","result":null}` + "\n" + `{"id":1,"level":30,"msg":"a log line with an id"}` + "\n" + `{"jsonrpc":"2.0",` + "\n" +
			`{"jsonrpc":"2.0","id":1,"result":"ok"}` + "\r\n")
		if got := <-call; got.result != `"ok"` {
			t.Errorf("got %v", got)
		}
		next := goCall(t.Context(), s, "x")
		f.read()
		f.write("noise again\n" + `{"jsonrpc":"2.0","id":2,"result":2}` + "\n")
		<-next
		if want := `ignored 10 lines on its stdout outside the protocol, such as: demo\x1b[2J v1.2 ready`; n.text() != want {
			t.Errorf("notes:\n%s", n.text())
		}
	})
}

func TestFraming(t *testing.T) {
	for name, write := range map[string]func(f *far, line string){
		"in single bytes": func(f *far, line string) {
			for _, b := range []byte(line + "\n") {
				f.write(string([]byte{b}))
			}
		},
		"two messages in one write":    func(f *far, line string) { f.write(line + "\n" + line + "\n") },
		"CRLF after a byte order mark": func(f *far, line string) { f.write("\xEF\xBB\xBF" + line + "\r\n") },
		"5 MiB in one line": func(f *far, line string) {
			f.write(line[:len(line)-1] + `,"more":"` + strings.Repeat(`\"é`, 5<<20/4) + `"}` + "\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, n *notebook, s *stream, f *far) {
				call := goCall(t.Context(), s, "x")
				f.read()
				write(f, `{"jsonrpc":"2.0","id":1,"result":"— 读取 🎉"}`)
				if got := <-call; got.result != `"— 读取 🎉"` {
					t.Errorf("got %.100v", got)
				}
			})
		})
	}
}

func TestInvalidUTF8IsReplaced(t *testing.T) {
	inBubble(t, func(t *testing.T, n *notebook, s *stream, f *far) {
		call := goCall(t.Context(), s, "x")
		f.read()
		f.write("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"caf\xE9\"}\n")
		if got := <-call; got.result != "\"caf\uFFFD\"" {
			t.Errorf("got %q", got.result)
		}
	})
}

func TestRequestsOfTheServer(t *testing.T) {
	inBubble(t, func(t *testing.T, n *notebook, s *stream, f *far) {
		call := goCall(t.Context(), s, "tools/call")
		f.read()
		for _, test := range []struct{ request, answer string }{
			{`{"jsonrpc":"2.0","id":"p-1","method":"ping"}`, `{"jsonrpc":"2.0","id":"p-1","result":{}}`},
			{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`}, // the ID of our own call
			{`{"jsonrpc":"2.0","id":0.50,"method":"roots/list"}`,
				`{"jsonrpc":"2.0","id":0.50,"error":{"code":-32601,"message":"this client does not support roots/list"}}`},
			{`{"jsonrpc":"2.0","id":"<&>","method":"sampling/createMessage","params":{"messages":[]}}`,
				`{"jsonrpc":"2.0","id":"<&>","error":{"code":-32601,"message":"this client does not support sampling/createMessage"}}`},
		} {
			f.write(test.request + "\n")
			if got := f.read(); got != test.answer {
				t.Errorf("answer %s, want %s", got, test.answer)
			}
		}
		f.write(`{"jsonrpc":"2.0","method":"notifications/unknown","params":{"x":1}}` + "\n" + `{"jsonrpc":"2.0","id":null,"method":"ping"}` + "\n" +
			`{"jsonrpc":"2.0","id":1,"result":"done"}` + "\n")
		if got := <-call; got.result != `"done"` {
			t.Errorf("got %v", got)
		}
		if n.text() != "notified notifications/unknown {\"x\":1}\nnotified ping " {
			t.Errorf("notes:\n%s", n.text())
		}
	})
}

func TestAServerThatDoesNotRead(t *testing.T) {
	t.Run("blocks nobody longer than the context", func(t *testing.T) {
		inBubble(t, func(t *testing.T, n *notebook, s *stream, f *far) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			calls := []chan outcome{goCall(ctx, s, "x")}
			synctest.Wait()              // until the first one is being written
			for range queueLength + 10 { // more than the queue can hold
				calls = append(calls, goCall(ctx, s, "x"))
			}
			for _, call := range calls {
				if got := <-call; !errors.Is(got.err, context.DeadlineExceeded) {
					t.Errorf("got %v", got.err)
				}
			}
		})
	})
	t.Run("does not keep us from reading", func(t *testing.T) {
		inBubble(t, func(t *testing.T, n *notebook, s *stream, f *far) {
			call := goCall(t.Context(), s, "x")
			f.read()
			for range 2 * queueLength {
				f.write(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
			}
			f.write(`{"jsonrpc":"2.0","id":1,"result":1}` + "\n")
			if got := <-call; got.result != "1" || n.text() != "could not answer its request ping: it does not read" {
				t.Errorf("got %v, notes %q", got, n.text())
			}
		})
	})
}

func TestLargeMessagesBothWaysAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, n *notebook, s *stream, f *far) {
		text := strings.Repeat("x", 512<<10)
		var calls []chan outcome
		for range 3 {
			call := make(chan outcome, 1)
			go func() {
				raw, err := s.call(t.Context(), "echo", text)
				call <- outcome{string(raw), err}
			}()
			calls = append(calls, call)
		}
		synctest.Wait()
		for id := range 3 { // the server writes before it has read anything
			f.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":"%s"}`+"\n", id+1, text))
		}
		for _, call := range calls {
			if got := <-call; len(got.result) != len(text)+2 {
				t.Errorf("%d bytes came back, %v", len(got.result), got.err)
			}
		}
	})
}

func TestWithoutAHandshakeNoRequestOfTheServerIsAnswered(t *testing.T) {
	silent := false
	p := (&notebook{}).peer()
	p.silent = func() bool { return silent }
	s, f := newFar(t, p)
	f.write(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
	if got, want := f.read(), `{"jsonrpc":"2.0","id":1,"result":{}}`; got != want {
		t.Errorf("with a handshake it reads %s, want %s", got, want)
	}
	silent = true
	f.write(`{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n")
	if err := s.notify(t.Context(), "next", nil); err != nil {
		t.Fatal(err)
	}
	if got, want := f.read(), `{"jsonrpc":"2.0","method":"next"}`; got != want {
		t.Errorf("without one it reads %s, want %s", got, want)
	}
}

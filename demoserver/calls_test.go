package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestNothingWaitsForACall(t *testing.T) {
	p := start(t, "-tools=basic,flaky")
	p.send(call(1, "slow_lookup", `{}`, ""), ping)
	p.want(pong)
	p.send(call(2, "word_count", `{"text":""}`, ""))
	p.want(text(2, "Characters 0, words 0"))
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, ping)
	p.want(pong)
	began := time.Now()
	p.end()
	if took := time.Since(began); took > grace {
		t.Errorf("the end took %v: the cancelled call still ran", took)
	}
}

// At the end of the input short calls are still answered; a hanging one is not waited for.
func TestEndOfInput(t *testing.T) {
	t.Parallel()
	p := start(t, "-tools=basic,flaky")
	p.send(call(2, "slow_lookup", `{}`, ""), ping)
	p.want(pong)
	io.WriteString(p.in, call(1, "slow_count", `{"n":2}`, "")) // the last line has no newline
	began := time.Now()
	p.in.Close()
	p.wait(0, text(1, "Counted to 2")+"\n", "")
	if took := time.Since(began); took > time.Second {
		t.Errorf("the end took %v, want at most a second", took)
	}
}

func TestCancelledCallIsNotAnswered(t *testing.T) {
	t.Parallel()
	p := start(t, "-tools=flaky")
	p.send(call(7, "slow_count", `{"n":1000}`, `"_meta":{"progressToken":1},`),
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"7"}}`) // which is another id
	p.want(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"total":1000,"message":"counting"}}`)
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"enough"}}`, ping)
	p.want(pong)
	p.end()
}

func TestProgress(t *testing.T) {
	t.Parallel()
	const counted = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p<1>","progress":%d,"total":2,"message":"counting"}}`
	for meta, want := range map[string][]string{
		`"_meta":{"progressToken":"p<1>"},`: {fmt.Sprintf(counted, 1), fmt.Sprintf(counted, 2)},
		`"_meta":{"progressToken":null},`:   nil,
		``:                                  nil,
	} {
		p := start(t, "-tools=flaky")
		began := time.Now()
		p.send(call(1, "slow_count", `{"n":2}`, meta))
		p.want(append(want, text(1, "Counted to 2"))...)
		if took := time.Since(began); took < 200*time.Millisecond {
			t.Errorf("counting to 2 took %v, want 200 ms", took)
		}
		p.end()
	}
}

// A client may write all it has before it reads: each call is answered once, under its own id, and no line is torn.
func TestCallsSideBySide(t *testing.T) {
	const calls = 100
	p := start(t, "-tools=flaky")
	for id := range calls {
		arguments := fmt.Sprintf(`{"bytes":%d,"padding":"%s"}`, 20000+id, strings.Repeat("x", 20000))
		if _, err := fmt.Fprintln(p.in, call(id, "big_result", arguments, "")); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[int]bool{}
	for range calls {
		line := p.line(p.stdout)
		var reply struct{ ID int }
		if err := json.Unmarshal([]byte(line), &reply); err != nil || seen[reply.ID] || line != text(reply.ID, strings.Repeat("x", 20000+reply.ID)) {
			t.Fatalf("%.300s (error %v, seen before: %v)", line, err, seen[reply.ID])
		}
		seen[reply.ID] = true
	}
	p.end()
}

func TestFlags(t *testing.T) {
	tests := []struct {
		name, flags string
		code        int
		stderr      string
	}{
		{"help", "-h", 0, "Usage of "},
		{"an unknown flag", "-x", 2, "flag provided but not defined: -x"},
		{"an unknown set", "-tools=basic,x", 2, `demoserver: -tools: there is no set "x", only basic, notes and flaky`},
		{"an unknown era", "-protocol=new", 2, "demoserver: wrong arguments"},
		{"an argument", "x", 2, "demoserver: wrong arguments"},
		{"an unknown drill", "-drill=x", 2, `demoserver: -drill: there is no "x"`},
		{"a drill over HTTP", "-drill=noisy -http=127.0.0.1:0", 2, "demoserver: wrong arguments"},
		{"every address", "-http=:0", 2, "demoserver: -http: :0 is not a loopback address"},
		{"every address of version 6", "-http=[::]:0", 2, "demoserver: -http: [::]:0 is not"},
		{"a foreign address", "-http=example.com:80", 2, "demoserver: -http: example.com:80 is not"},
		{"a port that does not exist", "-http=127.0.0.1:99999", 1, "demoserver: listen tcp"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			start(t, strings.Fields(test.flags)...).wait(test.code, "", test.stderr)
		})
	}
}

func TestDrills(t *testing.T) {
	flood := strings.Repeat("DEBUG nothing to report\n", 1<<15)
	tests := []struct {
		name           string
		code           int
		stdout, stderr string
	}{
		{"silent", 0, "", ""},
		{"die", 3, "", "demoserver: DEMO_TOKEN is not set\n"},
		{"noisy", 0, "demo server 1.0.0 is ready\nDEBUG sending 39 bytes\n" + pong + "\nDEBUG sending 39 bytes\n" + pong + "\n", ""},
		{"flood", 0, pong + "\n" + pong + "\n", flood + flood},
		{"garbage", 0, pong[:19] + "\n" + pong[:19] + "\n", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := start(t, "-drill="+test.name)
			go func() {
				io.WriteString(p.in, ping+"\n"+ping+"\n")
				p.in.Close()
			}()
			p.wait(test.code, test.stdout, test.stderr)
		})
	}
}

func TestDrillDeaf(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGTERM to send")
	}
	p := start(t, "-drill=deaf")
	p.send(ping)
	p.want(pong)
	p.in.Close()
	if got, want := p.line(p.stderr), "demoserver: ignoring the end of the input"; got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
	for range 2 {
		p.cmd.Process.Signal(syscall.SIGTERM)
		if got, want := p.line(p.stderr), "demoserver: ignoring SIGTERM"; got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
}

func TestCrashNow(t *testing.T) {
	p := start(t, "-tools=flaky")
	p.send(call(1, "crash_now", `{}`, ""))
	p.wait(4, "", "demoserver: crash_now was called\n") // the input is still open
}

// endless is a line without end, and a pipe that nobody reads.
type endless struct{}

func (endless) Read(p []byte) (int, error)  { return len(p), nil }
func (endless) Write(p []byte) (int, error) { return 0, io.ErrClosedPipe }

func TestEndsOnFailure(t *testing.T) {
	handle := server{}.handle
	if err := serveLines(handle, endless{}, io.Discard); err != bufio.ErrTooLong {
		t.Errorf("a line without end: %v", err)
	}
	if err := serveLines(handle, strings.NewReader(ping+"\n"+ping), endless{}); err != io.ErrClosedPipe {
		t.Errorf("an output that is closed: %v", err)
	}
}

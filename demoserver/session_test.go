package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"
)

// TestMain lets the test binary be the server itself, for what only a process
// can show: exit codes, signals, stderr.
func TestMain(m *testing.M) {
	if os.Getenv("DEMOSERVER_CHILD") == "1" {
		main()
	}
	os.Exit(m.Run())
}

// session is a server that runs in this process, at the other end of two pipes.
type session struct {
	t      *testing.T
	in     *io.PipeWriter
	out    *bufio.Reader
	stderr bytes.Buffer // to be read after the end
	code   chan int
}

// start runs the server with these flags.
func start(t *testing.T, args ...string) *session {
	t.Helper()
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	s := &session{t: t, in: in, out: bufio.NewReader(out), code: make(chan int, 1)}
	go func() {
		s.code <- run(context.Background(), args, stdin, stdout, &s.stderr)
		stdout.Close()
	}()
	t.Cleanup(func() { in.Close(); out.Close() })
	return s
}

// send writes one line.
func (s *session) send(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatalf("sending %.80s: %v", line, err)
	}
}

// want reads one line and compares it.
func (s *session) want(line string) {
	s.t.Helper()
	got, err := s.out.ReadString('\n')
	if got = strings.TrimSuffix(got, "\n"); err != nil || got != line {
		s.t.Fatalf("got  %.300s (error %v)\nwant %.300s", got, err, line)
	}
}

// end closes the input and compares what still comes out, and the exit code.
func (s *session) end(code int, rest ...string) {
	s.t.Helper()
	s.in.Close()
	for _, line := range rest {
		s.want(line)
	}
	if more, err := io.ReadAll(s.out); err != nil || len(more) > 0 {
		s.t.Errorf("more output than expected: %.300s (error %v)", more, err)
	}
	if got := <-s.code; got != code {
		s.t.Errorf("exit code %d, want %d; stderr: %s", got, code, &s.stderr)
	}
}

// call makes the line of a tools/call with id 1.
func call1(name, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
}

// text1 makes the answer to it.
func text1(text string) string {
	return `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + text + `"}]}}`
}

// failed1 makes the answer of a tool that fails.
func failed1(text string) string {
	return strings.Replace(text1(text), `}]}}`, `}],"isError":true}}`, 1)
}

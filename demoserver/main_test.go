package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

// The transcript in the package comment is what really happens.
func TestManual(t *testing.T) {
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	s, lines := start(t), 0
	for line := range strings.Lines(string(source)) {
		line = strings.TrimSuffix(line, "\n")
		if in, ok := strings.CutPrefix(line, "//\t→ "); ok {
			s.send(in)
			lines++
		} else if out, ok := strings.CutPrefix(line, "//\t← "); ok {
			s.want(out)
		}
	}
	s.end(0)
	if lines != 5 {
		t.Errorf("the manual has %d lines in, want 5", lines)
	}
}

func TestLastLineWithoutNewline(t *testing.T) {
	var out bytes.Buffer
	code := run(context.Background(), nil, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), &out, io.Discard)
	if want := `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n"; code != 0 || out.String() != want {
		t.Errorf("exit code %d, output %s, want %s", code, &out, want)
	}
}

func TestLongLines(t *testing.T) {
	s := start(t, "-tools=basic,flaky")
	s.send(call1("word_count", `{"text":"`+strings.Repeat("é", 1<<20)+`"}`))
	s.want(text1("Characters 1048576, words 1"))
	s.send(call1("big_result", `{"bytes":5242880}`))
	s.want(text1(strings.Repeat("x", 5<<20)))
	s.end(0)
}

// endless is a line that never ends.
type endless struct{}

var spaces = strings.Repeat(" ", 4096)

func (endless) Read(p []byte) (int, error) {
	return copy(p, spaces), nil
}

func TestEndsOnFailure(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		name   string
		stdin  io.Reader
		stdout io.Writer
		stderr string
	}{
		{"a line without end", io.LimitReader(endless{}, maxMessage+1<<16), io.Discard, "demoserver: reading the input: a line is longer than 67108864 bytes\n"},
		{"an input that breaks", iotest.ErrReader(broken), io.Discard, "demoserver: reading the input: broken\n"},
		{"an output that breaks", strings.NewReader("{}\n" + strings.Repeat(" ", 1<<20)),
			spoiler(func([]byte) (int, error) { return 0, broken }), "demoserver: writing the output: broken\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var stderr bytes.Buffer
			code := run(context.Background(), nil, test.stdin, test.stdout, &stderr)
			if code != 1 || stderr.String() != test.stderr {
				t.Errorf("exit code %d, stderr %q, want 1 and %q", code, &stderr, test.stderr)
			}
		})
	}
}

func TestFlags(t *testing.T) {
	tests := []struct {
		name, flags string
		code        int
		stderr      string
	}{
		{"help", "-h", 0, "Usage of demoserver:"},
		{"an unknown flag", "-x", 2, "flag provided but not defined: -x"},
		{"an unknown set", "-tools=basic,x", 2, `-tools: there is no set "x", only basic, notes and flaky`},
		{"an unknown era", "-protocol=new", 2, "wrong arguments"},
		{"an argument", "x", 2, "wrong arguments"},
		{"an unknown drill", "-drill=x", 2, `-drill: there is no "x"`},
		{"a drill over HTTP", "-drill=noisy -http=127.0.0.1:0", 2, "wrong arguments"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var stderr bytes.Buffer
			code := run(context.Background(), strings.Fields(test.flags), strings.NewReader(""), io.Discard, &stderr)
			if code != test.code || !strings.Contains(stderr.String(), test.stderr) {
				t.Errorf("exit code %d, stderr %q, want %d and %q", code, &stderr, test.code, test.stderr)
			}
		})
	}
}

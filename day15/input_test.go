package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// typedConsole is a console with a person at a terminal, as far as a synctest bubble allows.
type typedConsole struct {
	*Console
	keys     *io.PipeWriter
	out, err bytes.Buffer
}

func newTyped() *typedConsole {
	r, w := io.Pipe()
	b := &typedConsole{keys: w}
	b.Console = newConsole(r, &b.out, &b.err)
	b.Console.typed = true
	return b
}

// typed types text, line by line and all at once, as a terminal passes it on.
func (b *typedConsole) typed(text string) {
	for line := range strings.Lines(text) {
		io.WriteString(b.keys, line)
	}
}

// inBackground runs read, and returns when it waits.
func inBackground(read func() (string, error)) <-chan string {
	done := make(chan string, 1)
	go func() {
		text, err := read()
		if err != nil {
			text = "error: " + err.Error()
		}
		done <- text
	}()
	synctest.Wait()
	return done
}

func TestLinesFromAPipe(t *testing.T) {
	var out bytes.Buffer
	c := newConsole(strings.NewReader("one\r\n\ny\n/last"), &out, io.Discard)
	for i, want := range []string{"one", "", "y", "/last", "", ""} {
		read := c.ReadLine
		if want == "y" {
			read = c.Ask // it is answered as it would be on a terminal
		}
		if got, err := read(t.Context(), "> "); got != want || (err == io.EOF) != (i >= 4) {
			t.Errorf("line %q, error %v; want %q", got, err, want)
		}
	}
	if want := "> one\n> \n> y\n> /last\n> \n> \n"; out.String() != want {
		t.Errorf("a pipe does not read like a terminal: %q, want %q", out.String(), want)
	}
}

func TestLineThatIsTooLong(t *testing.T) {
	c := newConsole(strings.NewReader(strings.Repeat("x", 2<<20)), io.Discard, io.Discard)
	if _, err := c.ReadLine(t.Context(), ""); err == nil || err == io.EOF {
		t.Errorf("error %v", err)
	}
}

func TestPastes(t *testing.T) {
	// Text is typed; after a while, or soon, a prompt (>) or a question (?) comes; more is typed; this is read.
	for name, steps := range map[string][]string{
		"a paste is one request":          {"one\n\n  two\nthree\n|>||one\n\n  two\nthree"},
		"while the prompt stands":         {"|>|one\ntwo\n|one\ntwo", "|>|three\n|three"},
		"typed ahead one after another":   {"one\n|>|two\n|one", "|>||two"},
		"a command stands alone":          {"one\ntwo\n/help\n/tools x\nthree\nfour\n|>||one\ntwo", "|>||/help", "|>||/tools x", "|>||three\nfour"},
		"an answer":                       {"|?|y\n|y", "|?|n\n|n"},
		"what was typed before it":        {"y\n|?|n\n|n", "|>||y"},
		"a paste that began before it":    {"one\n|soon ?|y\n|error: EOF", "|>||one\ny"},
		"the rest of a paste":             {"|?|\ny\n/exit\n|", "|?||error: EOF", "|>||y", "|>||/exit"},
		"the end of input ends a request": {"one\ntwo|soon ?||error: EOF", "|>||one\ntwo", "|>||error: EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newTyped()
				b.Listen()
				for _, step := range steps {
					part := strings.Split(step, "|")
					read, pause := b.ReadLine, pasteGap
					if strings.HasSuffix(part[1], "?") {
						read = b.Ask
					}
					if strings.HasPrefix(part[1], "soon") {
						pause /= 2
					}
					b.typed(part[0])
					time.Sleep(pause)
					done := inBackground(func() (string, error) { return read(t.Context(), "") })
					if b.typed(part[2]); part[3] == "error: EOF" {
						b.keys.Close()
					}
					if got := <-done; got != part[3] {
						t.Errorf("%q: read %q", step, got)
					}
				}
				b.keys.Close()
			})
		})
	}
}

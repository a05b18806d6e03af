package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

func TestLinesFromAPipe(t *testing.T) {
	var out, err bytes.Buffer
	c := newConsole(strings.NewReader("one\r\ntwo\n\nlast"), &out, &err)
	defer c.Close()
	for _, want := range []string{"one", "two", "", "last"} {
		if got, err := c.ReadLine(t.Context(), "> "); got != want || err != nil {
			t.Errorf("line %q, error %v; want %q", got, err, want)
		}
	}
	for range 2 { // the end of input stays the end
		if _, err := c.ReadLine(t.Context(), "> "); err != io.EOF {
			t.Errorf("error %v, want %v", err, io.EOF)
		}
	}
	if want := "> one\n> two\n> \n> last\n> \n> \n"; out.String() != want {
		t.Errorf("a pipe does not read like a terminal: %q, want %q", out.String(), want)
	}
}

func TestLineThatIsTooLong(t *testing.T) {
	c := newConsole(strings.NewReader(strings.Repeat("x", 2<<20)), io.Discard, io.Discard)
	defer c.Close()
	if _, err := c.ReadLine(t.Context(), ""); err == nil || err == io.EOF {
		t.Errorf("error %v", err)
	}
}

func TestReadLineEndsWithItsContext(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	c := newConsole(r, io.Discard, io.Discard)
	defer c.Close()
	cause := errors.New("Ctrl-C")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := c.ReadLine(ctx, "> "); err != cause {
		t.Errorf("error %v, want %v", err, cause)
	}
}

func TestWhatWasTypedBeforeAQuestionIsNoAnswer(t *testing.T) {
	r, w := io.Pipe()
	asked := &asking{question: "Confirm?", then: func() {
		io.WriteString(w, "n\n")
		w.Close()
	}}
	c := newConsole(r, asked, io.Discard)
	defer c.Close()
	c.typed = true // as if stdin were a terminal
	c.input.Start(r)
	io.WriteString(w, "y\nnext request\n") // typed while the turn was running
	for {                                  // until both lines were read ahead
		c.input.mu.Lock()
		read := len(c.input.lines)
		c.input.mu.Unlock()
		if read == 2 {
			break
		}
		<-c.input.news
	}
	if answer, err := c.Ask(t.Context(), "Confirm?"); answer != "n" || err != nil {
		t.Errorf("the question got %q, error %v", answer, err)
	}
	for _, want := range []string{"y", "next request"} {
		if line, err := c.ReadLine(t.Context(), "> "); line != want || err != nil {
			t.Errorf("the prompt got %q, error %v; want %q", line, err, want)
		}
	}
}

// asking is a screen with a person before it, who acts once when the question is there.
type asking struct {
	question string
	then     func()
}

func (a *asking) Write(p []byte) (int, error) {
	if strings.Contains(string(p), a.question) && a.then != nil {
		go a.then()
		a.then = nil
	}
	return len(p), nil
}

// TestNothingDrawsOnTheScreen feeds dangerous text through each way to the screen.
func TestNothingDrawsOnTheScreen(t *testing.T) {
	const evil = "\x1b[2J\x1b]0;pwned\a\r\u009b1A\u202egnp.exe\u2066\u200b\U000e0041\x00\x7f\b"
	t.Setenv("DEMO_TOKEN", "s3cr3t-value")
	for _, test := range []struct {
		name string
		show func(t *testing.T, b *bench)
	}{
		{"Print", func(t *testing.T, b *bench) { b.console.Print(evil) }},
		{"Printf", func(t *testing.T, b *bench) { b.console.Printf("%s", evil) }},
		{"Errorf", func(t *testing.T, b *bench) { b.console.Errorf("%s", evil) }},
		{"Styled", func(t *testing.T, b *bench) { b.console.Styled("1", evil) }},
		{"a prompt and an echoed line", func(t *testing.T, b *bench) {
			if _, err := b.console.ReadLine(t.Context(), evil); err != nil {
				t.Error(err)
			}
		}},
		{"an answer, split over chunks", func(t *testing.T, b *bench) {
			for _, r := range evil {
				b.chat.trace.Text(string(r))
			}
			b.chat.trace.Said(1, Answer{Text: evil})
		}},
		{"a call in the trace of a task", func(t *testing.T, b *bench) {
			trace := &taskTrace{console: b.console}
			trace.Call(1, Call{evil, evil})
			trace.Result(1, Call{evil, evil}, Result{Text: evil})
			trace.Said(2, Answer{Text: evil})
			trace.Notice(evil)
		}},
		{"a call in the trace of the REPL", func(t *testing.T, b *bench) {
			b.chat.trace.Call(1, Call{evil, evil})
			b.chat.trace.Result(1, Call{evil, evil}, Result{Text: evil, Err: errors.New(evil)})
			b.chat.trace.Notice(evil)
		}},
		{"a tool's name and description", func(t *testing.T, b *bench) {
			if err := b.registry.Register(Tool{Name: evil, Description: evil, Parameters: []byte(`{}`)}); err != nil {
				t.Fatal(err)
			}
			for _, line := range []string{"/tools", "/tools " + evil, "/tools nope" + evil} {
				if err := b.command(t.Context(), line); err != nil {
					b.console.Printf("Error: %v\n", err)
				}
			}
		}},
		{"a question", func(t *testing.T, b *bench) {
			tool := Tool{Name: evil, Preview: func(context.Context, json.RawMessage) string { return evil }}
			_ = b.permissions.Approve(t.Context(), tool, []byte(`{}`))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, nil, "", evil+"\n")
			test.show(t, b)
			screen := b.out.String() + b.err.String()
			if screen == "" {
				t.Error("nothing was shown")
			}
			for _, r := range screen {
				if harmful(r) {
					t.Fatalf("%U reached the screen: %q", r, screen)
				}
			}
		})
	}
}

func TestNoColoursAndNoBusyLineInAPipe(t *testing.T) {
	b := newBench(t, nil, "", "")
	b.chat.trace.Waiting(1)
	b.console.Styled("1", "text")
	if b.out.String() != "text" {
		t.Errorf("%q", b.out.String())
	}
}

func TestBusyLineOnATerminal(t *testing.T) {
	b := newBench(t, nil, "", "")
	b.console.live = true
	t.Setenv("NO_COLOR", "1")
	b.chat.trace.Waiting(1)
	b.chat.trace.Text("Hello")
	b.chat.trace.Said(1, Answer{Text: "Hello"})
	if want := "· waiting for the model …\r\x1b[KHello\n"; b.out.String() != want {
		t.Errorf("%q, want %q", b.out.String(), want)
	}
}

func TestTheBusyLineComesBackAfterAQuestion(t *testing.T) {
	b := newBench(t, nil, "", "y\n")
	b.console.live = true
	t.Setenv("NO_COLOR", "1")
	b.console.Busy("running a command")
	if _, err := b.console.Ask(t.Context(), "Confirm? "); err != nil {
		t.Fatal(err)
	}
	if want := "· running a command …\r\x1b[KConfirm? y\n· running a command …"; b.out.String() != want {
		t.Errorf("%q, want %q", b.out.String(), want)
	}
}

func TestNothingIsWrittenUnderAnOpenQuestion(t *testing.T) {
	var b *bench
	r, w := io.Pipe()
	screen := &asking{question: "Confirm?", then: func() {
		b.console.Errorf("About to run: ls\nConfirm? ")
		if b.err.Len() > 0 {
			t.Error("it stands under the question")
		}
		io.WriteString(w, "n\n")
	}}
	b = newBench(t, nil, "", "")
	b.console.in, b.console.out, b.console.typed = r, screen, true
	if answer, err := b.console.Ask(t.Context(), "Confirm?"); answer != "n" || err != nil {
		t.Errorf("answer %q, error %v", answer, err)
	}
	if got := b.err.String(); got != "About to run: ls\nConfirm? " {
		t.Errorf("afterwards stderr has %q", got)
	}
	w.Close()
}

func TestTheNullDeviceIsNoTerminal(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if isTerminal(null) || isTerminal(strings.NewReader("")) {
		t.Error("taken for a terminal")
	}
}

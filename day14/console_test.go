package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"unicode"
)

// harmful says what must not reach a terminal.
func harmful(r rune) bool {
	if strings.ContainsRune("\n\t\u200c\u200d\ufe0f", r) { // emoji and several scripts need these joiners
		return false
	}
	return strings.ContainsRune("\u2028\u2029\u2800", r) || unicode.IsControl(r) ||
		unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

func TestVisible(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"plain text, line feeds and tabs stay", "a\tb\nc\"\\", "a\tb\nc\"\\"},
		{"Chinese and emoji stay", "掷骰子 🎲 👩‍💻 ❤\ufe0f", "掷骰子 🎲 👩‍💻 ❤\ufe0f"},
		{"escape sequences", "\x1b[2Jx\x1b]0;title", `\x1b[2Jx\x1b]0;title`},
		{"carriage return", "safe\rrm -rf", `safe\rrm -rf`},
		{"backspace, delete, NUL", "a\bb\x7f\x00", `a\bb\x7f\x00`},
		{"C1 control as a character, and as a raw byte", "\u009b2J\x9b2J", `\u009b2J\x9b2J`},
		{"bidi controls", "a\u202eb\u2066c", `a\u202eb\u2066c`},
		{"tag characters, selectors, fillers", "x\U000e0069b\ufe00c\u3164d\u2800", `x\U000e0069b\ufe00c\u3164d\u2800`},
		{"a replacement character that was there stays", "a\ufffdb\xef\xbf", `a` + "\ufffd" + `b\xef\xbf`},
	} {
		if got := visible(test.in); got != test.want {
			t.Errorf("%s: visible(%q) = %q, want %q", test.name, test.in, got, test.want)
		}
	}
	for r := rune(0); r < 0xe2000; r++ {
		if r == 0x20000 { // nothing but Chinese characters and what is not assigned
			r = 0xe0000
		}
		if text := string(r); (visible(text) != text) != harmful(r) {
			t.Errorf("%U becomes %q", r, visible(text))
		}
	}
}

func TestPreviewIsOneShortLineWithoutHalfASecret(t *testing.T) {
	t.Setenv("DEMO_TOKEN", "s3cr3t-value")
	c := newConsole(nil, nil, nil)
	for in, want := range map[string]string{
		"two\nlines\n": `two\nlines`, "0123456789": "0123456789", "读取读取读取读取读取读取": "读取读取读取读取读…", "is s3cr3t-value": "is [REDAC…",
	} {
		if got := c.Preview(in, 10); got != want {
			t.Errorf("Preview(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestPaddingIsNamed(t *testing.T) {
	row := strings.Repeat
	for in, want := range map[string]string{
		row(" ", 40): row(" ", 40), row("\t", 5): row("\t", 5), row(row(" ", 39)+"\n", 3): row(row(" ", 39)+"\n", 3), // code is indented
		row(" ", 41): "[41 blank characters]", row("\t", 6): "[6 blank characters]", row("\u3000", 21): "[21 blank characters]",
		row("\u2800", 41): "[41 blank characters]", row(" \u200d", 21): "[42 blank characters]",
		row(" \ufe0f\u0301\u3164\u00a0\u200b\u115f\uffa0", 6): "[48 blank characters]",
	} {
		if got := withoutPadding("evil #" + in + "About to run"); got != "evil #"+want+"About to run" {
			t.Errorf("%q becomes %q", in, got)
		}
	}
}

func TestNothingDrawsOnTheScreenAndNoSecretIsShown(t *testing.T) {
	const evil = "\x1b[2J\x1b]0;pwned\a\r\u009b1A\u202egnp.exe\u2066\u200b\U000e0041\x00\x7f\b s3cr3t-value"
	t.Setenv("DEMO_TOKEN", "s3cr3t-value")
	var screen bytes.Buffer
	c := newConsole(strings.NewReader(evil+"\n"+evil), &screen, &screen)
	c.Print(evil)
	c.Printf("%s", evil)
	c.Errorf("%s", evil)
	c.Styled("1", evil)
	c.Print(c.Preview(evil, 500))
	c.ReadLine(t.Context(), evil)
	c.Ask(t.Context(), evil)
	if text := screen.String(); strings.ContainsFunc(text, harmful) || strings.Contains(text, "s3cr3t") || strings.Count(text, "[REDACTED:DEMO_TOKEN]") != 9 {
		t.Errorf("the screen shows %q", text)
	}
}

func TestStylesAndTheBusyLineOfATerminal(t *testing.T) {
	const bold, plain = "\x1b[1m", "\x1b[0m"
	for _, test := range []struct {
		noColor, want string
		live          bool
	}{
		{"", "title\nConfirm? y\nHello\n", false},
		{"", bold + "title\n" + plain + "· waiting …\r\x1b[K· running ls …\r\x1b[K" + bold + "Confirm? " + plain + "y\n· running ls …\r\x1b[KHello\n", true},
		{"1", "title\n· waiting …\r\x1b[K· running ls …\r\x1b[KConfirm? y\n· running ls …\r\x1b[KHello\n", true},
	} {
		t.Setenv("NO_COLOR", test.noColor)
		var out bytes.Buffer
		c := newConsole(strings.NewReader("y\n"), &out, io.Discard)
		c.live = test.live
		c.Styled("1", "title\n")
		c.Busy("waiting")
		c.Busy("running ls")
		c.Ask(t.Context(), "Confirm? ")
		c.Print("Hello\n")
		if out.String() != test.want {
			t.Errorf("terminal %v: %q, want %q", test.live, out.String(), test.want)
		}
	}
}

func TestTextFromElsewhereWaitsWhileALineIsTyped(t *testing.T) {
	for name, want := range map[string]string{"prompt": "n", "question": "n", "interrupted": "error: Ctrl-C", "pipe": "n"} {
		synctest.Test(t, func(t *testing.T) {
			b := newTyped()
			typed := name != "pipe"
			b.Console.typed = typed
			ctx, cancel := context.WithCancelCause(t.Context())
			read := b.ReadLine
			if name == "question" {
				read = b.Ask
			}
			done := inBackground(func() (string, error) { return read(ctx, "> ") })
			last := "note 29" + strings.Repeat(".", maxHeld/20) + "\n"
			for i := range 30 {
				b.Errorf("%s", strings.Replace(last, "29", fmt.Sprint(i), 1))
			}
			if (b.err.Len() == 0) != typed || b.out.String() != "> " {
				t.Errorf("%s: stdout %q, stderr %.100q", name, b.out.String(), b.err.String())
			}
			if name == "interrupted" {
				cancel(errors.New("Ctrl-C"))
			} else {
				b.typed("n\n")
			}
			if got := <-done; got != want {
				t.Errorf("%s: read %q", name, got)
			}
			b.Errorf("at once\n")
			notes := b.err.String()
			if strings.HasPrefix(notes, "(what came before this") != typed || typed && len(notes) > maxHeld || !strings.HasSuffix(notes, last+"at once\n") {
				t.Errorf("%s: afterwards stderr has %.200q", name, notes)
			}
			b.keys.Close()
			cancel(nil)
		})
	}
}

// failing is a stream that takes nothing.
type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

func TestOutputThatIsLost(t *testing.T) {
	noSpace, left := &os.PathError{Err: syscall.ENOSPC}, &os.PathError{Err: syscall.EPIPE} // head -1 has what it wanted
	for w, want := range map[io.Writer]error{io.Discard: nil, failing{noSpace}: noSpace, failing{left}: nil} {
		c := newConsole(nil, w, failing{noSpace})
		c.Print("a")
		c.Errorf("b")
		if got := c.Lost(); got != want {
			t.Errorf("%v: %v, want %v", w, got, want)
		}
	}
}

func TestTheNullDeviceIsNoTerminal(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if isTerminal(null) || isTerminal(nil) {
		t.Error("taken for a terminal")
	}
}

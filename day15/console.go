package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"unicode/utf8"
)

// Console is where text meets a person: it writes nothing unescaped and no secret, and it is the only reader of stdin,
// for the prompt and for questions alike. One goroutine at a time may call ReadLine, Ask and Busy.
type Console struct {
	redact *Redactor
	typed  bool                  // stdin is a terminal: it shows by itself what is typed
	shown  bool                  // stdout is a terminal
	live   bool                  // and can move its cursor: colours, and a line while the model is silent
	lost   atomic.Pointer[error] // why stdout could not be written, the first time

	in      io.Reader
	reading atomic.Bool // a person is typing a line
	pastes  chan paste  // nil before Listen; closed at the end of input
	ended   error       // why it ended; set before pastes is closed
	pending []paste     // received and not returned yet

	mu       sync.Mutex // keeps each write whole, and guards what follows
	out, err io.Writer
	waiting  string // what Busy was told
	busy     bool   // its line is on the screen
	held     string // what came for stderr while a line was typed
}

// maxHeld is how many bytes wait while a line is typed.
const maxHeld = 64 << 10

// newConsole takes the three streams of the program.
func newConsole(stdin io.Reader, stdout, stderr io.Writer) *Console {
	shown := isTerminal(stdout)
	return &Console{redact: newRedactor(os.Environ()), in: stdin, out: stdout, err: stderr,
		typed: isTerminal(stdin), shown: shown, live: shown && os.Getenv("TERM") != "dumb"}
}

// Print shows text on stdout: redacted, and with every character visible.
func (c *Console) Print(text string) { c.show(c.out, "", text) }

// Printf is Print with a format.
func (c *Console) Printf(format string, args ...any) { c.Print(fmt.Sprintf(format, args...)) }

// Styled is Print in an ANSI style (SGR parameters such as "1" for bold), where the terminal and NO_COLOR allow it.
func (c *Console) Styled(style, text string) { c.show(c.out, style, text) }

// Errorf is Printf for stderr. While a person is typing a line it waits: text from elsewhere would land in the middle of
// it, could push a question off the screen, or look like another one.
func (c *Console) Errorf(format string, args ...any) { c.show(c.err, "", fmt.Sprintf(format, args...)) }

func (c *Console) show(w io.Writer, style, text string) {
	text = visible(c.redact.Redact(text))
	if style != "" && c.live && os.Getenv("NO_COLOR") == "" {
		text = "\x1b[" + style + "m" + text + "\x1b[0m"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if w != c.out {
		if len(c.held) > maxHeld {
			c.held = "(what came before this, while you typed, was dropped)\n"
		}
		if c.held += text; c.reading.Load() {
			return
		}
		text, c.held = c.held, ""
	}
	if c.busy {
		io.WriteString(c.out, "\r\x1b[K")
		c.busy = false
	}
	if _, err := io.WriteString(w, text); err != nil && w == c.out {
		c.lost.CompareAndSwap(nil, &err)
	}
}

// Busy shows on a terminal what is being waited for, until the next text is shown or Busy is called with "".
func (c *Console) Busy(what string) {
	c.Print("") // removes the line before this one
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = what
	if c.busy = c.live && what != ""; c.busy {
		io.WriteString(c.out, "· "+c.Preview(what, 60)+" …")
	}
}

// Lost is why some of stdout could not be written, nil if all of it was, or if its reader has left (head -1).
func (c *Console) Lost() error {
	if err := c.lost.Load(); err != nil && !errors.Is(*err, syscall.EPIPE) {
		return *err
	}
	return nil
}

// Preview is the beginning of a foreign text on one line, at most limit characters: redacted first, then made visible,
// then cut, so that no half of a secret is left.
func (c *Console) Preview(text string, limit int) string {
	return preview(c.redact.Redact(text), limit)
}

// hidden matches what could move the cursor, change colours, reorder text or hide itself: control and format characters,
// line separators, selectors, fillers and other characters without a shape. U+FFFD also stands for invalid UTF-8.
var hidden = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f-\x{9f}\p{Cf}\p{Zl}\p{Zp}\x{34f}\x{115f}\x{1160}\x{17b4}\x{17b5}\x{180b}-\x{180f}` +
	`\x{2065}\x{2800}\x{3164}\x{fe00}-\x{fe0e}\x{ffa0}\x{fff0}-\x{fff8}\x{fffd}\x{e0000}-\x{e0fff}]`)

// visible makes foreign text harmless on a terminal: what is hidden becomes an escape such as \x1b or \u202e, but for
// the joiners that emoji and several scripts need. Invalid UTF-8 is escaped byte by byte.
func visible(text string) string {
	return hidden.ReplaceAllStringFunc(text, func(s string) string {
		if len(s) > 1 && strings.Contains("\u200c\u200d\ufffd", s) {
			return s
		}
		return strings.Trim(strconv.QuoteToASCII(s), `"`)
	})
}

// visibleLine is visible for text that has to stay on one line: a name, a path, a preview.
func visibleLine(text string) string { return visible(strings.ReplaceAll(text, "\n", `\n`)) }

// preview is the beginning of text on one line, at most limit characters.
func preview(text string, limit int) string {
	line := []rune(visibleLine(strings.TrimRight(text, "\n")))
	if len(line) > limit {
		line = append(line[:limit-1], '…')
	}
	return string(line)
}

// padding matches rows of characters that take no room, or only room: white space, combining marks, joiners, fillers.
var padding = regexp.MustCompile(`[\t\p{Z}\p{M}\p{Cf}\x{115f}\x{1160}\x{2800}\x{3164}\x{ffa0}]{6,}`)

// withoutPadding names such rows of more than 40 columns: they could push what follows to where it looks like a part of
// the question.
func withoutPadding(text string) string {
	return padding.ReplaceAllStringFunc(text, func(row string) string {
		count := utf8.RuneCountInString(row)
		if count+7*strings.Count(row, "\t")+strings.Count(row, "\u3000") <= 40 {
			return row
		}
		return fmt.Sprintf("[%d blank characters]", count)
	})
}

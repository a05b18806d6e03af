package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
)

// Console is where text meets a person: it writes nothing unescaped and no secret, and it is the only reader of stdin,
// for the prompt and for questions alike.
type Console struct {
	redact *Redactor
	in     io.Reader
	input  *Input
	typed  bool // stdin is a terminal: it shows by itself what is typed
	shown  bool // stdout is a terminal
	live   bool // and can move its cursor: colours, and a line while the model is silent

	mu       sync.Mutex // guards what follows, and keeps each write whole
	out, err io.Writer
	waiting  string   // what Busy was told
	busy     bool     // its line is on the screen
	asking   bool     // a person is looking at a question
	held     []string // what came for stderr meanwhile
	lost     error    // why stdout could not be written, the first time
}

// newConsole takes the three streams of the program. Close it at the end.
func newConsole(stdin io.Reader, stdout, stderr io.Writer) *Console {
	shown := isTerminal(stdout)
	return &Console{
		redact: newRedactor(os.Environ()),
		in:     stdin, out: stdout, err: stderr,
		input: newInput(), typed: isTerminal(stdin), shown: shown, live: shown && os.Getenv("TERM") != "dumb",
	}
}

// Listen begins to read what is typed on a terminal, where a question may come: what was typed before it stood there has
// to be known as such.
func (c *Console) Listen() {
	if c.typed {
		c.input.Start(c.in)
	}
}

// Close ends the reading of lines.
func (c *Console) Close() { c.input.Close() }

// Interactive reports whether a person sits at a terminal, and sees what is printed.
func (c *Console) Interactive() bool { return c.typed && c.shown }

// Blind reports whether a person would have to answer a question that goes somewhere else.
func (c *Console) Blind() bool { return c.typed && !c.shown }

// Print shows text on stdout: redacted, and with every character visible.
func (c *Console) Print(text string) { c.write(c.out, visible(c.redact.Redact(text))) }

// Printf is Print with a format.
func (c *Console) Printf(format string, args ...any) { c.Print(fmt.Sprintf(format, args...)) }

// Errorf is Printf for stderr. While a person looks at a question it waits: text that comes from somewhere else could
// push the question off the screen, and look like another one.
func (c *Console) Errorf(format string, args ...any) {
	text := visible(c.redact.Redact(fmt.Sprintf(format, args...)))
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !c.asking:
		c.writeLocked(c.err, text)
	case len(c.held) < maxHeld:
		c.held = append(c.held, text)
	}
}

// maxHeld is how many texts wait while a person looks at a question; more are dropped.
const maxHeld = 1000

// Styled is Print in an ANSI style (SGR parameters such as "1" for bold), where the terminal and NO_COLOR allow it.
func (c *Console) Styled(style, text string) {
	text = visible(c.redact.Redact(text))
	if c.live && os.Getenv("NO_COLOR") == "" {
		text = "\x1b[" + style + "m" + text + "\x1b[0m"
	}
	c.write(c.out, text)
}

// Busy shows on a terminal what is being waited for, until the next text is shown or Busy is called with "".
func (c *Console) Busy(what string) {
	if !c.live {
		return
	}
	c.write(c.out, "") // removes the line before this one
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting = what; what != "" {
		fmt.Fprintf(c.out, "· %s …", preview(what, 60))
		c.busy = true
	}
}

func (c *Console) write(w io.Writer, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writeLocked(w, text)
}

// writeLocked is write; c.mu is held.
func (c *Console) writeLocked(w io.Writer, text string) {
	if c.busy {
		io.WriteString(c.out, "\r\x1b[K")
		c.busy = false
	}
	if _, err := io.WriteString(w, text); err != nil && w == c.out && c.lost == nil {
		c.lost = err
	}
}

// Lost is why some of stdout could not be written, nil if all of it was, or if its reader has left (head -1).
func (c *Console) Lost() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(c.lost, syscall.EPIPE) {
		return nil
	}
	return c.lost
}

// ReadLine shows the prompt and returns the next line of stdin, as Input.Next does. Input that does not come from a
// terminal is echoed, so that a session from a pipe reads like one that was typed.
func (c *Console) ReadLine(ctx context.Context, prompt string) (string, error) {
	c.input.Start(c.in)
	c.Styled("1", prompt)
	line, err := c.input.Next(ctx)
	if !c.typed || err != nil {
		c.Print(line + "\n")
	}
	return line, err
}

// Ask is ReadLine for a question. What was typed on a terminal before the question stood there is kept for the next
// prompt: it was not meant as an answer.
func (c *Console) Ask(ctx context.Context, question string) (string, error) {
	if c.typed {
		putBack := c.input.SetAside()
		defer putBack()
	}
	c.mu.Lock()
	waiting := c.waiting
	c.asking = c.typed
	c.mu.Unlock()
	answer, err := c.ReadLine(ctx, question)
	c.mu.Lock()
	held := c.held
	c.asking, c.held = false, nil
	c.mu.Unlock()
	c.write(c.err, strings.Join(held, ""))
	c.Busy(waiting) // goes on, now that the question is answered
	return answer, err
}

// isTerminal reports whether a stream is a terminal, as far as the standard library can tell: a character device that
// is not the null device.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

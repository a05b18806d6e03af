package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"sync"
)

// Console is where text meets a person: it writes nothing unescaped and no secret, and it is the only reader of stdin,
// for the prompt and for questions alike.
type Console struct {
	redact *Redactor
	in     io.Reader
	typed  bool // stdin is a terminal: it shows by itself what is typed
	live   bool // stdout is a terminal: colours, and a line while the model is silent

	mu       sync.Mutex // guards the writers and busy, and keeps each write whole
	out, err io.Writer
	busy     bool // the line of Busy is on the screen

	start sync.Once
	done  chan struct{}
	lines chan string // closed at the end of input, after readErr is set
	early []string    // lines typed before a question was on the screen: no answers to it

	readErr error
}

// newConsole takes the three streams of the program. Close it at the end.
func newConsole(stdin io.Reader, stdout, stderr io.Writer) *Console {
	return &Console{
		redact: newRedactor(os.Environ()),
		in:     stdin, out: stdout, err: stderr,
		typed: isTerminal(stdin),
		live:  isTerminal(stdout) && os.Getenv("TERM") != "dumb",
		done:  make(chan struct{}),
		lines: make(chan string, 64),
	}
}

// Close ends the reading of lines. A read from a terminal cannot be interrupted; it ends with the program.
func (c *Console) Close() { close(c.done) }

// Interactive reports whether a person sits at stdin.
func (c *Console) Interactive() bool { return c.typed }

// Print shows text on stdout: redacted, and with every character visible.
func (c *Console) Print(text string) { c.write(c.out, visible(c.redact.Redact(text))) }

// Printf is Print with a format.
func (c *Console) Printf(format string, args ...any) { c.Print(fmt.Sprintf(format, args...)) }

// Errorf is Printf for stderr.
func (c *Console) Errorf(format string, args ...any) {
	c.write(c.err, visible(c.redact.Redact(fmt.Sprintf(format, args...))))
}

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
	if what == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(c.out, "· %s …", visibleLine(what))
	c.busy = true
}

func (c *Console) write(w io.Writer, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy {
		io.WriteString(c.out, "\r\x1b[K")
		c.busy = false
	}
	io.WriteString(w, text) // there is nowhere to report that the screen is gone
}

// ReadLine shows the prompt and returns the next line of stdin without its end. Input that does not come from a
// terminal is echoed, so that a session from a pipe reads like one that was typed. It fails with io.EOF at the end of
// input, with the context's cause if that ends first, and on a line over 1 MiB.
func (c *Console) ReadLine(ctx context.Context, prompt string) (string, error) {
	c.start.Do(func() { go c.readLines() })
	c.Styled("1", prompt)
	if len(c.early) > 0 {
		line := c.early[0]
		c.early = c.early[1:]
		c.Print(line + "\n")
		return line, nil
	}
	select {
	case line, ok := <-c.lines:
		if !ok {
			c.Print("\n")
			return "", c.readErr
		}
		if !c.typed {
			c.Print(line + "\n")
		}
		return line, nil
	case <-ctx.Done():
		c.Print("\n")
		return "", context.Cause(ctx)
	}
}

// Ask is ReadLine for a question. What was typed on a terminal before the question stood there is kept for the next
// prompt: it was not meant as an answer.
func (c *Console) Ask(ctx context.Context, question string) (string, error) {
	var before []string
	for c.typed && len(c.lines) > 0 {
		before = append(before, <-c.lines)
	}
	waiting := append(c.early, before...)
	c.early = nil
	answer, err := c.ReadLine(ctx, question)
	c.early = waiting
	return answer, err
}

// readLines is the goroutine that reads stdin, started by the first ReadLine: the one-shot mode leaves stdin alone. It
// ends with the input or with Close.
func (c *Console) readLines() {
	defer close(c.lines)
	scanner := bufio.NewScanner(c.in)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		select {
		case c.lines <- scanner.Text():
		case <-c.done:
			return
		}
	}
	if c.readErr = scanner.Err(); c.readErr == nil {
		c.readErr = io.EOF
	}
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

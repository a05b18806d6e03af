package main

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// CanAsk reports whether a question can be asked: at a terminal to a person who sees what is printed, else in a
// conversation, whose lines come from a script.
func (c *Console) CanAsk(oneShot bool) bool { return c.typed && c.shown || !c.typed && !oneShot }

// ReadLine shows the prompt and returns the next request: one line, or from a terminal all lines that came at once, as a
// paste does, joined by line feeds; one that begins with a slash stands alone. What does not come from a terminal is
// echoed, so that a session from a pipe reads like one that was typed. It fails with io.EOF at the end of input, with the
// context's cause if that ends first, and on a line over 1 MiB.
func (c *Console) ReadLine(ctx context.Context, prompt string) (string, error) {
	return c.read(ctx, prompt, time.Time{})
}

// Ask is ReadLine for a question, which one line answers. What was typed on a terminal before the question stood there,
// and the rest of such a paste, is kept for the next prompt: it was not meant as an answer.
func (c *Console) Ask(ctx context.Context, question string) (string, error) {
	defer c.Busy(c.waiting) // goes on, once the question is answered
	return c.read(ctx, question, time.Now())
}

func (c *Console) read(ctx context.Context, prompt string, asked time.Time) (string, error) {
	c.Listen()
	c.reading.Store(c.typed)
	c.Styled("1", prompt)
	text, err := c.next(ctx, asked)
	if !c.typed || err != nil {
		c.Print(text + "\n")
	}
	c.reading.Store(false)
	c.Errorf("") // what waited
	return text, err
}

// next waits for a paste that did not begin before the question was asked, and takes a line from it; a request, if there
// is no question.
func (c *Console) next(ctx context.Context, asked time.Time) (string, error) {
	for i := 0; ; i++ {
		if i == len(c.pending) {
			select {
			case p, ok := <-c.pastes:
				if !ok {
					return "", c.ended
				}
				c.pending = append(c.pending, p)
			case <-ctx.Done():
				return "", context.Cause(ctx)
			}
		}
		p := &c.pending[i]
		if c.typed && p.at.Before(asked) {
			continue
		}
		end := "\n/" // a request ends before a command, a command and an answer with their line
		if !asked.IsZero() || strings.HasPrefix(p.text, "/") {
			end = "\n"
		}
		text, _, _ := strings.Cut(p.text, end)
		if p.text = strings.TrimPrefix(p.text[len(text):], "\n"); p.text == "" {
			c.pending = slices.Delete(c.pending, i, i+1)
		}
		return text, nil
	}
}

// paste is a line, or lines that were typed at once, and when the first one was read.
type paste struct {
	text string
	at   time.Time
}

// pasteGap is the time between two lines from which on they were not pasted together.
const pasteGap = 50 * time.Millisecond

// Listen begins to read, once, ahead of whoever wants the lines: one that was there before a question must not answer it.
func (c *Console) Listen() {
	if c.pastes != nil {
		return
	}
	c.pastes = make(chan paste, 10_000)
	lines := make(chan string)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(c.in)
		scanner.Buffer(nil, 1<<20)
		for scanner.Scan() {
			if n := len(scanner.Bytes()); c.typed && (n == 4095 || n == 1023) { // on Linux, on macOS
				c.Errorf("(a line of %d bytes: a terminal takes no longer one, its end may be missing; put long text into a file)\n", n)
			}
			lines <- scanner.Text()
		}
		c.ended = cmp.Or(scanner.Err(), io.EOF)
	}()
	go func() {
		defer close(c.pastes)
		for text := range lines {
			p := paste{text, time.Now()}
			for more := c.typed; more && len(p.text) < 1<<20; {
				select {
				case text, more = <-lines:
					if more {
						p.text += "\n" + text
					}
				case <-time.After(pasteGap):
					more = false
				}
			}
			c.pastes <- p
		}
	}()
}

// isTerminal reports whether a stream is a terminal, as far as the standard library can tell: a character device that
// is not the null device.
func isTerminal(stream any) bool {
	file, _ := stream.(*os.File)
	info, err := file.Stat() // fails without a file
	null, _ := os.Stat(os.DevNull)
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && !os.SameFile(info, null)
}

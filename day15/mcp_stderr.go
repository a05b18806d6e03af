package main

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

const (
	stderrLines = 20      // how many lines are kept
	stderrWidth = 4 << 10 // how much of a line is kept, in bytes
)

// stderrTail takes a server's stderr: it passes on each line and keeps the last ones. "The client MAY capture, forward,
// or ignore" them, and they need not mean an error.
type stderrTail struct {
	pass   func(line string) // called for each line, in order
	redact *Redactor         // a line that is cut must not end in half a secret

	mu      sync.Mutex // guards what follows
	partial []byte     // the line that is not at its end yet, at most stderrWidth of it
	kept    []string   // the last lines, the oldest first
}

// Write never fails: a server must not feel that somebody reads along.
func (t *stderrTail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for rest := text; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		t.partial = append(t.partial, line[:min(len(line), stderrWidth-len(t.partial))]...)
		if ended {
			t.endLine()
		}
		rest = after
	}
	return len(text), nil
}

// flush ends a last line without a line feed.
func (t *stderrTail) flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.partial) > 0 {
		t.endLine()
	}
}

// endLine is called with mu held.
func (t *stderrTail) endLine() {
	line := strings.ToValidUTF8(strings.TrimRight(string(t.partial), "\r"), "\uFFFD")
	if len(t.partial) == stderrWidth {
		line, _ = t.redact.Split(line)
	}
	t.partial = t.partial[:0]
	if len(t.kept) == stderrLines {
		t.kept = slices.Delete(t.kept, 0, 1)
	}
	t.kept = append(t.kept, line)
	t.pass(line)
}

// lines returns the last lines, the oldest first.
func (t *stderrTail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.kept)
}

// last returns the last line that says something, or "". What go run adds when its program has failed says nothing.
func (t *stderrTail) last() string {
	for _, line := range slices.Backward(t.lines()) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "exit status ") {
			return line
		}
	}
	return ""
}

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"sync"
	"unicode/utf8"
)

// maxLine is the longest message that is read, in bytes: a server that never ends its line must not eat the memory.
const maxLine = 64 << 20

// readLine returns the next line without its end, as bytes of its own. "JSON-RPC messages MUST be UTF-8 encoded"; what
// is not becomes U+FFFD, for a model's API would refuse it. A line over maxLine is a *connectionError. The last line
// may lack its line feed: it comes together with the reader's error.
func readLine(r *bufio.Reader) ([]byte, error) {
	part, err := r.ReadSlice('\n')
	line := bytes.Clone(part)
	if err == bufio.ErrBufferFull {
		line, err = readLong(r, line)
	}
	if !utf8.Valid(line) {
		line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
	}
	return bytes.TrimSpace(line), err // space around JSON means nothing, and some servers end their lines in \r\n
}

// readLong reads the rest of a line that is longer than the reader's buffer. It keeps the pieces and joins them once: a
// slice that grows would be copied, and allocated, several times over.
func readLong(r *bufio.Reader, first []byte) ([]byte, error) {
	pieces, size := [][]byte{first}, len(first)
	for {
		part, err := r.ReadSlice('\n')
		pieces, size = append(pieces, bytes.Clone(part)), size+len(part)
		if size > maxLine {
			return nil, &connectionError{reason: fmt.Sprintf("it sent a line of more than %d MiB", maxLine>>20)}
		}
		if err != bufio.ErrBufferFull {
			return bytes.Join(pieces, nil), err
		}
	}
}

// noise keeps account of what a server sends that is of no use, to be told once and not each time. It belongs to one
// stream, whose reader and callers use it side by side.
type noise struct {
	note func(format string, args ...any)

	mu     sync.Mutex // guards what follows
	lines  int        // lines that are no message
	sample string     // the first of them
	told   bool       // the lines were reported
	stray  int        // answers that nobody waits for
	oddID  string     // the ID of the last of them
	loose  bool       // an ID that came back as text or as a fraction was reported
	full   bool       // an answer of ours that could not be sent was reported
}

// line takes a line that is no message: a banner, a log line, "null". An empty line is nothing.
func (n *noise) line(text []byte) {
	if len(text) == 0 {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.lines++; n.lines == 1 {
		n.sample = preview(string(text[:min(len(text), 400)]), 80)
	}
}

// report tells of the lines, once: at the first answer, when the banners are over, or at the end.
func (n *noise) report() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.lines > 0 && !n.told {
		n.told = true
		n.note("ignored %d lines on its stdout that are no messages, such as: %s", n.lines, n.sample)
	}
}

// unknown takes an answer that nobody waits for. The first few are reported, to keep a flood off the screen.
func (n *noise) unknown(id []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.oddID = preview(string(id[:min(len(id), 100)]), 40)
	if n.stray++; n.stray <= 5 {
		n.note("dropped an answer with id %s: nobody waits for it", n.oddID)
	}
}

// once reports something that is worth one line, by the flag that remembers it.
func (n *noise) once(flag *bool, format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !*flag {
		*flag = true
		n.note(format, args...)
	}
}

// hint is what may explain that a request got no answer, "" if nothing odd was seen.
func (n *noise) hint() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.stray > 0:
		return fmt.Sprintf(" (but there was an answer with id %s, which nobody asked for)", n.oddID)
	case n.lines > 0:
		return fmt.Sprintf(" (but it wrote what is no message: %s)", n.sample)
	}
	return ""
}

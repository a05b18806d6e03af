package main

import (
	"fmt"
	"sync"
)

// noise keeps account of what a server sends that is of no use, to be told once and not each time. It belongs to one
// stream, whose reader and callers use it side by side.
type noise struct {
	note   func(format string, args ...any) // called without mu: it may take its time
	redact *Redactor

	mu     sync.Mutex // guards what follows
	lines  int        // lines that are no message
	sample string     // the first of them
	told   bool       // the lines were reported
	stray  int        // answers that nobody waits for
	oddID  string     // the ID of the last of them, "" once there was a good answer
	loose  bool       // an ID that came back as text or as a fraction was reported
	full   bool       // an answer of ours that could not be sent was reported
}

// line takes a line that is no message: a banner, a log line, "null".
func (n *noise) line(text []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.lines++; n.lines == 1 {
		n.sample = preview(n.redact.Redact(string(text[:min(len(text), 4<<10)])), 80)
	}
}

// answered takes note of a good answer.
func (n *noise) answered() {
	n.mu.Lock()
	n.oddID = ""
	n.mu.Unlock()
	n.report()
}

// report tells of the lines, once: at the first answer, when the banners are over, or at the end.
func (n *noise) report() {
	n.mu.Lock()
	lines, due := n.lines, n.lines > 0 && !n.told
	n.told = n.told || due
	n.mu.Unlock()
	if due {
		n.note("ignored %s on its stdout outside the protocol, such as: %s", plural(lines, "line"), n.sample)
	}
}

// unknown takes an answer that nobody waits for. The first few are reported, to keep a flood off the screen.
func (n *noise) unknown(id []byte) {
	odd := preview(string(id), 40)
	n.mu.Lock()
	n.oddID = odd
	n.stray++
	due := n.stray <= 5
	n.mu.Unlock()
	if due {
		n.note("dropped an answer with id %s: nobody waits for it", odd)
	}
}

// once reports something that is worth one line, by the flag that remembers it.
func (n *noise) once(flag *bool, format string, args ...any) {
	n.mu.Lock()
	due := !*flag
	*flag = true
	n.mu.Unlock()
	if due {
		n.note(format, args...)
	}
}

// hint is what may explain that a request got no answer, "" if nothing odd was seen lately.
func (n *noise) hint() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.oddID != "":
		return fmt.Sprintf(" (but there was an answer with id %s, which nobody asked for)", n.oddID)
	case n.lines > 0 && !n.told:
		n.told = true
		return fmt.Sprintf(" (but it wrote what is no message: %s)", n.sample)
	}
	return ""
}

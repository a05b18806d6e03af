package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"sync"
)

// wireLog writes down every frame as it goes over the wire, one line each, in the order of the connection:
//
//	demo → {"jsonrpc":"2.0","id":1,"method":"initialize",…
//	demo ← {"jsonrpc":"2.0","id":1,"result":…
//
// Secrets are redacted and control characters escaped, as everywhere. There is no time in it: the same session gives
// the same log. It is safe for several servers at once, and a nil *wireLog logs nothing.
type wireLog struct {
	redact *Redactor

	mu   sync.Mutex // keeps each line whole, and guards what follows
	w    io.Writer
	lost error // why a line could not be written, the first time
}

// openWire opens the log of -wire: a file, written anew and readable for its owner alone, or with "-" stderr. Close it
// at the end.
func openWire(file string, console *Console) (*wireLog, error) {
	if file == "-" {
		return &wireLog{redact: console.redact, w: stderrOf{console}}, nil
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err == nil {
		err = f.Chmod(0o600) // an older file may have been open to others
	}
	if err != nil {
		return nil, fmt.Errorf("cannot write the wire log: %w", err)
	}
	return &wireLog{redact: console.redact, w: f}, nil
}

// stderrOf writes to a console's stderr, between its other lines.
type stderrOf struct{ console *Console }

func (s stderrOf) Write(text []byte) (int, error) {
	s.console.Errorf("%s", text)
	return len(text), nil
}

// close closes the file. The error is why the log is not complete.
func (l *wireLog) close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if f, ok := l.w.(io.Closer); ok {
		return cmp.Or(l.lost, f.Close())
	}
	return l.lost
}

// sent logs a frame of ours to the named server.
func (l *wireLog) sent(server string, frame []byte) { l.line(server, "→", frame) }

// received logs what the named server sent.
func (l *wireLog) received(server string, frame []byte) { l.line(server, "←", frame) }

func (l *wireLog) line(server, arrow string, frame []byte) {
	if l == nil {
		return
	}
	text := fmt.Sprintf("%s %s %s", server, arrow, bytes.TrimSpace(frame))
	text = visibleLine(l.redact.Redact(text)) + "\n"
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := io.WriteString(l.w, text); err != nil && l.lost == nil { // close tells of it: the work goes on
		l.lost = err
	}
}

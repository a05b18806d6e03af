package main

import (
	"sync"
	"time"
)

// linesPerSecond is how much one server may make us print.
const linesPerSecond = 50

// limiter counts the lines of a second. It is safe for concurrent use; the zero limiter is ready.
type limiter struct {
	mu    sync.Mutex // guards what follows
	since time.Time
	lines int
}

// next reports whether one more line may be shown, and whether it is the first of its second that may not.
func (l *limiter) next() (show, first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); now.Sub(l.since) > time.Second {
		l.since, l.lines = now, 0
	}
	l.lines++
	return l.lines <= linesPerSecond, l.lines == linesPerSecond+1
}

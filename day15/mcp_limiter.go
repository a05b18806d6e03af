package main

import (
	"sync"
	"time"
)

// How much of us one server may take up in a second.
const (
	linesPerSecond = 50 // that it makes us print
	listsPerSecond = 50 // of its tools, because it announces others
)

// limiter allows so much a second. It is safe for concurrent use.
type limiter struct {
	perSecond int

	mu    sync.Mutex // guards what follows
	since time.Time
	count int
}

// next reports whether one more is allowed, and whether it is the first of its second that is not.
func (l *limiter) next() (ok, first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); now.Sub(l.since) >= time.Second {
		l.since, l.count = now, 0
	}
	l.count++
	return l.count <= l.perSecond, l.count == l.perSecond+1
}

// rest is how long the second in which no more is allowed still takes.
func (l *limiter) rest() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Until(l.since.Add(time.Second))
}

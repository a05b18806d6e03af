package main

import (
	"bufio"
	"context"
	"io"
	"sync"
)

// maxWaiting is how many lines are read ahead of whoever wants them.
const maxWaiting = 10_000

// Input reads the lines of stdin, ahead of whoever wants them: a line that was there before a question must not become
// the answer to it.
type Input struct {
	start sync.Once
	news  chan struct{} // holds a value when there may be something to take
	room  chan struct{} // holds a value when a line was taken

	mu     sync.Mutex // guards what follows
	lines  []string   // read, and not taken yet
	err    error      // why no more lines come: io.EOF, or what went wrong
	closed bool
}

// newInput returns an Input that reads nothing before Start.
func newInput() *Input {
	return &Input{news: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// Start begins to read, once. The goroutine ends with the input or, between two lines, with Close; a read from a
// terminal cannot be interrupted.
func (in *Input) Start(r io.Reader) {
	in.start.Do(func() { go in.read(r) })
}

// Close gives up what is still to come.
func (in *Input) Close() {
	in.mu.Lock()
	in.closed = true
	in.mu.Unlock()
	signalTo(in.room)
}

// Next takes the next line, without its end, and waits for it. It fails with io.EOF at the end of input, with the
// context's cause if that ends first, and on a line over 1 MiB.
func (in *Input) Next(ctx context.Context) (string, error) {
	for {
		in.mu.Lock()
		if len(in.lines) > 0 {
			line := in.lines[0]
			in.lines = in.lines[1:]
			in.mu.Unlock()
			signalTo(in.room)
			return line, nil
		}
		err := in.err
		in.mu.Unlock()
		if err != nil {
			return "", err
		}
		select {
		case <-in.news:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// SetAside takes all lines that wait, and returns a function that puts them back, before those that came since.
func (in *Input) SetAside() (putBack func()) {
	in.mu.Lock()
	defer in.mu.Unlock()
	aside := in.lines
	in.lines = nil
	return func() {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.lines = append(aside, in.lines...)
	}
}

func (in *Input) read(r io.Reader) {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		in.mu.Lock()
		in.lines = append(in.lines, scanner.Text())
		full, closed := len(in.lines) >= maxWaiting, in.closed
		in.mu.Unlock()
		signalTo(in.news)
		if closed {
			return
		}
		if full {
			<-in.room
		}
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.err = scanner.Err(); in.err == nil {
		in.err = io.EOF
	}
	signalTo(in.news)
}

// signalTo leaves a value in a channel with room for one.
func signalTo(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // one is enough
	}
}

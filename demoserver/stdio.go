package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	// maxMessage bounds a message, in bytes: far above any real one, and far
	// below what would hurt.
	maxMessage = 64 << 20

	// grace is how long running calls may still finish when the client has
	// closed our input, so that `echo … | demoserver` prints its answer.
	grace = 500 * time.Millisecond
)

// client is the program on the other side of stdin and stdout.
type client struct {
	server *server
	calls  running
	open   sync.WaitGroup // one goroutine for each call; finish waits for them

	mu  sync.Mutex // guards out: a line is never cut in two by another
	out io.Writer
}

// readLine gives the next line, whatever its length up to maxMessage. Like
// bufio's ReadBytes it returns io.EOF together with a last line that has no
// newline.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxMessage {
			return nil, fmt.Errorf("a line is longer than %d bytes", maxMessage)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// reply answers a request, unless its ctx ends before that: who cancelled a
// request must hear nothing of it any more.
func (c *client) reply(ctx context.Context, req message) {
	result, err := c.server.answer(ctx, req, func(method string, params any) {
		if ctx.Err() == nil {
			c.send(notification{JSONRPC: "2.0", Method: method, Params: params})
		}
	})
	if ctx.Err() == nil {
		c.send(response{JSONRPC: "2.0", ID: req.ID, Result: result, Error: err})
	}
}

// send writes a response or notification as one line. If nobody can be reached
// any more, the program ends.
func (c *client) send(v any) {
	var line bytes.Buffer
	err := encode(&line, v)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		_, err = c.out.Write(line.Bytes())
	}
	if err != nil {
		c.server.stop(fmt.Errorf("writing the output: %w", err))
	}
}

// finish gives running calls a moment to end. Those that do not are cut off
// with the program.
func (c *client) finish() {
	idle := make(chan struct{})
	go func() {
		c.open.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-time.After(grace):
	}
}

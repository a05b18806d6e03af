package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// stream is a transport: JSON-RPC over two byte streams, one message a line ("Messages are delimited by newlines, and
// MUST NOT contain embedded newlines").
//
//	call ── frame ──▶ queue ──▶ write ──▶ server
//	call ◀── reply ── pending ◀── read ◀── server
//
// Two goroutines move the bytes, and neither waits for the other: a server may write replies before it has read all
// requests. write is started by newStream and ends with the stream; read belongs to whoever made the stream.
type stream struct {
	peer    peer
	r       *bufio.Reader
	w       io.WriteCloser
	explain func(error) error // what the owner knows better about the error that ended the stream; may wait a moment
	noise   noise

	queue chan []byte  // frames for write, in order
	last  atomic.Int64 // the ID given last

	mu      sync.Mutex                // guards pending; never held while reading or writing
	pending map[int64]chan rpcMessage // who waits for which ID; nil: nobody any more, but the answer may still come

	ending sync.Once
	done   chan struct{} // closed by fail, after err is set
	err    error
}

const (
	queueLength = 256                    // frames that wait to be written; callers wait for room, answers to the server are dropped
	lastReads   = 300 * time.Millisecond // for the answers that are still to be read when a write has failed
)

// newStream takes what the server writes and what it reads. The caller has to run read in a goroutine, and to end r
// when the stream is done; w is closed with the stream.
func newStream(r io.Reader, w io.WriteCloser, p peer, explain func(error) error) *stream {
	s := &stream{
		peer: p, r: bufio.NewReaderSize(r, 64<<10), w: w, explain: explain,
		noise:   noise{note: p.note, redact: p.redact},
		queue:   make(chan []byte, queueLength),
		pending: map[int64]chan rpcMessage{},
		done:    make(chan struct{}),
	}
	go s.write()
	return s
}

// call implements transport. The wait for the answer holds no lock, so that calls overlap.
func (s *stream) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	id := s.last.Add(1)
	frame, err := encodeLine(rpcRequest{JSONRPC: "2.0", ID: id, Method: method, Params: params})
	if err != nil {
		return nil, fmt.Errorf("cannot send %s: %w", method, err)
	}
	reply := make(chan rpcMessage, 1) // with room, so that read never waits for a caller
	s.mu.Lock()
	s.pending[id] = reply // before it is sent: the answer may be there before we are
	s.mu.Unlock()
	if err := s.send(ctx, frame); err != nil {
		s.forget(id)
		return nil, err
	}
	select {
	case m := <-reply:
		return m.outcome()
	case <-ctx.Done():
		s.giveUp(id, method, context.Cause(ctx))
		return nil, fmt.Errorf("%w%s", context.Cause(ctx), s.noise.hint())
	case <-s.done:
		select {
		case m := <-reply: // it came just before the end
			return m.outcome()
		default:
			return nil, s.err
		}
	}
}

// notify implements transport.
func (s *stream) notify(ctx context.Context, method string, params any) error {
	frame, err := encodeLine(rpcRequest{JSONRPC: "2.0", Method: method, Params: params})
	if err != nil {
		return fmt.Errorf("cannot send %s: %w", method, err)
	}
	return s.send(ctx, frame)
}

// close ends every call and closes the server's input; read goes on to the end of the output.
func (s *stream) close() error {
	s.fail(&connectionError{reason: "the connection was closed"})
	return s.w.Close()
}

// outcome is a response as call returns it.
func (m rpcMessage) outcome() (json.RawMessage, error) {
	if m.Error != nil {
		return nil, m.Error
	}
	return m.Result, nil
}

// send hands a frame to write. It waits for room, but not for the server to read.
func (s *stream) send(ctx context.Context, frame []byte) error {
	switch {
	case !s.alive():
		return s.err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case s.trySend(frame):
		return nil
	}
	select {
	case s.queue <- frame:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-s.done:
		return s.err
	}
}

// forget is for a request that was never sent.
func (s *stream) forget(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pending, id)
}

// cancelled is the parameter of notifications/cancelled.
type cancelled struct {
	RequestID int64  `json:"requestId"`
	Reason    string `json:"reason"`
}

// giveUp tells the server that nobody waits any more; its answer, should it come, is dropped without a word. "The
// initialize request MUST NOT be cancelled by clients." Where the server does not read, there is nobody to tell.
func (s *stream) giveUp(id int64, method string, cause error) {
	s.mu.Lock()
	if s.pending[id] != nil {
		s.pending[id] = nil
	}
	s.mu.Unlock()
	if method == "initialize" {
		return
	}
	frame, err := encodeLine(rpcRequest{JSONRPC: "2.0", Method: "notifications/cancelled", Params: cancelled{id, cause.Error()}})
	if err == nil {
		s.trySend(frame)
	}
}

// trySend is send for what must not wait. It reports whether there was room.
func (s *stream) trySend(frame []byte) bool {
	select {
	case s.queue <- frame:
		return true
	default:
		return false
	}
}

// fail ends the stream; the first cause counts.
func (s *stream) fail(cause error) {
	s.ending.Do(func() {
		s.noise.report()
		s.err = cause
		s.peer.ended(cause)
		close(s.done)
	})
}

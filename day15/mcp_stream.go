package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
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
	w       io.WriteCloser
	explain func() *connectionError // says why the output has ended; it may wait a moment
	queue   chan []byte             // frames for write, in order
	last    atomic.Int64            // the id given last
	pending sync.Map                // id → chan message, of who waits for the answer
	over    chan struct{}           // closed by read at its end: nothing more is sent
	life    context.Context         // ends with the stream; its cause says why
	end     context.CancelCauseFunc // takes a *connectionError; the first one counts
	flushed chan struct{}           // closed by write at its end
}

const (
	queueLength = 256                    // frames that wait to be written; callers wait for room, answers to the server are dropped
	flushGrace  = 200 * time.Millisecond // for what is in the queue when the stream is closed
)

// newStream takes what the server reads; w is closed with the stream. The caller has to run read, in a goroutine.
func newStream(w io.WriteCloser, p peer, explain func() *connectionError) *stream {
	s := &stream{peer: p, w: w, explain: explain, queue: make(chan []byte, queueLength), over: make(chan struct{}), flushed: make(chan struct{})}
	s.life, s.end = context.WithCancelCause(context.Background())
	go s.write()
	return s
}

// call implements transport. The wait for the answer holds no lock, so that calls overlap.
func (s *stream) call(ctx context.Context, r request) (json.RawMessage, error) {
	id := s.last.Add(1)
	reply := make(chan message, 1) // with room, so that read never waits for a caller
	s.pending.Store(id, reply)     // before it is sent: the answer may be there before we are
	defer s.pending.Delete(id)
	frame, err := s.send(ctx, newRequest(id, r))
	if err != nil {
		return nil, err
	}
	select {
	case m := <-reply:
		return m.outcome(r.method)
	case <-ctx.Done():
		if r.method != "initialize" { // which "MUST NOT be cancelled by clients"
			s.trySend(newRequest(0, cancelled(id, context.Cause(ctx))))
		}
		return nil, context.Cause(ctx)
	case <-s.life.Done():
	}
	select {
	case m := <-reply: // it came just before the end
		return m.outcome(r.method)
	default:
		return nil, s.failure(frame)
	}
}

// notify implements transport.
func (s *stream) notify(ctx context.Context, r request) error {
	_, err := s.send(ctx, newRequest(0, r))
	return err
}

// ended implements transport.
func (s *stream) ended() error { return context.Cause(s.life) }

// close implements transport, but for read, which goes on to the end of the output.
func (s *stream) close() {
	s.end(errClosed)
	select {
	case <-s.flushed:
	case <-time.After(flushGrace): // the server does not read
	}
	_ = s.w.Close() // fails where it is closed already
}

// failure is why a request got no answer, once the stream has ended; an empty frame was not even sent.
func (s *stream) failure(frame []byte) error {
	lost := *s.ended().(*connectionError)
	lost.unsent = bytes.Contains(lost.unread, frame)
	return &lost
}

// send hands a message to write and returns its frame. It waits for room, but not for the server to read.
func (s *stream) send(ctx context.Context, m message) (frame []byte, err error) {
	frame, _ = encode(m) // what is raw in it was read as JSON
	room := s.queue
	select {
	case <-s.over:
		room = nil // else it could go to a server that has just ended
	default:
	}
	select {
	case room <- frame:
		return frame, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-s.over:
		<-s.life.Done() // comes soon after the end of the output
		return nil, s.failure(nil)
	}
}

// trySend is send for what must not wait: where there is no room, the server does not read, and misses it.
func (s *stream) trySend(m message) {
	frame, _ := encode(m) // what is raw in it was read as JSON
	select {
	case s.queue <- frame:
	default:
	}
}

// write sends the frames, at the end those that are left. What has gathered goes out in one piece: that spares wake-ups.
func (s *stream) write() {
	defer close(s.flushed)
	for out := bufio.NewWriterSize(s.w, 32<<10); ; {
		select {
		case frame := <-s.queue:
			s.peer.wire("→", frame)
			_, _ = out.Write(append(frame, '\n')) // Flush fails as well
			if len(s.queue) == 0 && out.Flush() != nil {
				return // read will see why; until then calls wait for their time limit
			}
		case <-s.life.Done():
			if len(s.queue) == 0 {
				return
			}
		}
	}
}

// read takes in what the server writes, until its output ends or makes no sense; then it ends the stream.
func (s *stream) read(output io.Reader) {
	limited := &io.LimitedReader{R: output}
	for lines := bufio.NewReaderSize(limited, 64<<10); ; {
		limited.N = maxMessage
		line, err := lines.ReadBytes('\n')
		if limited.N == 0 {
			s.end(broken("it sent a line of more than %d MiB", maxMessage>>20))
		}
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF"))) // some begin with a mark, and end in \r\n
		if len(line) > 0 && s.ended() == nil {
			if m, ok := s.peer.receive(line, s.trySend); ok {
				s.deliver(m)
			}
		}
		if err != nil || limited.N == 0 {
			close(s.over)
			s.end(s.explain())
			return
		}
	}
}

// deliver gives a response to the call that waits for it. An error without an id is for the one call that waits.
func (s *stream) deliver(m message) {
	id := number(m.ID)
	if isNull(m.ID) {
		s.pending.Range(func(key, _ any) bool {
			id += key.(int64) // which is that of none if two wait
			return true
		})
	}
	if reply, waiting := s.pending.LoadAndDelete(id); waiting { // else it is late
		reply.(chan message) <- m // has room: only one answer ever finds it
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"runtime"
	"time"
)

// read takes in what the server writes, until its output ends or makes no sense any more; then it ends the stream. It
// is the one reader, and waits for nothing but the next line.
func (s *stream) read() {
	mark := []byte("\xEF\xBB\xBF") // a byte order mark may stand before the first line
	for {
		line, err := readLine(s.r)
		line = bytes.TrimPrefix(line, mark)
		mark = nil
		if len(line) > 0 && s.alive() {
			s.peer.wire.received(s.peer.name, line)
			s.receive(line)
		}
		if err != nil {
			s.fail(s.explain(err))
			return
		}
	}
}

// write sends the frames. What has gathered in the meantime goes out in one piece: that spares the server and us a
// wake-up for each.
func (s *stream) write() {
	for {
		select {
		case <-s.done:
			return
		case frame := <-s.queue:
			runtime.Gosched() // when answers come in a bunch, so do the next calls: let them join
			s.peer.wire.sent(s.peer.name, frame)
			if _, err := s.w.Write(s.gather(frame)); err != nil {
				cause := s.explain(err)
				select {
				case <-s.done: // read was first, and has seen all answers up to the end
				case <-time.After(lastReads):
					s.fail(cause)
				}
				return
			}
		}
	}
}

// gather appends the frames that wait behind first, as long as a write stays small.
func (s *stream) gather(first []byte) []byte {
	all := first
	for len(all) < 32<<10 {
		select {
		case frame := <-s.queue:
			s.peer.wire.sent(s.peer.name, frame)
			all = append(all, frame...)
		default:
			return all
		}
	}
	return all
}

// alive reports whether the stream has not ended.
func (s *stream) alive() bool {
	select {
	case <-s.done:
		return false
	default:
		return true
	}
}

// receive does what a line asks for: a request is answered, a notification passed on, a response given to its waiter.
func (s *stream) receive(line []byte) {
	m, ok := parseMessage(line)
	switch {
	case !ok:
		s.noise.line(line)
	case m.isRequest() && s.peer.silent != nil && s.peer.silent():
		// Without a handshake, "the client MUST NOT write responses" (2026-07-28, stdio).
	case m.isRequest():
		frame, err := encodeLine(m.answer())
		if err != nil || !s.trySend(frame) {
			s.noise.once(&s.noise.full, "could not answer its request %s: it does not read", preview(m.Method, 40))
		}
	case m.Method != "":
		s.peer.notified(m.Method, m.Params)
	default:
		s.deliver(m)
	}
}

// deliver gives a response to the call that waits for it.
func (s *stream) deliver(m rpcMessage) {
	id, exact, ok := number(m.ID)
	s.mu.Lock()
	reply, known := s.pending[id]
	if ok {
		delete(s.pending, id)
	}
	s.mu.Unlock()
	switch {
	case !ok || !known:
		s.noise.unknown(m.ID)
		return
	case !exact:
		s.noise.once(&s.noise.loose, "gives our id %d back as %s: accepted", id, preview(string(m.ID), 40))
	}
	if m.Result == nil {
		m.Result = json.RawMessage("null") // a server that leaves out a result of nothing
	}
	if reply != nil {
		reply <- m // has room: only one answer ever finds it
	}
	s.noise.answered()
}

package main

import (
	"io"
	"net/http"
)

// writeJSON answers with one JSON object. Errors of writing mean that the client
// has left, and then there is nobody to tell.
func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = encode(w, v)
}

// eventStream answers with server-sent events, one message each, which the
// client gets as they come. It belongs to one request and its goroutine.
type eventStream struct {
	w      http.ResponseWriter
	opened bool
}

// open sends the headers, once.
func (s *eventStream) open() {
	if s.opened {
		return
	}
	s.opened = true
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.Header().Set("Cache-Control", "no-cache")
	s.w.Header().Set("X-Accel-Buffering", "no") // proxies should pass events on at once
	s.w.WriteHeader(http.StatusOK)
}

// send sends a message. It is one line of JSON, as on stdio, so it fits into
// the data line of one event; an empty line ends the event.
func (s *eventStream) send(v any) {
	s.open()
	_, _ = io.WriteString(s.w, "event: message\ndata: ")
	_ = encode(s.w, v)
	_, _ = io.WriteString(s.w, "\n")
	_ = http.NewResponseController(s.w).Flush()
}

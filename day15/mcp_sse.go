package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
)

// lingering is how long the end of a stream is waited for after the response: then its connection serves the next call.
const lingering = 50 * time.Millisecond

// answer reads the response to a request, a JSON object or a stream, whatever its status is.
func (e *endpoint) answer(ctx context.Context, id int64, method string, resp *http.Response) (m message, err error) {
	kind := mediaType(resp)
	if session := resp.Header.Get(sessionHeader); session != "" && method == "initialize" {
		e.headers.Store(sessionHeader, session)
	}
	if kind == "text/event-stream" {
		return e.follow(ctx, id, resp)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxMessage))
	if err != nil {
		return m, broken("its answer broke off: %v", err)
	}
	if kind == "application/json" && resp.StatusCode != 401 && resp.StatusCode != 403 {
		if m, ok := e.receive(ctx, id, body); ok {
			return m, nil
		}
	}
	return m, refusal(resp, bytes.NewReader(body))
}

// receive answers requests, each in a POST of its own, and passes notifications on. It returns the response to our request id,
// or an error without an id: nothing else can be meant.
func (e *endpoint) receive(ctx context.Context, id int64, frame []byte) (m message, ok bool) {
	if len(frame) == 0 {
		return m, false // an event that is there for its id alone
	}
	m, ok = e.peer.receive(frame, func(answer message) { e.tell(ctx, farewell, "POST", answer) })
	return m, ok && (number(m.ID) == id || isNull(m.ID))
}

// follow reads a stream up to the response to request id. A stream that breaks off goes on elsewhere, where the server
// can do that: "The client MUST respect the retry field", and then "SHOULD issue an HTTP GET to the MCP endpoint, and
// include the Last-Event-ID header".
func (e *endpoint) follow(ctx context.Context, id int64, resp *http.Response) (m message, err error) {
	defer func() { resp.Body.Close() }()
	events, lastID, retry := newEventReader(resp.Body), "", time.Second
	for {
		event, err := events.next()
		if err == nil {
			lastID, retry = cmp.Or(event.id, lastID), cmp.Or(event.retry, retry)
			if m, ok := e.receive(ctx, id, event.data); ok {
				defer time.AfterFunc(lingering, func() { resp.Body.Close() }).Stop()
				_, _ = io.Copy(io.Discard, resp.Body) // whatever follows, the response is there
				return m, nil
			}
			continue
		}
		if lastID != "" && !e.silent() {
			select {
			case <-time.After(retry):
			case <-ctx.Done():
			}
			var next *http.Response
			if next, err = e.stream(ctx, lastID); err == nil {
				resp.Body.Close()
				resp, events = next, newEventReader(next.Body)
				continue
			}
		}
		return m, broken("its stream ended before the response: %v", err)
	}
}

// stream GETs a stream: the rest of the one with the event lastID, or with "" one for what the server says on its own.
func (e *endpoint) stream(ctx context.Context, lastID string) (*http.Response, error) {
	header := map[string]string{}
	if lastID != "" {
		header["Last-Event-ID"] = lastID
	}
	resp, err := e.send(ctx, "GET", header, nil)
	if err == nil && (resp.StatusCode != 200 || mediaType(resp) != "text/event-stream") {
		resp.Body.Close()
		err = refusal(resp, http.NoBody)
	}
	return resp, err
}

// listen hears what the server says without being asked: that its tools have changed. The stream is optional for both sides.
func (e *endpoint) listen() {
	ctx, release := e.whileOpen(context.Background())
	defer release()
	if resp, err := e.stream(ctx, ""); err == nil {
		_, _ = e.follow(ctx, -1, resp) // up to its end: no request has this id
	}
}

// refusal is the error for an answer that is no response: its status, what to do about it, and its body, or a part.
func refusal(resp *http.Response, body io.Reader) error {
	hint := map[int]string{
		200: ", which is no response to our request",
		401: ": unauthorized, check headers.Authorization of this server",
		403: ": forbidden, check headers.Authorization, or try localhost for 127.0.0.1 in the url, or the reverse",
		404: ": wrong url?",
		405: ": wrong url?",
	}[resp.StatusCode]
	text, _ := io.ReadAll(io.LimitReader(body, 64<<10))
	return &connectionError{
		reason: strings.TrimSpace(fmt.Sprintf("it answered %s (%s)%s: %s", resp.Status, mediaType(resp), hint, text)),
		public: fmt.Sprint("it answered with HTTP status ", resp.StatusCode),
	}
}

// mediaType is the type of a body without its parameters, in lower case.
func mediaType(resp *http.Response) string {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // what cannot be read is no type that we know
	return kind
}

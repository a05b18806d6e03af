package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// maxSessions bounds how many clients are remembered. A new one takes the place of the oldest.
	maxSessions = 1000

	// sessionHeader carries the id of a session on every request but the first.
	sessionHeader = "Mcp-Session-Id"
)

// endpoint is where all messages arrive.
type endpoint struct {
	addr     string // to listen on
	eras     eras
	mu       sync.Mutex // guards sessions
	sessions []*session // the oldest first
}

// session is a legacy client that has called initialize and not left yet (2025-11-25, Transports, "Session Management").
// All that is remembered of it is which calls it has running.
type session struct {
	id string
	calls
}

// serve is the Streamable HTTP transport (2025-11-25, Transports): the same messages as on stdio, each in a POST of its
// own. It prints its URL, and returns only if it fails. Only this machine can reach it, since whoever does may call every
// tool. There is no stream to GET, which is answered with 405.
func (e *endpoint) serve(handle handler, _ io.Reader, stdout io.Writer) error {
	if !isLocal("http://" + e.addr) {
		crash(2, fmt.Sprintf("-http: %s is not a loopback address such as 127.0.0.1:8080", e.addr))
	}
	listener, err := net.Listen("tcp", e.addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "demo MCP server on http://%s/mcp\n", listener.Addr())
	mux := http.NewServeMux()
	mux.HandleFunc("POST /mcp", func(w http.ResponseWriter, r *http.Request) { e.post(handle, w, r) })
	if slices.Contains(e.eras, versions[0]) { // sessions are legacy
		mux.HandleFunc("DELETE /mcp", func(w http.ResponseWriter, r *http.Request) { e.session(w, r, false) })
	}
	web := http.Server{Handler: guard(mux), ReadHeaderTimeout: 10 * time.Second}
	return web.Serve(listener)
}

// post takes one message. What is wrong with the request as such has a status of its own; all else is as on stdio.
func (e *endpoint) post(handle handler, w http.ResponseWriter, r *http.Request) {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // "" if it is none
	if media != "application/json" {
		http.Error(w, "Content-Type must be application/json", http.StatusUnsupportedMediaType)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<20)) // bytes, as on stdio
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	answer := &answer{w: w, status: map[int]int{parseError: http.StatusBadRequest}}
	m := message{send: answer.send}
	m.err = json.Unmarshal(body, &m)
	client := new(session) // a modern client ends a call by closing its connection
	modern, fault := e.eras.isModern(m, r.Header)
	switch {
	case fault != nil:
		answer.status[fault.Code] = http.StatusBadRequest
		handle = func(m message) error { return m.reply(nil, fault) }
	case modern:
		answer.status[methodNotFound] = http.StatusNotFound
	case m.err == nil:
		if client = e.session(w, r, m.Method == "initialize"); client == nil {
			return
		}
	}
	m = client.register(m)
	defer context.AfterFunc(r.Context(), func() { client.cancel(string(m.ID), nil) })()
	_ = handle(m) // it fails if the client has left: there is nobody to tell
	if !answer.begun && (m.ID == nil || m.Method == "") {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	answer.begin("text/event-stream", http.StatusOK) // the empty answer of a call that was cancelled
}

// session gives the session of a legacy client: a new one if it is to begin, otherwise the one that the header names,
// which a DELETE ends. If there is none it answers with 400 or 404, and gives nil; at 404 the client initializes anew.
func (e *endpoint) session(w http.ResponseWriter, r *http.Request, begin bool) *session {
	e.mu.Lock()
	defer e.mu.Unlock()
	id := r.Header.Get(sessionHeader)
	i := slices.IndexFunc(e.sessions, func(s *session) bool { return s.id == id })
	switch {
	case begin:
		if len(e.sessions) == maxSessions {
			e.end(0)
		}
		s := &session{id: rand.Text()}
		e.sessions = append(e.sessions, s)
		w.Header().Set(sessionHeader, s.id)
		return s
	case id == "":
		http.Error(w, sessionHeader+" is missing", http.StatusBadRequest)
	case i < 0:
		http.Error(w, "no such session", http.StatusNotFound)
	case r.Method == http.MethodDelete:
		e.end(i)
		w.WriteHeader(http.StatusNoContent)
	default:
		return e.sessions[i]
	}
	return nil
}

// end forgets a session, and ends the calls that it has running. e.mu must be held.
func (e *endpoint) end(i int) {
	s := e.sessions[i]
	s.running.Range(s.cancel)
	e.sessions = slices.Delete(e.sessions, i, i+1)
}

// answer is the response to a POST: one JSON object, or, once a notification had to go first, a stream of server-sent
// events that the JSON-RPC response ends.
type answer struct {
	w      http.ResponseWriter
	status map[int]int // of errors, by their code, where it is not 200
	begun  bool
}

// send sends a notification or the response: one line of JSON, as on stdio, and so the data line of an event.
func (a *answer) send(v any) error {
	before, after := "event: message\ndata: ", "\n"
	if response, last := v.(message); last && !a.begun {
		status := http.StatusOK
		if response.Error != nil {
			status = cmp.Or(a.status[response.Error.Code], status)
		}
		a.begin("application/json", status)
		before, after = "", ""
	}
	a.begin("text/event-stream", http.StatusOK)
	io.WriteString(a.w, before)
	out := json.NewEncoder(a.w)
	out.SetEscapeHTML(false)
	err := out.Encode(v)
	io.WriteString(a.w, after)
	return cmp.Or(err, http.NewResponseController(a.w).Flush())
}

// begin sends the header, once.
func (a *answer) begin(media string, status int) {
	if !a.begun {
		a.begun = true
		a.w.Header().Set("Content-Type", media)
		a.w.Header().Set("X-Accel-Buffering", "no") // proxies should pass events on at once
		a.w.WriteHeader(status)
	}
}

// guard lets only programs of this machine in. A page in a browser could reach us too, by letting its own host name
// point at 127.0.0.1 (DNS rebinding); but then Host, and mostly Origin, carry that name (2025-11-25, Transports,
// "Security").
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, origin := range append(r.Header["Origin"], "http://"+r.Host) {
			if !isLocal(origin) {
				http.Error(w, "Host and Origin must be of this machine", http.StatusForbidden)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// isLocal tells whether the host of a URL can only be this machine. Names other than localhost cannot be trusted to be.
func isLocal(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (strings.EqualFold(u.Hostname(), "localhost") || net.ParseIP(u.Hostname()).IsLoopback())
}

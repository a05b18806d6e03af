package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// maxTelling bounds the posts that nobody waits for, so that a server cannot make us flood it.
const maxTelling = 32

// newHTTPClient has no time limit of its own for an answer: that is the caller's context.
func newHTTPClient() *http.Client {
	return &http.Client{CheckRedirect: redirected, Transport: &http.Transport{
		Proxy:               http.ProxyFromEnvironment, // not used for this machine itself
		DialContext:         (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: 30 * time.Second,
		IdleConnTimeout:     90 * time.Second,
		MaxIdleConnsPerHost: 16, // as many calls side by side keep their connections
		ForceAttemptHTTP2:   true,
		DisableCompression:  true, // who compresses a stream tends to hold its events back
	}}
}

// redirected allows a redirect only to the same server, with the same method. Another server would get the headers with
// our credentials, and 301, 302 and 303 make a GET of a POST, without the message.
func redirected(req *http.Request, via []*http.Request) error {
	reason := ""
	switch first := via[0]; {
	case origin(req.URL) != origin(first.URL):
		reason = "to another server, %s: if you trust that one, make it the url"
	case req.Method != first.Method:
		reason = "to %s, and our message would be lost on the way: make that the url"
	case len(via) >= 5:
		reason = "without end, at last to %s"
	default:
		return nil
	}
	return &connectionError{reason: fmt.Sprintf("it redirects (%d) "+reason, req.Response.StatusCode, plainURL(req.URL))}
}

// origin is scheme, host and port of a URL.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return strings.ToLower(u.Scheme + "://" + net.JoinHostPort(u.Hostname(), port))
}

// send makes one HTTP request, in the given session if any. The caller has to close the answer's body.
func (e *endpoint) send(ctx context.Context, method string, s *httpSession, header http.Header, body []byte) (
	*http.Response, error,
) {
	req, err := http.NewRequestWithContext(ctx, method, e.url, bytes.NewReader(body))
	if err != nil {
		return nil, unreachable(err)
	}
	req.Header = e.header.Clone()
	req.Host = req.Header.Get("Host") // "" stands for the host of the URL
	req.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	maps.Copy(req.Header, header)
	s.mark(req.Header)
	resp, err := e.client.Do(req)
	if err != nil {
		return nil, unreachable(err)
	}
	return resp, nil
}

// announce posts a message that has no response. "If the server accepts the input, the server MUST return HTTP status
// code 202 Accepted with no body"; real servers answer with any 2xx, and with any body.
func (e *endpoint) announce(ctx context.Context, s *httpSession, frame []byte) error {
	e.peer.wire.sent(e.peer.name, frame)
	resp, err := e.send(ctx, http.MethodPost, s, nil, frame)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 == 2 && resp.ContentLength < 0 {
		return nil // it may be a stream, and have no end
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10)) // also lets the next request use the connection
	if resp.StatusCode/100 != 2 {
		return e.unexpected(resp, body)
	}
	return nil
}

// tell posts a message in a goroutine of its own: the reader of a stream, and a caller who gives up, must not wait for a
// server that does not read. It goes out within farewell, or never.
func (e *endpoint) tell(s *httpSession, message any) {
	frame, err := encodeLine(message)
	if err != nil || !e.mayTell(1) {
		e.noise.once(&e.noise.full, "could not answer all that it asked: it does not read")
		return
	}
	e.spawn(func() {
		defer e.mayTell(-1)
		ctx, cancel := context.WithTimeout(context.Background(), farewell)
		defer cancel()
		_ = e.announce(ctx, s, frame) // there is nobody to tell that it failed
	})
}

// mayTell counts the posts of tell, and reports whether there may be one more.
func (e *endpoint) mayTell(n int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if n > 0 && e.telling == maxTelling {
		return false
	}
	e.telling += n
	return true
}

// spawn runs work in a goroutine that close waits for; after the end of the connection it does not. work must end with
// the connection, or within farewell.
func (e *endpoint) spawn(work func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.cause == nil {
		e.working.Go(work)
	}
}

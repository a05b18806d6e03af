package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// errSessionLost marks the failure of a request whose session the server does not know any more.
var errSessionLost = errors.New("the session is lost")

// unreachable is why there was no answer at all. The text of a *url.Error begins with the URL, query and all.
func unreachable(err error) error {
	var failure *connectionError
	if errors.As(err, &failure) {
		return failure // of redirected
	}
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return &connectionError{reason: fmt.Sprintf("cannot reach it: %v", err), err: err}
}

// rejected reads an answer that is none of those that the specification knows. A JSON-RPC error is a response all the
// same, unless the status says all that a person needs to know.
func (e *endpoint) rejected(x *exchange, resp *http.Response) (rpcMessage, error) {
	defer resp.Body.Close()
	status := resp.StatusCode
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		return rpcMessage{}, e.unexpected(resp, nil)
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20)) // a part of it will do
	m, _ := parseMessage(oneMessage(body))
	switch {
	case x.session.isLost(status, body, m):
		return m, &connectionError{reason: fmt.Sprintf("it does not know our session any more (%d)", status), err: errSessionLost}
	case status/100 != 2 && m.Error != nil && m.JSONRPC == "2.0":
		e.peer.wire.received(e.peer.name, body)
		return m, nil
	}
	return m, e.unexpected(resp, body)
}

// unexpected is the error for an answer that is of no use: its status, what to do about it, and how its body begins.
func (e *endpoint) unexpected(resp *http.Response, body []byte) error {
	reason := ""
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		reason = "unauthorized (401): check headers.Authorization of this server"
	case http.StatusForbidden:
		reason = "forbidden (403): check headers.Authorization of this server; where the server is local, try localhost " +
			"for 127.0.0.1 in its url, or the other way round: it may check Host and Origin"
	default:
		reason = strings.TrimSpace(fmt.Sprintf("it answered %d %s", resp.StatusCode, http.StatusText(resp.StatusCode)))
		if media := mediaType(resp); resp.StatusCode/100 == 2 && media == "" {
			reason += ", but without a Content-Type"
		} else if resp.StatusCode/100 == 2 {
			reason += fmt.Sprintf(", but with a body of type %q", preview(media, 60))
		}
		wrong := resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusMethodNotAllowed
		if wrong && resp.Request.Header.Get(sessionHeader) == "" { // with a session the URL was right before
			reason += ": wrong url?"
		}
		if text := strings.Join(strings.Fields(string(body)), " "); text != "" {
			reason += ": " + preview(e.peer.redact.Redact(text), 200)
		}
	}
	return &connectionError{reason: reason}
}

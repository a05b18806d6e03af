package main

import (
	"context"
	"encoding/json"
)

// transport carries the messages of one connection to an MCP server and back. There are three: a child process, HTTP,
// and a fake in the tests; the protocol above does not know which one it has.
type transport interface {
	// call sends a request and waits for its response. params becomes the request's params member; nil leaves it out. A
	// server that answers with an error is an *rpcError, a connection that fails a *connectionError; where ctx ends
	// first, the error wraps ctx's cause. Calls may run side by side.
	call(ctx context.Context, method string, params any) (json.RawMessage, error)
	// notify sends a notification: nothing comes back, and nil does not mean that it has arrived.
	notify(ctx context.Context, method string, params any) error
	// close ends the connection, and every call that still waits. It may be called more than once.
	close() error
}

// peer is what the protocol gives to a transport: how the server is called, and whom to tell what comes from it.
type peer struct {
	name string   // of the server, for wire
	wire *wireLog // nil logs nothing

	redact *Redactor // for what is cut before it is shown; nil knows no secrets

	// notified is called with each notification of the server, in order, by whoever reads from it: it must not block.
	notified func(method string, params json.RawMessage)
	// silent reports whether the server's requests stay without an answer; nil answers them.
	silent func() bool
	// ended is called once, when the connection has failed or was closed, before any call returns for that reason.
	ended func(cause error)
	// note takes what a person should know of the server: one line each, without the server's name.
	note func(format string, args ...any)
}

// connectionError says that the connection to a server failed: it is gone, it did not answer in time, or it sends what
// cannot be understood. An *rpcError is something else: a server that is well and says no.
type connectionError struct {
	reason string // for a person: what happened, and where possible what to do
	err    error  // what lies beneath; may be nil
	late   bool   // the server may be well, but did not answer in time
	alive  bool   // the connection is still there: the next request may succeed
}

func (e *connectionError) Error() string { return e.reason }
func (e *connectionError) Unwrap() error { return e.err }

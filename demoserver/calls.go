package main

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"
)

// grace is how long calls may run on when the input has ended, so that `echo … | demoserver` prints an answer.
const grace = 500 * time.Millisecond

// handler acts on a message, and replies if it is a request. It fails if the client cannot be reached.
type handler = func(m message) error

// transport takes messages from a client to handle, and what that sends back to the client, until the client leaves.
type transport func(handle handler, stdin io.Reader, stdout io.Writer) error

// sideBySide makes serve run tool calls in the background, so that nothing waits for a tool that takes its time. Replies
// overtake each other; the id tells which is which. Calls that outlast the end of the input by grace are cut off.
func sideBySide(serve transport) transport {
	return func(handle handler, stdin io.Reader, stdout io.Writer) error {
		var mu sync.Mutex // guards send: one line at a time
		var client calls
		var open sync.WaitGroup
		err := serve(func(m message) error {
			send := m.send
			m.send = func(v any) error {
				mu.Lock()
				defer mu.Unlock()
				return send(v)
			}
			m = client.register(m)
			if m.cancelled == nil {
				return handle(m)
			}
			open.Go(func() {
				if err := handle(m); err != nil {
					crash(1, err.Error())
				}
			})
			return nil
		}, stdin, stdout)
		idle, done := context.WithTimeout(context.Background(), grace)
		go func() {
			open.Wait()
			done()
		}()
		<-idle.Done()
		return err
	}
}

// calls are the tool calls of one client that have no result yet: for the raw id of each, the channel that tells it that
// it is cancelled. The zero value is ready.
type calls struct{ running sync.Map }

// register makes a tools/call one that can be cancelled: its channel is then closed, and it sends nothing any more. For
// notifications/cancelled it cancels the call that the client means (2025-11-25, Cancellation). Any other message it
// returns as it is.
func (c *calls) register(m message) message {
	if m.Method == "notifications/cancelled" {
		c.cancel(string(m.Params.RequestID), nil)
	}
	if m.Method != "tools/call" || m.ID == nil {
		return m
	}
	cancelled, send := make(chan struct{}), m.send
	c.running.Store(string(m.ID), cancelled)
	m.cancelled = cancelled
	m.send = func(v any) error {
		select {
		case <-cancelled:
			return nil
		default:
		}
		if _, last := v.(message); last {
			c.running.Delete(string(m.ID))
		}
		return send(v)
	}
	return m
}

// cancel ends the call with this raw id, if it is running. It is made for running.Range too, where it ends every call.
func (c *calls) cancel(id, _ any) bool {
	if cancelled, ok := c.running.LoadAndDelete(id); ok {
		close(cancelled.(chan struct{}))
	}
	return true
}

// notification is a message without an id: nobody replies to it.
type notification struct {
	JSONRPC string `json:"jsonrpc"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

// progress tells the client that done of total steps of its call are behind us, if it asked for that by sending a token
// (2025-11-25, Progress). It fails if the client cannot be reached.
func (m message) progress(done, total int) error {
	token := m.Params.Meta["progressToken"]
	if token == nil || string(token) == "null" {
		return nil
	}
	return m.send(notification{"2.0", "notifications/progress", struct {
		Token    json.RawMessage `json:"progressToken"`
		Progress int             `json:"progress"`
		Total    int             `json:"total"`
		Message  string          `json:"message"`
	}{token, done, total, "counting"}})
}

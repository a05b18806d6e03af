package main

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// callParams are the params of tools/call.
type callParams struct {
	Meta      *meta           `json:"_meta,omitempty"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // at least {}: there are servers that do not answer to null
}

// callTool calls a tool by the server's own name for it and returns the result as raw as it came: content,
// structuredContent, isError. A tool that fails has a result as well (isError). Errors are an *rpcError, a
// *connectionError, ctx's, or a result that asks for what we cannot do. progressed may be nil; it is called by the
// reader of the connection, and must not block.
func (c *client) callTool(ctx context.Context, name string, args json.RawMessage, progressed func(progress)) (json.RawMessage, error) {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	ctx, timer, release := within(ctx, c.limits.request, "tools/call")
	defer release()
	token := c.watch(watch{timer, progressed})
	defer c.unwatch(token)
	return c.request(ctx, "tools/call", func(e era) any {
		return callParams{Meta: e.meta(token), Name: name, Arguments: args}
	})
}

// watch is a call whose progress is waited for.
type watch struct {
	timer    *time.Timer
	progress func(progress)
}

// progress is how far a call has come. Total is 0 where the server does not know it.
type progress struct {
	Token    json.RawMessage `json:"progressToken"`
	Progress float64         `json:"progress"`
	Total    float64         `json:"total"`
	Message  string          `json:"message"`
}

// String is the progress for a person: "3/5 copying".
func (p progress) String() string {
	text := strconv.FormatFloat(p.Progress, 'f', -1, 64)
	if p.Total > 0 {
		text += "/" + strconv.FormatFloat(p.Total, 'f', -1, 64)
	}
	return strings.TrimSpace(text + " " + p.Message)
}

// watch registers a call for its progress and returns its token: "Progress tokens MUST be unique across all active
// requests."
func (c *client) watch(w watch) (token int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tokens++
	c.watches[c.tokens] = w
	return c.tokens
}

func (c *client) unwatch(token int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.watches, token)
}

// progressed restarts the time limit of a call and passes its progress on. Progress that nobody asked for is ignored.
func (c *client) progressed(params json.RawMessage) {
	var p progress
	if err := json.Unmarshal(params, &p); err != nil {
		return
	}
	token, _, ok := number(p.Token)
	c.mu.Lock()
	w, watched := c.watches[token]
	c.mu.Unlock()
	if !ok || !watched {
		return
	}
	w.timer.Reset(c.limits.request)
	if w.progress != nil {
		w.progress(p)
	}
}

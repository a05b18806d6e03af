package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// client is a connection to one MCP server, by whatever transport:
//
//	→ initialize                   what we speak; the server answers with its version, name and capabilities
//	→ notifications/initialized
//	→ tools/list                   once for each page
//	→ tools/call                   any number, side by side
//	  ← notifications/progress     while a call runs
//	  ← notifications/tools/list_changed
//	→ notifications/cancelled      for a call that we give up
//
// A client does not come back to life: when its transport has ended, connect anew.
type client struct {
	transport
	limits  limits
	note    func(kind, format string, args ...any)
	era     atomic.Pointer[era] // what the server and we have agreed upon
	stale   atomic.Bool         // the tools have to be listed again
	token   atomic.Int64        // the progress token given last
	waiting sync.Map            // progress token → func(object), for the calls under way
}

// limits says how long a server may take.
type limits struct {
	start   time.Duration // to agree on a version: npx and go run may have to fetch or compile before it
	request time.Duration // for the answer to each request after that; progress starts it anew
}

// params are the params of all that we send; each method has a few of them, and what is empty is left out.
type params struct {
	Meta            *meta           `json:"_meta,omitempty"`
	token           int64           // of the progress, for era.meta
	ProtocolVersion string          `json:"protocolVersion,omitempty"` // initialize
	Capabilities    *struct{}       `json:"capabilities,omitempty"`
	ClientInfo      json.RawMessage `json:"clientInfo,omitempty"`
	Cursor          *string         `json:"cursor,omitempty"`    // tools/list; "" is a cursor like any other
	Name            string          `json:"name,omitempty"`      // tools/call
	Arguments       json.RawMessage `json:"arguments,omitempty"` // at least {}: there are servers that do not answer to null
	schema          json.RawMessage // of the tool, for era.header
}

// newClient opens a transport. p is the caller's but for what the client hears itself.
func newClient(p peer, l limits, open func(peer) (transport, error)) (c *client, err error) {
	c = &client{limits: l, note: p.note}
	p.notified = c.notified
	p.silent = func() bool { return c.era.Load().stateless() }
	c.era.Store(&era{})
	c.transport, err = open(p)
	return c, err
}

// notified takes the server's notifications from the transport's reader. The ones that we do not know are nothing to worry about.
func (c *client) notified(method string, raw json.RawMessage) {
	switch method {
	case "notifications/progress":
		progress := parseObject(raw)
		if call, ok := c.waiting.Load(number(progress.raw("progressToken"))); ok { // else nobody has asked for it
			call.(func(object))(progress)
		}
	case "notifications/tools/list_changed":
		c.stale.Store(true)
	}
}

// request puts a message into the terms of the era.
func (c *client) request(method string, p params) request {
	e := c.era.Load()
	p.Meta = e.meta(p.token)
	raw, _ := encode(p) // the arguments of a call were read as JSON
	if string(raw) == "{}" {
		raw = nil
	}
	return request{method, raw, e.header(method, p)}
}

// within gives a request its time limit: then the context ends, with a *connectionError as its cause. Call release at the end.
func within(ctx context.Context, limit time.Duration, method string) (_ context.Context, timer *time.Timer, release func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer = time.AfterFunc(limit, func() {
		reason := fmt.Sprintf("no answer to %s in %d ms", method, limit.Milliseconds())
		cancel(&connectionError{reason: reason, public: reason})
	})
	return ctx, timer, func() {
		timer.Stop()
		cancel(nil)
	}
}

// toolInfo is a tool as its server describes it. Nothing in it can be relied upon: it is the server's word.
type toolInfo struct {
	object
	name string
}

// maxPages is where a list of tools ends that a server does not end.
const maxPages = 100

// listTools asks for all tools, page by page, each name once, within the limit of one request. A server that does not
// know the method has none. What is odd about the pages is noted.
func (c *client) listTools(ctx context.Context) (tools []toolInfo, err error) {
	ctx, _, release := within(ctx, c.limits.request, "tools/list")
	defer release()
	named, asked := map[string]bool{"": true}, map[string]bool{} // without a name there is nothing to call
	for cursor := (*string)(nil); ; {                            // "Clients MUST treat cursors as opaque tokens"
		raw, err := c.call(ctx, c.request("tools/list", params{Cursor: cursor}))
		page := parseObject(raw)
		list := parseArray(page.raw("tools"))
		switch {
		case code(err) == methodNotFound && cursor == nil:
			return nil, nil
		case code(err) != 0 && cursor != nil:
			if *cursor != "" { // many servers mean the end by "", and do not know it when it comes back
				c.note("pages", "the list of its tools is not whole: %v", err)
			}
			return tools, nil
		case err != nil:
			return nil, err
		case list == nil:
			return nil, broken("its answer to tools/list has no list of tools")
		}
		for _, raw := range list {
			tool := toolInfo{object: parseObject(raw)}
			tool.name = tool.text("name")
			if !named[tool.name] {
				tools = append(tools, tool)
			}
			named[tool.name] = true
		}
		if cursor = get[*string](page, "nextCursor"); cursor == nil {
			return tools, nil
		}
		if asked[*cursor] || len(asked) == maxPages {
			c.note("pages", "its list of tools does not end; kept the %d tools of the first %s", len(tools), plural(len(asked)+1, "page"))
			return tools, nil
		}
		asked[*cursor] = true
	}
}

// callTool calls a tool and returns the result as raw as it came. A tool that fails has a result as well (isError).
// progressed is told how far the call is, "3/5 copying", by the reader of the connection: it must not block.
func (c *client) callTool(ctx context.Context, tool toolInfo, args json.RawMessage, progressed func(text string)) (json.RawMessage, error) {
	ctx, timer, release := within(ctx, c.limits.request, "tools/call")
	defer release()
	token := c.token.Add(1) // "Progress tokens MUST be unique across all active requests."
	c.waiting.Store(token, func(progress object) {
		timer.Reset(c.limits.request)
		text := string(progress.raw("progress"))
		if total := progress.raw("total"); number(total) > 0 {
			text += "/" + string(total)
		}
		progressed(strings.TrimSpace(text + " " + progress.text("message")))
	})
	defer c.waiting.Delete(token)
	raw, err := c.call(ctx, c.request("tools/call", params{token: token, Name: tool.name, Arguments: args, schema: tool.raw("inputSchema")}))
	if outdatedCode(code(err)) {
		c.stale.Store(true) // it may not have this tool any more
	}
	return raw, err
}

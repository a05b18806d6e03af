package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Where a list of tools ends that a server does not end.
const (
	maxPages = 100
	maxList  = 64 << 20 // bytes of all pages
)

// toolInfo is a tool as its server describes it. Nothing in it can be relied upon: it is the server's word.
type toolInfo struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"` // as it came; nil where there is none
	Annotations toolAnnotations `json:"annotations"`
}

// toolAnnotations are hints for a person. They grant nothing.
type toolAnnotations struct {
	ReadOnlyHint bool `json:"readOnlyHint"`
}

// redacted takes secrets out of the texts: they go to the model with every request, and a server knows those of its
// configuration.
func (t toolInfo) redacted(redact *Redactor) toolInfo {
	t.Title, t.Description = redact.Redact(t.Title), redact.Redact(t.Description)
	t.InputSchema = mapStrings(t.InputSchema, redact.Redact)
	return t
}

// listParams are the params of tools/list.
type listParams struct {
	Meta   *meta   `json:"_meta,omitempty"`
	Cursor *string `json:"cursor,omitempty"` // "" is a cursor like any other
}

// listResult is a page of its result; each tool is raw, so that a bad one does not cost the others.
type listResult struct {
	Tools      []json.RawMessage `json:"tools"`
	NextCursor *string           `json:"nextCursor"`
}

// toolList gathers the pages of one listing.
type toolList struct {
	tools   []toolInfo
	named   map[string]bool
	skipped int // tools without a name
	size    int // bytes of all pages so far
}

// listTools asks for all tools, page by page, each name once. A server without tools has none. What is odd about the
// pages is noted; the error is an *rpcError, a *connectionError or ctx's.
func (c *client) listTools(ctx context.Context) ([]toolInfo, error) {
	if !c.current().tools {
		return nil, nil
	}
	list := toolList{named: map[string]bool{}}
	asked := map[string]bool{}
	var cursor *string // "Clients MUST treat cursors as opaque tokens"
	for range maxPages {
		page, err := c.listPage(ctx, cursor)
		var refused *rpcError
		switch {
		case errors.As(err, &refused) && cursor != nil:
			if *cursor != "" { // many servers mean the end by it, and do not know it when it comes back
				c.note("the list of its tools is not whole: %v", err)
			}
			return list.tools, nil
		case refused != nil && refused.Code == methodNotFound:
			return nil, nil
		case err != nil:
			return nil, err
		}
		if list.add(page.Tools); list.size > maxList {
			c.note("its list of tools has more than %d MiB; kept the first %d tools", maxList>>20, len(list.tools))
			return list.tools, nil
		}
		if cursor = page.NextCursor; cursor == nil || asked[*cursor] {
			break
		}
		asked[*cursor] = true
	}
	c.noteList(list, cursor, asked)
	return list.tools, nil
}

// noteList says what was odd about the pages, if anything.
func (c *client) noteList(list toolList, cursor *string, asked map[string]bool) {
	switch {
	case list.skipped > 0:
		c.note("left out %d tools without a name", list.skipped)
	case cursor == nil || asked[""]:
	case len(asked) >= maxPages:
		c.note("its list of tools does not end; kept the %d tools of the first %d pages", len(list.tools), maxPages)
	default:
		c.note("its list of tools begins anew after %d pages; kept %d tools", len(asked)+1, len(list.tools))
	}
}

// add takes a page. A tool that does not look like one must not hide the others.
func (l *toolList) add(page []json.RawMessage) {
	for _, raw := range page {
		l.size += len(raw)
		var tool toolInfo
		if err := decodeLoosely(raw, &tool); err != nil || tool.Name == "" {
			l.skipped++
		} else if !l.named[tool.Name] {
			l.named[tool.Name] = true
			l.tools = append(l.tools, tool)
		}
	}
}

func (c *client) listPage(ctx context.Context, cursor *string) (page listResult, err error) {
	ctx, _, release := within(ctx, c.limits.request, "tools/list")
	defer release()
	raw, err := c.request(ctx, "tools/list", func(e era) any {
		if cursor == nil && !e.stateless() {
			return nil // params may be absent, and must not be null
		}
		return listParams{Meta: e.meta(0), Cursor: cursor}
	})
	if err != nil {
		return page, err
	}
	if err := json.Unmarshal(raw, &page); err != nil {
		return page, &connectionError{reason: fmt.Sprintf("its answer to tools/list makes no sense: %v", err), err: err}
	}
	return page, nil
}

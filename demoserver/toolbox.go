package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// toolbox is the list of tools, in the order in which they were added. It may
// grow while calls run.
type toolbox struct {
	mu    sync.Mutex // guards tools
	tools []tool
}

// add puts tools at the end of the list.
func (b *toolbox) add(tools ...tool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tools = append(b.tools, tools...)
}

// list gives a copy of the list as it is now.
func (b *toolbox) list() []tool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.tools)
}

// listResult is the answer to tools/list (specification, Tools, "Listing Tools").
type listResult struct {
	*cacheable
	Tools []tool `json:"tools"`
}

// callResult is the answer to tools/call (specification, Tools, "Tool Result").
type callResult struct {
	*complete
	Content []textContent `json:"content"`
	IsError bool          `json:"isError,omitempty"`
}

// textContent is the one kind of content that our tools give.
type textContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// addSets fills the toolbox with the named sets, a list such as "basic,notes".
// An unknown name is an error of exit code 2.
func (s *server) addSets(names string, seed uint64) error {
	for name := range strings.SplitSeq(names, ",") {
		switch strings.TrimSpace(name) {
		case "basic":
			s.tools.add(basicTools(seed)...)
		case "notes":
			s.tools.add(noteTools()...)
		case "flaky":
			s.tools.add(s.flakyTools()...)
		default:
			return exit{2, fmt.Sprintf("-tools: there is no set %q, only basic, notes and flaky", name)}
		}
	}
	return nil
}

// listTools gives all tools on one page. So we never hand out a cursor, and one
// that comes back to us is invalidParams (specification, Pagination).
func (s *server) listTools(req message, modern bool) (any, *rpcError) {
	var params struct {
		Cursor string `json:"cursor"`
	}
	if err := decode(req.Params, &params); err != nil {
		return nil, err
	}
	if params.Cursor != "" {
		return nil, &rpcError{Code: invalidParams, Message: "unknown cursor"}
	}
	return listResult{stampCacheable(modern), s.tools.list()}, nil
}

// callTool runs a tool. Two kinds of failure are kept apart (specification,
// Tools, "Error Handling"): a tool that does not exist is a mistake of the
// client and gives invalidParams; arguments that do not fit, and whatever a
// tool complains about, give a result with isError, which the model reads.
func (s *server) callTool(ctx context.Context, req message, modern bool, notify notifier) (any, *rpcError) {
	var params struct {
		Name      string         `json:"name"`
		Arguments map[string]any `json:"arguments"`
		Meta      struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	if err := decode(req.Params, &params); err != nil {
		return nil, err
	}
	for _, t := range s.tools.list() {
		if t.Name != params.Name {
			continue
		}
		text, err := "", t.check(params.Arguments)
		if err == nil {
			text, err = t.run(ctx, call{params.Arguments, params.Meta.ProgressToken, modern, notify})
		}
		if err != nil {
			text = err.Error()
		}
		return callResult{stamp(modern), []textContent{{"text", text}}, err != nil}, nil
	}
	return nil, &rpcError{Code: invalidParams, Message: fmt.Sprintf("unknown tool %q", params.Name)}
}

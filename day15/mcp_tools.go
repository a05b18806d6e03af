package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// serverTool is a server's tool as the registry gets it, and where it is from.
type serverTool struct {
	Tool
	Server   string
	Original string // its name on the wire; calls go by it, no name is ever split
}

// same reports whether two tools are one for the model and for a person who is asked.
func (t serverTool) same(other serverTool) bool {
	return t.Original == other.Original && t.Server == other.Server && t.Description == other.Description &&
		string(t.Parameters) == string(other.Parameters) && t.Parallel == other.Parallel && t.Details == other.Details
}

// maxDescription is the size of a description, in bytes, above which it would eat up the model's context: it goes out
// with every request.
const maxDescription = 16 << 10

// toolAdapter turns the tools of one server into tools of the registry.
type toolAdapter struct {
	Server  string
	Servers []string // the names of all configured servers, this one too; see toolNames
	Globs   []string // which tools are offered; nil offers all
	Seen    *seenDefinitions
	Redact  *Redactor

	// Call is a tools/call of a tool as it was when it was allowed: it returns the result member. Its error is an
	// *rpcError where the server refused the call, a *connectionError where the server is not there, else one whose text
	// the model may read.
	Call func(ctx context.Context, tool serverTool, args json.RawMessage, progress func(text string)) (json.RawMessage, error)
	// Progress shows a person what a server says about a running call, on one line. Failed tells why a server is not there.
	Progress func(tool, text string)
	Failed   func(err error)
}

// tools returns the tools to offer of a tools/list, in its order, and one line for each of them that needed attention
// or was left out. A name that stands there twice counts once.
func (a *toolAdapter) tools(list []toolInfo) (tools []serverTool, warnings []string) {
	var originals []string
	for _, info := range list {
		originals = append(originals, info.Name)
	}
	names := toolNames(a.Server, a.Servers, originals)
	done := map[string]bool{"": true} // without a name there is nothing to call
	for _, info := range list {
		if done[info.Name] || !a.offered(info.Name, names[info.Name]) {
			continue
		}
		done[info.Name] = true
		tool, warning, err := a.tool(names[info.Name], info)
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("tool %s was left out: %v", label(info.Name), err))
			continue
		}
		if warning != "" {
			warnings = append(warnings, fmt.Sprintf("tool %s: %s", label(info.Name), warning))
		}
		tools = append(tools, tool)
	}
	return tools, append(warnings, a.idleGlobs(names)...)
}

func (a *toolAdapter) tool(name string, info toolInfo) (tool serverTool, warning string, err error) {
	description, removed := a.description(info)
	if len(description) > maxDescription {
		return serverTool{}, "", fmt.Errorf("its description has %d bytes, the limit is %d", len(description), maxDescription)
	}
	schema := mapStrings(info.InputSchema, func(text string) string {
		clean, n := withoutInvisible(text)
		removed += n
		return clean
	})
	if removed > 0 {
		warning = fmt.Sprintf("%d invisible characters were removed from its description and schema", removed)
	}
	schema, mended, err := apiSchema(schema)
	if err != nil {
		return serverTool{}, "", err
	}
	tool = serverTool{
		Server: a.Server, Original: info.Name,
		Tool: Tool{
			Name: name, Description: description, Parameters: schema,
			Preview: a.preview(name),
			Caution: a.Seen.caution(name, description, schema),
			// "clients MUST consider tool annotations to be untrusted": a hint decides when a call may run, never whether.
			// The policy is the zero Policy, Ask, whatever the server says of its tool.
			Parallel: info.Annotations.ReadOnlyHint,
			Details:  details(a.Server, info, mended),
		},
	}
	tool.Run = a.run(tool)
	return tool, warning, nil
}

// description begins with the server's name: the model has to know who says this.
func (a *toolAdapter) description(info toolInfo) (text string, removed int) {
	for _, text = range []string{info.Description, info.Title, info.Name} {
		if strings.TrimSpace(text) != "" {
			break
		}
	}
	return withoutInvisible(fmt.Sprintf("[MCP:%s] %s", a.Server, text))
}

// details is what /tools NAME tells of a tool besides its definition: where it is from, and where the definition was
// mended for the model's API, the schema as it was received.
func details(server string, info toolInfo, mended []string) string {
	text := fmt.Sprintf("Tool %s of the MCP server %s.", label(info.Name), label(server))
	if mended != nil {
		text += fmt.Sprintf("\nMended for the model's API: %s.", strings.Join(mended, "; "))
	}
	if mended != nil && info.InputSchema != nil {
		text += fmt.Sprintf(" The inputSchema as it was received:\n%s", info.InputSchema)
	}
	return text
}

func (a *toolAdapter) preview(name string) func(context.Context, json.RawMessage) string {
	return func(_ context.Context, args json.RawMessage) string {
		return fmt.Sprintf("About to call MCP tool: %s (from server %s)\n  %s", name, visibleLine(a.Server), compact(args))
	}
}

// run calls the tool and puts each class of failure into the words that the model reads.
func (a *toolAdapter) run(tool serverTool) func(context.Context, json.RawMessage) (string, error) {
	return func(ctx context.Context, args json.RawMessage) (string, error) {
		result, err := a.Call(ctx, tool, args, func(text string) { a.Progress(tool.Name, label(a.Redact.Redact(text))) })
		var refused *rpcError
		var lost *connectionError
		switch {
		case errors.As(err, &refused):
			return "", errors.New(refusalText(refused, a.Redact))
		case errors.As(err, &lost) && ctx.Err() == nil:
			a.Failed(err)
			return "", fmt.Errorf("server %s is not available: %s", a.Server, lost.forModel())
		case err != nil:
			return "", err
		}
		text, isError := resultText(result, a.Redact)
		if isError {
			return "", errors.New(text)
		}
		return text, nil
	}
}

// forModel is what the model reads of a failed connection: it can try again later, or do without. The cause is for the
// person.
func (e *connectionError) forModel() string {
	switch {
	case e.late:
		return e.reason
	case e.alive:
		return "the request failed"
	}
	return "it is gone"
}

// refusalText is a JSON-RPC error as the model reads it. The registry redacts and cuts it like any result.
func refusalText(e *rpcError, redact *Redactor) string {
	text := fmt.Sprintf("%s (code %d)", e.Message, e.Code)
	if len(e.Data) > 0 && string(e.Data) != "null" {
		text += " " + bounded(e.Data, redact)
	}
	return text
}

package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// serverTool is a server's tool as the registry gets it, and where it is from.
type serverTool struct {
	Tool
	server *server
	info   toolInfo // calls go by its name there; no name is ever split
	said   string   // all that the model, and a person who is asked, know of it
}

// Above these sizes a description is told of, since some models' APIs take no more, or the tool is left out: it would eat
// up the model's context with every request.
const (
	longDescription = 1024     // characters
	maxDescription  = 16 << 10 // bytes
)

// adapt turns a server's list into tools of ours, in its order. What needs attention, or is left out, is noted.
func (s *server) adapt(list []toolInfo) (tools []serverTool) {
	names := s.toolNames(list)
	matches := func(globs []string, tool string) bool { // in one spelling without what * stops at
		return matchesAny(globs, tool) || matchesAny(globs, underscored(tool)) || matchesAny(globs, names[tool])
	}
	for _, info := range list {
		if s.config.tools != nil && !matches(s.config.tools, info.name) {
			continue
		}
		tool, err := s.tool(names[info.name], info)
		if err != nil {
			s.note("left "+info.name, "tool %s was left out: %v", info.name, err)
			continue
		}
		tools = append(tools, tool)
	}
	for _, glob := range s.config.tools {
		if !slices.ContainsFunc(list, func(t toolInfo) bool { return matches([]string{glob}, t.name) }) {
			s.note("glob "+glob, "tools: %q matches none of its %d tools", glob, len(list))
		}
	}
	return tools
}

// tool makes one tool. It fails if the model's API would not take it.
func (s *server) tool(name string, info toolInfo) (t serverTool, err error) {
	removed := 0
	clean := func(text string) string {
		text = colour.ReplaceAllString(s.mcp.console.redact.Redact(text), "") // a server knows its secrets
		visible := withoutInvisible(text)
		removed += utf8.RuneCountInString(text) - utf8.RuneCountInString(visible)
		return visible
	}
	description := cmp.Or(strings.TrimSpace(info.object.text("description")), info.object.text("title"), info.name)
	description = clean("[MCP:" + s.config.name + "] " + description) // the model has to know who says this
	received := info.object.raw("inputSchema")
	schema, mended, err := apiSchema(mapStrings(received, clean))
	if len(description) > maxDescription {
		err = fmt.Errorf("its description has %d bytes, the limit is %d", len(description), maxDescription)
	}
	if err != nil {
		return t, err
	}
	if n := utf8.RuneCountInString(description); n > longDescription {
		s.note("long "+name, "tool %s: its description has %d characters; some models take no more than %d", info.name, n, longDescription)
	}
	if removed > 0 {
		s.note("clean "+name, "tool %s: %d invisible characters were removed from its description and schema", info.name, removed)
	}
	details := fmt.Sprintf("Tool %s of the MCP server %s.", visibleLine(info.name), s.label)
	if mended != nil {
		details += fmt.Sprintf("\nMended for the model's API: %s. The inputSchema as it was received:\n%s", strings.Join(mended, "; "), received)
	}
	t = serverTool{server: s, info: info, Tool: Tool{Name: name, Description: description, Parameters: schema, Details: details}}
	// "clients MUST consider tool annotations to be untrusted": a hint decides when a call may run, never whether. The policy
	// is the zero Policy, Ask, whatever the server says of its tool.
	t.Parallel = get[bool](parseObject(info.object.raw("annotations")), "readOnlyHint")
	t.said = fmt.Sprintf("%q %q %q %s %v", s.config.name, info.name, description, schema, t.Parallel)
	caution := s.mcp.caution(t.Tool)
	t.Plan = func(ctx context.Context, args json.RawMessage) (Plan, error) {
		preview := fmt.Sprintf("About to call MCP tool: %s (from server %s)\n  %s", name, s.label, compact(args))
		run := func(ctx context.Context) (string, error) { return t.run(ctx, args) }
		return Plan{preview, caution, run}, s.ready(ctx, t)
	}
	return t, nil
}

// run calls the tool and puts each class of failure into the words that the model reads.
func (t serverTool) run(ctx context.Context, args json.RawMessage) (string, error) {
	result, err := t.server.call(ctx, t, args)
	var refused *rpcError
	var lost *connectionError
	switch {
	case errors.As(err, &refused):
		text := refused.Message
		if code := fmt.Sprint(refused.Code); !strings.Contains(text, code) {
			text += " (code " + code + ")"
		}
		if !isNull(refused.Data) {
			text += " " + compact(refused.Data)
		}
		return "", errors.New(text)
	case errors.As(err, &lost) && ctx.Err() == nil: // the cause is for the person
		gone := "the request failed"
		if t.server.live() == nil {
			gone = "it is gone"
		}
		return "", fmt.Errorf("server %s is not available: %s", t.server.config.name, cmp.Or(lost.public, gone))
	case err != nil:
		return "", err
	}
	text, isError := resultText(result)
	if isError {
		return "", errors.New(text)
	}
	return text, nil
}

// caution is why a person has to be asked about a tool in spite of a rule, "" where there is no reason: a person who
// allows a tool allows what it said it was, and a server can say something else at any time. The reason names this very
// definition by its hash: whoever answers "always" accepts it, and not the next one.
func (m *MCP) caution(t Tool) string {
	now := [2]string{hash(t.Description, 16), hash(string(t.Parameters), 16)}
	m.mu.Lock()
	defer m.mu.Unlock()
	first, known := m.first[t.Name]
	if !known {
		m.first[t.Name], first = now, now
	}
	changes := ""
	for i, part := range [2]string{" description", " schema"} {
		if first[i] != now[i] {
			changes += fmt.Sprintf("%s %s → %s;", part, first[i], now[i])
		}
	}
	if changes == "" {
		return ""
	}
	return fmt.Sprintf("the definition of this tool changed since it was first seen:%s /tools %s shows it as it is now", changes, t.Name)
}

// hash is the beginning of a text's SHA-256, n bytes of it.
func hash(text string, n int) string {
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%x", sum[:n])
}

// maxToolName is the length that the model's API allows; the characters are a-z, A-Z, 0-9, _ and -.
const maxToolName = 64

// toolNames returns the names under which the model gets the tools of a server: mcp_<server>_<tool>, with an underscore
// for every character that the API refuses. Only the configuration and the list count, so that the names are the same
// after a restart, whoever connects first.
//
// Where a name is too long, or another tool has a better right to it, a hash of server and tool is put behind it. The
// better right is that of the name which had to change least:
//   - of two tools of a server, "get_file" keeps its name and "get.file" gets the hash; of "get.file" and "get file"
//     both get it.
//   - of two servers, the same: "my_files" before "my.files".
//   - tool "hub_x" of server "git" would read like tool "x" of server "git_hub": the longer prefix keeps its names.
func (s *server) toolNames(list []toolInfo) map[string]string {
	own := toolPrefix(s)
	wanted, names := map[string]int{}, map[string]string{} // a plain name → how many of the tools come out as it
	for _, tool := range list {
		name := own + underscored(withoutInvisible(tool.name))
		names[tool.name] = name
		wanted[name]++
	}
	for tool, name := range names {
		taken := wanted[name] > 1 && name != own+tool || len(name) > maxToolName
		for _, other := range s.mcp.servers {
			prefix := toolPrefix(other)
			better := len(prefix) > len(own) || prefix == own && !strings.Contains(own, s.config.name)
			taken = taken || other != s && better && strings.HasPrefix(name, prefix)
		}
		if taken {
			suffix := "_" + hash(fmt.Sprintf("%q %q", s.config.name, tool), 4)
			names[tool] = name[:min(len(name), maxToolName-len(suffix))] + suffix
		}
	}
	return names
}

func toolPrefix(s *server) string { return "mcp_" + underscored(s.config.name) + "_" }

var refusedInNames = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// underscored replaces every character that the API refuses in a name.
func underscored(text string) string { return refusedInNames.ReplaceAllString(text, "_") }

// withoutInvisible removes from a server's text what a model reads and a person cannot see: tag characters, zero-width
// and bidi characters, controls. An emoji, or a letter that is not ASCII, may be followed by one selector of its form and
// one joiner: more of them say nothing to a person, and may to a model.
func withoutInvisible(text string) string {
	follows := 0 // 2: a selector or a joiner may follow, 1: a joiner
	return strings.Map(func(r rune) rune {
		needs, next := 3, 0
		switch {
		case unicode.Is(unicode.Variation_Selector, r):
			needs, next = 2, 1
		case unicode.Is(unicode.Join_Control, r):
			needs = 1
		case r == '\n', r == '\t', unicode.Is(unicode.Prepended_Concatenation_Mark, r): // seen, in Arabic for example
			needs = 0
		case !unicode.IsControl(r) && !unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point):
			needs = 0
			next = 2 * min(int(r)/utf8.RuneSelf, 1)
		}
		if follows < needs {
			return -1
		}
		follows = next
		return r
	}, text)
}

var literal = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// mapStrings applies change to every string of a JSON text, property names too. All else stays as it is, byte for byte.
func mapStrings(text json.RawMessage, change func(string) string) json.RawMessage {
	return literal.ReplaceAllFunc(text, func(raw []byte) []byte {
		before := unquoted(raw)
		if after := change(before); after != before {
			raw, _ = encode(after) // a string always has a JSON form
		}
		return raw
	})
}

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
	"unicode/utf8"
)

// serverTool is a server's tool as the registry gets it, and where it is from.
type serverTool struct {
	Tool
	server *server
	info   toolInfo // calls go by its name there; no name is ever split
	said   string   // all that the model, and a person who is asked, know of it
}

// Above these sizes a description is told of, since some models' APIs take no more, or costs so much that the tool is left out.
const (
	longDescription = 1024     // characters
	maxDescription  = 16 << 10 // bytes
)

// adapt turns a server's list into tools of ours, in its order. What needs attention, or is left out, is noted.
func (s *server) adapt(list []toolInfo, e era) (tools []serverTool) {
	names := s.toolNames(list)
	matches := func(globs []string, tool string) bool {
		return matchesAny(globs, tool) || matchesAny(globs, names[tool])
	}
	for _, info := range list {
		if s.config.Tools != nil && !matches(s.config.Tools, info.name) {
			continue
		}
		_, err1 := e.mirrors(info.raw("inputSchema"))
		tool, err2 := s.tool(names[info.name], info)
		if err := cmp.Or(err1, err2); err != nil {
			s.note("left "+info.name, "tool %s was left out: %v", info.name, err)
			continue
		}
		tools = append(tools, tool)
	}
	for _, glob := range s.config.Tools {
		if !slices.ContainsFunc(list, func(t toolInfo) bool { return matches([]string{glob}, t.name) }) {
			s.note("glob "+glob, "tools: %q matches none of its %d tools", glob, len(list))
		}
	}
	return tools
}

// tool makes one tool. It fails if the model's API would not take it.
func (s *server) tool(name string, info toolInfo) (t serverTool, err error) {
	removed := false
	clean := func(text string) string {
		text = colour.ReplaceAllString(s.mcp.console.redact.Redact(text), "") // a server knows its secrets
		visible := withoutInvisible(text)
		removed = removed || visible != text
		return visible
	}
	description := cmp.Or(strings.TrimSpace(info.text("description")), info.text("title"), info.name)
	description = clean("[MCP:" + s.config.name + "] " + description) // the model has to know who says this
	schema, err := apiSchema(mapStrings(info.raw("inputSchema"), clean))
	if len(description) > maxDescription {
		err = fmt.Errorf("its description has %d bytes, the limit is %d", len(description), maxDescription)
	}
	if err != nil {
		return t, err
	}
	if n := utf8.RuneCountInString(description); n > longDescription {
		s.note("long "+name, "tool %s: its description has %d characters; some models take no more than %d", info.name, n, longDescription)
	}
	if removed {
		s.note("clean "+name, "tool %s: invisible characters were removed from its description and schema", info.name)
	}
	details := fmt.Sprintf("Tool %s of the MCP server %s.", visibleLine(info.name), s.label)
	t = serverTool{server: s, info: info, Tool: Tool{Name: name, Description: description, Parameters: schema, Details: details}}
	// "clients MUST consider tool annotations to be untrusted": a hint decides when a call may run, never whether. The policy
	// is the zero Policy, Ask, whatever the server says of its tool.
	t.Parallel = get[bool](parseObject(info.raw("annotations")), "readOnlyHint")
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
	var lost *connectionError
	switch {
	case errors.As(err, &lost) && ctx.Err() == nil: // the cause is for the person
		return "", fmt.Errorf("server %s is not available: %s", t.server.config.name, cmp.Or(lost.public, "it is gone"))
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
	now := hash(t.Description+string(t.Parameters), 16)
	m.mu.Lock()
	defer m.mu.Unlock()
	first := cmp.Or(m.first[t.Name], now)
	if m.first[t.Name] = first; first == now {
		return ""
	}
	return fmt.Sprintf("the definition of this tool changed since it was first seen: %s → %s; /tools %s shows it as it is now", first, now, t.Name)
}

// hash is the beginning of a text's SHA-256, n bytes of it.
func hash(text string, n int) string {
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%x", sum[:n])
}

// maxToolName is the length that the model's API allows; the characters are a-z, A-Z, 0-9, _ and -.
const maxToolName = 64

// toolNames returns the names for the model, mcp_<server>_<tool>, with an underscore for each character that the API refuses.
// Only the configuration and the list count, so that they are the same after a restart. Where a name is too long, or another
// one had to change less, a hash of server and tool is put behind it:
//   - of two tools, "get_file" keeps its name and "get.file" gets the hash; of two servers, "my_files" and "my.files", the same.
//   - tool "hub_x" of server "git" would read like tool "x" of server "git_hub": the longer prefix keeps its names.
func (s *server) toolNames(list []toolInfo) map[string]string {
	wanted, names := map[string]int{}, map[string]string{} // a plain name → how many of the tools come out as it
	for _, tool := range list {
		name := s.prefix + underscored(withoutInvisible(tool.name))
		names[tool.name] = name
		wanted[name]++
	}
	for tool, name := range names {
		taken := wanted[name] > 1 && name != s.prefix+tool || len(name) > maxToolName
		for _, other := range s.mcp.servers {
			better := len(other.prefix) > len(s.prefix) || other.prefix == s.prefix && !strings.Contains(s.prefix, s.config.name)
			taken = taken || other != s && better && strings.HasPrefix(name, other.prefix)
		}
		if taken {
			suffix := "_" + hash(fmt.Sprintf("%q %q", s.config.name, tool), 4)
			names[tool] = name[:min(len(name), maxToolName-len(suffix))] + suffix
		}
	}
	return names
}

var refusedInNames = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// underscored replaces every character that the API refuses in a name.
func underscored(text string) string { return refusedInNames.ReplaceAllString(text, "_") }

// unseenRunes are characters that a model reads and a person cannot see: controls, tags, zero-width, bidi, selectors, fillers.
const unseenRunes = `\x00-\x08\x0b-\x1f\x7f-\x{9f}\p{Cf}\x{34f}\x{115f}\x{1160}\x{17b4}\x{17b5}\x{180b}-\x{180f}` +
	`\x{2065}\x{3164}\x{fe00}-\x{fe0f}\x{ffa0}\x{fff0}-\x{fff8}\x{e0000}-\x{e0fff}`

// invisible matches unseenRunes. Its group stays: marks that are seen, in Arabic for example; an emoji, or a letter that is
// not ASCII, with one selector of its form and one joiner. More of them say nothing to a person, and may to a model.
var invisible = regexp.MustCompile(`([\x{600}-\x{605}\x{6dd}\x{70f}\x{890}\x{891}\x{8e2}\x{110bd}\x{110cd}]|` +
	`[^\x00-\x7f` + unseenRunes + `][\x{180b}-\x{180d}\x{180f}\x{fe00}-\x{fe0f}\x{e0100}-\x{e01ef}]?[\x{200c}\x{200d}]?)|[` + unseenRunes + `]`)

// withoutInvisible removes from a server's text unseenRunes.
func withoutInvisible(text string) string { return invisible.ReplaceAllString(text, "$1") }

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

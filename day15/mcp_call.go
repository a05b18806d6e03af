package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// ready returns an error, for the model, if a call cannot work: the server is left alone, or the tool is gone or changed.
func (s *server) ready(ctx context.Context, tool serverTool) error {
	s.refresh(ctx)
	now := s.now()
	if rest := now.rest(); rest != "" {
		return fmt.Errorf("server %s is not available: %s", s.config.name, rest)
	}
	if slices.ContainsFunc(now.tools, func(t serverTool) bool { return t.said == tool.said }) {
		return nil
	}
	return errors.New("not sent: the server defines this tool differently now, or no more; call it again if it still fits")
}

// rest says how long the server is left alone, "" if it is not.
func (s state) rest() string {
	rest := restTime - time.Since(s.missed)
	if s.failures < maxFailures || rest <= 0 {
		return ""
	}
	return fmt.Sprintf("it has failed %d times in a row; it is tried again in %d s", s.failures, int(rest.Seconds())+1)
}

// call calls a tool as it was when it was allowed. What was certainly not carried out is sent once more over a new
// connection; all else is never repeated: it may have been done.
func (s *server) call(ctx context.Context, tool serverTool, args json.RawMessage) (raw json.RawMessage, _ error) {
	for again := false; ; again = true {
		c, err := s.connection(ctx)
		if err == nil {
			if err := s.ready(ctx, tool); err != nil { // a new start may have made something else of it
				return nil, err
			}
			raw, err = s.callOn(ctx, c, tool, args)
		}
		var lost *connectionError
		missed := errors.As(err, &lost) && ctx.Err() == nil
		if !missed || c == nil || again || !lost.unsent {
			s.count(err, missed)
			return raw, err
		}
	}
}

// callOn calls a tool. While that takes long, a stale list is read again: there are servers that answer only then.
func (s *server) callOn(ctx context.Context, c *client, tool serverTool, args json.RawMessage) (json.RawMessage, error) {
	calling, done := context.WithCancel(ctx)
	defer done()
	var relist func()
	relist = func() {
		if s.refresh(calling); calling.Err() == nil {
			time.AfterFunc(listPause, relist)
		}
	}
	defer time.AfterFunc(listPause, relist).Stop()
	return c.callTool(ctx, tool.info, args, func(text string) { s.note("", "%s: %s", tool.Name, text) })
}

// count keeps account of a call, and tells the person why the server was missed, unless the person knows.
func (s *server) count(err error, missed bool) {
	s.live() // tells of its end
	now := s.update(func() {
		s.calls++
		s.failures++
		s.missed = time.Now()
		if missed {
			s.failed++
		} else {
			s.failures = 0
		}
	})
	if missed && fmt.Sprint(err) != fmt.Sprint(now.err) {
		s.note("", "%v", err)
	}
}

const exitMissed = 4 // answered, but a server that the task called was not available

// ExitCode is the exit code of a task that would end with code: exitMissed for a success in which a call missed its server.
func (m *MCP) ExitCode(code int) int {
	for _, s := range m.servers {
		if s.now().failed > 0 && code == exitOK {
			return exitMissed
		}
	}
	return code
}

// maxShown is the length, in bytes, from which on a string is left out of a block that is no text: it may be base64.
const maxShown = 1000

// resultText returns what the model reads of a tools/call result, and whether the tool says that it failed: one text or line
// for each block, and the structured content where it says more. Registry.Call removes secrets, and cuts what is too long.
func resultText(result json.RawMessage) (text string, isError bool) {
	r := parseObject(result)
	if r == nil {
		return "the server's answer is no tool result: " + plainText(result, maxShown), true
	}
	content := []json.RawMessage{r.raw("content")} // servers that know no better send one block, or a bare text
	if list := parseArray(r.raw("content")); list != nil {
		content = list
	}
	var texts []string
	for _, block := range content {
		texts = append(texts, blockText(block))
	}
	text = strings.Join(texts, "\n")
	structured := plainText(r.raw("structuredContent"), math.MaxInt)
	switch empty := strings.Trim(text, "\n") == ""; {
	case structured != "" && empty:
		text = structured
	case structured != "" && !sameData(text, structured):
		text += "\n" + structured
	case empty && cmp.Or(r.text("resultType"), "complete") != "complete":
		// "Servers MUST NOT send an inputRequests that the client has not declared support for", and some do.
		return "the server asks for input that this client cannot give: " + plainText(result, maxShown), true
	case empty:
		text = "(no content)"
	}
	return text, get[bool](r, "isError")
}

// blockText is the text of a block, or a line of JSON that says what it is: the model gets text, and nothing is fetched.
func blockText(raw json.RawMessage) string {
	block := parseObject(raw)
	text := block.raw("text")
	if text == nil {
		text = parseObject(block.raw("resource")).raw("text")
	}
	switch {
	case block == nil:
		return scalarText(raw)
	case text != nil:
		return scalarText(text)
	}
	return fmt.Sprintf("[%s: %s]", cmp.Or(block.text("type"), "unknown"), plainText(raw, maxShown))
}

// scalarText is the text that a string holds, and any other JSON as it is.
func scalarText(raw json.RawMessage) string {
	if bytes.HasPrefix(raw, []byte(`"`)) {
		return unquoted(raw)
	}
	return plainText(raw, math.MaxInt)
}

// plainText is JSON as a model reads it best: on one line, each digit kept, without needless escapes such as \u003c, behind
// which a secret would not be found. Of strings above limit bytes only the size is left. null, and nothing, is "".
func plainText(raw json.RawMessage, limit int) string {
	if isNull(raw) {
		return ""
	}
	return literal.ReplaceAllStringFunc(compact(raw), func(literal string) string {
		if len(literal)-2 > limit {
			return fmt.Sprintf(`"… %d bytes …"`, len(literal)-2)
		}
		plain, _ := encode(unquoted([]byte(literal)))
		return string(plain)
	})
}

// sameData reports whether the text says what the structured content says: it "SHOULD also return the serialized JSON in a
// TextContent block". Where a tool's text is no JSON, several SDKs put it into an object as its one member.
func sameData(text, structured string) bool {
	said, value := plainText([]byte(text), math.MaxInt), structured
	if data := parseObject([]byte(structured)); len(data) == 2 {
		value = scalarText(data[1])
	}
	return said == structured || value == text || value == said
}

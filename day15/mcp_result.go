package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// maxShown is the length, in bytes, from which on a string is left out of a block that is no text: it may be base64.
const maxShown = 1000

// resultText returns what the model reads of a tools/call result, and whether the tool says that it failed: the text
// blocks in order, one line for each block of another type, or the structured content where there are none. The text is
// whole: secrets are removed, and what is too long is cut, by Registry.Call.
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
	if strings.Trim(text, "\n") == "" {
		text = cmp.Or(plainText(r.raw("structuredContent"), math.MaxInt), "(no content)")
		// "Servers MUST NOT send an inputRequests that the client has not declared support for", and some do.
		if kind := r.text("resultType"); kind != "" && kind != "complete" {
			return "the server asks for input that this client cannot give: " + plainText(result, maxShown), true
		}
	}
	return text, get[bool](r, "isError")
}

// blockText is the text of a block, or a line that says what it is, as JSON. Links are not fetched, pictures and sound are
// left out: the model gets text.
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

// plainText is JSON as a model reads it best: on one line, each digit kept, and without escapes that are not needed,
// such as \u003c: a secret behind them would not be found. Strings of more than limit bytes are left out, but for their
// size. null, and nothing, is "".
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

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// maxShown is the length, in bytes, from which on a string of an unknown block is left out: it may be base64.
const maxShown = 100

// resultText returns what the model reads of a tools/call result, and whether the tool says that it failed: the text
// blocks in order, one line for each block of another type, and the structured content where it says more. The text is
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
	structured := plainText(r.raw("structuredContent"), math.MaxInt)
	switch empty := strings.Trim(text, "\n") == ""; {
	case structured != "" && empty:
		text = structured
	case structured != "" && !sameData(text, structured):
		text += "\n" + structured
	case empty && r.text("resultType") == "input_required":
		// "Servers MUST NOT send an inputRequests that the client has not declared support for", and some do.
		return "the server asks for input that this client cannot give: " + plainText(result, maxShown), true
	case empty:
		text = "(no content)"
	}
	return text, get[bool](r, "isError")
}

// blockText is the text of a block, or a line that says what it is. Links are not fetched, pictures and sound are left
// out, and not even decoded: the model gets text.
func blockText(raw json.RawMessage) string {
	block := parseObject(raw)
	if block == nil {
		return scalarText(raw)
	}
	kind := block.text("type")
	resource := parseObject(block.raw("resource"))
	switch {
	case kind == "text" && block.raw("text") != nil:
		return scalarText(block.raw("text"))
	case kind == "image" || kind == "audio":
		return fmt.Sprintf("[%s: %s, %d bytes]", kind, label(block, "mimeType"), base64Size(block.raw("data")))
	case resource.raw("text") != nil:
		return scalarText(resource.raw("text"))
	case resource != nil:
		return fmt.Sprintf("[resource %s: %s, %d bytes]", label(resource, "uri"), label(resource, "mimeType"), base64Size(resource.raw("blob")))
	case kind == "resource_link":
		return fmt.Sprintf("[link %s: %s, %s]", label(block, "name"), label(block, "uri"), label(block, "mimeType"))
	}
	return fmt.Sprintf("[%s block: %s]", label(block, "type"), plainText(raw, maxShown))
}

// scalarText is the text that a string holds, and any other JSON as it is.
func scalarText(raw json.RawMessage) string {
	if bytes.HasPrefix(raw, []byte(`"`)) {
		return unquoted(raw)
	}
	return plainText(raw, math.MaxInt)
}

// label is a member of a block on one line; of a data: URI the data is left out.
func label(block object, key string) string {
	text, _, _ := strings.Cut(block.text(key), ";base64,")
	return cmp.Or(strings.Join(strings.Fields(text), " "), "unknown")
}

// base64Size is how many bytes a JSON string in base64 stands for, which is all that we want of a picture.
func base64Size(text json.RawMessage) int {
	return len(bytes.Trim(text, `"=`)) * 3 / 4
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

// sameData reports whether the text already says what the structured content says: "a tool that returns structured
// content SHOULD also return the serialized JSON in a TextContent block". Where a tool's text is no JSON, several SDKs
// put it into an object as its one member.
func sameData(text, structured string) bool {
	said := plainText([]byte(text), math.MaxInt)
	if data := parseObject([]byte(structured)); len(data) == 2 {
		value := scalarText(data[1])
		return value == text || value == said || said == structured
	}
	return said == structured
}

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// toolResult is the result of tools/call. A result of many megabytes is decoded in one go and copied once: nothing in
// here is kept raw that is not needed.
type toolResult struct {
	Content           []contentBlock  `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent"`
	IsError           bool            `json:"isError"`

	ResultType    string `json:"resultType"` // 2026-07-28
	InputRequests map[string]struct {
		Method string `json:"method"`
	} `json:"inputRequests"`
}

// contentBlock is a block of any type; which members count depends on it.
type contentBlock struct {
	Type     string     `json:"type"`
	Text     *string    `json:"text"`
	Data     base64Size `json:"data"`
	MIMEType string     `json:"mimeType"`
	URI      string     `json:"uri"`
	Name     string     `json:"name"`
	Resource *struct {
		URI      string     `json:"uri"`
		MIMEType string     `json:"mimeType"`
		Text     *string    `json:"text"`
		Blob     base64Size `json:"blob"`
	} `json:"resource"`
}

// base64Size is all we want of a picture: its size in bytes. The text of the picture is not even copied.
type base64Size int

func (s *base64Size) UnmarshalJSON(text []byte) error {
	if !bytes.HasPrefix(text, []byte(`"`)) {
		return nil
	}
	encoded := bytes.TrimRight(bytes.Trim(text, `"`), "=")
	*s = base64Size(base64.RawStdEncoding.DecodedLen(len(encoded)))
	return nil
}

// resultText returns what the model reads of a tools/call result, and whether the tool says that it failed: the text
// blocks in order, one line for each block of another type, and the structured content where it says more.
func resultText(result json.RawMessage, redact *Redactor) (text string, isError bool) {
	var r toolResult
	err := json.Unmarshal(result, &r) // a member of the wrong type costs that member alone
	if r.Content == nil && r.StructuredContent == nil {
		switch {
		case r.ResultType == "input_required":
			return inputRequired(r), true
		case err != nil || bytes.Equal(bytes.TrimSpace(result), []byte("null")):
			return "the server's answer is no tool result: " + bounded(result, redact), true
		}
	}
	text = contentText(r.Content, result, err != nil, redact)
	structured := structuredText(r.StructuredContent)
	switch {
	case strings.Trim(text, "\n") != "" && (structured == "" || sameData(text, structured)):
	case strings.Trim(text, "\n") != "":
		text += "\n" + structured
	case structured != "":
		text = structured
	default:
		text = "(no content)"
	}
	return text, r.IsError
}

// inputRequired is for servers that ask without having agreed on the version that knows this; with it, era.result does
// the same for all requests. We declare no capability that a server could ask something of us with. It "MUST NOT send an
// inputRequests that the client has not declared support for" (2026-07-28, basic/patterns/mrtr), and some do.
func inputRequired(r toolResult) string {
	methods := map[string]bool{}
	for _, request := range r.InputRequests {
		methods[label(request.Method)] = true
	}
	if len(methods) == 0 {
		return "the server wants to be asked again before it answers, which this client does not do"
	}
	return "the server asks for what this client cannot give: " + strings.Join(slices.Sorted(maps.Keys(methods)), ", ")
}

// structuredText is the JSON as a model reads it best: on one line, each digit kept, and without escapes that are not
// needed, such as \u003c: a secret behind them would not be found.
func structuredText(structured json.RawMessage) string {
	if structured == nil || string(structured) == "null" {
		return ""
	}
	return string(plainStrings(json.RawMessage(compact(structured))))
}

// sameData reports whether the text already says what the structured content says: "a tool that returns structured
// content SHOULD also return the serialized JSON in a TextContent block". Where a tool's text is no JSON, several servers
// put it into an object as its one member.
func sameData(text, structured string) bool {
	var inText, inStructured any
	if !decodeNumbers(structured, &inStructured) {
		return false
	}
	isJSON := decodeNumbers(text, &inText)
	same := func(value any) bool { return value == text || isJSON && reflect.DeepEqual(inText, value) }
	if object, ok := inStructured.(map[string]any); ok && len(object) == 1 {
		for _, value := range object {
			if same(value) {
				return true
			}
		}
	}
	return same(inStructured)
}

// decodeNumbers decodes JSON with its numbers as they are written.
func decodeNumbers(text string, v *any) bool {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(v) == nil && !decoder.More()
}

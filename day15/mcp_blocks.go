package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// How much a server may say in the labelled line that stands for a block, in characters.
const (
	maxLabel   = 200 // a name, a URI, a media type
	maxUnknown = 500 // a block of a type that is not known here
)

// contentText joins the blocks with line feeds. result is what they were decoded from; damaged says that some member in
// it had the wrong type, and that an empty text may be no text. What is shortened is redacted first: nobody would know
// the beginning of a secret.
func contentText(blocks []contentBlock, result json.RawMessage, damaged bool, redact *Redactor) string {
	raw := sync.OnceValue(func() []json.RawMessage {
		var r struct {
			Content []json.RawMessage `json:"content"`
		}
		_ = json.Unmarshal(result, &r) // the content was a list before
		return r.Content
	})
	parts := make([]string, len(blocks))
	for i, block := range blocks {
		text, known := block.text(redact)
		if !known || damaged && text == "" {
			text = fmt.Sprintf("[%s block: %s]", label(redact.Redact(block.Type)), bounded(raw()[i], redact))
		}
		parts[i] = text
	}
	return strings.Join(parts, "\n")
}

// text fails for a block that is not known or not whole. Links are not fetched, pictures and sound are left out: the
// model gets text.
func (b contentBlock) text(redact *Redactor) (text string, known bool) {
	short := func(text string) string { return label(redact.Redact(text)) }
	switch {
	case b.Type == "text" && b.Text != nil:
		return *b.Text, true
	case b.Type == "image", b.Type == "audio":
		return fmt.Sprintf("[%s: %s, %d bytes]", b.Type, short(b.MIMEType), b.Data), true
	case b.Type == "resource" && b.Resource != nil && b.Resource.Text != nil:
		return *b.Resource.Text, true
	case b.Type == "resource" && b.Resource != nil:
		return fmt.Sprintf("[resource %s: %s, %d bytes]", short(b.Resource.URI), short(b.Resource.MIMEType), b.Resource.Blob), true
	case b.Type == "resource_link":
		return fmt.Sprintf("[link %s: %s, %s]", short(b.Name), short(b.URI), short(b.MIMEType)), true
	}
	return "", false
}

// label is a short text of the server on one line, redacted before; of a data: URI the data is left out.
func label(text string) string {
	if before, _, found := strings.Cut(text, ";base64,"); found {
		text = before + ";base64,…"
	}
	if text == "" {
		return "unknown"
	}
	return shortened(text, maxLabel)
}

// bounded is JSON of unknown shape on one line, not too long, its long strings (they may be base64) by their size.
func bounded(raw json.RawMessage, redact *Redactor) string {
	const longest = 100
	short := mapStrings(raw, func(text string) string {
		if len(text) > longest {
			return fmt.Sprintf("… %d bytes …", len(text))
		}
		return redact.Redact(text)
	})
	return shortened(compact(short), maxUnknown)
}

// shortened is preview for text of any size: only what can be shown is looked at.
func shortened(text string, limit int) string {
	return preview(text[:min(len(text), limit*utf8.UTFMax)], limit)
}

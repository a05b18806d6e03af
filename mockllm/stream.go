package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"unicode/utf8"
)

// stream sends the answer as server-sent events: the role, the text or the
// calls in pieces, the reason why it ends, the usage if it was asked for, and
// [DONE]. It stops early when the client has gone away.
func stream(w http.ResponseWriter, head completion, pieces []said, finish string, withUsage bool) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)

	chunk := head
	chunk.Object, chunk.Usage = "chat.completion.chunk", nil
	for _, d := range pieces {
		chunk.Choices = []choice{{Delta: &d}}
		if !event(w, chunk) {
			return
		}
	}
	chunk.Choices = []choice{{Delta: &said{}, FinishReason: &finish}}
	event(w, chunk)
	if withUsage {
		chunk.Choices, chunk.Usage = []choice{}, head.Usage
		event(w, chunk)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// event writes one chunk at once; false means that nobody reads any more.
func event(w http.ResponseWriter, chunk completion) bool {
	data, _ := json.Marshal(chunk) // a completion can always be encoded
	_, err := fmt.Fprintf(w, "data: %s\n\n", data)
	return err == nil && http.NewResponseController(w).Flush() == nil
}

// deltas cuts an answer into the pieces that a stream brings.
func deltas(text string, calls []toolCall) []said {
	list := []said{{Role: "assistant", Content: rawString("")}}
	if len(calls) == 0 {
		for _, piece := range cutUp(text, 12) {
			list = append(list, said{Content: rawString(piece)})
		}
	}
	for i, call := range calls {
		arguments := call.Function.Arguments
		call.Index, call.Function.Arguments = &i, ""
		list = append(list, said{ToolCalls: []toolCall{call}})
		for _, piece := range cutUp(arguments, 5) {
			part := toolCall{Index: &i}
			part.Function.Arguments = piece
			list = append(list, said{ToolCalls: []toolCall{part}})
		}
	}
	return list
}

// cutUp cuts s between characters only, but otherwise where it hurts: in the
// middle of words and JSON strings, and right after each backslash, which is
// inside an escape. A piece has size characters, more if s is very long.
func cutUp(s string, size int) []string {
	size = max(size, utf8.RuneCountInString(s)/200)
	var list []string
	start, count := 0, 0
	for i := range s {
		if count == size || count > 0 && s[i-1] == '\\' {
			list = append(list, s[start:i])
			start, count = i, 0
		}
		count++
	}
	return append(list, s[start:])
}

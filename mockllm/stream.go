package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"unicode/utf8"
)

// delta is what a chunk adds to the message.
type delta struct {
	Role      string      `json:"role,omitempty"`
	Content   *string     `json:"content,omitempty"`
	ToolCalls []toolDelta `json:"tool_calls,omitempty"`
}

// toolDelta adds to the call with that index: the first one opens it with id,
// type and name, the others bring pieces of the arguments.
type toolDelta struct {
	Index    int           `json:"index"`
	ID       string        `json:"id,omitempty"`
	Type     string        `json:"type,omitempty"`
	Function functionDelta `json:"function"`
}

// functionDelta has a name in the opening delta only.
type functionDelta struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

// stream sends the answer as server-sent events: the role, the text or the
// calls in pieces, the reason why it ends, the usage if it was asked for, and
// [DONE]. It stops early when the client has gone away.
func stream(w http.ResponseWriter, head completion, text string, calls []toolCall, finish string, withUsage bool, tokens usage) {
	head.Object = "chat.completion.chunk"
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)

	for _, d := range deltas(text, calls) {
		head.Choices = []choice{{Delta: &d}}
		if !event(w, head) {
			return
		}
	}
	head.Choices = []choice{{Delta: &delta{}, FinishReason: &finish}}
	if !event(w, head) {
		return
	}
	if withUsage {
		head.Choices, head.Usage = []choice{}, &tokens
		if !event(w, head) {
			return
		}
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// deltas cuts an answer into the pieces that a stream brings.
func deltas(text string, calls []toolCall) []delta {
	empty := ""
	list := []delta{{Role: "assistant", Content: &empty}}
	if len(calls) == 0 {
		for _, piece := range pieces(text, 12) {
			list = append(list, delta{Content: &piece})
		}
	}
	for i, call := range calls {
		list = append(list, delta{ToolCalls: []toolDelta{{
			Index: i, ID: call.ID, Type: call.Type, Function: functionDelta{Name: call.Function.Name},
		}}})
		for _, piece := range pieces(call.Function.Arguments, 5) {
			list = append(list, delta{ToolCalls: []toolDelta{{Index: i, Function: functionDelta{Arguments: piece}}}})
		}
	}
	return list
}

// pieces cuts s between characters only, but otherwise where it hurts: in the
// middle of words and JSON strings, and right after each backslash, which is
// inside an escape. A piece has size characters, more if s is very long.
func pieces(s string, size int) []string {
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

// event writes one chunk at once; false means that nobody reads any more.
func event(w http.ResponseWriter, chunk completion) bool {
	data, err := json.Marshal(chunk)
	if err != nil {
		return false
	}
	if _, err := fmt.Fprintf(w, "data: %s\n\n", data); err != nil {
		return false
	}
	return http.NewResponseController(w).Flush() == nil
}

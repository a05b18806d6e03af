package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
	"unicode/utf8"
)

// completion is a whole answer, or one chunk of a streamed one: they differ in
// Object and in what a choice holds.
type completion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"` // in seconds since 1970
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
}

// choice holds Message in a whole answer, Delta in a chunk.
type choice struct {
	Index        int      `json:"index"`
	Message      *message `json:"message,omitempty"`
	Delta        *delta   `json:"delta,omitempty"`
	Logprobs     *int     `json:"logprobs"` // always null
	FinishReason *string  `json:"finish_reason"`
}

// message has null as its Content if it has calls, and never a Refusal.
type message struct {
	Role      string     `json:"role"`
	Content   *string    `json:"content"`
	Refusal   *string    `json:"refusal"`
	ToolCalls []toolCall `json:"tool_calls,omitempty"`
}

// delta is what a chunk adds to a message.
type delta struct {
	Role      string     `json:"role,omitempty"`
	Content   *string    `json:"content,omitempty"`
	ToolCalls []toolCall `json:"tool_calls,omitempty"`
}

// toolCall is a whole call, ours or the client's, or a part of one: in a stream
// the first part has id, type and name, the others bring pieces of the
// arguments, and all have the index of their call.
type toolCall struct {
	Index    *int   `json:"index,omitempty"`
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function call   `json:"function"`
}

// call is a function with its arguments, the text of a JSON object.
type call struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

// usage counts in tokens.
type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

// send gives an answer, text or calls, in the form that the request asked for.
func (a *api) send(w http.ResponseWriter, request chatRequest, text string, calls []call) {
	id := fmt.Sprintf("chatcmpl-%d", a.answers.Add(1))
	out := completion{ID: id, Object: "chat.completion", Created: time.Now().Unix(), Model: request.Model}
	whole := message{Role: "assistant", Content: &text}
	finish, said := "stop", text
	for _, call := range calls {
		id := fmt.Sprintf("call_%d", a.calls.Add(1))
		whole.ToolCalls = append(whole.ToolCalls, toolCall{ID: id, Type: "function", Function: call})
		whole.Content, finish, said = nil, "tool_calls", said+call.Name+call.Arguments
	}
	// Four characters for a token are near enough, and the same for the same text.
	tokens := func(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }
	used := usage{Prompt: tokens(string(request.Messages) + string(request.Tools)), Completion: tokens(said)}
	used.Total = used.Prompt + used.Completion
	if !request.Stream {
		out.Choices, out.Usage = []choice{{Message: &whole, FinishReason: &finish}}, &used
		data, _ := json.Marshal(out) // it can always be encoded
		writeJSON(w, 200, string(data))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out.Object = "chat.completion.chunk"
	for _, d := range whole.deltas() {
		event(w, out, choice{Delta: &d})
	}
	event(w, out, choice{Delta: &delta{}, FinishReason: &finish})
	if request.StreamOptions != nil && request.StreamOptions.IncludeUsage {
		out.Usage = &used
		event(w, out)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// event sends one chunk at once. A client that went away is no concern of ours.
func event(w http.ResponseWriter, chunk completion, choices ...choice) {
	chunk.Choices = append([]choice{}, choices...) // none is [], not null
	data, _ := json.Marshal(chunk)
	fmt.Fprintf(w, "data: %s\n\n", data)
	http.NewResponseController(w).Flush()
}

// deltas cuts a message into the pieces that a stream brings.
func (m message) deltas() []delta {
	list := []delta{{Role: m.Role, Content: new(string)}}
	if m.Content != nil {
		for _, piece := range cutUp(*m.Content, 12) {
			list = append(list, delta{Content: &piece})
		}
	}
	for i, c := range m.ToolCalls {
		list = append(list, delta{ToolCalls: []toolCall{{&i, c.ID, c.Type, call{Name: c.Function.Name}}}})
		for _, piece := range cutUp(c.Function.Arguments, 5) {
			list = append(list, delta{ToolCalls: []toolCall{{Index: &i, Function: call{Arguments: piece}}}})
		}
	}
	return list
}

// cutUp cuts s between characters only, but otherwise where it hurts: in the
// middle of words and JSON strings, and right after each backslash, which is
// inside an escape. A piece has size characters, more if s is very long.
func cutUp(s string, size int) (pieces []string) {
	size = max(size, utf8.RuneCountInString(s)/200)
	start, count := 0, 0
	for i := range s {
		if count == size || count > 0 && s[i-1] == '\\' {
			pieces = append(pieces, s[start:i])
			start, count = i, 0
		}
		count++
	}
	return append(pieces, s[start:])
}

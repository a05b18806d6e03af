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
	Index        int             `json:"index"`
	Message      *said           `json:"message,omitempty"`
	Delta        *said           `json:"delta,omitempty"`
	Logprobs     json.RawMessage `json:"logprobs"`
	FinishReason *string         `json:"finish_reason"`
}

// said is a message, or what a chunk adds to it. What is raw can be null, which
// a message with calls has as its Content, and can be left out.
type said struct {
	Role      string          `json:"role,omitempty"`
	Content   json.RawMessage `json:"content,omitempty"`
	Refusal   json.RawMessage `json:"refusal,omitempty"`
	ToolCalls []toolCall      `json:"tool_calls,omitempty"`
}

// toolCall is a whole call, ours or the client's, or a part of one: in a stream
// the first part has id, type and name, the others bring pieces of the
// arguments (the text of a JSON object), and all have the index of their call.
type toolCall struct {
	Index    *int   `json:"index,omitempty"`
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

var null = json.RawMessage("null")

// rawString is a string in JSON.
func rawString(s string) json.RawMessage { return json.RawMessage(jsonString(s)) }

// usage counts in tokens.
type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

// send gives the answer in the form that the request asked for.
func (a *api) send(w http.ResponseWriter, request chatRequest, answer answer) {
	head := completion{
		ID:      fmt.Sprintf("chatcmpl-%d", a.answers.Add(1)),
		Object:  "chat.completion",
		Created: time.Now().Unix(),
		Model:   request.Model,
	}
	calls, finish, text := []toolCall(nil), "stop", answer.text
	for _, call := range answer.calls {
		finish, text = "tool_calls", text+call.name+call.arguments
		wire := toolCall{ID: fmt.Sprintf("call_%d", a.calls.Add(1)), Type: "function"}
		wire.Function.Name, wire.Function.Arguments = call.name, call.arguments
		calls = append(calls, wire)
	}
	// Four characters for a token are near enough, and the same for the same text.
	tokens := func(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }
	prompt, completed := tokens(string(request.Messages)+string(request.Tools)), tokens(text)
	head.Usage = &usage{prompt, completed, prompt + completed}
	if request.Stream {
		withUsage := request.StreamOptions != nil && request.StreamOptions.IncludeUsage
		stream(w, head, deltas(answer.text, calls), finish, withUsage)
		return
	}
	whole := said{Role: "assistant", Content: rawString(answer.text), Refusal: null, ToolCalls: calls}
	if len(calls) > 0 {
		whole.Content = null
	}
	head.Choices = []choice{{Message: &whole, FinishReason: &finish}}
	writeJSON(w, http.StatusOK, head)
}

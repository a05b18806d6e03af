package main

import "encoding/json"

// chatRequest is the body of a chat completion request. What stays raw here is
// checked and taken apart by strict.go.
type chatRequest struct {
	Model         string          `json:"model"`
	Messages      json.RawMessage `json:"messages"`
	Tools         json.RawMessage `json:"tools"`
	ToolChoice    json.RawMessage `json:"tool_choice"`
	Stream        bool            `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	ParallelToolCalls *bool `json:"parallel_tool_calls"`
}

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
	Message      *wholeMessage   `json:"message,omitempty"`
	Delta        *delta          `json:"delta,omitempty"`
	Logprobs     json.RawMessage `json:"logprobs"`
	FinishReason *string         `json:"finish_reason"`
}

// wholeMessage has null as Content when there are tool calls.
type wholeMessage struct {
	Role      string     `json:"role"`
	Content   *string    `json:"content"`
	Refusal   *string    `json:"refusal"`
	ToolCalls []toolCall `json:"tool_calls,omitempty"`
}

// toolCall is a call as it stands in messages, ours and the client's.
type toolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function functionCall `json:"function"`
}

// functionCall has the arguments as the text of a JSON object.
type functionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// usage counts in tokens, see estimate.
type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

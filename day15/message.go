package main

import (
	"encoding/json"
	"unicode/utf8"
)

// Message is one entry of the conversation, in the shape of the Chat Completions API (messages[]).
type Message struct {
	Role       string     `json:"role"` // system, user, assistant or tool
	Content    string     `json:"content"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`   // of an assistant
	ToolCallID string     `json:"tool_call_id,omitempty"` // of a tool: the call that it answers
}

// ToolCall is the model's wish to have a tool run (messages[].tool_calls[]).
type ToolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"` // "function"
	Function FunctionCall `json:"function"`
}

// FunctionCall names the tool. Arguments is a JSON object as text: the API wants a string here.
type FunctionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// estimateTokens is a rule of thumb for text in any language: a token is about four characters.
func estimateTokens(texts ...string) int {
	characters := 0
	for _, text := range texts {
		characters += utf8.RuneCountInString(text)
	}
	return (characters + 3) / 4
}

// definitionTokens estimates what the definitions cost in every request.
func definitionTokens(definitions []Definition) int {
	total := 0
	for _, d := range definitions {
		text, _ := json.Marshal(d) // a schema that is no JSON fails the request itself, with a better message
		total += estimateTokens(string(text))
	}
	return total
}

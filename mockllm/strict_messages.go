package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// messages wants well-formed messages, and each call answered before anything
// else is said.
func (c *checker) messages(raw json.RawMessage) []message {
	c.wantField(!isNull(raw), "messages")
	var items []json.RawMessage
	c.decode(raw, &items, "messages")
	c.wantElements(len(items), "messages")
	var list []message
	for i, item := range items {
		list = append(list, c.message(item, fmt.Sprintf("messages[%d]", i)))
		if c.refused != nil {
			return nil
		}
	}
	c.wantAnswered()
	return list
}

// message reads one message.
func (c *checker) message(raw json.RawMessage, place string) message {
	var m struct {
		Role       string          `json:"role"`
		Content    json.RawMessage `json:"content"`
		ToolCalls  []toolCall      `json:"tool_calls"`
		ToolCallID string          `json:"tool_call_id"`
	}
	c.decode(raw, &m, place)
	c.wantOneOf(m.Role, place+".role", "system", "developer", "user", "assistant", "tool")
	if m.Role == "tool" {
		i := slices.Index(c.open, m.ToolCallID)
		c.want(i >= 0, place+".tool_call_id", "", "A message with role 'tool' must answer a tool call of the assistant message before it; no call '%s' waits for an answer.", m.ToolCallID)
		if i >= 0 {
			c.open = slices.Delete(c.open, i, i+1)
		}
		c.want(strings.HasPrefix(string(m.Content), `"`), place+".content", "invalid_type", "Invalid value for '%s.content': a tool message needs a string.", place)
	} else {
		c.wantAnswered()
	}
	if m.ToolCalls != nil {
		c.want(m.Role == "assistant", place+".tool_calls", "", "'tool_calls' is only allowed in messages with role 'assistant'.")
		c.calls(m.ToolCalls, place+".tool_calls")
	}
	if isNull(m.Content) && len(m.ToolCalls) > 0 {
		return message{role: m.Role}
	}
	return message{role: m.Role, text: c.content(m.Content, place+".content")}
}

// wantAnswered wants no call to be open any more.
func (c *checker) wantAnswered() {
	c.want(len(c.open) == 0, c.openAt, "", "An assistant message with 'tool_calls' must be followed by one tool message for each 'tool_call_id'. No answer came for: %s.", strings.Join(c.open, ", "))
}

// calls wants calls as a model of the real API makes them. They are open from
// here on.
func (c *checker) calls(calls []toolCall, place string) {
	c.wantElements(len(calls), place)
	c.open, c.openAt = nil, place
	for i, call := range calls {
		place := fmt.Sprintf("%s[%d]", place, i)
		c.wantField(call.ID != "", place+".id")
		c.want(!slices.Contains(c.open, call.ID), place+".id", "invalid_value", "Duplicate tool call id '%s'.", call.ID)
		c.wantOneOf(call.Type, place+".type", "function")
		c.wantName(call.Function.Name, place+".function.name")
		c.want(isObject([]byte(call.Function.Arguments)), place+".function.arguments", "invalid_value", "Invalid '%s.function.arguments': not the text of a JSON object.", place)
		c.open = append(c.open, call.ID)
	}
}

// content gives the text of a content, which is a string or a list of parts.
func (c *checker) content(raw json.RawMessage, place string) string {
	c.want(!isNull(raw), place, "invalid_type", "Invalid value for '%s': expected a string, got null.", place)
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	c.decode(raw, &parts, place)
	var texts []string
	for _, part := range parts {
		if part.Type == "text" {
			texts = append(texts, part.Text)
		}
	}
	return strings.Join(texts, "\n")
}

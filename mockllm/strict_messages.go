package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// message is one of the conversation, as the rules see it.
type message struct {
	role string
	text string // the parts of the content that are text, joined
}

// wireMessage is a message as the client sends it.
type wireMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCalls  []toolCall      `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
}

// openCalls are the calls of one assistant message that wait for their answers.
type openCalls struct {
	ids   []string
	place string // of the assistant message's tool_calls
}

// checkMessages refuses messages that are malformed, and a conversation in
// which calls and their answers do not stand one behind the other.
func checkMessages(raw json.RawMessage) ([]message, *refusal) {
	var list []json.RawMessage
	if isNull(raw) {
		return nil, invalid("messages", "missing_required_parameter", "Missing required parameter: 'messages'.")
	}
	if err := decode(raw, &list, "messages"); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, emptyArray("messages")
	}
	var messages []message
	var open openCalls
	for i, item := range list {
		place := fmt.Sprintf("messages[%d]", i)
		var m wireMessage
		if err := decode(item, &m, place); err != nil {
			return nil, err
		}
		if err := open.next(m, place); err != nil {
			return nil, err
		}
		text, err := checkContent(m, place)
		if err != nil {
			return nil, err
		}
		if err := checkCalls(m, place); err != nil {
			return nil, err
		}
		messages = append(messages, message{role: m.Role, text: text})
	}
	return messages, open.answered()
}

// next wants the answers to open calls before anything else, and no other
// answers; the calls of m are open from here on.
func (o *openCalls) next(m wireMessage, place string) *refusal {
	if m.Role == "tool" {
		i := slices.Index(o.ids, m.ToolCallID)
		if i < 0 {
			return invalid(place+".tool_call_id", "", "A message with role 'tool' must answer a tool call of the assistant message before it; no call '%s' waits for an answer.", m.ToolCallID)
		}
		o.ids = slices.Delete(o.ids, i, i+1)
		return nil
	}
	if err := o.answered(); err != nil {
		return err
	}
	o.place = place + ".tool_calls"
	for _, call := range m.ToolCalls {
		o.ids = append(o.ids, call.ID)
	}
	return nil
}

// answered wants no call to be open any more.
func (o *openCalls) answered() *refusal {
	if len(o.ids) == 0 {
		return nil
	}
	return invalid(o.place, "", "An assistant message with 'tool_calls' must be followed by one tool message for each 'tool_call_id'. No answer came for: %s.", strings.Join(o.ids, ", "))
}

// checkContent gives the text of a message whose role it knows.
func checkContent(m wireMessage, place string) (string, *refusal) {
	var text string
	isString := !isNull(m.Content) && json.Unmarshal(m.Content, &text) == nil
	place += ".content"
	switch m.Role {
	case "system", "developer", "user":
	case "assistant":
		if isNull(m.Content) && len(m.ToolCalls) > 0 {
			return "", nil
		}
	case "tool":
		if !isString {
			return "", invalid(place, "invalid_type", "Invalid value for '%s': a tool message needs a string.", place)
		}
	default:
		place = strings.TrimSuffix(place, "content") + "role"
		return "", invalid(place, "invalid_value", "Invalid value: '%s'. Supported values are: 'system', 'developer', 'user', 'assistant' and 'tool'.", m.Role)
	}
	if isString {
		return text, nil
	}
	if isNull(m.Content) {
		return "", invalid(place, "invalid_type", "Invalid value for '%s': expected a string, got null.", place)
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := decode(m.Content, &parts, place); err != nil {
		return "", err
	}
	var texts []string
	for _, part := range parts {
		if part.Type == "text" {
			texts = append(texts, part.Text)
		}
	}
	return strings.Join(texts, "\n"), nil
}

// checkCalls refuses calls that no model of the real API could have made.
func checkCalls(m wireMessage, place string) *refusal {
	if m.ToolCalls == nil {
		return nil
	}
	if m.Role != "assistant" {
		return invalid(place+".tool_calls", "", "'tool_calls' is only allowed in messages with role 'assistant'.")
	}
	if len(m.ToolCalls) == 0 {
		return emptyArray(place + ".tool_calls")
	}
	seen := map[string]bool{}
	for i, call := range m.ToolCalls {
		place := fmt.Sprintf("%s.tool_calls[%d]", place, i)
		switch {
		case call.ID == "":
			return invalid(place+".id", "missing_required_parameter", "Missing required parameter: '%s.id'.", place)
		case seen[call.ID]:
			return invalid(place+".id", "invalid_value", "Duplicate tool call id '%s'.", call.ID)
		case call.Type != "function":
			return invalid(place+".type", "invalid_value", "Invalid value: '%s'. Supported values are: 'function'.", call.Type)
		case !isObject([]byte(call.Function.Arguments)):
			return invalid(place+".function.arguments", "invalid_value", "Invalid '%s.function.arguments': not the text of a JSON object.", place)
		}
		if err := checkName(call.Function.Name, place+".function.name"); err != nil {
			return err
		}
		seen[call.ID] = true
	}
	return nil
}

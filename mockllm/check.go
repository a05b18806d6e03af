package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// chatRequest is the body of a chat completion request. Other fields are ignored.
type chatRequest struct {
	Model         string          `json:"model"`
	Messages      json.RawMessage `json:"messages"`
	Tools         json.RawMessage `json:"tools"`
	ToolChoice    json.RawMessage `json:"tool_choice"`
	Parallel      *bool           `json:"parallel_tool_calls"`
	Stream        bool            `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	N              *int                   `json:"n"`
	ResponseFormat *struct{ Type string } `json:"response_format"`
}

type chatMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Refusal    string          `json:"refusal"`
	ToolCalls  json.RawMessage `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
}

// checker reads a request and refuses what the real API refuses, so that a
// client's mistake shows offline. It keeps the first thing that is wrong and
// goes on, so that the checks can stand one below the other.
type checker struct {
	conversation
	refused refusal  // without a message for none
	open    []string // ids of calls that wait for their results
	openAt  string   // the tool_calls they are from
}

// want refuses the request if something does not hold. Place and code, those of
// the refusal, may be empty.
func (c *checker) want(holds bool, place, code, problem string) {
	if !holds && c.refused.message == "" {
		c.refused = refusal{place, code, strings.TrimPrefix(place+": "+problem, ": ")}
	}
}

// decode fills v from the JSON at a place; a wrong type is refused by its own
// place within.
func (c *checker) decode(raw []byte, v any, place string) {
	err := json.Unmarshal(raw, v)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		c.want(false, strings.Trim(place+"."+strings.ToLower(wrong.Field), "."), "invalid_type", "it cannot be of type "+wrong.Value)
	}
	c.want(err == nil, place, "", fmt.Sprintf("this is not JSON: %v", err))
}

// each has check look at the elements of the array at a place, until one is
// refused; there must be at least one.
func each[T any](c *checker, raw json.RawMessage, place string, check func(element T, place string)) {
	c.want(!isNull(raw), place, "missing_required_parameter", "it is missing")
	var list []json.RawMessage
	c.decode(raw, &list, place)
	c.want(len(list) > 0, place, "empty_array", "expected at least one element")
	for i, element := range list {
		var v T
		place := fmt.Sprintf("%s[%d]", place, i)
		c.decode(element, &v, place)
		if check(v, place); c.refused.message != "" {
			return
		}
	}
}

// check reads a request's body.
func (c *checker) check(body []byte) (r chatRequest) {
	c.want(utf8.Valid(body), "", "", "the request body is not valid UTF-8")
	c.decode(body, &r, "")
	c.want(r.Model != "", "model", "missing_required_parameter", "it is missing")
	c.want(slices.Contains(models, r.Model), "model", "model_not_found", noSuchModel)
	c.want(r.N == nil || *r.N == 1, "n", "unsupported_value", "this mock gives one answer to a request")
	c.want(r.ResponseFormat == nil || r.ResponseFormat.Type == "text", "response_format", "unsupported_value", "this mock answers in plain text")
	c.want(r.StreamOptions == nil || r.Stream, "stream_options", "", "it is only allowed with 'stream'")
	c.want(r.Parallel == nil || r.Tools != nil, "parallel_tool_calls", "", "it is only allowed with 'tools'")
	c.model, c.parallel = r.Model, r.Parallel == nil || *r.Parallel
	each(c, r.Messages, "messages", c.message)
	c.wantAnswered()
	if r.Tools != nil {
		each(c, r.Tools, "tools", c.offer)
	}
	if !isNull(r.ToolChoice) {
		c.choose(r.ToolChoice)
	}
	return r
}

// message reads the next message. Before anything else is said, each call must
// have its answer.
func (c *checker) message(m chatMessage, place string) {
	isAssistant, hasCalls, text := m.Role == "assistant", !isNull(m.ToolCalls), ""
	if !isNull(m.Content) || !isAssistant || !hasCalls && m.Refusal == "" {
		text = c.text(m, place+".content")
	}
	if m.Role != "tool" {
		c.wantAnswered()
	}
	switch m.Role {
	case "system", "developer", "assistant":
	case "user":
		c.task, c.results = text, nil
	case "tool":
		i := slices.Index(c.open, m.ToolCallID)
		c.want(i >= 0, place+".tool_call_id", "", "no call of the assistant message before it waits for this answer")
		c.open = slices.Delete(c.open, max(i, 0), i+1) // none for -1
		c.results = append(c.results, text)
	default:
		c.want(false, place+".role", "invalid_value", "expected system, developer, user, assistant or tool")
	}
	if hasCalls {
		c.openAt = place + ".tool_calls"
		c.want(isAssistant, c.openAt, "", "only an assistant has tool calls")
		each(c, m.ToolCalls, c.openAt, c.call)
	}
}

func (c *checker) wantAnswered() {
	c.want(len(c.open) == 0, c.openAt, "", "it must be followed by one tool message for each call; no answer came for "+strings.Join(c.open, ", "))
}

// text gives the text of a content. The parts of a tool message are all text.
func (c *checker) text(m chatMessage, place string) (text string) {
	if !isNull(m.Content) && json.Unmarshal(m.Content, &text) == nil {
		return text
	}
	var texts []string
	each(c, m.Content, place, func(part struct{ Type, Text string }, place string) {
		if part.Type == "text" {
			texts = append(texts, part.Text)
		}
		c.want(part.Type == "text" || m.Role != "tool", place+".type", "invalid_value", "expected text")
	})
	return strings.Join(texts, "\n")
}

// call reads a past call, which is open from here on.
func (c *checker) call(call toolCall, place string) {
	c.want(call.ID != "" && !slices.Contains(c.open, call.ID), place+".id", "invalid_value", "expected an id of its own")
	c.want(call.Type == "function", place+".type", "invalid_value", "expected function")
	c.want(functionName.MatchString(call.Function.Name), place+".function.name", "invalid_value", badName)
	var arguments map[string]any
	_ = json.Unmarshal([]byte(call.Function.Arguments), &arguments) // what is no object leaves it empty
	c.want(arguments != nil, place+".function.arguments", "invalid_value", "expected the text of a JSON object")
	c.open = append(c.open, call.ID)
}

// isNull tells whether a field is missing or null, which mean the same for most.
func isNull(raw json.RawMessage) bool { return raw == nil || string(raw) == "null" }

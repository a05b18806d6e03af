package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// chatRequest is the body of a chat completion request. What stays raw here is
// taken apart by the checker.
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

// checker reads a request and refuses what the real API refuses, so that a
// client's mistake shows offline. It keeps the first thing that is wrong and
// goes on, which lets the checks stand one below the other.
type checker struct {
	refused *refusal
	open    []string // ids of calls that wait for their answers
	openAt  string   // the tool_calls they are from
}

// want refuses the request if something does not hold; param names the place.
func (c *checker) want(holds bool, param, code, format string, args ...any) {
	if !holds && c.refused == nil {
		c.refused = newRefusal(param, code, format, args...)
	}
}

// The most common reasons are a missing field, an unknown value, an empty array.
func (c *checker) wantField(there bool, place string) {
	c.want(there, place, "missing_required_parameter", "Missing required parameter: '%s'.", place)
}

// wantOneOf refuses a value that is none of the allowed ones.
func (c *checker) wantOneOf(value, place string, allowed ...string) {
	c.want(slices.Contains(allowed, value), place, "invalid_value", "Invalid value: '%s'. Supported values are: '%s'.", value, strings.Join(allowed, "', '"))
}

// wantElements refuses a list of n elements where n is 0.
func (c *checker) wantElements(n int, place string) {
	c.want(n > 0, place, "empty_array", "Invalid '%s': empty array. Expected an array with minimum length 1, but got an empty array instead.", place)
}

// check reads a request's body. Fields that it does not know are ignored.
func check(body []byte) (r chatRequest, conv conversation, refused *refusal) {
	var c checker
	c.want(utf8.Valid(body), "", "", "The request body is not valid UTF-8.")
	c.decode(body, &r, "")
	c.wantField(r.Model != "", "model")
	c.want(slices.Contains(models, r.Model), "model", "model_not_found", "The model `%s` does not exist; this mock has %s.", r.Model, strings.Join(models, " and "))
	conv = conversation{model: r.Model, messages: c.messages(r.Messages), tools: c.tools(r.Tools), parallel: true}
	conv.choice = c.choice(r.ToolChoice, conv.tools)
	if r.ParallelToolCalls != nil {
		c.want(len(conv.tools) > 0, "parallel_tool_calls", "", "'parallel_tool_calls' is only allowed when 'tools' are specified.")
		conv.parallel = *r.ParallelToolCalls
	}
	c.want(r.StreamOptions == nil || r.Stream, "stream_options", "", "'stream_options' is only allowed when 'stream' is true.")
	return r, conv, c.refused
}

// choice reads tool_choice; left out it is auto.
func (c *checker) choice(raw json.RawMessage, tools []tool) toolChoice {
	if isNull(raw) {
		return toolChoice{mode: "auto"}
	}
	c.want(len(tools) > 0, "tool_choice", "", "'tool_choice' is only allowed when 'tools' are specified.")
	var mode string
	if json.Unmarshal(raw, &mode) == nil {
		c.wantOneOf(mode, "tool_choice", "none", "auto", "required")
		return toolChoice{mode: mode}
	}
	var forced struct {
		Type     string `json:"type"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	c.decode(raw, &forced, "tool_choice")
	c.wantOneOf(forced.Type, "tool_choice.type", "function")
	choice := toolChoice{mode: "function", name: forced.Function.Name}
	offered := slices.ContainsFunc(tools, func(t tool) bool { return t.name == choice.name })
	c.want(offered, "tool_choice.function.name", "invalid_value", "Tool choice '%s' not found in 'tools'.", choice.name)
	return choice
}

// decode fills v from the JSON at a place; a wrong type is refused by its own
// place within.
func (c *checker) decode(raw []byte, v any, place string) {
	err := json.Unmarshal(raw, v)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		place = strings.Trim(place+"."+wrong.Field, ".")
		c.want(false, place, "invalid_type", "Invalid type for '%s': got %s.", place, wrong.Value)
	}
	c.want(err == nil, place, "", "We could not parse the JSON body of your request: %v.", err)
}

// isNull tells whether a field is missing or null, which mean the same for most.
func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// isObject tells whether raw is the text of exactly one JSON object.
func isObject(raw []byte) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(raw, &object) == nil && object != nil
}

// refusal is an error as the API reports it. An empty param or code is null.
type refusal struct {
	status  int     // of HTTP
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"` // the place, such as tools[0].function.name
	Code    *string `json:"code"`  // for programs
}

// statusOf gives the HTTP status that goes with a code; it is 400 for others.
var statusOf = map[string]int{"invalid_api_key": 401, "model_not_found": 404, "unknown_url": 404, "request_too_large": 413}

// newRefusal makes one of the type that blames the client.
func newRefusal(param, code, format string, args ...any) *refusal {
	r := &refusal{status: cmp.Or(statusOf[code], 400), Message: fmt.Sprintf(format, args...), Type: "invalid_request_error"}
	if param != "" {
		r.Param = &param
	}
	if code != "" {
		r.Code = &code
	}
	return r
}

// refuse sends the error envelope.
func refuse(w http.ResponseWriter, r *refusal) {
	writeJSON(w, r.status, map[string]*refusal{"error": r})
}

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"unicode/utf8"
)

// invalidRequest is the type of every error that the client is to blame for.
const invalidRequest = "invalid_request_error"

// refusal is an error as the API reports it.
type refusal struct {
	Status  int // of HTTP
	Message string
	Type    string
	Param   string // the place in the request, such as tools[0].function.name
	Code    string // for programs
}

// refuse sends the error envelope; an empty param or code is null in it.
func refuse(w http.ResponseWriter, r *refusal) {
	type body struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	}
	b := body{Message: r.Message, Type: r.Type}
	if r.Param != "" {
		b.Param = &r.Param
	}
	if r.Code != "" {
		b.Code = &r.Code
	}
	writeJSON(w, r.Status, map[string]body{"error": b})
}

// invalid is a refusal of something in the request's body; param names where.
func invalid(param, code, format string, args ...any) *refusal {
	return &refusal{Status: http.StatusBadRequest, Type: invalidRequest, Param: param, Code: code, Message: fmt.Sprintf(format, args...)}
}

// notFound is a refusal of an address or a model.
func notFound(code, param, format string, args ...any) *refusal {
	return &refusal{Status: http.StatusNotFound, Type: invalidRequest, Param: param, Code: code, Message: fmt.Sprintf(format, args...)}
}

// check reads a request's body and refuses what the real API refuses, so that a
// client's mistake shows offline. Fields that it does not know are ignored.
func check(body []byte) (chatRequest, conversation, *refusal) {
	var r chatRequest
	c := conversation{parallel: true}
	if !utf8.Valid(body) {
		return r, c, invalid("", "", "The request body is not valid UTF-8.")
	}
	if err := decode(body, &r, ""); err != nil {
		return r, c, err
	}
	if r.Model == "" {
		return r, c, invalid("model", "missing_required_parameter", "Missing required parameter: 'model'.")
	}
	if err := checkModel(r.Model); err != nil {
		return r, c, err
	}
	c.model = r.Model
	var err *refusal
	if c.messages, err = checkMessages(r.Messages); err != nil {
		return r, c, err
	}
	if c.tools, err = checkTools(r.Tools); err != nil {
		return r, c, err
	}
	if c.choice, err = checkChoice(r.ToolChoice, c.tools); err != nil {
		return r, c, err
	}
	if r.ParallelToolCalls != nil {
		if len(c.tools) == 0 {
			return r, c, invalid("parallel_tool_calls", "", "'parallel_tool_calls' is only allowed when 'tools' are specified.")
		}
		c.parallel = *r.ParallelToolCalls
	}
	if r.StreamOptions != nil && !r.Stream {
		return r, c, invalid("stream_options", "", "'stream_options' is only allowed when 'stream' is true.")
	}
	return r, c, nil
}

// checkChoice reads tool_choice; left out it is auto.
func checkChoice(raw json.RawMessage, tools []tool) (toolChoice, *refusal) {
	if isNull(raw) {
		return toolChoice{mode: "auto"}, nil
	}
	if len(tools) == 0 {
		return toolChoice{}, invalid("tool_choice", "", "'tool_choice' is only allowed when 'tools' are specified.")
	}
	var mode string
	if json.Unmarshal(raw, &mode) == nil {
		switch mode {
		case "none", "auto", "required":
			return toolChoice{mode: mode}, nil
		}
		return toolChoice{}, invalid("tool_choice", "invalid_value", "Invalid value: '%s'. Supported values are: 'none', 'auto' and 'required'.", mode)
	}
	var forced struct {
		Type     string `json:"type"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if err := decode(raw, &forced, "tool_choice"); err != nil {
		return toolChoice{}, err
	}
	if forced.Type != "function" {
		return toolChoice{}, invalid("tool_choice.type", "invalid_value", "Invalid value: '%s'. Supported values are: 'function'.", forced.Type)
	}
	for _, t := range tools {
		if t.name == forced.Function.Name {
			return toolChoice{mode: "function", name: t.name}, nil
		}
	}
	return toolChoice{}, invalid("tool_choice.function.name", "invalid_value", "Tool choice '%s' not found in 'tools'.", forced.Function.Name)
}

// decode fills v from the JSON at a place; a wrong type is refused by its own
// place within.
func decode(raw []byte, v any, place string) *refusal {
	err := json.Unmarshal(raw, v)
	if err == nil {
		return nil
	}
	wrong := (*json.UnmarshalTypeError)(nil)
	if !errors.As(err, &wrong) {
		return invalid(place, "", "We could not parse the JSON body of your request: %v.", err)
	}
	if wrong.Field != "" && place != "" {
		place += "."
	}
	place += wrong.Field
	return invalid(place, "invalid_type", "Invalid type for '%s': got %s.", place, wrong.Value)
}

// isNull tells whether a field is missing or null, which mean the same for most.
func isNull(raw json.RawMessage) bool {
	return len(raw) == 0 || string(raw) == "null"
}

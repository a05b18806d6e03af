package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Error codes: four of JSON-RPC 2.0, and two that MCP adds to them
// (specification 2026-07-28, Basic, "Error Codes").
const (
	parseError         = -32700
	invalidRequest     = -32600
	methodNotFound     = -32601
	invalidParams      = -32602
	headerMismatch     = -32020
	unsupportedVersion = -32022
)

// null is the id of an answer to something whose id could not be read.
const null = "null"

// message is anything a client sends. With a method and an id it is a request,
// with a method alone a notification, with neither a response. Params stay raw
// until the method says what they should look like, and the id stays raw for
// good: it goes back byte for byte, so that 7, "7" and 7.0 remain what they are.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// response answers a request: Result on success, otherwise Error.
type response struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// notification is what we say without being asked. It has no id, since nobody
// may answer it.
type notification struct {
	JSONRPC string `json:"jsonrpc"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

// rpcError says why there is no result. It is for mistakes in the protocol; a
// tool that fails gives a result marked isError, which the model may read.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// parse reads one message from data, a line or the body of a POST. On failure
// it gives the code that JSON-RPC 2.0, section 5.1, demands, and a message
// whose ID is what the answer should carry. Batches, which only 2025-03-26 had,
// are refused like anything else that is not an object.
func parse(data []byte) (message, *rpcError) {
	var m message
	err := json.Unmarshal(data, &m)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return message{ID: json.RawMessage(null)}, &rpcError{Code: parseError, Message: "not JSON: " + err.Error()}
	}
	var why string
	switch {
	case err != nil:
		why = wrongType("message", err)
	case m.JSONRPC != "2.0":
		why = `"jsonrpc" must be "2.0"`
	case m.ID != nil && !validID(m.ID):
		why = `"id" must be a string or a number`
	case m.Method == "" && m.Result == nil && m.Error == nil:
		why = `"method" is missing`
	default:
		return m, nil
	}
	if !validID(m.ID) {
		m.ID = json.RawMessage(null)
	}
	return m, &rpcError{Code: invalidRequest, Message: why}
}

// validID tells whether a raw id is a string or a number; null is neither.
func validID(id json.RawMessage) bool {
	if len(id) == 0 {
		return false
	}
	return id[0] == '"' || id[0] == '-' || '0' <= id[0] && id[0] <= '9'
}

// decode fills into with the members of params that it has fields for; absent
// and null params leave it as it is. Params of another shape are the caller's
// mistake and give invalidParams.
func decode(params json.RawMessage, into any) *rpcError {
	if params == nil {
		return nil
	}
	if err := json.Unmarshal(params, into); err != nil {
		return &rpcError{Code: invalidParams, Message: wrongType("params", err)}
	}
	return nil
}

// wrongType turns an error of encoding/json about a value called whole into
// words about JSON instead of Go types:
// "params.name cannot be of type number".
func wrongType(whole string, err error) string {
	var mismatch *json.UnmarshalTypeError
	if !errors.As(err, &mismatch) {
		return fmt.Sprintf("%s: %v", whole, err)
	}
	if mismatch.Field != "" {
		whole += "." + mismatch.Field
	}
	return fmt.Sprintf("%s cannot be of type %s", whole, mismatch.Value)
}

// encode writes v to w as one line of JSON, in a single Write. Characters such
// as < stay readable, and no newline can occur inside: JSON escapes it.
func encode(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// rpcRequest is a JSON-RPC 2.0 request of ours. Without an ID it is a notification.
type rpcRequest struct {
	JSONRPC string `json:"jsonrpc"`
	ID      int64  `json:"id,omitempty"` // we count from 1
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"` // left out, and never null: there are servers that do not answer to null
}

// rpcMessage is a JSON-RPC 2.0 message of the server, or our answer to one. Which kind it is, is seen from Method first:
// both sides number their requests as they like, so that an ID alone says nothing.
type rpcMessage struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// rpcError is a server's answer that a request failed. Code 0 occurs, and is an error like any other.
type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// The JSON-RPC error codes that are of importance to us.
const (
	methodNotFound = -32601
	invalidParams  = -32602
)

func (e *rpcError) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

// encodeLine returns m as JSON on one line with its line feed, as it goes over the wire. It fails where m holds a raw
// value that is no JSON.
func encodeLine(m any) ([]byte, error) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false) // < and & stay readable with -wire
	err := encoder.Encode(m)
	return line.Bytes(), err
}

// maxID is the longest ID that is taken, in bytes: IDs are kept, sent back and shown.
const maxID = 1 << 10

// parseMessage reads a message without decoding its result or params: those are decoded once, by whoever needs them. ok
// is false for everything that is no JSON-RPC message: log lines, other JSON, a result for nobody.
func parseMessage(line []byte) (m rpcMessage, ok bool) {
	var failure json.RawMessage
	whole := members(line, func(key string, value json.RawMessage) {
		switch key {
		case "jsonrpc":
			m.JSONRPC = stringValue(value)
		case "id":
			m.ID = value
		case "method":
			m.Method = stringValue(value)
		case "params":
			m.Params = value
		case "result":
			m.Result = value
		case "error":
			failure = value
		}
	})
	if failure != nil && string(failure) != "null" {
		m.Error = new(rpcError)
		if err := json.Unmarshal(failure, m.Error); err != nil {
			m.Error.Message = preview(string(failure[:min(len(failure), 500)]), 200)
		}
	}
	return m, whole && m.JSONRPC == "2.0" && (m.Method != "" || m.ID != nil) && len(m.ID) <= maxID
}

// isRequest reports whether the message asks for an answer. "The ID MUST NOT be null": such a request gets none.
func (m rpcMessage) isRequest() bool { return m.Method != "" && m.ID != nil && string(m.ID) != "null" }

// answer is what a request of the server gets: we declare no capabilities, so ping is all that it may ask for ("The
// receiver MUST respond promptly with an empty response"). The ID goes back byte for byte.
func (m rpcMessage) answer() rpcMessage {
	reply := rpcMessage{JSONRPC: "2.0", ID: m.ID}
	if m.Method == "ping" {
		reply.Result = json.RawMessage("{}")
	} else {
		reply.Error = &rpcError{Code: methodNotFound, Message: "this client does not support " + preview(m.Method, 80)}
	}
	return reply
}

// number reads an ID or a progress token as the number that we gave. There are servers and gateways that turn 3 into
// "3" or 3.0; exact says that this one did not.
func number(raw json.RawMessage) (n int64, exact, ok bool) {
	text := string(raw)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true, true
	}
	f, err := strconv.ParseFloat(strings.Trim(text, `"`), 64)
	return int64(f), false, err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53
}

// stringValue returns the string that a JSON value is, or "".
func stringValue(raw json.RawMessage) string {
	if inner := bytes.Trim(raw, `"`); len(inner) == len(raw)-2 && bytes.IndexByte(inner, '\\') < 0 {
		return string(inner) // nothing to decode
	}
	var text string
	_ = json.Unmarshal(raw, &text) // what is no string is "", as the comment says
	return text
}

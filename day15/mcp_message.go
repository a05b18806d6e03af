package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// maxMessage is the longest message that is read, in bytes: a server that never ends one must not eat the memory.
const maxMessage = 64 << 20

// message is a JSON-RPC 2.0 message of either side. A request has a method and an id, a notification a method, a response
// an id. The method has to be looked at first: both sides number their requests as they like.
type message struct {
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

// Error is the text for a model and for a person alike. Some servers write the code into the message.
func (e *rpcError) Error() string {
	text := e.Message
	if code := strconv.Itoa(e.Code); !strings.Contains(text, code) {
		text += " (code " + code + ")"
	}
	if !isNull(e.Data) {
		text += " " + compact(e.Data)
	}
	return text
}

// code is that of an *rpcError that err is, 0 where it is none.
func code(err error) int {
	refused := &rpcError{}
	errors.As(err, &refused)
	return refused.Code
}

// The JSON-RPC error codes that matter here.
const methodNotFound, invalidParams = -32601, -32602

// newRequest is a request of ours; id 0 makes it a notification.
func newRequest(id int64, r request) message {
	m := message{JSONRPC: "2.0", Method: r.method, Params: r.params}
	if id != 0 {
		m.ID = strconv.AppendInt(nil, id, 10)
	}
	return m
}

// parseMessage reads a message; its params and result stay parts of text. ok is false for everything that is none.
func parseMessage(text []byte) (m message, ok bool) {
	o := parseObject(text)
	m = message{o.text("jsonrpc"), o.raw("id"), o.text("method"), o.raw("params"), o.raw("result"), nil}
	if failure := o.raw("error"); !isNull(failure) {
		e := parseObject(failure)
		m.Error = &rpcError{get[int](e, "code"), cmp.Or(e.text("message"), string(failure)), e.raw("data")}
	}
	return m, m.JSONRPC == "2.0" && (m.Method != "" || m.ID != nil || m.Error != nil)
}

// answer is what a request of the server gets: we declare no capabilities, so ping is all that it may ask for ("The
// receiver MUST respond promptly with an empty response"). The id goes back byte for byte.
func (m message) answer() message {
	if m.Method == "ping" {
		return message{JSONRPC: "2.0", ID: m.ID, Result: json.RawMessage("{}")}
	}
	return message{JSONRPC: "2.0", ID: m.ID, Error: &rpcError{Code: methodNotFound, Message: "this client has no such method"}}
}

// outcome is a response as transport.call returns it; method is that of the request.
func (m message) outcome(method string) (json.RawMessage, error) {
	switch {
	case m.Error != nil:
		return nil, m.Error
	case isNull(m.Result):
		return nil, broken("its answer to %s has no result", method)
	}
	return m.Result, nil
}

// number reads an id or a progress token as the number that we gave. Some servers and gateways turn 3 into "3" or 3.0.
func number(raw json.RawMessage) int64 {
	f, _ := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	return int64(f)
}

// encode returns v as JSON on one line, with < > and & as they are. It fails where v holds a raw value that is no JSON.
func encode(v any) ([]byte, error) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(line.Bytes(), []byte("\n")), err
}

// isNull reports whether a member is missing or null: servers mean the same by both.
func isNull(raw json.RawMessage) bool { return raw == nil || string(raw) == "null" }

// object is a JSON object as raw as it came, its keys and values in turn: encoding/json would read and copy a tool's megabytes
// once for each level. Its keys are exact, where a struct takes "Enabled" for "enabled".
type object []json.RawMessage

// raw returns the value of a key, nil if it is missing. Of a key that stands twice the last value counts.
func (o object) raw(key string) (value json.RawMessage) {
	for i := 0; i < len(o); i += 2 {
		if string(o[i]) == `"`+key+`"` {
			value = o[i+1]
		}
	}
	return value
}

// get returns the value of a key, zero where it is missing, null, or of another type. T must not be a struct: keys are exact.
func get[T any](o object, key string) (v T) {
	if json.Unmarshal(o.raw(key), &v) != nil {
		return *new(T) // and not what was read up to the mistake
	}
	return v
}

// text is get for a string, which may be long.
func (o object) text(key string) string { return unquoted(o.raw(key)) }

// unquoted is the string that a JSON value is, "" where it is none. What is not UTF-8 in it becomes U+FFFD.
func unquoted(raw []byte) (text string) {
	if inner := bytes.Trim(raw, `"`); len(inner) == len(raw)-2 && bytes.IndexByte(inner, '\\') < 0 {
		return strings.ToValidUTF8(string(inner), "\uFFFD") // nothing to decode
	}
	_ = json.Unmarshal(raw, &text)
	return text
}

// parseObject returns nil if text is no object. The values are parts of text, checked where they are decoded.
func parseObject(text []byte) object {
	o := cutValues(text, "{}")
	if len(o)%2 != 0 {
		return nil
	}
	return o
}

// parseArray is parseObject for an array.
func parseArray(text []byte) []json.RawMessage { return cutValues(text, "[]") }

// cutValues cuts an object or an array, by its brackets, into its keys and values. It returns nil where that fails. Inner
// brackets are only counted: however deep a server nests, no stack grows.
func cutValues(text []byte, brackets string) []json.RawMessage {
	text = bytes.TrimSpace(text)
	if len(text) < 2 || text[0] != brackets[0] || text[len(text)-1] != brackets[1] {
		return nil
	}
	parts, begin, depth := []json.RawMessage{}, 1, 0
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"': // from quote to quote, since most of a large result is one long string
			for escaped := true; escaped; {
				n := bytes.IndexByte(text[i+1:], '"')
				if n < 0 {
					return nil
				}
				i += n + 1
				escaped = (i-len(bytes.TrimRight(text[:i], `\`)))%2 == 1
			}
			continue
		case '{', '[':
			depth++
			continue
		case '}', ']':
			if depth--; depth >= 0 {
				continue
			}
		case ',', ':', ' ', '\t', '\r', '\n':
			if depth > 0 {
				continue
			}
		default:
			continue
		}
		if begin < i { // else between two values
			parts = append(parts, text[begin:i])
		}
		begin = i + 1
	}
	if depth != -1 {
		return nil
	}
	return parts
}

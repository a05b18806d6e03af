// Demoserver is an MCP server to read, and to try clients on. MCP, the Model Context Protocol, gives language models
// tools that they have never met, in lines of JSON. Type the lines after →, and the server prints those after ←:
//
//	→ {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"me","version":"1"}}}
//	← {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"demo","version":"1.0.0"}}}
//	→ {"jsonrpc":"2.0","method":"notifications/initialized"}
//	→ {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"word_count","arguments":{"text":"Model Context Protocol"}}}
//	← {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Characters 22, words 3"}]}}
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
)

// This file and tools.go are a whole server; extend adds what the other files can do.
func main() {
	seed := flag.Uint64("seed", rand.Uint64(), "a `number` that fixes the dice")
	extend := moreFlags()
	flag.Parse()
	serve, handle := extend(serveLines, server{basicTools(*seed)})
	if err := serve(handle, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "demoserver:", err)
		os.Exit(1)
	}
}

// serveLines is the stdio transport (2025-11-25, Transports): each message is a line. It returns at the end of the
// input, and fails if the input cannot be read or the output cannot be written.
func serveLines(handle func(m message) error, stdin io.Reader, stdout io.Writer) error {
	out := json.NewEncoder(stdout)
	out.SetEscapeHTML(false) // ids go back byte for byte
	lines := bufio.NewScanner(stdin)
	lines.Buffer(nil, 64<<20) // bytes; by itself, a Scanner gives up at 64 KiB
	for lines.Scan() {
		if len(lines.Bytes()) == 0 {
			continue
		}
		m := message{send: out.Encode}
		m.err = json.Unmarshal(lines.Bytes(), &m)
		if err := handle(m); err != nil {
			return err
		}
	}
	return lines.Err()
}

// message is a JSON-RPC 2.0 message: a request has a method and an id, a notification only a method, and a
// response an id, with either a result or an error.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"` // raw, since "7" is not 7
	Method  string          `json:"method,omitempty"`
	Params  params          `json:"params,omitzero"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`

	err       error             // why it could not be read
	send      func(v any) error // reaches the client that it came from
	cancelled <-chan struct{}   // closed when that client wants no answer any more
}

// rpcError says why a request got no result. The codes are those of JSON-RPC 2.0, section 5.1.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

const parseError, invalidRequest, methodNotFound, invalidParams = -32700, -32600, -32601, -32602

// params are the parameters of all methods, and result below is the result of all methods.
type params struct {
	ProtocolVersion string                     `json:"protocolVersion"` // initialize
	Cursor          string                     `json:"cursor"`          // tools/list
	Name            string                     `json:"name"`            // tools/call
	Arguments       map[string]any             `json:"arguments"`       // tools/call
	RequestID       json.RawMessage            `json:"requestId"`       // notifications/cancelled
	Meta            map[string]json.RawMessage `json:"_meta"`
}

type result struct {
	ProtocolVersion string          `json:"protocolVersion,omitempty"` // initialize
	Capabilities    json.RawMessage `json:"capabilities,omitempty"`    // initialize
	ServerInfo      json.RawMessage `json:"serverInfo,omitempty"`      // initialize
	Tools           []tool          `json:"tools,omitzero"`            // tools/list
	Content         []content       `json:"content,omitzero"`          // tools/call
	IsError         bool            `json:"isError,omitempty"`         // tools/call
}

// reply sends the response to a request: its result, or the error that it got.
func (m message) reply(result any, err *rpcError) error {
	return m.send(message{JSONRPC: "2.0", ID: m.ID, Result: result, Error: err})
}

// handle replies to requests. Notifications and responses get no reply.
func (s server) handle(m message) error {
	if m.err != nil && m.Method == "" {
		return m.reply(nil, &rpcError{Code: parseError, Message: "not JSON: " + m.err.Error()})
	} else if m.Method == "" || m.ID == nil {
		return nil
	}
	return m.reply(s.answer(m))
}

// versions are the revisions of MCP in which a client begins with initialize, newest first.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
var serverInfo = json.RawMessage(`{"name":"demo","version":"1.0.0"}`)

// answer gives the result of a request, or the reason why there is none.
func (s server) answer(req message) (any, *rpcError) {
	switch req.Method {
	case "initialize":
		known := slices.Index(versions, req.Params.ProtocolVersion)
		version := versions[max(known, 0)] // our newest, if we do not know the client's
		return result{ProtocolVersion: version, Capabilities: []byte(`{"tools":{"listChanged":true}}`), ServerInfo: serverInfo}, nil
	case "ping":
		return result{}, nil
	case "tools/list":
		return result{Tools: s.tools}, nil
	case "tools/call":
		return s.callTool(req)
	}
	return nil, &rpcError{Code: methodNotFound, Message: "unknown method " + req.Method}
}

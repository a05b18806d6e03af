package main

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// The specification has two eras. Up to 2025-11-25 a client begins with initialize, and both sides remember what was
// agreed (legacy). Since 2026-07-28 nothing is remembered: each request says in _meta which version it speaks and what
// its client can do (modern).
const modernVersion = "2026-07-28"

// Error codes of the modern era (2026-07-28, Basic, "Error Codes").
const headerMismatch, unsupportedVersion = -32020, -32022

// eras are the versions that the server speaks, newest first, of one era or both.
type eras []string

// modernResult is a result with what the modern era adds (2026-07-28, Basic, "ResultType" and "_meta").
type modernResult struct {
	ResultType string                     `json:"resultType"`
	Meta       map[string]json.RawMessage `json:"_meta"`
	TTLMs      *int                       `json:"ttlMs,omitempty"` // of lists (2026-07-28, Caching)
	CacheScope string                     `json:"cacheScope,omitempty"`
	Versions   eras                       `json:"supportedVersions,omitempty"` // server/discover
	result
}

// wrap replies to modern requests with what next, a handler of legacy ones, gives for them, and to those that make no
// sense with an error. Everything else goes to next.
func (e eras) wrap(next handler) handler {
	return func(m message) error {
		modern, fault := e.isModern(m, nil)
		if fault != nil {
			return m.reply(nil, fault)
		} else if !modern {
			return next(m)
		}
		more := modernResult{ResultType: "complete", Meta: map[string]json.RawMessage{"io.modelcontextprotocol/serverInfo": serverInfo}}
		if m.Method != "tools/call" {
			more.TTLMs, more.CacheScope = new(int), "public" // stale at once: a tool may be added at any moment
		}
		send := m.send
		m.send = func(v any) error {
			switch out := v.(type) {
			case notification:
				if out.Method == "notifications/tools/list_changed" {
					return nil // a modern client would have to subscribe to it, which we do not offer
				}
			case message:
				if out.Error == nil {
					more.result = out.Result.(result)
					out.Result = more
				}
				v = out
			}
			return send(v)
		}
		switch m.Method {
		case "tools/list", "tools/call":
			return next(m)
		case "server/discover":
			more.Versions = e
			return m.reply(result{Capabilities: []byte(`{"tools":{}}`)}, nil)
		}
		return m.reply(nil, &rpcError{Code: methodNotFound, Message: "unknown method " + m.Method})
	}
}

// fault gives the error for JSON that is no message of JSON-RPC 2.0 or of MCP, nil for anything else.
func (m message) fault() *rpcError {
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(m.err, &mismatch) && strings.HasPrefix(mismatch.Field, "params"):
		return &rpcError{Code: invalidParams, Message: mismatch.Field + " cannot be of type " + mismatch.Value}
	case m.Method == "tools/list" && m.Params.Cursor != "": // all tools are on one page
		return &rpcError{Code: invalidParams, Message: "unknown cursor"}
	case m.err != nil && mismatch == nil: // no JSON
		return nil
	case mismatch != nil, m.JSONRPC != "2.0", len(m.ID) > 0 && !bytes.ContainsAny(m.ID[:1], `"-0123456789`),
		m.Method == "" && m.Result == nil && m.Error == nil:
		return &rpcError{Code: invalidRequest, Message: `a request needs "jsonrpc":"2.0", a "method", and a string or number as "id"`}
	}
	return nil
}

// meta gives a member of a message's _meta, raw.
func (m message) meta(name string) json.RawMessage {
	return m.Params.Meta["io.modelcontextprotocol/"+name]
}

// isModern tells the era of a request by the version in its _meta (2026-07-28, Versioning, "Backward Compatibility"):
// who names none is a legacy client. Over HTTP, headers repeat parts of the body for proxies that do not read it, and must
// not say something else (2026-07-28, Streamable HTTP, "Request Metadata"); the older revisions have one such header, the
// agreed version. On stdio header is nil. A modern request without a required member of _meta fails with invalidParams.
func (e eras) isModern(m message, header http.Header) (bool, *rpcError) {
	inHeader, version := header.Get("MCP-Protocol-Version"), strings.Trim(string(m.meta("protocolVersion")), `"`)
	legacy, modern := slices.Contains(e, versions[0]), slices.Contains(e, modernVersion)
	if !modern {
		version = ""
	}
	named, fault := cmp.Or(version, inHeader), m.fault()
	switch {
	case m.Method != "" && m.ID == nil: // a notification has no _meta, and nobody would hear that it has a fault
		return inHeader == modernVersion, nil
	case m.err != nil || fault != nil:
		return false, fault
	case header != nil && version != "" && version != inHeader:
		return false, mismatch("MCP-Protocol-Version", inHeader, version)
	case named == "" && m.Method == "initialize" && !legacy:
		return false, e.unsupported(m.Params.ProtocolVersion)
	case named != "" && !slices.Contains(e, named):
		return false, e.unsupported(named)
	case version == "" && (inHeader == modernVersion || !legacy):
		return false, missing("protocolVersion")
	case named != modernVersion:
		return false, nil
	case !bytes.HasPrefix(m.meta("clientCapabilities"), []byte("{")):
		return false, missing("clientCapabilities")
	case header == nil:
		return true, nil
	}
	method, name, want := header.Get("Mcp-Method"), header.Get("Mcp-Name"), m.Params.Name
	if method != m.Method {
		return false, mismatch("Mcp-Method", method, m.Method)
	}
	// A name that is not plain ASCII comes encoded (2026-07-28, Streamable HTTP, "Value Encoding").
	encoded := "=?base64?" + base64.StdEncoding.EncodeToString([]byte(want)) + "?="
	if m.Method == "tools/call" && name != want && name != encoded {
		return false, mismatch("Mcp-Name", name, want)
	}
	return true, nil
}

// missing is the error for a modern request without a required member of _meta.
func missing(name string) *rpcError {
	return &rpcError{Code: invalidParams, Message: "_meta lacks io.modelcontextprotocol/" + name}
}

// mismatch is the error for a header that differs from the body.
func mismatch(header, got, want string) *rpcError {
	return &rpcError{Code: headerMismatch, Message: fmt.Sprintf("header %s is %q, the body says %q", header, got, want)}
}

// unsupported is the error for a version that we do not speak. Its data is what the client needs to try another one.
func (e eras) unsupported(version string) *rpcError {
	data := struct {
		Supported eras   `json:"supported"`
		Requested string `json:"requested"`
	}{e, version}
	return &rpcError{Code: unsupportedVersion, Message: "Unsupported protocol version", Data: data}
}

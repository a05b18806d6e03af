package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// In the newest version of the protocol there is no handshake: each request says for itself what is agreed upon once in
// the older ones.
const (
	statelessVersion = "2026-07-28"
	handshakeVersion = "2025-11-25" // what we ask for in a handshake; the server may answer with an older one
)

// knownVersions are the protocol versions that we speak, the newest first.
func knownVersions() []string {
	return []string{statelessVersion, handshakeVersion, "2025-06-18", "2025-03-26", "2024-11-05"}
}

// commonVersion returns the newest of a server's versions that we speak too, or "".
func commonVersion(supported []string) string {
	for _, version := range knownVersions() {
		if slices.Contains(supported, version) {
			return version
		}
	}
	return ""
}

// era is a protocol version in use. It decides what differs once a version is agreed upon: what goes with each request,
// and how a result is read.
type era struct{ version string }

// stateless reports whether there is no handshake in this version.
func (e era) stateless() bool { return e.version == statelessVersion }

// implementation names a program and its version.
type implementation struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// self is what we tell servers of us.
func self() *implementation { return &implementation{Name: "geekagent", Version: "0.1.0"} }

// meta is the _meta member of a request's params.
type meta struct {
	ProgressToken int64           `json:"progressToken,omitempty"`
	Version       string          `json:"io.modelcontextprotocol/protocolVersion,omitempty"`
	ClientInfo    *implementation `json:"io.modelcontextprotocol/clientInfo,omitempty"`
	Capabilities  *struct{}       `json:"io.modelcontextprotocol/clientCapabilities,omitempty"` // we have none: {}
}

// meta returns what goes with a request; token 0 stands for no progress. nil means that nothing has to.
func (e era) meta(token int64) *meta {
	switch {
	case e.stateless():
		return &meta{ProgressToken: token, Version: e.version, ClientInfo: self(), Capabilities: &struct{}{}}
	case token != 0:
		return &meta{ProgressToken: token}
	}
	return nil
}

// The error codes of the stateless era.
const (
	headerMismatch     = -32020 // HTTP headers lack or contradict what the request says
	missingCapability  = -32021
	unsupportedVersion = -32022
)

// errorData is the data of an error with one of these codes, and of some others.
type errorData struct {
	Supported            []string                   `json:"supported"`
	RequiredCapabilities map[string]json.RawMessage `json:"requiredCapabilities"`
}

// refusal returns the server's error that err is, if it is one, and what its data says.
func refusal(err error) (*rpcError, errorData) {
	var refused *rpcError
	var data errorData
	if errors.As(err, &refused) {
		_ = json.Unmarshal(refused.Data, &data) // data of another shape says nothing to us
	}
	return refused, data
}

// result checks a result. "A resultType of any value unrecognized by the client MUST be considered invalid", and an
// absent one means complete. Servers with a handshake know no result types; what they send under this name is their own.
func (e era) result(raw json.RawMessage) (json.RawMessage, error) {
	if !e.stateless() {
		return raw, nil
	}
	var kind, input json.RawMessage
	members(raw, func(key string, value json.RawMessage) {
		switch key {
		case "resultType":
			kind = value
		case "inputRequests":
			input = value
		}
	})
	switch stringValue(kind) {
	case "complete":
		return raw, nil
	case "input_required":
		return nil, fmt.Errorf("the server asks for input that this client cannot give%s", inputNames(input))
	}
	if kind == nil {
		return raw, nil
	}
	return nil, fmt.Errorf("the server sent a result of a type that this client does not know: %s", preview(string(kind), 60))
}

// inputNames lists what a server asks for: ": elicitation/create (github_login)".
func inputNames(requests json.RawMessage) string {
	var asked []string
	members(requests, func(name string, value json.RawMessage) {
		m := rpcMessage{}
		_ = json.Unmarshal(value, &m) // a request of another shape has no method to name
		asked = append(asked, fmt.Sprintf("%s (%s)", m.Method, name))
	})
	if len(asked) == 0 {
		return ""
	}
	return ": " + strings.Join(asked, ", ")
}

// failure adds to an error what only its data says.
func (e era) failure(err error) error {
	refused, data := refusal(err)
	if refused != nil && refused.Code == missingCapability && len(data.RequiredCapabilities) > 0 {
		var names []string
		for name := range data.RequiredCapabilities {
			names = append(names, name)
		}
		slices.Sort(names)
		return fmt.Errorf("%w (the server needs what this client cannot do: %s)", err, strings.Join(names, ", "))
	}
	return err
}

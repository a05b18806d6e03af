package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The newest version has no handshake: each request says for itself what is agreed upon once in the older ones.
const (
	statelessVersion = "2026-07-28"
	handshakeVersion = "2025-11-25" // what we ask for in a handshake; the server may answer with an older one
)

// knownVersions are the protocol versions that we speak, the newest first.
const knownVersions = "2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05"

// commonVersion returns the newest of a server's versions that we speak too, or "".
func commonVersion(supported ...string) string {
	for version := range strings.SplitSeq(knownVersions, ", ") {
		if slices.Contains(supported, version) {
			return version
		}
	}
	return ""
}

// The error codes of the stateless era.
const (
	headerMismatch     = -32020 // HTTP headers lack or contradict what the request says
	unsupportedVersion = -32022
)

// era is a protocol version in use, the zero era none. It decides what goes with each request.
type era struct{ protocol string }

// stateless reports whether there is no handshake in this version.
func (e era) stateless() bool { return e.protocol == statelessVersion }

// self is how we call ourselves.
func self() json.RawMessage { return json.RawMessage(`{"name":"geekagent","version":"0.1.0"}`) }

// meta is the _meta member of a request's params.
type meta struct {
	ProgressToken int64           `json:"progressToken,omitempty"`
	Version       string          `json:"io.modelcontextprotocol/protocolVersion,omitempty"`
	ClientInfo    json.RawMessage `json:"io.modelcontextprotocol/clientInfo,omitempty"`
	Capabilities  *struct{}       `json:"io.modelcontextprotocol/clientCapabilities,omitempty"` // we have none: {}
}

// meta returns what goes with a request; token 0 stands for no progress.
func (e era) meta(token int64) *meta {
	switch {
	case e.stateless():
		return &meta{token, e.protocol, self(), new(struct{})}
	case token != 0:
		return &meta{ProgressToken: token}
	}
	return nil
}

// outdatedCode reports whether an error of this code to a call may mean that our list of tools is old.
func outdatedCode(code int) bool {
	return code == invalidParams || code == methodNotFound || code == headerMismatch
}

// connect opens a connection and agrees with the server on a version, beginning with the given one; "" is the newest
// with a handshake. The newest specification suggests to probe with server/discover; but every server of today answers
// initialize, and some do not survive anything else. So the handshake comes first, and a server that refuses it is
// spoken to without. On failure nothing is left open.
func connect(ctx context.Context, p peer, l limits, version string, open func(peer) (transport, error)) (c *client, err error) {
	version = cmp.Or(version, handshakeVersion)
	ctx, _, release := within(ctx, l.start, method(version))
	defer release()
	var failed error
	for tries := 0; tries < 3 && version != "" && ctx.Err() == nil; tries++ { // a handshake, a discovery, and what that asks for
		if c == nil || c.ended() != nil {
			if c, err = newClient(p, l, open); err != nil {
				return nil, err
			}
		}
		if version, err = c.hello(ctx, version); err == nil {
			return c, nil
		}
		if failed != nil {
			err = fmt.Errorf("%w; %w", failed, err)
		}
		failed = err
	}
	c.close()
	return nil, failed
}

// method begins a connection in the terms of a version.
func method(version string) string {
	if version == statelessVersion {
		return "server/discover"
	}
	return "initialize"
}

// hello tries one version. Where that fails, next is the version to try then, "" if there is none.
func (c *client) hello(ctx context.Context, version string) (next string, err error) {
	p, e := params{ProtocolVersion: version, Capabilities: new(struct{}), ClientInfo: self()}, era{}
	if version == statelessVersion {
		p, e = params{}, era{version}
	}
	c.era.Store(&e)
	raw, err := c.call(ctx, c.request(method(version), p))
	result := parseObject(raw)
	supported := []string{result.text("protocolVersion")}
	if e.stateless() {
		supported = get[[]string](result, "supportedVersions")
	}
	var refused *rpcError
	if errors.As(err, &refused) {
		supported = get[[]string](parseObject(refused.Data), "supported")
		err = fmt.Errorf("%s: %w", method(version), err)
	}
	next = commonVersion(supported...)
	if err == nil && next != "" && e.stateless() == (next == statelessVersion) {
		c.era.Store(&era{next})
		if e.stateless() {
			return "", nil
		}
		return "", c.notify(ctx, c.request("notifications/initialized", params{}))
	}
	switch {
	case err == nil:
		err = fmt.Errorf("it speaks protocol version %q, which we do not; we asked for %q", strings.Join(supported, ", "), version)
	case len(supported) > 0 && refused != nil:
		err = fmt.Errorf("%w; we speak %s", err, knownVersions)
	case e.stateless(): // "any other error: the server is legacy"
		next = handshakeVersion
	case refused != nil && (outdatedCode(refused.Code) || refused.Code == unsupportedVersion): // it may not know a handshake
		next = statelessVersion
	}
	return next, err
}

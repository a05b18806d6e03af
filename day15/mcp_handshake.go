package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// capabilities is what a server offers. What is of the wrong type counts as offered: the server will say what it means.
type capabilities struct {
	Tools json.RawMessage `json:"tools"`
}

func (c capabilities) offersTools() bool { return c.Tools != nil && string(c.Tools) != "null" }

// initializeParams are the params of initialize (2025-11-25, Lifecycle).
type initializeParams struct {
	ProtocolVersion string          `json:"protocolVersion"`
	Capabilities    struct{}        `json:"capabilities"` // none: no roots, no sampling, no elicitation
	ClientInfo      *implementation `json:"clientInfo"`
}

// initializeResult is what of its result concerns us.
type initializeResult struct {
	ProtocolVersion string         `json:"protocolVersion"`
	Capabilities    capabilities   `json:"capabilities"`
	ServerInfo      implementation `json:"serverInfo"`
	Instructions    string         `json:"instructions"`
}

// discoverParams are the params of server/discover (2026-07-28, Discovery).
type discoverParams struct {
	Meta *meta `json:"_meta"`
}

type discoverResult struct {
	SupportedVersions []string     `json:"supportedVersions"`
	Capabilities      capabilities `json:"capabilities"`
	Instructions      string       `json:"instructions"`
	Meta              struct {
		ServerInfo implementation `json:"io.modelcontextprotocol/serverInfo"`
	} `json:"_meta"`
}

// negotiate agrees with the server on a version, beginning with the given one. The newest specification suggests to
// probe with server/discover; but every server of today answers initialize, and some do not survive anything else. So
// the handshake comes first, and a server that refuses it is spoken to without.
func (c *client) negotiate(ctx context.Context, version string) error {
	var failed error
	guessed := false
	for range 3 { // as many as it takes: a handshake, a discovery, and what the discovery asks for
		supported, err := c.attempt(ctx, version)
		if err == nil {
			return nil
		}
		if failed == nil {
			failed = err
		} else {
			failed = fmt.Errorf("%w; %w", failed, err)
		}
		other := otherEra(version, err)
		if version = commonVersion(supported); version == "" && !guessed {
			version, guessed = other, true
		}
		if version == "" {
			break
		}
	}
	return failed
}

// otherEra returns the version to try with a server that does not understand how the given version begins, and does not
// say what it would understand; "" if it failed for another reason.
func otherEra(version string, err error) string {
	refused, data := refusal(err)
	switch {
	case refused == nil || len(data.Supported) > 0:
		return ""
	case (era{version}).stateless():
		return handshakeVersion // "any other error: the server is legacy"
	case slices.Contains([]int{methodNotFound, invalidParams, unsupportedVersion, headerMismatch}, refused.Code):
		return statelessVersion
	}
	return ""
}

// attempt tries one version. When the server refuses, supported are the versions that it names, if it does.
func (c *client) attempt(ctx context.Context, version string) (supported []string, err error) {
	method, agree := "initialize", c.initialize
	if (era{version}).stateless() {
		method, agree = "server/discover", c.discover
	}
	limited, _, release := within(ctx, c.limits.start, method)
	defer release()
	supported, err = agree(limited, version)
	refused, data := refusal(err)
	switch {
	case refused == nil:
		return supported, err
	case len(data.Supported) > 0:
		return data.Supported, fmt.Errorf("%s: %w (it supports %s; we speak %s)", method, refused,
			preview(strings.Join(data.Supported, ", "), 80), strings.Join(knownVersions(), ", "))
	}
	return nil, fmt.Errorf("%s: %w", method, refused)
}

// initialize is the handshake. "If the client does not support the version in the server's response, it SHOULD
// disconnect": so we do.
func (c *client) initialize(ctx context.Context, version string) (supported []string, err error) {
	raw, err := c.transport.call(ctx, "initialize", initializeParams{ProtocolVersion: version, ClientInfo: self()})
	if err != nil {
		return nil, err
	}
	var result initializeResult
	if err := decodeLoosely(raw, &result); err != nil {
		return nil, &connectionError{reason: fmt.Sprintf("its answer to initialize is no JSON: %v", err), err: err}
	}
	e := era{commonVersion([]string{result.ProtocolVersion})}
	if e.version == "" || e.stateless() {
		return nil, &connectionError{reason: fmt.Sprintf("it speaks protocol version %q, which we do not; we asked for %q",
			preview(result.ProtocolVersion, 40), version)}
	}
	c.agreed(session{e, result.ServerInfo, result.Instructions, result.Capabilities.offersTools()})
	return nil, c.transport.notify(ctx, "notifications/initialized", nil)
}

// discover asks a server of the stateless era what it is.
func (c *client) discover(ctx context.Context, version string) (supported []string, err error) {
	e := era{version}
	raw, err := c.transport.call(ctx, "server/discover", discoverParams{e.meta(0)})
	if err == nil {
		raw, err = e.result(raw)
	}
	if err != nil {
		return nil, err
	}
	var result discoverResult
	if err := decodeLoosely(raw, &result); err != nil {
		return nil, &connectionError{reason: fmt.Sprintf("its answer to server/discover is no JSON: %v", err), err: err}
	}
	if common := commonVersion(result.SupportedVersions); common != version {
		return result.SupportedVersions, &connectionError{reason: fmt.Sprintf("it supports protocol versions %s; we speak %s",
			preview(strings.Join(result.SupportedVersions, ", "), 80), strings.Join(knownVersions(), ", "))}
	}
	c.agreed(session{e, result.Meta.ServerInfo, result.Instructions, result.Capabilities.offersTools()})
	return nil, nil
}

// decodeLoosely decodes JSON and leaves out what has another type than we expect: a version number without quotes is no
// reason to do without a server.
func decodeLoosely(raw json.RawMessage, v any) error {
	err := json.Unmarshal(raw, v)
	if mistyped := (*json.UnmarshalTypeError)(nil); errors.As(err, &mistyped) {
		return nil
	}
	return err
}

// agreed begins a session.
func (c *client) agreed(s session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session = s
}

package main

import "slices"

// identity is how a program introduces itself: serverInfo here, clientInfo there.
type identity struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// self is what we tell clients about us. They may show it, not rely on it.
var self = identity{Name: "demo", Version: "1.0.0"}

// capabilities lists what we offer. The member tools is always there, since a
// client asks for no tools otherwise.
type capabilities struct {
	Tools struct {
		ListChanged bool `json:"listChanged,omitempty"`
	} `json:"tools"`
}

// initializeResult is the answer to initialize (2025-11-25, Lifecycle).
type initializeResult struct {
	ProtocolVersion string       `json:"protocolVersion"`
	Capabilities    capabilities `json:"capabilities"`
	ServerInfo      identity     `json:"serverInfo"`
}

// discoverResult is the answer to server/discover (2026-07-28, Discovery).
type discoverResult struct {
	*cacheable
	SupportedVersions []string     `json:"supportedVersions"`
	Capabilities      capabilities `json:"capabilities"`
}

// initialize agrees on a legacy version: the client's if we know it, otherwise
// our newest. A client that does not know that one leaves.
func (s *server) initialize(req message) (any, *rpcError) {
	var params struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	if err := decode(req.Params, &params); err != nil {
		return nil, err
	}
	result := initializeResult{ProtocolVersion: legacyVersions[0], ServerInfo: self}
	if slices.Contains(legacyVersions, params.ProtocolVersion) {
		result.ProtocolVersion = params.ProtocolVersion
	}
	result.Capabilities.Tools.ListChanged = true
	return result, nil
}

// discover tells a modern client about us. It does not promise list_changed,
// which would need a subscriptions/listen stream.
func (s *server) discover() discoverResult {
	return discoverResult{cacheable: stampCacheable(true), SupportedVersions: s.versions()}
}

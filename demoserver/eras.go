package main

import "fmt"

// The specification has two eras. Up to 2025-11-25 a client opens with
// initialize, and both sides remember what was agreed (legacy). Since
// 2026-07-28 nothing is remembered: each request says in _meta which version it
// speaks and what its client can do (modern).
const modernVersion = "2026-07-28"

// legacyVersions are the revisions with a handshake, newest first. For a server
// with tools they are the same.
var legacyVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// complete is what every modern result has besides its content (2026-07-28,
// Basic, "ResultType" and "_meta"). Results embed a pointer to it, which is nil
// for a legacy client: then encoding/json leaves the members out.
type complete struct {
	ResultType string `json:"resultType"`
	Meta       struct {
		ServerInfo identity `json:"io.modelcontextprotocol/serverInfo"`
	} `json:"_meta"`
}

// cacheable is complete for results that a client may keep (2026-07-28,
// Caching). Ours are stale at once, since a tool can be added at any moment.
type cacheable struct {
	*complete
	TTLMs      int    `json:"ttlMs"`
	CacheScope string `json:"cacheScope"`
}

// stamp gives the modern members of a result, nil for a legacy client.
func stamp(modern bool) *complete {
	if !modern {
		return nil
	}
	c := &complete{ResultType: "complete"}
	c.Meta.ServerInfo = self
	return c
}

// stampCacheable gives the modern members of a cacheable result, nil for a
// legacy client.
func stampCacheable(modern bool) *cacheable {
	if !modern {
		return nil
	}
	return &cacheable{complete: stamp(modern), CacheScope: "public"}
}

// versions are all revisions that this server speaks, newest first.
func (s *server) versions() []string {
	var all []string
	if s.modern {
		all = append(all, modernVersion)
	}
	if s.legacy {
		all = append(all, legacyVersions...)
	}
	return all
}

// missing is the error for a modern request without a required member of _meta.
func missing(key string) *rpcError {
	return &rpcError{Code: invalidParams, Message: fmt.Sprintf("_meta lacks io.modelcontextprotocol/%s", key)}
}

// unsupported is the error for a version that we do not speak. Its data is what
// the client needs to try again with a better one.
func (s *server) unsupported(version string) *rpcError {
	data := struct {
		Supported []string `json:"supported"`
		Requested string   `json:"requested"`
	}{s.versions(), version}
	return &rpcError{Code: unsupportedVersion, Message: "Unsupported protocol version", Data: data}
}

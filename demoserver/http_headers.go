package main

import (
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// guard lets only programs of this machine in. A page in a browser could reach
// us too, by letting its own host name point at 127.0.0.1 (DNS rebinding); but
// then Host, and mostly Origin, carry that name (specification, Transports,
// "Security").
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ok := isLoopback(r.Host)
		for _, origin := range r.Header["Origin"] {
			u, err := url.Parse(origin)
			ok = ok && err == nil && isLoopback(u.Host)
		}
		if !ok {
			http.Error(w, "Host and Origin must be of this machine", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isLoopback tells whether a host, with or without a port, can only be this
// machine. Names other than localhost cannot be trusted to be.
func isLoopback(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	}
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// checkHeaders is isModern for a POST, whose headers repeat parts of the body
// for proxies that do not read it (2026-07-28, Streamable HTTP, "Request
// Metadata"). It fails with headerMismatch where they tell something else, and
// like isModern. A legacy client has one such header, the agreed version; before
// 2025-06-18 not even that. All failures are of status 400.
func (s *server) checkHeaders(header http.Header, req message) (modern bool, _ *rpcError) {
	var params struct {
		Name string `json:"name"`
		Meta struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	}
	if err := decode(req.Params, &params); err != nil {
		return false, err
	}
	version, inBody := header.Get("MCP-Protocol-Version"), params.Meta.Version
	switch {
	case !s.modern && version != "" && !slices.Contains(legacyVersions, version):
		return false, &rpcError{Code: invalidRequest, Message: "unsupported MCP-Protocol-Version " + version}
	case !s.modern:
		return false, nil
	case version == modernVersion && req.ID == nil:
		return true, nil // a notification has none of the other headers
	case version == modernVersion && inBody == "":
		return false, missing("protocolVersion")
	case inBody != "" && version != inBody:
		return false, mismatch("MCP-Protocol-Version", version, inBody)
	case version != "" && !slices.Contains(s.versions(), version):
		return false, s.unsupported(version)
	}
	modern, err := s.isModern(req)
	if err != nil || !modern {
		return false, err
	}
	if method := header.Get("Mcp-Method"); method != req.Method {
		return false, mismatch("Mcp-Method", method, req.Method)
	}
	if name := header.Get("Mcp-Name"); req.Method == "tools/call" && plain(name) != params.Name {
		return false, mismatch("Mcp-Name", name, params.Name)
	}
	return true, nil
}

// mismatch is the error for a header that differs from the body.
func mismatch(header, got, want string) *rpcError {
	return &rpcError{Code: headerMismatch, Message: fmt.Sprintf("header %s is %q, the body says %q", header, got, want)}
}

// plain undoes the encoding of header values that are not plain ASCII:
// =?base64?…?= (2026-07-28, Streamable HTTP, "Value Encoding"). What is not
// properly encoded stays as it is, and then matches nothing.
func plain(value string) string {
	inner, ok := strings.CutPrefix(value, "=?base64?")
	inner, ok2 := strings.CutSuffix(inner, "?=")
	if decoded, err := base64.StdEncoding.DecodeString(inner); ok && ok2 && err == nil {
		return string(decoded)
	}
	return value
}

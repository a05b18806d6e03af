package main

import (
	"bytes"
	"crypto/subtle"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"strings"
	"sync/atomic"
)

const (
	// apiKey is the one key that is let in.
	apiKey = "test-key"
	// plainModel follows the rules at once, sloppyModel makes mistakes first.
	plainModel, sloppyModel = "mock", "mock-sloppy"
	// bodyLimit is the size of the largest request, in bytes.
	bodyLimit = 32 << 20
)

// models are all there are, and modelList is how the API lists them.
var models = []string{plainModel, sloppyModel}

const modelList = `{"object":"list","data":[
{"id":"mock","object":"model","created":1700000000,"owned_by":"mockllm"},
{"id":"mock-sloppy","object":"model","created":1700000000,"owned_by":"mockllm"}]}`

// api answers the HTTP requests. Its counters number answers and tool calls, so
// that no id is given twice while the process lives.
type api struct {
	journal io.Writer // gets each request; nil for none
	log     *log.Logger

	answers, calls atomic.Int64
}

// ServeHTTP knows each address with and without /v1, as base URLs are written
// both ways.
func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/v1")
	hasKey := subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+apiKey)) == 1
	switch {
	case path == "/responses":
		refuse(w, newRefusal("", "unknown_url", "This mock speaks the Chat Completions API only, not the Responses API: POST /v1/chat/completions."))
	case r.Method+path == "GET/health":
		writeJSON(w, http.StatusOK, json.RawMessage(`{"status":"ok"}`))
	case r.Method+path != "GET/models" && r.Method+path != "POST/chat/completions":
		refuse(w, newRefusal("", "unknown_url", "Unknown request URL: %s %s.", r.Method, r.URL.Path))
	case !hasKey:
		refuse(w, newRefusal("", "invalid_api_key", "Incorrect API key provided. This mock takes one key: %s.", apiKey))
	case path == "/models":
		writeJSON(w, http.StatusOK, json.RawMessage(modelList))
	default:
		a.complete(w, r)
	}
}

// complete answers POST /chat/completions.
func (a *api) complete(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	if err != nil { // too large; if the client went away, nobody reads this
		refuse(w, newRefusal("", "request_too_large", "The request body cannot be read: %v.", err))
		return
	}
	if err := a.record(body); err != nil {
		a.log.Printf("cannot write the journal: %v", err)
	}
	request, conversation, refused := check(body)
	if refused != nil {
		refuse(w, refused)
		return
	}
	a.send(w, request, decide(conversation))
}

// record adds a request's body to the journal, on one line but otherwise as it
// came; the key is in a header and never gets here. What is not JSON is left
// out. Lines do not mix: each is one write, and a file takes one at a time.
func (a *api) record(body []byte) error {
	var line bytes.Buffer
	if a.journal == nil || json.Compact(&line, body) != nil {
		return nil
	}
	line.WriteByte('\n')
	_, err := a.journal.Write(line.Bytes())
	return err
}

// writeJSON sends v, which must be encodable, as a whole response.
func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v) // a client that went away is no concern of ours
}

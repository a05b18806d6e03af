package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
)

const (
	apiKey = "test-key" // the one key that is let in
	// plainModel follows the rules at once, sloppyModel makes mistakes first.
	plainModel, sloppyModel = "mock", "mock-sloppy"
	noSuchModel             = "there is no such model; this mock has mock and mock-sloppy"
)

var models = []string{plainModel, sloppyModel}

// api answers the HTTP requests. Its counters number answers and tool calls, so
// that no id is given twice while the process lives.
type api struct {
	journal        io.Writer // gets each request
	answers, calls atomic.Int64
}

// ServeHTTP knows each address with and without /v1, as base URLs are written
// both ways.
func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	request := r.Method + " " + strings.TrimPrefix(r.URL.Path, "/v1")
	model, isModel := strings.CutPrefix(request, "GET /models/")
	switch {
	case !isLocal("http://"+r.Host) || !isLocal(cmp.Or(r.Header.Get("Origin"), "http://localhost")):
		refusal{"", "forbidden", "Host and Origin must be of this machine, such as localhost"}.send(w)
	case request == "GET /health":
		writeJSON(w, 200, `{"status":"ok"}`)
	case request != "GET /models" && !isModel && request != "POST /chat/completions":
		refusal{"", "unknown_url", "unknown request URL: " + r.Method + " " + r.URL.Path + "; this mock speaks the Chat Completions API only: POST /v1/chat/completions"}.send(w)
	case r.Header.Get("Authorization") != "Bearer "+apiKey:
		refusal{"", "invalid_api_key", "incorrect API key provided; this mock takes one key: " + apiKey}.send(w)
	case request == "GET /models":
		writeJSON(w, 200, `{"object":"list","data":[`+describe(plainModel)+`,`+describe(sloppyModel)+`]}`)
	case isModel && slices.Contains(models, model):
		writeJSON(w, 200, describe(model))
	case isModel:
		refusal{"model", "model_not_found", noSuchModel}.send(w)
	default:
		a.complete(w, r)
	}
}

// isLocal tells whether a URL names this machine, as the Host and Origin of a
// request must: those of a web page that reaches for us have a name of its own.
func isLocal(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip.IsLoopback() || ip.IsUnspecified() // as in -addr :8910
}

func describe(model string) string {
	return `{"id":"` + model + `","object":"model","created":1700000000,"owned_by":"mockllm"}`
}

// complete answers POST /chat/completions.
func (a *api) complete(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 32<<20))
	if err != nil { // over 32 MiB; if the client went away, nobody reads this
		refusal{"", "request_too_large", "the request body cannot be read: " + err.Error()}.send(w)
		return
	}
	a.record(body)
	var c checker
	if request := c.check(body); c.refused.message != "" {
		c.refused.send(w)
	} else {
		text, calls := decide(c.conversation)
		a.send(w, request, text, calls)
	}
}

// record adds a request's body to the journal, on one line but otherwise as it
// came; the key is in a header and never gets here. What is not JSON is left
// out. Lines do not mix: each is one write, and a file takes one at a time.
func (a *api) record(body []byte) {
	var line bytes.Buffer
	if json.Compact(&line, body) != nil {
		return
	}
	if _, err := a.journal.Write(append(line.Bytes(), '\n')); err != nil {
		log.Printf("cannot write the journal: %v", err)
	}
}

// refusal is a client's mistake: its place in the request, such as
// tools[0].function.name, a code for programs (both can be empty), and a message.
type refusal struct{ place, code, message string }

// statusOf gives the HTTP status that goes with a code; it is 400 for others.
var statusOf = map[string]int{"invalid_api_key": 401, "forbidden": 403, "model_not_found": 404, "unknown_url": 404, "request_too_large": 413}

// send answers a request with the refusal, in the shape and with the status that OpenAI uses.
func (r refusal) send(w http.ResponseWriter) {
	orNull := func(s string) string { return cmp.Or(strings.TrimPrefix(jsonString(s), `""`), "null") }
	writeJSON(w, cmp.Or(statusOf[r.code], 400), fmt.Sprintf(`{"error":{"message":%s,"type":"invalid_request_error","param":%s,"code":%s}}`,
		jsonString(r.message), orNull(r.place), orNull(r.code)))
}

// writeJSON sends a whole response.
func writeJSON(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintln(w, body) // a client that went away is no concern of ours
}

package main

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// apiKey is the one key that is let in.
	apiKey = "test-key"
	// plainModel follows the rules at once.
	plainModel = "mock"
	// sloppyModel makes two mistakes first, see rules.go.
	sloppyModel = "mock-sloppy"
	// bodyLimit is the size of the largest request, in bytes.
	bodyLimit = 32 << 20
)

// models are all there are, in the order in which they are listed.
var models = []string{plainModel, sloppyModel}

// api answers the HTTP requests. Its counters number answers and tool calls, so
// that no id is given twice while the process lives.
type api struct {
	journal *journal
	log     *log.Logger

	answers, calls atomic.Int64
}

// ServeHTTP knows each address with and without /v1, as base URLs are written
// both ways.
func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/v1")
	switch {
	case path == "/responses":
		refuse(w, notFound("unknown_url", "", "This mock speaks the Chat Completions API only, not the Responses API: POST /v1/chat/completions."))
	case r.Method == http.MethodGet && path == "/health":
		writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	case r.Method == http.MethodGet && path == "/models":
		a.listModels(w, r)
	case r.Method == http.MethodPost && path == "/chat/completions":
		a.complete(w, r)
	default:
		refuse(w, notFound("unknown_url", "", "Unknown request URL: %s %s.", r.Method, r.URL.Path))
	}
}

// listModels answers GET /models.
func (a *api) listModels(w http.ResponseWriter, r *http.Request) {
	if err := checkKey(r); err != nil {
		refuse(w, err)
		return
	}
	type model struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int64  `json:"created"`
		OwnedBy string `json:"owned_by"`
	}
	list := struct {
		Object string  `json:"object"`
		Data   []model `json:"data"`
	}{Object: "list"}
	for _, id := range models {
		list.Data = append(list.Data, model{ID: id, Object: "model", Created: 1700000000, OwnedBy: "mockllm"})
	}
	writeJSON(w, http.StatusOK, list)
}

// complete answers POST /chat/completions.
func (a *api) complete(w http.ResponseWriter, r *http.Request) {
	if err := checkKey(r); err != nil {
		refuse(w, err)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		refuse(w, &refusal{Status: http.StatusRequestEntityTooLarge, Type: invalidRequest, Code: "request_too_large",
			Message: fmt.Sprintf("The request body is larger than %d bytes.", bodyLimit)})
		return
	}
	if err != nil {
		return // the client went away, or was too slow
	}
	if err := a.journal.record(body); err != nil {
		a.log.Printf("cannot write the journal: %v", err)
	}
	request, conversation, refused := check(body)
	if refused != nil {
		refuse(w, refused)
		return
	}
	a.send(w, request, decide(conversation))
}

// send gives the answer in the form that the request asked for.
func (a *api) send(w http.ResponseWriter, request chatRequest, answer answer) {
	head := completion{
		ID:      fmt.Sprintf("chatcmpl-%d", a.answers.Add(1)),
		Object:  "chat.completion",
		Created: time.Now().Unix(),
		Model:   request.Model,
	}
	calls, finish, said := []toolCall(nil), "stop", answer.text
	for _, call := range answer.calls {
		finish, said = "tool_calls", said+call.name+call.arguments
		calls = append(calls, toolCall{
			ID:       fmt.Sprintf("call_%d", a.calls.Add(1)),
			Type:     "function",
			Function: functionCall{Name: call.name, Arguments: call.arguments},
		})
	}
	tokens := estimate(string(request.Messages)+string(request.Tools), said)
	if request.Stream {
		stream(w, head, answer.text, calls, finish, request.StreamOptions != nil && request.StreamOptions.IncludeUsage, tokens)
		return
	}
	message := &wholeMessage{Role: "assistant", ToolCalls: calls}
	if len(calls) == 0 {
		message.Content = &answer.text
	}
	head.Choices = []choice{{Message: message, FinishReason: &finish}}
	head.Usage = &tokens
	writeJSON(w, http.StatusOK, head)
}

// estimate takes four characters for a token: near enough to show, and the same
// for the same text.
func estimate(prompt, said string) usage {
	tokens := func(s string) int { return (len([]rune(s)) + 3) / 4 }
	u := usage{Prompt: tokens(prompt), Completion: tokens(said)}
	u.Total = u.Prompt + u.Completion
	return u
}

// checkKey wants the key as a bearer token.
func checkKey(r *http.Request) *refusal {
	token, isBearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if isBearer && subtle.ConstantTimeCompare([]byte(token), []byte(apiKey)) == 1 {
		return nil
	}
	return &refusal{Status: http.StatusUnauthorized, Type: invalidRequest, Code: "invalid_api_key",
		Message: "Incorrect API key provided. This mock takes one key: " + apiKey + "."}
}

// checkModel wants one of the models.
func checkModel(name string) *refusal {
	if slices.Contains(models, name) {
		return nil
	}
	return notFound("model_not_found", "model", "The model `%s` does not exist; this mock has %s.", name, strings.Join(models, " and "))
}

// writeJSON sends v, which must be encodable, as a whole response.
func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v) // a client that went away is no concern of ours
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
)

// modelSilence is how long the model may send nothing before a request is given up; lastWords is how long we go on
// listening after it has said why it stopped, for the usage that may follow.
const (
	modelSilence = 5 * time.Minute
	lastWords    = 2 * time.Second
)

// Model sends requests to the Chat Completions API. openai-go does what every client needs (key, retries, events); what
// goes over the wire is written out here: the request below, the answer in stream.go.
type Model struct {
	config Config
	client openai.Client
	redact *Redactor // for errors: they may quote the request
}

// newModel returns a Model for the configuration; whether it can be used is seen at the first request.
func newModel(config Config, redact *Redactor) *Model {
	return &Model{config, openai.NewClient(option.WithBaseURL(config.BaseURL), option.WithAPIKey(config.Key)), redact}
}

// modelRequest is the body of POST /chat/completions. No tools are no key at all: the API refuses an empty list.
type modelRequest struct {
	Model         string        `json:"model"`
	Messages      []Message     `json:"messages"`
	Tools         []Definition  `json:"tools,omitempty"`
	Stream        bool          `json:"stream"`
	StreamOptions streamOptions `json:"stream_options"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// Answer asks the model and returns its whole answer; text is called with each piece of its text as it comes. The
// error is for a person: it says what failed and what to do. It is the context's cause if ctx ends first.
func (m *Model) Answer(ctx context.Context, messages []Message, tools []Definition, text func(string)) (Answer, error) {
	if err := m.config.Check(); err != nil {
		return Answer{}, err
	}
	caller := ctx // its end ends the request; what we cancel may come too late to matter
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(modelSilence, func() { cancel(fmt.Errorf("the model sent nothing for %v", modelSilence)) })
	defer silence.Stop()

	body := modelRequest{m.config.Model, messages, tools, true, streamOptions{true}}
	var response *http.Response
	err := m.client.Post(ctx, "chat/completions", body, &response, option.WithHeader("Accept", "text/event-stream"))
	if err != nil {
		return Answer{}, m.explain(ctx, err, response)
	}
	defer response.Body.Close()

	whole := assembly{redact: m.redact}
	switch media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); media {
	case "text/event-stream":
		err = whole.readEvents(ssestream.NewDecoder(response), text, silence)
	case "application/json": // a server that cannot stream
		err = whole.readBody(response.Body, text)
	default:
		err = fmt.Errorf("%s is no Chat Completions API (it answers with %q): check OPENAI_BASE_URL", m.config.Address(), media)
	}
	switch {
	case caller.Err() != nil, err != nil && ctx.Err() != nil:
		return Answer{}, context.Cause(ctx)
	case err != nil:
		return Answer{}, err
	}
	return whole.answer() // also where silence has ended the connection after the last words
}

// explain turns a failed request into words for a person. openai-go fails in its own way on an error that is not in
// OpenAI's shape, so the response, if there is one, is read here.
func (m *Model) explain(ctx context.Context, err error, response *http.Response) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if response == nil || response.StatusCode < 400 {
		var request *url.Error // its text has the URL, which may hold a password
		if errors.As(err, &request) {
			err = request.Err
		}
		return fmt.Errorf("cannot reach the model at %s: %w. Is the server running? OPENAI_BASE_URL says where it is", m.config.Address(), err)
	}
	body, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10)) // what cannot be read is not shown
	status := fmt.Sprintf("%s answered %s: %s", m.config.Address(), response.Status, preview(m.redact.Redact(errorText(body)), 300))
	switch response.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("%s. Check OPENAI_API_KEY", status)
	case http.StatusNotFound:
		return fmt.Errorf("%s. Check OPENAI_MODEL (%s) and OPENAI_BASE_URL", status, m.config.Model)
	}
	return errors.New(status)
}

// errorText finds the message in the body of a failed request, or in an event that reports an error:
// {"error":{"message":"…"}}, {"error":"…"}, or whatever text there is.
func errorText(body []byte) string {
	var envelope struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	_ = json.Unmarshal(body, &envelope) // what does not fit stays empty
	var inner struct {
		Message string `json:"message"`
	}
	var text string
	switch {
	case json.Unmarshal(envelope.Error, &inner) == nil && inner.Message != "":
		return inner.Message
	case json.Unmarshal(envelope.Error, &text) == nil && text != "":
		return text
	case envelope.Message != "":
		return envelope.Message
	}
	return strings.TrimSpace(string(bytes.ToValidUTF8(body, []byte("\uFFFD"))))
}

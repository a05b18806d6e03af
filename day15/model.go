package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// modelSilence is how long the model may send nothing before a request is given up; lastWords is how long we go on
// listening after it has said why it stopped, for the usage that may follow.
const (
	modelSilence = 5 * time.Minute
	lastWords    = time.Second
)

// Model sends requests to the Chat Completions API. openai-go does what every client needs (key, retries, one POST); what
// goes over the wire is written out here: the request below, the answer in stream.go.
type Model struct {
	Name    string
	address string // of the server, for messages: without user name, password and query
	path    string // of a request, relative to it
	client  openai.Client
	problem error // why no request can be made
}

// newModel takes the model from OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL; getenv is os.Getenv. Check says whether
// it can be used.
func newModel(getenv func(string) string) *Model {
	setting := func(name, otherwise string) string { return cmp.Or(strings.TrimSpace(getenv(name)), otherwise) }
	m := &Model{Name: setting("OPENAI_MODEL", "gpt-4.1-mini")}
	key := setting("OPENAI_API_KEY", "")
	base, err := url.Parse(setting("OPENAI_BASE_URL", "https://api.openai.com/v1"))
	if key == "" {
		m.problem = errors.New("there is no API key: set OPENAI_API_KEY (a local server takes any text), " +
			"or try it offline: go run ./mockllm go run ./" + filepath.Base(os.Args[0]))
		return m
	} else if err != nil || base.Host == "" || !strings.HasPrefix(base.Scheme, "http") {
		m.problem = errors.New("OPENAI_BASE_URL is not a URL such as http://localhost:11434/v1")
		return m
	}
	path := url.URL{Path: "chat/completions", RawQuery: base.RawQuery} // Azure needs the query
	base.User, base.RawQuery = nil, ""
	m.address, m.path = base.String(), path.String()
	m.client = openai.NewClient(option.WithBaseURL(m.address), option.WithAPIKey(key),
		// A redirect is an error: it would carry the key and the conversation to somebody else.
		option.WithHTTPClient(&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}))
	return m
}

// Check fails if no request can be made; the error says what to do. Commands run without a model, so this is asked only
// when one is needed.
func (m *Model) Check() error { return m.problem }

// modelRequest is the body of POST /chat/completions. No tools are no key at all: the API refuses an empty list.
type modelRequest struct {
	Model         string          `json:"model"`
	Messages      []Message       `json:"messages"`
	Tools         []Definition    `json:"tools,omitempty"`
	Stream        bool            `json:"stream"`
	StreamOptions map[string]bool `json:"stream_options"`
}

// Answer asks the model and returns its whole answer, redacted; show is called with each piece of its text as it comes. The
// error is for a person: it says what failed and what to do. It is the context's cause if ctx ends first.
func (m *Model) Answer(ctx context.Context, messages []Message, tools []Definition, show func(string), redact func(string) string) (Answer, error) {
	if m.problem != nil {
		return Answer{}, m.problem
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(modelSilence, func() { cancel(fmt.Errorf("the model sent nothing for %v", modelSilence)) })
	defer silence.Stop()

	a := assembly{show: show, wait: silence.Reset, whole: value{object: map[string]value{}}}
	response, err := m.post(ctx, modelRequest{m.Name, messages, tools, true, map[string]bool{"include_usage": true}})
	if err == nil {
		defer response.Body.Close()
		if err = a.read(response.Body); err == nil {
			err = a.complete(redact)
			return a.Answer, err
		}
		err = fmt.Errorf("%s: %w", m.address, err)
	}
	return Answer{}, cmp.Or(context.Cause(ctx), err)
}

// post sends a request, and turns what fails into words for a person. openai-go fails in its own way on an error that is
// not in OpenAI's shape, so the response, if there is one, is read here.
func (m *Model) post(ctx context.Context, body modelRequest) (response *http.Response, err error) {
	err = m.client.Post(ctx, m.path, body, &response, option.WithHeader("Accept", "text/event-stream"))
	if response == nil {
		var request *url.Error // its text has the URL, whose query may hold a key
		if errors.As(err, &request) {
			err = request.Err
		}
		return nil, fmt.Errorf("cannot reach the model at %s: %w. Is the server running? OPENAI_BASE_URL says where it is", m.address, err)
	} else if response.StatusCode/100 == 2 {
		return response, nil
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10)) // what cannot be read is not shown
	var problem value
	_ = json.Unmarshal(text, &problem)
	why := cmp.Or(response.Header.Get("Location"), problem.reason(), strings.TrimSpace(string(text)))
	switch status := response.StatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, strings.Contains(strings.ToLower(why), "api key"):
		why += ". Check OPENAI_API_KEY"
	case status < 400, status == http.StatusNotFound: // a redirect, which is not followed
		why += fmt.Sprintf(". Check OPENAI_MODEL (%s) and OPENAI_BASE_URL", m.Name)
	}
	return nil, fmt.Errorf("%s answered %s: %s", m.address, response.Status, why)
}

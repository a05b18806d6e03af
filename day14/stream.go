package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/openai/openai-go/v3/packages/ssestream"
)

// What a model may send in one answer.
const (
	maxAnswer = 32 << 20 // bytes of events
	maxCalls  = 128      // tool calls
)

// Answer is what the model said, put together.
type Answer struct {
	Text   string
	Calls  []ToolCall
	Finish string // stop, tool_calls, length, content_filter, …
	Usage  Usage  // zero if the server does not count
}

// Usage counts the tokens of a request with its answer.
type Usage struct {
	Total int `json:"total_tokens"`
}

// chunk is one event of a stream, or a whole answer that was not streamed: then message stands for delta.
type chunk struct {
	Choices []struct {
		Delta   delta  `json:"delta"`
		Message delta  `json:"message"`
		Finish  string `json:"finish_reason"`
	} `json:"choices"`
	Usage Usage           `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type delta struct {
	Content   content    `json:"content"`
	ToolCalls []fragment `json:"tool_calls"`
}

// content is text: a string, or a list of parts from some servers.
type content string

// UnmarshalJSON does not fail: what is neither, and a part without text, says nothing.
func (c *content) UnmarshalJSON(data []byte) error {
	var text string
	var parts []json.RawMessage
	if json.Unmarshal(data, &text) != nil && json.Unmarshal(data, &parts) == nil {
		for _, raw := range parts {
			var part struct {
				Text string `json:"text"`
			}
			_ = json.Unmarshal(raw, &part) // a part of another shape has no text
			text += part.Text
		}
	}
	*c = content(text)
	return nil
}

// assembly puts an answer together. The zero assembly is ready.
type assembly struct {
	redact *Redactor // for errors: they quote what came
	text   strings.Builder
	calls  []*openCall
	finish string
	usage  Usage
	size   int
}

// readEvents reads a stream to its end: [DONE], or the end of the connection. Each event starts silence anew, until the
// model has said why it stopped.
func (a *assembly) readEvents(events ssestream.Decoder, text func(string), silence *time.Timer) error {
	for events.Next() {
		data := bytes.TrimSpace(events.Event().Data)
		if bytes.Equal(data, []byte("[DONE]")) {
			return nil
		}
		said := a.finish != ""
		if len(data) > 0 { // else a comment: the server is alive
			if err := a.add(data, text); err != nil {
				return err
			}
		}
		switch {
		case a.finish == "":
			silence.Reset(modelSilence)
		case !said:
			silence.Reset(lastWords)
		}
	}
	if a.finish != "" {
		return nil // all has been said; how the connection ended does not matter
	}
	return events.Err()
}

// readBody reads an answer that came in one piece.
func (a *assembly) readBody(body io.Reader, text func(string)) error {
	data, err := io.ReadAll(io.LimitReader(body, maxAnswer))
	if err != nil {
		return err
	}
	return a.add(data, text)
}

// add takes one event. Members of an unexpected type count as absent; only what is no JSON at all is an error.
func (a *assembly) add(data []byte, text func(string)) error {
	var c chunk
	var mismatch *json.UnmarshalTypeError
	if err := json.Unmarshal(data, &c); err != nil && !errors.As(err, &mismatch) {
		return fmt.Errorf("the model's answer cannot be read: %w: %s", err, preview(a.redact.Redact(string(data)), 100))
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return fmt.Errorf("the model failed: %s", preview(a.redact.Redact(errorText(data)), 300))
	}
	if a.size += len(data); a.size > maxAnswer {
		return fmt.Errorf("the model's answer is longer than %d MiB", maxAnswer>>20)
	}
	if c.Usage.Total > 0 && c.Usage.Total < 1<<30 {
		a.usage = c.Usage
	}
	for _, choice := range c.Choices {
		for _, d := range []delta{choice.Delta, choice.Message} {
			if d.Content != "" {
				a.text.WriteString(string(d.Content))
				text(string(d.Content))
			}
			for _, f := range d.ToolCalls {
				if a.addFragment(f); len(a.calls) > maxCalls {
					return fmt.Errorf("the model asks for more than %d tool calls at once", maxCalls)
				}
			}
		}
		if choice.Finish != "" {
			a.finish = choice.Finish
		}
	}
	return nil
}

// answer returns what was put together. It fails if the model never said why it stopped: then the rest is missing.
func (a *assembly) answer() (Answer, error) {
	if a.finish == "" {
		return Answer{}, errors.New("the model's answer was cut off: the connection ended too early. Nothing of it was kept; try again")
	}
	return Answer{a.text.String(), a.toolCalls(), a.finish, a.usage}, nil
}

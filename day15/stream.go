package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
)

// maxAnswer is how long an answer may be, in bytes as it comes over the wire; maxCalls, how many tools it may call.
const (
	maxAnswer = 32 << 20
	maxCalls  = 128
)

// Answer is what the model said, put together.
type Answer struct {
	Text    string  // what it says, or why it refuses to
	Calls   []Call  // as the model wrote them
	Message Message // for the history; it has as many tool calls as Calls, in the same order
	Finish  string  // stop, tool_calls, length, content_filter, …
	Tokens  int     // of the request with its answer; 0 if the server does not count
}

// CutOff reports whether the model was stopped before it had said everything.
func (a Answer) CutOff() bool { return cutOff.MatchString(a.Finish) }

// cutOff matches what servers call length, max_tokens, content_filter and the like.
var cutOff = regexp.MustCompile(`(?i)length|max|filter|safety|prohibited|blocklist|recitation`)

// chunk is an event of a stream, or a whole answer: that one has a message in place of a delta.
type chunk struct {
	Choices []struct {
		Delta   value  `json:"delta"`
		Message value  `json:"message"`
		Finish  string `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		Total int `json:"total_tokens"`
	} `json:"usage"`
	Error value `json:"error"`
}

// assembly puts an Answer together.
type assembly struct {
	Answer
	show  func(string)             // gets each piece of the text as it comes
	wait  func(time.Duration) bool // is told how long the next event may take
	whole value                    // the message
	shown int                      // how much of its text, in bytes of JSON
	size  int
}

// read reads an answer to its end: a stream of events, or one JSON object, with whatever media type.
func (a *assembly) read(body io.Reader) error {
	events := newEventReader(body)
	for {
		if a.Finish == "" {
			a.wait(modelSilence)
		}
		e, err := events.next()
		switch {
		case err == io.EOF, err != nil && a.Finish != "":
			return nil // all has been said; a connection that we read to its end can be used again
		case err == nil && e.data != nil && string(e.data) != "[DONE]":
			err = a.add(e.data)
		}
		if err != nil {
			return err
		}
	}
}

// add takes one event. Members of an unexpected type count as absent.
func (a *assembly) add(data []byte) error {
	if a.size += len(data); a.size > maxAnswer {
		return fmt.Errorf("the model's answer is longer than %d MiB", maxAnswer>>20)
	}
	var c chunk
	var mismatch *json.UnmarshalTypeError
	if err := json.Unmarshal(data, &c); err != nil && !errors.As(err, &mismatch) {
		return fmt.Errorf("the model's answer cannot be read: %w: %s", err, data)
	}
	if c.Choices == nil { // it is no chunk
		c.Error = value{}
		_ = json.Unmarshal(data, &c.Error)
	}
	if why := c.Error.reason(); why != "" {
		return fmt.Errorf("the model failed: %s", why)
	}
	a.Tokens = max(a.Tokens, c.Usage.Total)
	for _, choice := range c.Choices {
		a.whole.merge("", choice.Delta)
		a.whole.merge("", choice.Message)
		if choice.Finish != "" {
			a.Finish = choice.Finish
			a.wait(lastWords)
		}
		a.showNow(false)
	}
	if len(a.whole.object["tool_calls"].list) > maxCalls {
		return fmt.Errorf("the model asks for more than %d tool calls at once", maxCalls)
	}
	return nil
}

// showNow shows what is new of the text. Half a character waits for the rest, unless that was all.
func (a *assembly) showNow(all bool) {
	raw := a.whole.object["content"].raw
	var text string
	_ = json.Unmarshal(slices.Concat([]byte(`"`), raw[min(a.shown+1, len(raw)):]), &text)
	if text != "" && (all || !strings.HasSuffix(text, "\uFFFD")) {
		a.show(text)
		a.shown = len(raw) - len(`""`)
	}
}

// complete makes the Answer of what was put together, without secrets in what is kept of it. It fails if the model never
// said why it stopped: then the rest is missing.
func (a *assembly) complete(redact func(string) string) error {
	a.showNow(true)
	text, message := a.whole.text("content"), a.whole.object
	message["role"], message["content"] = textValue("assistant"), textValue(text)
	if text == "" {
		text = a.whole.text("refusal")
		a.show(text)
	}
	a.Calls = a.whole.finishCalls()
	switch {
	case a.Finish == "":
		return errors.New("the model's answer was cut off: the connection ended too early. Nothing of it was kept; try again")
	case a.Finish == "tool_calls" && a.Calls == nil:
		return errors.New("the model says that it calls a tool, but sent no call; try again")
	}
	a.Text = redact(text)
	data, _ := json.Marshal(a.whole)
	return a.Message.UnmarshalJSON([]byte(redact(string(data)))) // fails if the name of a secret breaks the JSON
}

// maxEvent is the longest event that is read, in bytes.
const maxEvent = 64 << 20

// event is one event of an event stream (HTML standard, section 9.2).
type event struct {
	id    string
	retry time.Duration // how long to wait before connecting again; 0 where the event does not say
	data  []byte        // the data lines, joined by line feeds
}

// eventReader reads an event stream, as models and MCP servers send it.
type eventReader struct{ lines *bufio.Scanner }

// newEventReader returns a reader of the event stream r.
func newEventReader(r io.Reader) *eventReader {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxEvent)
	return &eventReader{lines}
}

// next returns the next event; an event may have no data. A last event without its blank line counts. It fails with
// io.EOF at the end of the stream, with an error of r, and on a line, or an event, of more than maxEvent bytes.
func (r *eventReader) next() (e event, err error) {
	begun := false
	for r.lines.Scan() {
		line := r.lines.Text()
		if line == "" && begun {
			return e, nil
		}
		begun = begun || line != ""
		if e.field(line); len(e.data) > maxEvent {
			return e, fmt.Errorf("an event of more than %d MiB", maxEvent>>20)
		}
	}
	if err = r.lines.Err(); err == nil && !begun {
		err = io.EOF
	}
	return e, err
}

// field takes one line: a name, a colon, a value. A line that cannot be a field is data: servers send a bare JSON object,
// over several lines perhaps, or a web page. Comments and unknown fields are ignored.
func (e *event) field(line string) {
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	if strings.TrimLeft(line, "{}[]<\" \t") != line {
		name, value = "data", line
	}
	switch name {
	case "data", "error": // llama.cpp reports errors in a field of that name
		if e.data != nil {
			e.data = append(e.data, '\n')
		}
		e.data = append(e.data, value...)
	case "id":
		e.id = value
	case "retry":
		e.retry, _ = time.ParseDuration(value + "ms") // what is not a number says nothing
	}
}

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
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
		Delta   json.RawMessage `json:"delta"`
		Message json.RawMessage `json:"message"`
		Finish  string          `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		Total int `json:"total_tokens"`
	} `json:"usage"`
	Error  any    `json:"error"`
	Object string `json:"object"`
}

// assembly puts an answer together.
type assembly struct {
	show    func(string) // gets each piece of the text as it comes
	shown   int          // how much of it, in bytes of JSON
	message partial
	finish  string
	done    bool // nothing more will come
	tokens  int
	size    int
}

// read reads an answer to its end: a stream of events, or one JSON object, with whatever media type. heard is called when
// something has come.
func (a *assembly) read(body io.Reader, heard func()) error {
	events := newEventReader(body)
	for {
		e, err := events.next()
		switch {
		case err == io.EOF, err != nil && (a.finish != "" || a.done):
			return nil // where all has been said, it does not matter how the connection ended
		case string(e.data) == "[DONE]": // the connection can be used again if we read to its end
			a.done = true
		case err == nil && e.data != nil:
			err = a.add(e)
		}
		if err != nil {
			return err
		}
		if a.finish == "" || e.data != nil { // a comment is a sign of life, but no reason to stay
			heard()
		}
	}
}

// add takes one event. Members of an unexpected type count as absent.
func (a *assembly) add(e event) error {
	if a.size += len(e.data); a.size > maxAnswer {
		return fmt.Errorf("the model's answer is longer than %d MiB", maxAnswer>>20)
	}
	var c chunk
	var mismatch *json.UnmarshalTypeError
	if err := json.Unmarshal(e.data, &c); err != nil && !errors.As(err, &mismatch) {
		return fmt.Errorf("the model's answer cannot be read: %w: %s", err, e.data)
	}
	if c.Error != nil || c.Object == "error" || e.name == "error" || c.Choices == nil && c.Usage.Total == 0 {
		if why := reason(e.data); why != "" {
			return fmt.Errorf("the model failed: %s", why)
		}
	}
	if c.Usage.Total < 1<<30 {
		a.tokens = max(a.tokens, c.Usage.Total)
	}
	for _, choice := range c.Choices {
		a.addPiece(choice.Delta)
		a.addPiece(choice.Message)
		a.finish = cmp.Or(choice.Finish, a.finish)
	}
	if calls, _ := a.message["tool_calls"].([]any); len(calls) > maxCalls {
		return fmt.Errorf("the model asks for more than %d tool calls at once", maxCalls)
	}
	return nil
}

// addPiece merges a piece of the message, and shows what is new of its text.
func (a *assembly) addPiece(piece json.RawMessage) {
	delta, _ := parse(piece).(partial)
	a.message.merge(delta)
	a.showNow("content", false)
}

// showNow shows what is new of a text. Half a character waits for the rest, unless that was all.
func (a *assembly) showNow(member string, all bool) {
	content, _ := a.message[member].(rawText)
	if text := content[a.shown:].String(); text != "" && (all || !strings.HasSuffix(text, "\uFFFD")) {
		a.show(text)
		a.shown = len(content)
	}
}

// answer returns what was put together. It fails if the model never said why it stopped: then the rest is missing.
func (a *assembly) answer() (answer Answer, err error) {
	answer = Answer{Text: a.message.text("content"), Calls: a.message.finishCalls(), Finish: a.finish, Tokens: a.tokens}
	switch member := "content"; {
	case a.finish == "":
		return answer, errors.New("the model's answer was cut off: the connection ended too early. Nothing of it was kept; try again")
	case a.finish == "tool_calls" && answer.Calls == nil:
		return answer, errors.New("the model says that it calls a tool, but sent no call; try again")
	case answer.Text == "":
		member, answer.Text = "refusal", a.message.text("refusal")
		fallthrough
	default:
		a.showNow(member, true)
	}
	a.message["role"], a.message["content"] = "assistant", a.message.text("content")
	data, err := json.Marshal(a.message)
	if err == nil {
		err = json.Unmarshal(data, &answer.Message)
	}
	return answer, err
}

// maxEvent is the longest event that is read, in bytes.
const maxEvent = 64 << 20

// event is one event of an event stream (HTML standard, section 9.2).
type event struct {
	name  string // of the field event
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

// next returns the next event; an event may have no data. A last event without its blank line counts. What is no event
// but a bare JSON object or list, or a web page, comes as data. It fails with io.EOF at the end of the stream, with an
// error of r, and on a line, or an event, of more than maxEvent bytes.
func (r *eventReader) next() (e event, err error) {
	begun, bare := false, false
	for r.lines.Scan() {
		line := r.lines.Bytes()
		if len(line) == 0 && begun {
			return e, nil
		}
		if len(line) > 0 {
			bare = bare || !begun && bytes.ContainsAny(line[:1], "{[<")
			begun = true
			if bare {
				line = append([]byte("data:"), line...)
			}
			if e.field(line); len(e.data) > maxEvent {
				return e, fmt.Errorf("an event of more than %d MiB", maxEvent>>20)
			}
		}
	}
	switch err := r.lines.Err(); {
	case err != nil:
		return e, err
	case !begun:
		return e, io.EOF
	}
	return e, nil
}

// field takes one line: a name, a colon, a value. Comments and unknown fields are ignored.
func (e *event) field(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data", "error": // llama.cpp reports errors in a field of that name
		if string(name) == "error" {
			e.name = "error"
		}
		if e.data != nil {
			e.data = append(e.data, '\n')
		}
		e.data = append(e.data, value...)
	case "event":
		e.name = string(value)
	case "id":
		e.id = string(value)
	case "retry":
		ms, _ := strconv.Atoi(string(value)) // what is not a number says nothing
		e.retry = time.Duration(ms) * time.Millisecond
	}
}

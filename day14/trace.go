package main

import (
	"strings"
	"time"
)

// Trace shows a turn while it runs.
type Trace interface {
	Waiting(step int)                          // a request goes to the model
	Text(piece string)                         // a piece of its answer
	Said(step int, answer Answer)              // the answer is complete, or empty after an error
	Call(step int, call Call)                  // a tool call begins
	Result(step int, call Call, result Result) // and is over
	Notice(text string)                        // something for the person alone
}

// newTrace returns the trace of the one-shot mode or that of the REPL; times adds how long each tool took.
func newTrace(console *Console, oneShot, times bool) Trace {
	if oneShot {
		return &taskTrace{console, times}
	}
	return &replTrace{console: console, times: times}
}

// previewLength is how much of a result the screen shows, in characters; the model gets more.
const previewLength = 200

// replTrace streams the answer to a person. Its methods are those of Trace.
type replTrace struct {
	console *Console
	times   bool
	held    string // text that may be the beginning of a secret
	open    bool   // the line is unfinished
}

func (t *replTrace) Waiting(int) { t.console.Busy("waiting for the model") }

func (t *replTrace) Text(piece string) {
	var show string
	show, t.held = t.console.redact.Split(t.held + piece)
	if show != "" {
		t.console.Print(show)
		t.open = !strings.HasSuffix(show, "\n")
	}
}

func (t *replTrace) Said(int, Answer) {
	t.console.Busy("")
	t.console.Print(t.held)
	if t.open || t.held != "" {
		t.console.Print("\n")
	}
	t.held, t.open = "", false
}

func (t *replTrace) Call(_ int, call Call) { t.console.Busy("running " + call.Name) }

func (t *replTrace) Result(_ int, call Call, result Result) {
	t.console.Styled("2", "[Calling tool "+visibleLine(call.Name)+" → "+preview(result.String(), previewLength)+took(t.times, result.Took)+"]")
	t.console.Print("\n")
}

func (t *replTrace) Notice(text string) { t.console.Print("(" + text + ")\n") }

// taskTrace prints one line per event, for the one-shot mode. Its methods are those of Trace.
type taskTrace struct {
	console *Console
	times   bool
}

func (t *taskTrace) Waiting(int) { t.console.Busy("waiting for the model") }

func (t *taskTrace) Text(string) {}

func (t *taskTrace) Said(step int, answer Answer) {
	t.console.Busy("")
	switch {
	case answer.Text == "":
	case len(answer.Calls) > 0:
		t.line(step, "text", answer.Text)
	default:
		t.line(step, "answer", answer.Text)
	}
}

func (t *taskTrace) Call(step int, call Call) {
	t.line(step, "call", visibleLine(call.Name)+" "+preview(compact([]byte(call.Args)), previewLength))
}

func (t *taskTrace) Result(step int, _ Call, result Result) {
	t.line(step, "result", preview(result.String(), previewLength)+took(t.times, result.Took))
}

func (t *taskTrace) Notice(text string) { t.console.Errorf("(%s)\n", text) }

func (t *taskTrace) line(step int, event, text string) {
	t.console.Printf("step %d  %-6s  %s\n", step, event, strings.TrimRight(text, "\n"))
}

// took is a duration for the end of a line, if durations are wanted.
func took(wanted bool, d time.Duration) string {
	if !wanted {
		return ""
	}
	return " (" + d.Round(100*time.Microsecond).String() + ")"
}

package main

import (
	"strings"
	"time"
)

// previewLength is how much of a result the screen shows, in characters; the model gets more.
const previewLength = 200

// Trace shows a turn while it runs: to a person as a conversation, to a script as one line per event.
type Trace struct {
	console *Console
	oneShot bool // for a script
	times   bool // how long each tool took is shown, too

	step int
	held string // text that may be the beginning of a secret
	open bool   // the line is unfinished
}

// Waiting says that the request of a step goes to the model.
func (t *Trace) Waiting(step int) {
	t.step = step
	t.console.Busy("waiting for the model")
}

// Text shows a piece of the answer.
func (t *Trace) Text(piece string) {
	var show string
	show, t.held = t.console.redact.Split(t.held + piece)
	t.print(show)
}

// print shows text to a person.
func (t *Trace) print(text string) {
	if text != "" && !t.oneShot {
		t.console.Print(text)
		t.open = !strings.HasSuffix(text, "\n")
	}
}

// Said says that the answer is complete, or, empty, that there is none.
func (t *Trace) Said(answer Answer) {
	t.console.Busy("")
	if t.print(t.held); t.open {
		t.print("\n")
	}
	t.held = ""
	event := "answer"
	if len(answer.Calls) > 0 {
		event = "text"
	}
	t.line(event, answer.Text)
}

// Call says that a tool call begins.
func (t *Trace) Call(call Call) {
	t.line("call", visibleLine(call.Name)+" "+t.console.Preview(compact([]byte(call.Args)), previewLength))
	t.console.Busy("running " + call.Name)
}

// Result says that it is over.
func (t *Trace) Result(call Call, result Result) {
	text := t.console.Preview(result.String(), previewLength) + took(t.times, result.Took)
	if t.line("result", text); !t.oneShot {
		t.console.Styled("2", "[Calling tool "+visibleLine(call.Name)+" → "+text+"]\n")
	}
}

// Notice tells the person something that the model does not get.
func (t *Trace) Notice(text string) {
	print := t.console.Printf
	if t.oneShot {
		print = t.console.Errorf
	}
	print("(%s)\n", text)
}

// line shows an event to a script.
func (t *Trace) line(event, text string) {
	if t.oneShot && text != "" {
		t.console.Printf("step %d  %-6s  %s\n", t.step, event, strings.TrimRight(text, "\n"))
	}
}

// took is a duration for the end of a line, if durations are wanted.
func took(wanted bool, d time.Duration) string {
	if !wanted {
		return ""
	}
	return " (" + d.Round(100*time.Microsecond).String() + ")"
}

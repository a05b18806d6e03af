package main

import (
	"fmt"
	"slices"
	"strings"
)

// The rules, by which the mock decides instead of thinking. The last user
// message is the task, the tool results since then tell how far it has come.
// The first rule that matches counts:
//
//  1. tool_choice none, or no tools: words only.
//  2. The model mock-sloppy makes its two slips before the first call.
//  3. tool_choice required or a function: always a call, for the next step, or
//     for the last one again when all are done.
//  4. All steps have results, or one result is an error: say what they are.
//  5. A tool fits the next step: call it. Steps that are to happen at the same
//     time go into one answer, unless the request forbids it.
//  6. No tool fits: say so, after the results so far.
//
// steps.go cuts the task, choose.go picks the tool, arguments.go fills it in.
// Nothing is random: the same request gets the same answer.
func decide(c conversation) answer {
	task, results := c.turn()
	plan := cutSteps(task)
	forced := c.choice.mode == "required" || c.choice.mode == "function"
	if len(c.tools) == 0 || c.choice.mode == "none" { // rule 1
		return answer{text: summary(results, len(results) == 0)}
	}
	if c.model == sloppyModel { // rule 2
		if slip, ok := c.slip(plan, len(results)); ok {
			return slip
		}
		results = results[min(slips, len(results)):]
	}
	next := plan.after(len(results))
	if len(next) == 0 && forced { // rule 3
		last := plan[len(plan)-1]
		next = last[len(last)-1:]
	}
	if !forced && (len(next) == 0 || slices.ContainsFunc(results, isError)) { // rule 4
		return answer{text: summary(results, false)}
	}
	if !c.parallel {
		next = next[:1]
	}
	var calls []call
	for _, step := range next {
		one, ok := c.callFor(step)
		if !ok { // rule 6
			return answer{text: summary(results, true)}
		}
		calls = append(calls, one) // rule 5
	}
	return answer{calls: calls}
}

// conversation is all that the rules look at.
type conversation struct {
	model    string
	messages []message
	tools    []tool
	choice   toolChoice
	parallel bool // several calls in one answer are welcome
}

type message struct{ role, text string }

// toolChoice has a mode: none, auto, required, or function for the tool of that
// name.
type toolChoice struct{ mode, name string }

// answer is either text or calls, their arguments being the text of a JSON object.
type answer struct {
	text  string
	calls []call
}

type call struct{ name, arguments string }

const (
	noTool    = "I don't have a tool that can do that."
	errorMark = "(error) " // begins a tool's result that is an error
	slips     = 2          // mistakes of the sloppy model before each task
)

// turn gives the last user message and the tool results that came after it.
func (c conversation) turn() (task string, results []string) {
	for _, m := range c.messages {
		switch m.role {
		case "user":
			task, results = m.text, nil
		case "tool":
			results = append(results, m.text)
		}
	}
	return task, results
}

// slip is mistake number done, from 0: arguments that are cut off, then a tool
// that nobody offered. Where it would not call a tool anyway, it makes none.
func (c conversation) slip(plan steps, done int) (answer, bool) {
	right, ok := c.callFor(plan[0][0])
	if !ok || done >= slips {
		return answer{}, false
	}
	if done == 0 {
		half := strings.ToValidUTF8(right.arguments[:(len(right.arguments)+1)/2], "")
		return answer{calls: []call{{right.name, half}}}, true
	}
	return answer{calls: []call{{"no_such_tool", "{}"}}}, true
}

// summary is the last answer of a task: one result, or a list of them, and
// what went wrong.
func summary(results []string, stuck bool) string {
	lines := []string{"Here is what I found:"}
	var failed []string
	for _, r := range results {
		if isError(r) {
			failed = append(failed, strings.TrimSpace(r[len(errorMark):]))
		} else {
			lines = append(lines, fmt.Sprintf("%d. %s", len(lines), strings.TrimSpace(r)))
		}
	}
	switch {
	case len(failed) > 0:
		lines = append(lines, "I could not finish: "+strings.Join(failed, "; "))
	case stuck:
		lines = append(lines, noTool)
	case len(results) == 1:
		return "Result: " + strings.TrimSpace(results[0])
	}
	if len(failed) == len(results) {
		lines = lines[1:] // nothing was found
	}
	return strings.Join(lines, "\n")
}

func isError(result string) bool { return strings.HasPrefix(result, errorMark) }

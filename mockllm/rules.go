package main

import (
	"fmt"
	"slices"
	"strings"
)

const (
	// noTool is the answer to what no tool can do.
	noTool = "I don't have a tool that can do that."
	// errorMark begins a tool's result that is an error.
	errorMark = "(error) "
)

// conversation is all that the rules decide upon.
type conversation struct {
	model    string
	messages []message
	tools    []tool
	choice   toolChoice
	parallel bool // several calls in one answer are welcome
}

// toolChoice says whether the answer may or must be a call: the mode is none,
// auto, required, or function for the one tool with that name.
type toolChoice struct {
	mode, name string
}

// answer is either text or calls.
type answer struct {
	text  string
	calls []call
}

// call is a tool call; the arguments are the text of a JSON object.
type call struct {
	name, arguments string
}

// decide is what the mock does instead of thinking. The first rule that
// matches counts:
//
//  1. tool_choice none, or no tools: words only.
//  2. tool_choice required or a function: always a call, for the next step or
//     else the last one again.
//  3. A tool has failed: say so, and call nothing more.
//  4. All steps of the task have results: list them.
//  5. A tool fits the next step (see choose.go): call it with arguments from
//     the step (see arguments.go). Steps that are to happen at the same time
//     go into one answer.
//  6. No tool fits: say so, after the results so far.
//
// The last user message is the task; the tool results since then tell how far
// it has come.
func decide(c conversation) answer {
	task, results := c.turn()
	plan := cutSteps(task)
	forced := c.choice.mode == "required" || c.choice.mode == "function"
	if len(c.tools) == 0 || c.choice.mode == "none" {
		return answer{text: summary(results, len(results) == 0)}
	}
	if c.model == sloppyModel {
		if slip, ok := c.slip(plan, len(results)); ok {
			return slip
		}
		results = results[min(slips, len(results)):]
	}
	open := plan.after(len(results))
	if len(open) == 0 && forced {
		last := plan[len(plan)-1]
		open = last[len(last)-1:]
	}
	if !forced && (len(open) == 0 || slices.ContainsFunc(results, isError)) {
		return answer{text: summary(results, false)}
	}
	if !c.parallel {
		open = open[:1]
	}
	var calls []call
	for _, step := range open {
		next, ok := c.callFor(step)
		if !ok {
			return answer{text: summary(results, true)}
		}
		calls = append(calls, next)
	}
	return answer{calls: calls}
}

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

// slips is how many mistakes the sloppy model makes before each task.
const slips = 2

// slip is the sloppy model's mistake number done, from 0: arguments that are
// cut off, then a tool that nobody offered. It makes none where it would not
// call a tool anyway.
func (c conversation) slip(plan steps, done int) (answer, bool) {
	right, ok := c.callFor(plan[0][0])
	if !ok || done >= slips {
		return answer{}, false
	}
	if done == 0 {
		half := strings.ToValidUTF8(right.arguments[:(len(right.arguments)+1)/2], "")
		return answer{calls: []call{{right.name, half}}}, true
	}
	unknown := "no_such_tool"
	for slices.ContainsFunc(c.tools, func(t tool) bool { return t.name == unknown }) {
		unknown += "_"
	}
	return answer{calls: []call{{unknown, "{}"}}}, true
}

// summary is the last answer of a task: one result, or a list of them, or what
// went wrong after those that did not.
func summary(results []string, stuck bool) string {
	var found, failed, lines []string
	for _, r := range results {
		if text, isErr := strings.CutPrefix(r, errorMark); isErr {
			failed = append(failed, strings.TrimSpace(text))
		} else {
			found = append(found, strings.TrimSpace(r))
		}
	}
	if len(found) == 1 && len(failed) == 0 && !stuck {
		return "Result: " + found[0]
	}
	if len(found) > 0 {
		lines = append(lines, "Here is what I found:")
	}
	for i, r := range found {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, r))
	}
	if len(failed) > 0 {
		lines = append(lines, "I could not finish: "+strings.Join(failed, "; "))
	} else if stuck {
		lines = append(lines, noTool)
	}
	return strings.Join(lines, "\n")
}

// isError tells whether a tool result is an error.
func isError(result string) bool { return strings.HasPrefix(result, errorMark) }

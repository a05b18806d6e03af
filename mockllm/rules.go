package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The rules by which the mock decides instead of thinking. Nothing is random: the
// same request gets the same answer. The last user message is the task; the tool
// results since then tell how far it has come. Of each list the first rule that
// matches counts.
//
// The steps: the task is cut at "then", ";", 然后, 再 and 接着, which put one step
// after the other, and at "at the same time" and 同时. What is in quotes stays whole.
//
// The answer:
//
//	A1  No tools, or tool_choice none: words only.
//	A2  The model mock-sloppy, before its first call: arguments that are cut off,
//	    then a tool that nobody offered.
//	A3  A call is required, and all steps are done: the last step once more.
//	A4  All steps are done, or a result is an error: say what the results are.
//	A5  A tool fits the next step: call it. Steps for the same time share one answer,
//	    unless the request forbids that.
//	A6  No tool fits: say so, after the results so far.
//
// The tool for a step:
//
//	T1  "call NAME" or "use NAME", of a tool that is offered: that one.
//	T2  "call NAME {json}", of any other: just that call, although nobody offers it,
//	    unless tool_choice names the tools that may be called.
//	T3  The tool that shares most words with the step: see score.
//	T4  A call is required: the first tool.
//
// The arguments, first of the required parameters in their order, then of the
// others by name. Each part of the step is used once.
//
//	P1  A JSON object in the step is all of them, byte for byte.
//	P2  An enum is the first of its values that is said; a boolean is true if its
//	    name is said.
//	P3  What stands behind the name of the parameter: limit 5, title: "trip", the
//	    city of Paris. "called" stands for title.
//	P4  The next quote, path, number or phrase that suits it: see suits. A phrase
//	    stands after in, for, of, about and the like.
//	P5  A required one gets what its type allows. For a string that is the step,
//	    without the words at its edges that only say which tool is meant.
func decide(c conversation) (text string, calls []call) {
	steps, results := cutSteps(c.task), c.results
	if len(c.tools) == 0 { // A1
		return summary(results, len(results) == 0), nil
	}
	if c.model == sloppyModel { // A2
		right, ok := c.callFor(steps[0].text)
		half := right.Arguments[:len(right.Arguments)/2]
		slips := []call{{right.Name, strings.ToValidUTF8(half, "")}, {"no_such_tool", "{}"}}
		if done := len(results); ok && done < len(slips) {
			return "", slips[done : done+1]
		}
		results = results[min(len(slips), len(results)):]
	}
	next := steps[min(len(results), len(steps)):]
	switch {
	case c.must && len(next) == 0: // A3
		next = steps[len(steps)-1:]
	case !c.must && (len(next) == 0 || slices.ContainsFunc(results, isError)): // A4
		return summary(results, false), nil
	}
	for i, step := range next {
		if i > 0 && !(step.together && c.parallel) {
			break
		}
		one, ok := c.callFor(step.text)
		if !ok { // A6
			return summary(results, true), nil
		}
		calls = append(calls, one) // A5
	}
	return "", calls
}

// conversation is all that the rules look at.
type conversation struct {
	model    string
	task     string   // the last user message
	results  []string // of tools, since the task
	tools    []tool   // that may be called; none with tool_choice none
	must     bool     // a call is required
	only     bool     // tool_choice names the tools that may be called
	parallel bool     // several calls in one answer are welcome
}

const (
	noTool    = "I don't have a tool that can do that."
	errorMark = "(error) " // begins a result that is an error
)

func isError(result string) bool { return strings.HasPrefix(result, errorMark) }

// summary is the last answer of a task: its one result, or a list of them, and
// what went wrong. With stuck no tool could do the next step.
func summary(results []string, stuck bool) string {
	lines, last := []string{"Here is what I found:"}, ""
	var failed []string
	for _, r := range results {
		if reason, ok := strings.CutPrefix(r, errorMark); ok {
			failed = append(failed, strings.TrimSpace(reason))
		} else {
			lines = append(lines, fmt.Sprintf("%d. %s", len(lines), strings.TrimSpace(r)))
		}
	}
	switch {
	case failed != nil:
		last = "I could not finish: " + strings.Join(failed, "; ")
	case stuck:
		last = noTool
	case len(results) == 1:
		return "Result: " + strings.TrimSpace(results[0])
	}
	if len(lines) == 1 { // nothing was found
		return last
	}
	return strings.TrimSpace(strings.Join(append(lines, last), "\n"))
}

var (
	// explicit is how a step says exactly which tool to call.
	explicit = regexp.MustCompile(`(?is)^\s*(?:please\s+)?(?:(?:call|use)\s+|(?:调用|使用)\s*)([a-zA-Z0-9_-]{1,64})\s*(.*)`)
	// origin is what hosts put before the names and descriptions of tools from
	// elsewhere: mcp_demo_dice, "[MCP:demo] Roll a die".
	origin = regexp.MustCompile(`^mcp_[^_]+_|^\s*\[[^\]]*\]`)
)

// callFor finds the call that does a step; false if there is none.
func (c conversation) callFor(step string) (call, bool) {
	if found := explicit.FindStringSubmatch(step); found != nil {
		name, rest := found[1], found[2]
		if i := c.toolNamed(name); i >= 0 { // T1
			return call{name, arguments(rest, c.tools[i])}, true
		} else if object := leadingObject(rest); object != "" && !c.only { // T2
			return call{name, object}, true
		}
	}
	said := words(material.ReplaceAllString(step, " "))
	best := slices.MaxFunc(c.tools, func(a, b tool) int { return score(said, a) - score(said, b) }) // the first of the best
	if score(said, best) == 0 && !c.must {
		return call{}, false
	}
	return call{best.Name, arguments(step, best)}, true // T3, T4
}

// score tells how well a tool fits the words of a step; 0 means not at all. Of
// tools that share as much, the better one has the first word in its name ("run
// ls" is no ls), then the one whose name has fewer other words.
func score(said []string, t tool) int {
	name := words(origin.ReplaceAllString(t.Name, ""))
	all := append(name, words(origin.ReplaceAllString(t.Description, ""))...)
	points := 0
	for i, w := range all {
		if slices.Contains(said, w) && !slices.Contains(all[:i], w) {
			points += 50
			if i < len(name) {
				points += 50
			}
		}
	}
	if points > 0 && slices.Contains(name, said[0]) {
		points += 20
	}
	return max(0, points-len(name))
}

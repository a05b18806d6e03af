package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// maxResult is how much of one tool result the model gets, in bytes.
const maxResult = 32 << 10

// Call is a tool call: a name, and the arguments as the model wrote them.
type Call struct {
	Name string
	Args string
}

// Result is what became of a Call.
type Result struct {
	Text string        // redacted, valid UTF-8, at most maxResult bytes
	Err  error         // why the call failed; it wraps errDenied if a policy or a person said no
	Took time.Duration // the run alone, without the question
}

// String is the result as the model and the trace get it: an error is marked as one.
func (r Result) String() string {
	if r.Err != nil {
		return "(error) " + r.Text
	}
	return r.Text
}

// Call runs the calls of one turn and returns their results in the same order. Here policy, question, run, redaction,
// size cap and errors meet, and nowhere else; a tool that panics is a failed call. Neighbours that are Parallel are
// asked about one after the other, then run together. begin and end are told of each call, in order.
func (r *Registry) Call(ctx context.Context, calls []Call, begin func(i int), end func(i int, result Result)) []Result {
	results := make([]Result, len(calls))
	for first := 0; first < len(calls); {
		last := r.neighbours(calls, first)
		approved := map[int]approval{}
		for i := first; i < last; i++ {
			begin(i)
			tool, args, err := r.approve(ctx, calls[i])
			if err != nil {
				results[i] = r.failure(ctx, err)
				continue
			}
			approved[i] = approval{tool, args}
		}
		var running sync.WaitGroup
		for i, a := range approved {
			running.Go(func() { results[i] = r.run(ctx, a.tool, a.args) })
		}
		running.Wait()
		for ; first < last; first++ {
			end(first, results[first])
		}
	}
	return results
}

// approval is a call that may run.
type approval struct {
	tool Tool
	args json.RawMessage
}

// neighbours returns the end of the group that begins at first: one call, or a row of calls that are all Parallel.
func (r *Registry) neighbours(calls []Call, first int) int {
	end := first
	for end < len(calls) {
		tool, err := r.Lookup(calls[end].Name)
		if err != nil || !tool.Parallel {
			break
		}
		end++
	}
	return max(end, first+1)
}

// approve finds the tool, checks the arguments and asks for permission, in this order: nobody is asked about a call
// that cannot run. After a Ctrl-C nothing more is approved.
func (r *Registry) approve(ctx context.Context, call Call) (Tool, json.RawMessage, error) {
	if ctx.Err() != nil {
		return Tool{}, nil, context.Cause(ctx)
	}
	tool, err := r.Lookup(call.Name)
	if err != nil {
		return tool, nil, err
	}
	args, err := arguments(call.Args, tool.Parameters)
	if err != nil {
		return tool, nil, err
	}
	return tool, args, r.permissions.Approve(ctx, tool, args)
}

func (r *Registry) run(ctx context.Context, tool Tool, args json.RawMessage) (result Result) {
	start := time.Now()
	defer func() {
		if p := recover(); p != nil {
			result = r.failure(ctx, fmt.Errorf("%s failed: %v", tool.Name, p))
		}
		result.Took = time.Since(start)
	}()
	text, err := tool.Run(ctx, args)
	if err != nil {
		return r.failure(ctx, err)
	}
	return Result{Text: r.clean(text)}
}

// failure turns an error into a Result. After a Ctrl-C the model reads that, and not its consequences.
func (r *Registry) failure(ctx context.Context, err error) Result {
	if ctx.Err() != nil {
		return Result{Text: "interrupted by the user", Err: context.Cause(ctx)}
	}
	return Result{Text: r.clean(err.Error()), Err: err}
}

// clean makes text fit for the model: no secrets, valid UTF-8, not too long. Secrets go first, or the cut could leave
// half of one.
func (r *Registry) clean(text string) string {
	return capped(r.permissions.console.redact.Redact(strings.ToValidUTF8(text, "\uFFFD")))
}

// capped keeps the head and the tail of a text over maxResult bytes, cut between characters, and says how much is gone.
func capped(text string) string {
	if len(text) <= maxResult {
		return text
	}
	note := fmt.Sprintf("\n[… %d bytes in all; the first and last %d are shown …]\n", len(text), maxResult/2-50)
	head, tail := maxResult/2-50, len(text)-(maxResult/2-50)
	for !utf8.RuneStart(text[head]) {
		head--
	}
	for !utf8.RuneStart(text[tail]) {
		tail++
	}
	return text[:head] + note + text[tail:]
}

// arguments checks the text of a call against the tool's schema as far as every tool needs it: a JSON object with the
// required properties. Models write nothing, or null, where they mean no arguments.
func arguments(text string, schema json.RawMessage) (json.RawMessage, error) {
	text = strings.TrimSpace(text)
	if text == "" || text == "null" {
		text = "{}"
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		return nil, fmt.Errorf("not run: the arguments are not a JSON object (%v): %s", err, preview(text, 200))
	}
	var want struct {
		Required []string `json:"required"`
	}
	_ = json.Unmarshal(schema, &want) // a schema of another shape requires nothing that could be checked here
	for _, name := range want.Required {
		if _, ok := object[name]; !ok {
			return nil, fmt.Errorf("not run: the required argument %q is missing", name)
		}
	}
	return json.RawMessage(text), nil
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
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
	Text string        // redacted, valid UTF-8, not empty, at most maxResult bytes
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
	var approved []func()
	first := 0 // of the calls that have not ended
	for i, call := range calls {
		begin(i)
		if plan, err := r.approve(ctx, call); err != nil {
			results[i] = r.result("", err)
		} else {
			approved = append(approved, func() { results[i] = r.run(ctx, call.Name, plan) })
		}
		if i+1 < len(calls) && r.parallel(call.Name) && r.parallel(calls[i+1].Name) {
			continue
		}
		var running sync.WaitGroup
		for _, run := range approved {
			running.Go(run)
		}
		running.Wait()
		for approved = nil; first <= i; first++ {
			end(first, results[first])
		}
	}
	return results
}

// parallel reports whether a tool may run beside its neighbours.
func (r *Registry) parallel(name string) bool {
	tool, _ := r.Lookup(name)
	return tool.Parallel
}

// approve finds the tool, checks the arguments, plans the call and asks for permission, in this order. After a Ctrl-C
// nothing more is approved.
func (r *Registry) approve(ctx context.Context, call Call) (plan Plan, err error) {
	if ctx.Err() != nil {
		return plan, errNotRun
	}
	tool, err := r.Lookup(call.Name)
	if err != nil {
		return plan, err
	}
	args, err := arguments(call.Args, tool.Parameters)
	if err != nil {
		return plan, err
	}
	if err := r.permissions.Denied(tool); err != nil {
		return plan, err
	}
	defer recovered(tool.Name, &err)
	plan = Plan{
		Preview: fmt.Sprintf("About to call tool: %s\n  %s", tool.Name, compact(args)),
		Run:     func(ctx context.Context) (string, error) { return tool.Run(ctx, args) },
	}
	if tool.Plan != nil {
		if plan, err = tool.Plan(ctx, args); err != nil {
			return plan, err
		}
	}
	if err = r.permissions.Approve(ctx, tool, plan); ctx.Err() != nil {
		err = errNotRun
	}
	return plan, err
}

// The results of calls that a Ctrl-C came before, or ended.
var (
	errNotRun   = errors.New("not run: interrupted by the user")
	errHalfDone = errors.New("interrupted by the user while it ran, perhaps half done")
)

func (r *Registry) run(ctx context.Context, name string, plan Plan) Result {
	start := time.Now()
	text, err := func() (text string, err error) {
		defer recovered(name, &err)
		return plan.Run(ctx)
	}()
	switch {
	case err != nil && (err == ctx.Err() || err == context.Cause(ctx)):
		err = errHalfDone
	case err != nil && ctx.Err() != nil:
		err = fmt.Errorf("%w: %w", errHalfDone, err)
	}
	result := r.result(text, err)
	result.Took = time.Since(start)
	return result
}

// recovered turns a panic of a tool into an error.
func recovered(name string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%s failed: %v", name, p)
	}
}

// result is the Result of a call that gave text, or failed.
func (r *Registry) result(text string, err error) Result {
	if err != nil {
		text = err.Error()
	}
	return Result{Text: r.clean(text), Err: err}
}

// clean makes text fit for the model: valid UTF-8 without NUL, no secrets, neither empty nor too long. Secrets go before
// the cut, which could leave half of one.
func (r *Registry) clean(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	text = capped(r.permissions.console.redact.Redact(text))
	if strings.TrimSpace(text) == "" {
		return "(no output)"
	}
	return text
}

// capped keeps the head and the tail of a text over maxResult bytes, cut between characters, and says how much is gone.
func capped(text string) string {
	if len(text) <= maxResult {
		return text
	}
	const half = maxResult/2 - 50 // the note has room beside them
	note := fmt.Sprintf("\n[… %d bytes in all; the first and last %d are shown …]\n", len(text), half)
	return strings.ToValidUTF8(text[:half], "") + note + strings.ToValidUTF8(text[len(text)-half:], "")
}

// arguments checks the text of a call against the tool's schema, as far as every tool needs it: a JSON object that has
// the required properties, each property of its type. Models write nothing, or null, where they mean no arguments.
func arguments(text string, schema json.RawMessage) (json.RawMessage, error) {
	text = strings.TrimSpace(text)
	if text == "" || text == "null" {
		text = "{}"
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		return nil, fmt.Errorf("not run: the arguments are not a JSON object: %w", err)
	}
	var want struct {
		Required   []string `json:"required"`
		Properties map[string]struct {
			Type json.RawMessage `json:"type"` // a name, or a list of names
		} `json:"properties"`
	}
	_ = json.Unmarshal(schema, &want) // what has another shape says nothing that could be checked here
	for _, name := range want.Required {
		if _, ok := object[name]; !ok {
			return nil, fmt.Errorf("not run: the required argument %q is missing", name)
		}
	}
	for name, value := range object {
		optional := string(value) == "null" && !slices.Contains(want.Required, name) // as models leave an argument out
		if types := want.Properties[name].Type; !optional && !ofType.MatchString(string(types)+":"+string(value)) {
			return nil, fmt.Errorf("not run: the argument %q must be of the type %s", name, types)
		}
	}
	return json.RawMessage(text), nil
}

// ofType matches the types that a schema allows, if it says, a colon, and a JSON value of one of them.
var ofType = regexp.MustCompile(`^:|^[^:]*("string"[^:]*:"|"object"[^:]*:\{|"array"[^:]*:\[|"boolean"[^:]*:[tf]|"null"[^:]*:n|` +
	`"number"[^:]*:[-\d]|"integer"[^:]*:-?\d+(\.0+)?([eE]\+?\d+)?$)`)

// decodeArgs reads a call's arguments into v, a pointer to a struct with JSON tags; a whole number goes into a float64,
// since models write 10.0 too. arguments has seen to the types, so that an error says more about the tool's schema.
func decodeArgs(args json.RawMessage, v any) error {
	if err := json.Unmarshal(args, v); err != nil {
		return fmt.Errorf("the arguments cannot be read: %w", err)
	}
	return nil
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
)

// call is what a running tool knows of the call: the arguments, which match its
// schema, and how to reach the client before the result is there.
type call struct {
	args   map[string]any
	token  json.RawMessage // progressToken of the request, nil if it has none
	modern bool
	notify notifier
}

// notifier sends a notification to the client whose request is being answered.
type notifier func(method string, params any)

// text gives an argument that the schema calls a string.
func (c call) text(name string) string {
	text, _ := c.args[name].(string)
	return text
}

// number gives an argument that the schema calls a number or an integer.
func (c call) number(name string) float64 {
	number, _ := c.args[name].(float64)
	return number
}

// progress reports that done of total steps are behind us, if the client asked
// to be told by sending a token (specification, Progress).
func (c call) progress(done, total int) {
	if c.token == nil || string(c.token) == null {
		return
	}
	c.notify("notifications/progress", struct {
		Token    json.RawMessage `json:"progressToken"`
		Progress int             `json:"progress"`
		Total    int             `json:"total"`
		Message  string          `json:"message"`
	}{c.token, done, total, "counting"})
}

// listChanged tells a legacy client to ask for the tools again. A modern one
// would have to subscribe to that, which we do not offer.
func (c call) listChanged() {
	if !c.modern {
		c.notify("notifications/tools/list_changed", nil)
	}
}

// jsonText is JSON written by hand; it goes out as it stands.
type jsonText string

// MarshalJSON implements json.Marshaler.
func (t jsonText) MarshalJSON() ([]byte, error) { return []byte(t), nil }

// check compares arguments with the tool's schema, as far as our schemas go:
// required members, and the types of those that are there. Unknown members are
// ignored. The error names the argument, so that a model can mend its call.
func (t tool) check(args map[string]any) error {
	var schema struct {
		Properties map[string]struct{ Type string }
		Required   []string
	}
	if err := json.Unmarshal([]byte(t.InputSchema), &schema); err != nil {
		return fmt.Errorf("the schema of %s: %w", t.Name, err)
	}
	for _, name := range schema.Required {
		if args[name] == nil {
			return fmt.Errorf("argument %q is missing", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		value, want := args[name], schema.Properties[name].Type
		if value != nil && !hasType(value, want) {
			return fmt.Errorf("argument %q must be of type %s", name, want)
		}
	}
	return nil
}

// hasType tells whether a decoded JSON value is of a type of JSON Schema.
func hasType(value any, want string) bool {
	switch v := value.(type) {
	case string:
		return want == "string"
	case float64:
		return want == "number" || want == "integer" && v == math.Trunc(v)
	case bool:
		return want == "boolean"
	case []any:
		return want == "array"
	}
	return want == "object"
}

// running holds the calls of one client that have no result yet, by the raw id
// of the request, so that notifications/cancelled finds them (specification,
// Cancellation). The zero value is ready.
type running struct {
	mu    sync.Mutex // guards calls
	calls map[string]context.CancelFunc
}

// begin registers a call. The context it gives ends when the call is cancelled,
// and whoever runs the call must call end afterwards.
func (r *running) begin(ctx context.Context, id json.RawMessage) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancel(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls == nil {
		r.calls = map[string]context.CancelFunc{}
	}
	r.calls[string(id)] = cancel
	return ctx, func() {
		cancel()
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.calls, string(id))
	}
}

// heard acts on a notification of the client. Only one matters to us; all
// others, and a malformed one, are ignored, since nobody waits for an answer.
func (r *running) heard(note message) {
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if note.Method != "notifications/cancelled" || decode(note.Params, &params) != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if cancel, ok := r.calls[string(params.RequestID)]; ok {
		cancel()
	}
}

// cancelAll cancels every call.
func (r *running) cancelAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, cancel := range r.calls {
		cancel()
	}
}

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
)

// Tool is something that the model can ask for by name. It has either a Run or a Plan.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON Schema object, passed to the model as it is

	// Run does the work of a tool that needs no preparation. args is a JSON object as raw as the model wrote it: a number
	// of 19 digits has its 19 digits. The error's text is for the model to read.
	Run func(ctx context.Context, args json.RawMessage) (string, error)
	// Plan looks at a call before anybody is asked about it, and changes nothing. Its error ends the call: nobody is asked
	// about a call that cannot work.
	Plan func(ctx context.Context, args json.RawMessage) (Plan, error)

	Parallel bool   // may run beside the other calls of one turn
	Policy   Policy // holds where no rule matches; the zero Policy asks
	Details  string // where the tool comes from, for /tools NAME
}

// Plan is a call that would work.
type Plan struct {
	Preview string // what a person is asked to confirm: its first line says what decides, the others are indented
	Caution string // why a person has to be asked even where a rule says allow; "" where there is no reason
	// Run does what the preview shows, or fails where that has become something else in the meantime.
	Run func(ctx context.Context) (string, error)
}

// Definition is what the model gets to know of a tool, in the shape of the Chat Completions API (tools[]).
type Definition struct {
	Type     string             `json:"type"`
	Function FunctionDefinition `json:"function"`
}

// FunctionDefinition is the one kind of Definition there is.
type FunctionDefinition struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Registry holds the tools. It is safe for concurrent use: tools come and go while a turn runs.
type Registry struct {
	// Refresh, if set, is called before Definitions looks at the tools: the time to register and unregister what has
	// changed elsewhere. It is set once, before the first call.
	Refresh func(ctx context.Context)

	permissions *Permissions

	mu     sync.RWMutex // guards what follows
	tools  map[string]Tool
	narrow []string // globs of the names that a skill lets through; nil lets all through
}

// newRegistry returns an empty Registry whose calls are subject to the permissions.
func newRegistry(permissions *Permissions) *Registry {
	return &Registry{permissions: permissions, tools: map[string]Tool{}}
}

// Register adds tools. It fails at the first one whose name is taken.
func (r *Registry) Register(tools ...Tool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range tools {
		if _, taken := r.tools[t.Name]; taken {
			return fmt.Errorf("there already is a tool named %q", t.Name)
		}
		r.tools[t.Name] = t
	}
	return nil
}

// Unregister removes a tool; a name that is not there is no error.
func (r *Registry) Unregister(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.tools, name)
}

// Narrow hides every tool whose name matches none of the globs; nil hides nothing.
func (r *Registry) Narrow(globs []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.narrow = globs
}

// Visible returns the tools that the model may see now, sorted by name.
func (r *Registry) Visible() (tools []Tool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, name := range slices.Sorted(maps.Keys(r.tools)) {
		if r.visible(name) {
			tools = append(tools, r.tools[name])
		}
	}
	return tools
}

// visible reports whether the skill in use lets a name through; r.mu is held.
func (r *Registry) visible(name string) bool { return r.narrow == nil || matchesAny(r.narrow, name) }

// Lookup finds a visible tool. Its error, for the model, says which names come close, or which there are.
func (r *Registry) Lookup(name string) (Tool, error) {
	r.mu.RLock()
	tool, found := r.tools[name]
	found = found && r.visible(name)
	r.mu.RUnlock()
	if found {
		return tool, nil
	}
	var all, near []string
	for _, t := range r.Visible() {
		all = append(all, t.Name)
		if name != "" && (strings.Contains(t.Name, name) || strings.Contains(name, t.Name)) {
			near = append(near, t.Name)
		}
	}
	which := "close to it"
	if near == nil {
		which, near = "there are", all
	}
	if len(near) > 20 {
		near = append(near[:20], "…")
	}
	return Tool{}, fmt.Errorf("there is no tool named %q; %s: %s", name, which, cmp.Or(strings.Join(near, ", "), "none"))
}

// Definitions returns the visible tools as the model gets them, after a Refresh. The chat asks anew before each request.
func (r *Registry) Definitions(ctx context.Context) []Definition {
	if r.Refresh != nil {
		r.Refresh(ctx)
	}
	return r.definitions()
}

func (r *Registry) definitions() (definitions []Definition) {
	for _, t := range r.Visible() {
		definitions = append(definitions, t.definition())
	}
	return definitions
}

// Tokens estimates what the definitions cost in every request, without a Refresh.
func (r *Registry) Tokens() int { return estimateTokens(r.definitions()) }

// definition is the tool as the model gets it.
func (t Tool) definition() Definition {
	return Definition{"function", FunctionDefinition{t.Name, t.Description, t.Parameters}}
}

// matchesAny reports whether name matches one of the globs (path.Match; case-sensitive).
func matchesAny(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		ok, _ := path.Match(glob, name) // a malformed glob was refused when its file was read
		return ok
	})
}

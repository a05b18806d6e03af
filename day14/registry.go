package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
)

// Tool is something that the model can ask for by name.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON Schema object, passed to the model as it is

	// Run does the work. args is a JSON object as raw as the model wrote it: a number of 19 digits has its 19 digits.
	// The error's text is for the model to read.
	Run func(ctx context.Context, args json.RawMessage) (string, error)

	// Preview is what a person is asked to confirm, first line the heading; nil stands for the name and the arguments.
	Preview func(ctx context.Context, args json.RawMessage) string
	// Caution is why a person has to be asked even where a rule says allow; nil and "" stand for no reason.
	Caution func(args json.RawMessage) string

	Parallel bool   // may run beside the other calls of one turn
	Policy   Policy // holds where no rule matches; the zero Policy asks
	Details  string // where the tool comes from, for /tools NAME
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
	permissions *Permissions

	mu     sync.RWMutex // guards what follows
	tools  map[string]Tool
	narrow []string // globs of the names that a skill lets through; nil lets all through
}

// newRegistry returns an empty Registry whose calls the permissions decide about.
func newRegistry(permissions *Permissions) *Registry {
	return &Registry{permissions: permissions, tools: map[string]Tool{}}
}

// Register adds a tool. It fails if the name is taken.
func (r *Registry) Register(t Tool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.tools[t.Name]; taken {
		return fmt.Errorf("there already is a tool named %q", t.Name)
	}
	r.tools[t.Name] = t
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
func (r *Registry) Visible() []Tool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var tools []Tool
	for _, t := range r.tools {
		if r.narrow == nil || matchesAny(r.narrow, t.Name) {
			tools = append(tools, t)
		}
	}
	slices.SortFunc(tools, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	return tools
}

// Lookup finds a visible tool. Its error, for the model, says which names come close, or which there are.
func (r *Registry) Lookup(name string) (Tool, error) {
	var names, near []string
	for _, t := range r.Visible() {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
		if name != "" && (strings.Contains(t.Name, name) || strings.Contains(name, t.Name)) {
			near = append(near, t.Name)
		}
	}
	const most = 20 // names in the message
	switch {
	case len(names) == 0:
		return Tool{}, fmt.Errorf("there is no tool named %q, and no other tool", name)
	case len(near) > 0:
		return Tool{}, fmt.Errorf("there is no tool named %q; close to it: %s", name, strings.Join(near[:min(len(near), most)], ", "))
	case len(names) > most:
		names = append(names[:most], "…")
	}
	return Tool{}, fmt.Errorf("there is no tool named %q; there are: %s", name, strings.Join(names, ", "))
}

// Definitions returns the visible tools as the model gets them. The chat asks anew before every request.
func (r *Registry) Definitions() []Definition {
	var definitions []Definition
	for _, t := range r.Visible() {
		definitions = append(definitions, t.definition())
	}
	return definitions
}

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

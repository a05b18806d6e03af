package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"sync"
)

// Policy says what happens when the model asks for a tool. The zero Policy asks a person.
type Policy int

// The policies, from the mildest to the strictest, but for Ask: it has to be the zero value.
const (
	Ask Policy = iota
	Allow
	Deny
)

var policyNames = map[Policy]string{Ask: "ask", Allow: "allow", Deny: "deny"}

func (p Policy) String() string { return policyNames[p] }

// errDenied is what every refusal of a call wraps, whoever refused. errStricter says that a rule would change nothing,
// since another one for the same tool is stricter.
var (
	errDenied   = errors.New("denied")
	errStricter = errors.New("another rule is stricter")
)

// rule is one line of GeekAgent.json: all tools whose name matches glob have the policy.
type rule struct {
	glob   string
	policy Policy
}

// Permissions decides which calls may run: by the rules of GeekAgent.json, and by asking.
type Permissions struct {
	Root string // the folder that file tools cannot leave: an absolute path

	file    string // GeekAgent.json, as it was given to loadPermissions
	console *Console
	yes     bool // -yes: every question is answered with y
	oneShot bool // nobody is asked unless stdin is a terminal

	mu       sync.Mutex // guards what follows
	rules    []rule
	accepted map[string]string // tool → the caution that was answered with "always"
}

// Policy returns the policy of a tool by the rules as they are now.
func (p *Permissions) Policy(tool Tool) Policy {
	p.mu.Lock()
	defer p.mu.Unlock()
	return policyOf(tool, p.rules)
}

// policyOf returns the policy of a tool. Of several rules that match the strictest counts, whatever their order; without
// one the tool's own default holds.
func policyOf(tool Tool, rules []rule) Policy {
	policy, found := Allow, false
	for _, rule := range rules {
		if ok, _ := path.Match(rule.glob, tool.Name); !ok {
			continue
		}
		found = true
		if rule.policy == Deny || policy == Allow {
			policy = rule.policy
		}
	}
	if !found {
		return tool.Policy
	}
	return policy
}

// Approve returns nil if the call may run. Otherwise the error wraps errDenied and its text is for the model.
func (p *Permissions) Approve(ctx context.Context, tool Tool, args json.RawMessage) error {
	caution := p.caution(tool, args)
	switch policy := p.Policy(tool); {
	case policy == Deny:
		return fmt.Errorf("%w by policy: %s does not allow %s", errDenied, p.file, tool.Name)
	case policy == Allow && caution == "", p.yes:
		return nil
	case p.oneShot && !p.console.Interactive(), p.console.Blind():
		p.console.Errorf("[permission] %s was refused: there is no terminal to ask at. Allow it in %s, or answer every question with -yes.\n",
			visibleLine(tool.Name), p.file)
		return fmt.Errorf("%w: nobody can be asked", errDenied)
	}
	return p.question(ctx, tool, args, caution)
}

// ReportUnused says once which rules match none of the given tools: a typing mistake in a deny rule would protect nothing.
func (p *Permissions) ReportUnused(tools []Tool) {
	p.mu.Lock()
	rules := slices.Clone(p.rules)
	p.mu.Unlock()
	for _, rule := range rules {
		if !slices.ContainsFunc(tools, func(t Tool) bool { return matchesAny([]string{rule.glob}, t.Name) }) {
			p.console.Errorf("[permission] the rule %q in %s matches no tool\n", rule.glob, p.file)
		}
	}
}

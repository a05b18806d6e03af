package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
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

// question shows what would run, all of it, and waits for an answer. Anything but y and a is a no, the end of input too.
func (p *Permissions) question(ctx context.Context, tool Tool, args json.RawMessage, caution string) error {
	text := defaultPreview(tool.Name, args)
	if tool.Preview != nil {
		text = tool.Preview(ctx, args)
	}
	if caution != "" {
		text += "\nCaution: " + caution
	}
	// A row of spaces could push what follows to the beginning of a line of the screen, where it looks like the question.
	text = manySpaces.ReplaceAllStringFunc(text, func(row string) string { return fmt.Sprintf("[%d spaces]", len(row)) })
	answer, err := p.console.Ask(ctx, text+"\nConfirm execution? [y/N/a] ")
	if err != nil {
		return fmt.Errorf("%w: the question got no answer", errDenied)
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "a":
		return p.always(tool, caution)
	case "y":
		return nil
	}
	return fmt.Errorf("%w by the user", errDenied)
}

// manySpaces is a row of spaces that no indentation has.
var manySpaces = regexp.MustCompile(` {40,}`)

// always makes the answer "a" last: for this tool, with any arguments, also after a restart. It fails, and the call with
// it, if a person has denied the tool in the file meanwhile.
func (p *Permissions) always(tool Tool, caution string) error {
	p.mu.Lock()
	p.accepted[tool.Name] = caution
	p.mu.Unlock()
	switch err := p.save(tool, Allow); {
	case errors.Is(err, errDenied):
		return err
	case errors.Is(err, errStricter):
		p.console.Printf("%s is allowed this once: a rule for several tools in %s still says %s.\n", tool.Name, p.file, p.Policy(tool))
	case err != nil:
		p.console.Printf("%s is allowed until the end of this session; it could not be saved: %v\n", tool.Name, err)
	default:
		p.console.Printf("%s is always allowed from now on: saved in %s.\n", tool.Name, p.file)
	}
	return nil
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

// caution returns the tool's reason to ask in spite of a rule, unless a person has accepted this very reason.
func (p *Permissions) caution(tool Tool, args json.RawMessage) string {
	if tool.Caution == nil {
		return ""
	}
	caution := tool.Caution(args)
	p.mu.Lock()
	defer p.mu.Unlock()
	if caution == p.accepted[tool.Name] {
		return ""
	}
	return caution
}

// defaultPreview shows a call as name and arguments. JSON on one line has no line feed that could begin a line of its
// own, and so nothing in it can look like a part of the question.
func defaultPreview(name string, args json.RawMessage) string {
	return fmt.Sprintf("About to call tool: %s\n  %s", name, compact(args))
}

// compact puts JSON on one line; what is no JSON stays as it is.
func compact(text json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return string(text)
	}
	return b.String()
}

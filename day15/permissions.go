package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Policy says what happens when the model asks for a tool. The zero Policy asks a person.
type Policy int

// The policies.
const (
	Ask Policy = iota
	Allow
	Deny
)

var policyNames = []string{Ask: "ask", Allow: "allow", Deny: "deny"}

func (p Policy) String() string { return policyNames[p] }

// errDenied is what every refusal of a call wraps, whoever refused.
var errDenied = errors.New("denied")

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

// loadPermissions reads GeekAgent.json:
//
//	{"root": "..", "tools": {"run_shell": "ask", "mcp_demo_*": "allow"}}
//
// root is relative to the file's folder. A missing file stands for the defaults; anything wrong in it is an error with
// file, line and column, since a rule that is not understood must not become a rule that does not hold.
func loadPermissions(file string, console *Console) (*Permissions, error) {
	p := &Permissions{file: file, console: console, accepted: map[string]string{}}
	root, rules, err := readRules(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	p.rules = rules
	if !filepath.IsAbs(root) {
		root = filepath.Join(filepath.Dir(file), root)
	}
	if p.Root, err = filepath.Abs(root); err != nil {
		return nil, fmt.Errorf("%s: root: %w", file, err)
	}
	if info, err := os.Stat(p.Root); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s: root: %s is not a folder", file, p.Root)
	}
	return p, nil
}

// readRules returns the root as the file has it, ".." without one, and the rules in the file's order.
func readRules(file string) (root string, rules []rule, err error) {
	root = ".."
	f, err := readJSON(file)
	if err != nil {
		return root, nil, err
	}
	err = f.Object("the file", func(key string) error {
		switch key {
		case "root":
			return f.Value("root", &root)
		case "tools":
			return f.Object("tools", func(glob string) error {
				if _, err := path.Match(glob, ""); err != nil {
					return f.errorf("%q is not a valid pattern", glob)
				}
				var word string
				if err := f.Value("the policy of "+glob, &word); err != nil {
					return err
				}
				policy := Policy(slices.Index(policyNames, word))
				if policy < 0 {
					return f.errorf("the policy of %s is %q; expected allow, ask or deny", glob, word)
				}
				rules = append(rules, rule{glob, policy})
				return nil
			})
		}
		return f.errorf(`unknown key %q; expected "root" or "tools"`, key)
	})
	return root, rules, err
}

// Policy returns the policy of a tool by the rules as they are now.
func (p *Permissions) Policy(tool Tool) Policy {
	p.mu.Lock()
	defer p.mu.Unlock()
	return policyOf(tool, p.rules)
}

// policyOf returns the policy of a tool. Of several rules that match, the strictest counts (deny, ask, allow), whatever
// their order; without one the tool's own default holds.
func policyOf(tool Tool, rules []rule) Policy {
	found := []Policy{}
	for _, rule := range rules {
		if matchesAny([]string{rule.glob}, tool.Name) {
			found = append(found, rule.policy)
		}
	}
	for _, policy := range []Policy{Deny, Ask, Allow} {
		if slices.Contains(found, policy) {
			return policy
		}
	}
	return tool.Policy
}

// Denied returns an error, for the model, if a rule denies the tool; it wraps errDenied.
func (p *Permissions) Denied(tool Tool) error {
	if p.Policy(tool) == Deny {
		return fmt.Errorf("%w by policy: %s does not allow %s", errDenied, p.file, tool.Name)
	}
	return nil
}

// Approve returns nil if a call of a tool that is not Denied may run as planned. Otherwise the error wraps errDenied and
// its text is for the model.
func (p *Permissions) Approve(ctx context.Context, tool Tool, plan Plan) error {
	p.mu.Lock()
	if plan.Caution == p.accepted[tool.Name] {
		plan.Caution = ""
	}
	p.mu.Unlock()
	switch {
	case p.Policy(tool) == Allow && plan.Caution == "", p.yes:
		return nil
	case p.oneShot && !p.console.Interactive(), p.console.Blind():
		p.console.Errorf("[permission] %s was refused: there is no terminal to ask at. Allow it in %s, or answer every question with -yes.\n",
			visibleLine(tool.Name), p.file)
		return fmt.Errorf("%w: nobody can be asked", errDenied)
	}
	answer, err := p.console.Ask(ctx, p.question(plan))
	if err != nil {
		return fmt.Errorf("%w: the question got no answer", errDenied)
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y":
		return nil
	case "a":
		return p.always(tool, plan.Caution)
	}
	return fmt.Errorf("%w by the user", errDenied)
}

// question shows what would run, all of it. Where that is longer than 20 lines of a screen, what decides stands beside
// the prompt once more.
func (p *Permissions) question(plan Plan) string {
	heading, _, _ := strings.Cut(plan.Preview, "\n")
	caution := ""
	if plan.Caution != "" {
		caution = "\nCaution: " + plan.Caution
	}
	text, lines := withoutPadding(plan.Preview+caution), 0
	for line := range strings.Lines(text) {
		lines += 1 + columns(line)/80
	}
	if lines > 20 {
		text += fmt.Sprintf("\n── end of %d lines: %s%s", lines, p.console.Preview(heading, 200), caution)
	}
	return text + "\nConfirm execution? [y/N/a] "
}

// always makes the answer "a" last: for this tool, with any arguments, also after a restart. The file is read anew
// first: what a person has written meanwhile stays. It fails, and the call with it, where that is a deny.
func (p *Permissions) always(tool Tool, caution string) error {
	root, rules, err := readRules(p.file)
	p.mu.Lock()
	if err != nil { // the rule holds until the end of the program
		rules = p.rules
	}
	allowed := slices.Clone(rules)
	if i := slices.IndexFunc(allowed, func(r rule) bool { return r.glob == tool.Name }); i >= 0 {
		allowed[i].policy = Allow
	} else {
		allowed = append(allowed, rule{tool.Name, Allow})
	}
	lasts := policyOf(tool, rules) != Deny && policyOf(tool, allowed) == Allow
	if lasts {
		rules = allowed
	}
	p.rules, p.accepted[tool.Name] = rules, caution
	p.mu.Unlock()
	if err == nil && lasts {
		err = p.write(root, rules)
	}
	switch policy := policyOf(tool, rules); {
	case policy == Deny:
		return p.Denied(tool)
	case !lasts:
		p.console.Printf("%s is allowed this once: a rule for several tools in %s still says %s.\n", tool.Name, p.file, policy)
	case err != nil:
		p.console.Printf("%s is allowed until the end of this session; it could not be saved: %v\n", tool.Name, err)
	default:
		p.console.Printf("%s is always allowed from now on: saved in %s.\n", tool.Name, p.file)
	}
	return nil
}

// WriteDefaults writes the file on the first start: the defaults of the given tools, for a person to change.
func (p *Permissions) WriteDefaults(tools []Tool) error {
	if _, err := os.Stat(p.file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	p.mu.Lock()
	for _, tool := range tools {
		p.rules = append(p.rules, rule{tool.Name, tool.Policy})
	}
	p.mu.Unlock()
	return p.write("..", p.rules)
}

// write replaces the file, or the one that it is a link to: it held rules as well, since it was read.
func (p *Permissions) write(root string, rules []rule) error {
	var lines []string
	for _, rule := range rules {
		lines = append(lines, fmt.Sprintf("    %s: %q", quoted(rule.glob), rule.policy))
	}
	text := fmt.Sprintf("{\n  \"root\": %s,\n  \"tools\": {\n%s\n  }\n}\n", quoted(root), strings.Join(lines, ",\n"))
	file := p.file
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	return replaceFile(file, []byte(text))
}

// quoted is text as JSON.
func quoted(text string) string {
	b, _ := json.Marshal(text) // a string always has a JSON form
	return string(b)
}

// ReportUnused says once which rules match none of the given tools: a typing mistake in a deny rule would protect nothing.
func (p *Permissions) ReportUnused(tools []Tool) {
	for _, rule := range p.rules {
		if !slices.ContainsFunc(tools, func(t Tool) bool { return matchesAny([]string{rule.glob}, t.Name) }) {
			p.console.Errorf("[permission] the rule %q in %s matches no tool\n", rule.glob, p.file)
		}
	}
}

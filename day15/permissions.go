package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Policy says what happens when the model asks for a tool.
type Policy string

// The policies. The alphabet has them in their order: the stricter one is the greater one.
const (
	Allow Policy = "allow"
	Ask   Policy = "ask" // a person
	Deny  Policy = "deny"
)

// errDenied is what every refusal of a call wraps, whoever refused.
var errDenied = errors.New("denied")

// Permissions decides which calls may run: by the rules of GeekAgent.json, and by asking. Calls that nobody is asked about
// may be decided at the same time.
type Permissions struct {
	Root string // the folder that file tools cannot leave: an absolute path

	file    string // GeekAgent.json, as it was given to loadPermissions
	console *Console
	yes     bool // -yes: every question is answered with y
	oneShot bool // nobody is asked unless stdin is a terminal
	rules
	accepted map[string]string // tool → the caution that was answered with "always"
}

// rules is what GeekAgent.json says.
type rules struct {
	Base  string            `json:"root"`  // relative to the file's folder
	Tools map[string]Policy `json:"tools"` // by glob: all tools whose name matches it
}

// loadPermissions reads GeekAgent.json:
//
//	{"root": "..", "tools": {"run_shell": "ask", "mcp_demo_*": "allow"}}
//
// A missing file stands for the defaults; anything wrong in it is an error with file, line and column, since a rule that is
// not understood must not become a rule that does not hold.
func loadPermissions(file string, console *Console) (*Permissions, error) {
	rules, err := readRules(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	root := rules.Base
	if !filepath.IsAbs(root) {
		root = filepath.Join(filepath.Dir(file), root)
	}
	root, err = filepath.Abs(root)
	return &Permissions{Root: root, file: file, console: console, rules: rules, accepted: map[string]string{}}, err
}

// readRules returns what the file says, or else the defaults.
func readRules(file string) (rules, error) {
	r := rules{"..", map[string]Policy{}}
	f, err := readJSON(file)
	if err != nil {
		return r, err
	}
	err = f.Object("the file", func(key string) error {
		switch key {
		case "root":
			return f.Value("root", &r.Base)
		case "tools":
			return f.Object("tools", func(glob string) error {
				if _, err := path.Match(glob, ""); err != nil {
					return f.errorf("%q is not a valid pattern", glob)
				}
				policy := Policy(fmt.Sprint(f.token()))
				if !slices.Contains([]Policy{Allow, Ask, Deny}, policy) {
					return f.errorf("the policy of %s is %q; expected allow, ask or deny", glob, policy)
				}
				r.Tools[glob] = policy
				return nil
			})
		}
		return f.errorf(`unknown key %q; expected "root" or "tools"`, key)
	})
	return r, err
}

// Policy returns the strictest of the rules that match a tool, or else the tool's own default, or ask.
func (r rules) Policy(tool Tool) (strictest Policy) {
	for glob, policy := range r.Tools {
		if matchesAny([]string{glob}, tool.Name) {
			strictest = max(strictest, policy)
		}
	}
	return cmp.Or(strictest, tool.Policy, Ask)
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
	if plan.Caution == p.accepted[tool.Name] {
		plan.Caution = ""
	}
	switch {
	case p.Policy(tool) == Allow && plan.Caution == "", p.yes:
		return nil
	case !p.console.CanAsk(p.oneShot):
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
	r, err := readRules(p.file)
	if err != nil { // the rule holds until the end of the program
		r = p.rules
	}
	if p.rules = r; p.Policy(tool) == Deny {
		return p.Denied(tool)
	}
	p.accepted[tool.Name] = caution
	r.Tools = maps.Clone(r.Tools)
	r.Tools[tool.Name] = Allow
	if policy := r.Policy(tool); policy != Allow {
		p.console.Printf("%s is allowed this once: a rule for several tools in %s still says %s.\n", tool.Name, p.file, policy)
		return nil
	}
	if p.rules = r; err == nil {
		err = saveJSON(p.file, r)
	}
	if err != nil {
		p.console.Printf("%s is allowed until the end of this session; it could not be saved: %v\n", tool.Name, err)
	} else {
		p.console.Printf("%s is always allowed from now on: saved in %s.\n", tool.Name, p.file)
	}
	return nil
}

// WriteDefaults writes the file on the first start: the defaults of the given tools, for a person to change.
func (p *Permissions) WriteDefaults(tools []Tool) {
	if _, err := os.Stat(p.file); err == nil {
		return
	}
	for _, tool := range tools {
		p.Tools[tool.Name] = p.Policy(tool)
	}
	if err := saveJSON(p.file, p.rules); err != nil {
		p.console.Errorf("[permission] the defaults could not be written: %v\n", err)
	}
}

// ReportUnused says once which rules match none of the given tools: a typing mistake in a deny rule would protect nothing.
func (p *Permissions) ReportUnused(tools []Tool) {
	for _, glob := range slices.Sorted(maps.Keys(p.Tools)) {
		if !slices.ContainsFunc(tools, func(t Tool) bool { return matchesAny([]string{glob}, t.Name) }) {
			p.console.Errorf("[permission] the rule %q in %s matches no tool\n", glob, p.file)
		}
	}
}

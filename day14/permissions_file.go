package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// loadPermissions reads GeekAgent.json:
//
//	{"root": "..", "tools": {"run_shell": "ask", "mcp_demo_*": "allow"}}
//
// root is relative to the file's folder. A missing file stands for the defaults; anything wrong in it is an error with
// file, line and column, since a rule that is not understood must not become a rule that does not hold.
func loadPermissions(file string, console *Console) (*Permissions, error) {
	p := &Permissions{file: file, console: console, accepted: map[string]string{}}
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot read the permissions: %w", err)
	}
	root := ".."
	if err == nil {
		if p.rules, err = parsePermissions(file, data, &root); err != nil {
			return nil, err
		}
	}
	if !filepath.IsAbs(root) {
		root = filepath.Join(filepath.Dir(file), root)
	}
	if p.Root, err = filepath.Abs(root); err != nil {
		return nil, fmt.Errorf("%s: root: %w", file, err)
	}
	if info, err := os.Stat(p.Root); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s: root: %s is no folder", file, p.Root)
	}
	return p, nil
}

// parsePermissions returns the rules in the file's order, and sets root if the file does.
func parsePermissions(file string, data []byte, root *string) ([]rule, error) {
	f, err := openJSON(file, data)
	if err != nil {
		return nil, err
	}
	var rules []rule
	err = f.Object("the file", func(key string) error {
		switch key {
		case "root":
			return f.Value("root", root)
		case "tools":
			return f.Object("tools", func(glob string) error {
				if _, err := path.Match(glob, ""); err != nil {
					return f.errorf("%q is no valid pattern", glob)
				}
				policy, err := parsePolicy(f, glob)
				rules = append(rules, rule{glob, policy})
				return err
			})
		}
		return f.errorf(`unknown key %q; expected "root" or "tools"`, key)
	})
	return rules, err
}

func parsePolicy(f *jsonFile, glob string) (Policy, error) {
	var word string
	if err := f.Value("the policy of "+glob, &word); err != nil {
		return Deny, err
	}
	for policy, name := range policyNames {
		if word == name {
			return policy, nil
		}
	}
	return Deny, f.errorf("the policy of %s is %q; expected allow, ask or deny", glob, word)
}

// WriteDefaults writes the file on the first start: the defaults of the given tools, for a person to change.
func (p *Permissions) WriteDefaults(tools []Tool) error {
	if _, err := os.Stat(p.file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, tool := range tools {
		p.rules = append(p.rules, rule{tool.Name, tool.Policy})
	}
	return p.write("..", p.rules)
}

// save sets the rule of one tool. The file is read anew first: what a person wrote meanwhile stays, and a deny above all.
// It fails with errDenied or errStricter where the rule would not hold. Where the file cannot be read or written, the
// rule holds until the end of the program.
func (p *Permissions) save(tool Tool, policy Policy) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	root := ".."
	data, err := os.ReadFile(p.file)
	if err != nil {
		p.rules = setRule(p.rules, tool.Name, policy)
		return err
	}
	rules, err := parsePermissions(p.file, data, &root)
	if err != nil {
		p.rules = setRule(p.rules, tool.Name, policy)
		return err
	}
	if p.rules = rules; policyOf(tool, rules) == Deny {
		return fmt.Errorf("%w by policy: %s does not allow %s", errDenied, p.file, tool.Name)
	}
	if rules = setRule(rules, tool.Name, policy); policyOf(tool, rules) != policy {
		return errStricter
	}
	p.rules = rules
	return p.write(root, rules)
}

// setRule returns the rules with the one for exactly this name set, in its place or at the end.
func setRule(rules []rule, name string, policy Policy) []rule {
	rules = slices.Clone(rules)
	i := slices.IndexFunc(rules, func(r rule) bool { return r.glob == name })
	if i < 0 {
		return append(rules, rule{name, policy})
	}
	rules[i].policy = policy
	return rules
}

// write replaces the file, or the one that it is a link to: it held rules as well, since it was read.
func (p *Permissions) write(root string, rules []rule) error {
	var lines []string
	for _, rule := range rules {
		lines = append(lines, fmt.Sprintf("    %s: %q", quoted(rule.glob), rule.policy))
	}
	text := fmt.Sprintf("{\n  \"root\": %s,\n  \"tools\": {\n%s\n  }\n}\n", quoted(root), strings.Join(lines, ",\n"))
	file := p.file
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	return replaceFile(file, []byte(text))
}

// quoted is text as JSON.
func quoted(text string) string {
	b, _ := json.Marshal(text) // a string always has a JSON form
	return string(b)
}

package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
)

// skillFiles are the skills that come with the program.
//
//go:embed skills
var skillFiles embed.FS

// Skills knows the skills and which one is in use. It is safe for concurrent use: a skill may come or go while a turn
// runs, and the next model call sees its tools.
type Skills struct {
	dir      string
	registry *Registry
	extra    []Tool

	mu      sync.Mutex // guards what follows, and keeps one change of skill from mixing with another
	inUse   Skill      // the zero Skill: none
	brought []string   // the names of the extra tools that are registered for it
}

// newSkills takes the folder of the person's own skills, NAME/SKILL.md each, which may be missing. An extra tool is in
// the registry only while the skill in use names it exactly in its tools.
func newSkills(dir string, registry *Registry, extra []Tool) *Skills {
	return &Skills{dir: dir, registry: registry, extra: extra}
}

// List returns all skills, sorted by name, read anew each time. A skill of the person's own wins over one of the same
// name that comes with the program, also when it is broken: a mistake is shown, not papered over.
func (s *Skills) List() []Skill {
	found := map[string]Skill{}
	readSkills(skillFiles, "skills", "skills", found)
	readSkills(os.DirFS(s.dir), ".", s.dir, found)
	return slices.SortedFunc(maps.Values(found), func(a, b Skill) int { return strings.Compare(a.Name, b.Name) })
}

// readSkills adds the skills below dir to found. shown is how messages name dir.
func readSkills(fsys fs.FS, dir, shown string, found map[string]Skill) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		found[shown] = Skill{Name: shown, Err: fmt.Errorf("cannot read the skills in %s: %w", shown, err)}
	}
	for _, entry := range entries {
		name := entry.Name()
		if entry.Type().IsRegular() || strings.HasPrefix(name, ".") {
			continue // a note beside the skills, or a tool's own folder
		}
		file := path.Join(shown, name, "SKILL.md")
		data, err := fs.ReadFile(fsys, path.Join(dir, name, "SKILL.md"))
		if err != nil {
			found[name] = Skill{Name: name, Err: fmt.Errorf("cannot read %s: %w", file, err)}
			continue
		}
		found[name] = parseSkill(file, name, data)
	}
}

// Use puts a skill in the place of the one in use: its text, its view of the tools, the extra tools that it names. It
// fails for a skill that does not exist or is broken, and if an extra tool's name is taken; the skill in use then stays.
func (s *Skills) Use(name string) error {
	skill, err := s.find(name)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var wanted, added []string
	for _, tool := range s.extra {
		if !slices.Contains(skill.Tools, tool.Name) {
			continue
		}
		wanted = append(wanted, tool.Name)
		if slices.Contains(s.brought, tool.Name) {
			continue
		}
		tool.Policy = Ask // a skill brings a tool, not the permission to run it
		tool.Details = "Brought by the skill " + name + "."
		if err := s.registry.Register(tool); err != nil {
			s.unregister(added)
			return fmt.Errorf("skill %s: %w", name, err)
		}
		added = append(added, tool.Name)
	}
	s.unregister(slices.DeleteFunc(s.brought, func(name string) bool { return slices.Contains(wanted, name) }))
	s.registry.Narrow(skill.Tools)
	s.inUse, s.brought = skill, wanted
	return nil
}

func (s *Skills) find(name string) (Skill, error) {
	var names []string
	for _, skill := range s.List() {
		if skill.Name == name {
			return skill, skill.Err
		}
		names = append(names, skill.Name)
	}
	return Skill{}, fmt.Errorf("there is no skill named %q; there are: %s", name, strings.Join(names, ", "))
}

// Unuse leaves the skill in use: all other tools are visible again. Without one it does nothing.
func (s *Skills) Unuse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unregister(s.brought)
	s.registry.Narrow(nil)
	s.inUse, s.brought = Skill{}, nil
}

func (s *Skills) unregister(names []string) {
	for _, name := range names {
		s.registry.Unregister(name)
	}
}

// Name returns the name of the skill in use, or "".
func (s *Skills) Name() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inUse.Name
}

// Prompt returns what the skill in use adds to the system prompt, or "".
func (s *Skills) Prompt() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inUse.Name == "" {
		return ""
	}
	return fmt.Sprintf("The skill %q is in use.\n\n%s", s.inUse.Name, s.inUse.Prompt)
}

package main

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// skillFiles are the skills that come with the program.
//
//go:embed skills
var skillFiles embed.FS

// Skill is a way of working that a person can switch on: text for the system prompt, and the tools it goes with.
type Skill struct {
	Name        string // of its folder
	Description string
	Tools       []string // globs of the tools that stay visible; nil: all
	Prompt      string   // $ARGUMENTS in it stands for what a person adds
	Err         error    // why it cannot be used, with the file and what is wrong; nil if it can
}

// Skills knows the skills and which one is in use. It changes between turns only.
type Skills struct {
	dir      string
	registry *Registry
	extra    []Tool
	inUse    Skill // the zero Skill: none
}

// newSkills takes the folder of the person's own skills, NAME/SKILL.md each, which may be missing. An extra tool, whose
// name no other tool may have, is in the registry only while the skill in use names it exactly in its tools.
func newSkills(dir string, registry *Registry, extra []Tool) *Skills {
	return &Skills{dir: dir, registry: registry, extra: extra}
}

// List returns all skills, sorted by name, read anew each time.
func (s *Skills) List() []Skill {
	return slices.SortedFunc(maps.Values(s.read()), func(a, b Skill) int { return strings.Compare(a.Name, b.Name) })
}

// read reads all skills. One of the person's own wins over one of the same name that comes with the program, also when it
// is broken: a mistake is shown, not papered over.
func (s *Skills) read() map[string]Skill {
	found := map[string]Skill{}
	builtIn, _ := fs.Sub(skillFiles, "skills") // fails only for a name that is not valid
	for _, folder := range []fs.FS{builtIn, os.DirFS(s.dir)} {
		files, _ := fs.Glob(folder, "[^.]*/[Ss][Kk][Ii][Ll][Ll].md") // fails only for a pattern that is not valid
		for _, file := range files {
			data, err := fs.ReadFile(folder, file)
			skill := Skill{Name: path.Dir(file), Err: err}
			if err == nil {
				skill.parse(path.Join(s.dir, file), strings.ReplaceAll(string(data), "\r\n", "\n"))
			}
			found[skill.Name] = skill
		}
	}
	return found
}

// parse reads a SKILL.md in the Agent Skills format, to which tools is our addition:
//
//	---
//	name: explore
//	description: what it is for
//	tools: ls, read, mcp_docs_*
//	---
//	The text for the system prompt.
//
// A skill without tools narrows nothing. Keys that mean something only to other programs are left alone.
func (s *Skill) parse(file, text string) {
	header, body, wrong := frontMatter(text)
	tools, narrow := header["tools"]
	s.Description, s.Prompt = header["description"], strings.TrimSpace(body)
	switch {
	case wrong != "":
		s.Err = fmt.Errorf("%s: expected key: value between two lines of three dashes, ---, each key once, "+
			"and tools in exactly this spelling, not %.60q", file, strings.TrimSpace(wrong))
	case s.Description == "" || s.Prompt == "" || !utf8.ValidString(text):
		s.Err = fmt.Errorf("%s: expected a description, and text after the front matter, in UTF-8", file)
	case narrow && !toolList.MatchString(tools):
		s.Err = fmt.Errorf("%s: tools: expected names of tools, or patterns with * and ?, with commas between them, not %.60q", file, tools)
	default:
		s.Tools = toolGlob.FindAllString(tools, -1)
	}
}

var (
	// toolList matches the value of tools: globs, with commas, spaces, quotes or the marks of a list around them.
	toolList = regexp.MustCompile(`^[\s,"'-]*[\w*?][\w*?\s,"'-]*$`)
	toolGlob = regexp.MustCompile(`[\w*?][\w*?-]*`)

	// matter matches a text with a front matter: what is in it (1), and what follows (2).
	matter = regexp.MustCompile(`(?s)\A\x{FEFF}?---[ \t]*\n(.*?\n|)---[ \t]*(?:\n(.*))?\z`)
	// yamlEntry matches a key (1) and its value (2), which may begin with the mark of a block, and goes on in lines that
	// are indented, comments or the items of a list; or a line that is neither that nor a comment.
	yamlEntry = regexp.MustCompile(`(?m)^["']?([^\s"'#-].*?)["']?[ \t]*:(?:[ \t]+[|>][-+\d]*[ \t]*$)?` +
		`((?:[ \t].*)?(?:\n(?:[ \t\]}#-].*)?$)*)$|^[^#\n].*$`)
	// yamlComment matches a comment. With a quote in it, it may also be part of a text in quotes.
	yamlComment = regexp.MustCompile(`(?m)(?:^|[ \t])#(?: [^"'\n]*)?$`)
	// yamlBrackets matches a value in quotes or brackets.
	yamlBrackets = regexp.MustCompile(`\A(?:"(.*)"|'(.*)'|\[(.*)\])\z`)
	// toolsSlip matches an entry that was meant to be tools, which would show the skill every tool: its key is nearly
	// that, or it is indented below an entry that cannot hold others.
	toolsSlip = regexp.MustCompile(`(?i)\A(?:.*:[ \t]+[^\s|>\["'{&!].*\n(?:.*\n)*[ \t]+)?["']?t[ols]{2,5}["']?[ \t]*:`)
)

// frontMatter takes a text apart that begins with entries in YAML between two lines of three dashes: header has their
// values, each on one line and without quotes. Any other text is all body, and wrong. Otherwise wrong is the first entry
// that is none, is there twice, or was meant to be tools.
func frontMatter(text string) (header map[string]string, body, wrong string) {
	m := matter.FindStringSubmatch(text)
	if m == nil {
		return nil, text, text
	}
	header = map[string]string{}
	for _, e := range yamlEntry.FindAllStringSubmatch(m[1], -1) {
		key, value := e[1], strings.Join(strings.Fields(yamlComment.ReplaceAllString(e[2], "")), " ")
		_, again := header[key]
		if wrong == "" && (key == "" || again || key != "tools" && toolsSlip.MatchString(e[0])) {
			wrong = e[0]
		}
		header[key] = strings.NewReplacer(`\"`, `"`, "''", "'").Replace(yamlBrackets.ReplaceAllString(value, "$1$2$3"))
	}
	return header, m[2], wrong
}

// Use puts a skill in the place of the one in use: its text, its view of the tools, the extra tools that it names.
// arguments, what the person adds, replaces $ARGUMENTS in the text, or else ends it. It fails, and the skill in use stays,
// for a skill that does not exist or is broken.
func (s *Skills) Use(name, arguments string) error {
	skills := s.read()
	skill, found := skills[name]
	switch {
	case !found:
		return fmt.Errorf("there is no skill named %q; there are: %s", name, strings.Join(slices.Sorted(maps.Keys(skills)), ", "))
	case skill.Err != nil:
		return skill.Err
	case arguments != "" && !strings.Contains(skill.Prompt, "$ARGUMENTS"):
		skill.Prompt += "\n\nARGUMENTS: $ARGUMENTS"
	}
	skill.Prompt = fmt.Sprintf("The skill %q is in use.\n\n%s", name, strings.ReplaceAll(skill.Prompt, "$ARGUMENTS", arguments))
	s.put(skill)
	return nil
}

// Unuse leaves the skill in use: all other tools are visible again. Without one it does nothing.
func (s *Skills) Unuse() { s.put(Skill{}) }

// put makes a skill the one in use.
func (s *Skills) put(skill Skill) {
	s.inUse = skill
	s.registry.Narrow(skill.Tools)
	for _, tool := range s.extra {
		s.registry.Unregister(tool.Name)
		if slices.Contains(skill.Tools, tool.Name) {
			tool.Policy = Ask // a skill brings a tool, not the permission to run it
			tool.Details = "Brought by the skill " + skill.Name + "."
			_ = s.registry.Register(tool) // fails only where the name is taken
		}
	}
}

// Name returns the name of the skill in use, or "".
func (s *Skills) Name() string { return s.inUse.Name }

// Prompt returns what the skill in use adds to the system prompt, or "".
func (s *Skills) Prompt() string { return s.inUse.Prompt }

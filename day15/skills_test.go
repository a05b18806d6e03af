package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// skillsIn returns skills over a registry with the given tools; files are the person's own, path below the skills
// folder → text. The one extra tool is called extra.
func skillsIn(t *testing.T, files map[string]string, tools ...string) (*Skills, *Registry) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "skills")
	for name, text := range files {
		writeFile(t, filepath.Join(dir, name), text)
	}
	console := newConsole(strings.NewReader(""), io.Discard, io.Discard)
	registry := newRegistry(&Permissions{file: "GeekAgent.json", console: console, accepted: map[string]string{}})
	for _, name := range tools {
		if err := registry.Register(Tool{Name: name, Policy: Allow}); err != nil {
			t.Fatal(err)
		}
	}
	extra := Tool{Name: "extra", Policy: Allow, Run: func(context.Context, json.RawMessage) (string, error) { return "ran", nil }}
	return newSkills(dir, registry, []Tool{extra}), registry
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// skillText is a SKILL.md; tools "" stands for no such line.
func skillText(name, tools string) string {
	text := "---\nname: " + name + "\ndescription: about " + name + "\n"
	if tools != "" {
		text += "tools: " + tools + "\n"
	}
	return text + "---\nYou are " + name + ".\n"
}

func visibleNames(r *Registry) string {
	var names []string
	for _, tool := range r.Visible() {
		names = append(names, tool.Name)
	}
	return strings.Join(names, " ")
}

func TestSkillsThatComeWithTheProgram(t *testing.T) {
	skills, _ := skillsIn(t, nil)
	want := map[string]string{
		"explore":     "ls read glob search get_current_time rag_search",
		"code-review": "ls read glob search get_current_time rag_search git_diff",
	}
	for _, skill := range skills.List() {
		if skill.Err != nil || skill.Description == "" || strings.Join(skill.Tools, " ") != want[skill.Name] {
			t.Errorf("%s: tools %q, description %q, error %v", skill.Name, skill.Tools, skill.Description, skill.Err)
		}
		delete(want, skill.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

func TestSkillsInUse(t *testing.T) {
	all := map[string]string{
		"wide/SKILL.md":   skillText("wide", ""),
		"narrow/SKILL.md": skillText("narrow", "read, mcp_*"),
		"bring/SKILL.md":  skillText("bring", "read, extra"),
		"again/SKILL.md":  skillText("again", "write, extra"),
		"glob/SKILL.md":   skillText("glob", "read, ext*"),
		"broken/SKILL.md": "no front matter",
	}
	tests := []struct {
		name    string
		steps   string // skills that are used in turn; - is Unuse
		inUse   string
		visible string
		err     string // of the last step
	}{
		{"no skill hides nothing", "", "", "mcp_a_b read write", ""},
		{"a skill without tools hides nothing", "wide", "wide", "mcp_a_b read write", ""},
		{"a skill narrows the tools by its globs", "narrow", "narrow", "mcp_a_b read", ""},
		{"a skill brings the extra tool that it names", "bring", "bring", "extra read", ""},
		{"a glob that matches an extra tool does not bring it", "glob", "glob", "read", ""},
		{"the next skill replaces the one in use", "bring narrow", "narrow", "mcp_a_b read", ""},
		{"an extra tool stays for the next skill that names it", "bring again", "again", "extra write", ""},
		{"the same skill can be used again", "bring bring", "bring", "extra read", ""},
		{"a skill without tools after a narrow one shows all again", "bring wide", "wide", "mcp_a_b read write", ""},
		{"leaving shows all again and takes the extra tool away", "bring -", "", "mcp_a_b read write", ""},
		{"leaving without a skill does nothing", "- -", "", "mcp_a_b read write", ""},
		{"an unknown skill leaves the one in use, and says which there are", "bring nope", "bring", "extra read",
			`there is no skill named "nope"; there are: again, bring, broken, code-review, explore, glob, narrow, wide`},
		{"a broken skill leaves the one in use", "bring broken", "bring", "extra read", "broken/SKILL.md:1: "},
		{"a path is no name", "bring ../skills/wide", "bring", "extra read", "no skill named"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			skills, registry := skillsIn(t, all, "read", "write", "mcp_a_b")
			var err error
			for _, step := range strings.Fields(test.steps) {
				if err = nil; step == "-" {
					skills.Unuse()
				} else {
					err = skills.Use(step)
				}
			}
			if got := visibleNames(registry); got != test.visible {
				t.Errorf("visible: %s, want %s", got, test.visible)
			}
			if skills.Name() != test.inUse || (skills.Prompt() == "") != (test.inUse == "") ||
				!strings.Contains(skills.Prompt(), "You are "+test.inUse) && test.inUse != "" {
				t.Errorf("in use: %q, prompt %q, want %q", skills.Name(), skills.Prompt(), test.inUse)
			}
			if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("error %v, want %q", err, test.err)
			}
		})
	}
}

func TestUseFailsWithoutATraceWhereTheNameOfAnExtraToolIsTaken(t *testing.T) {
	skills, registry := skillsIn(t, map[string]string{"two/SKILL.md": skillText("two", "first, extra")}, "read", "extra")
	skills.extra = append([]Tool{{Name: "first"}}, skills.extra...)
	if err := skills.Use("two"); err == nil || !strings.Contains(err.Error(), `"extra"`) {
		t.Errorf("error %v, want one that names the tool", err)
	}
	if got := visibleNames(registry); got != "extra read" || skills.Name() != "" {
		t.Errorf("visible: %s, in use %q; want what was there before", got, skills.Name())
	}
}

func TestAToolThatASkillBringsAsks(t *testing.T) {
	skills, registry := skillsIn(t, map[string]string{"bring/SKILL.md": skillText("bring", "extra")})
	if err := skills.Use("bring"); err != nil {
		t.Fatal(err)
	}
	results := registry.Call(t.Context(), []Call{{Name: "extra"}}, func(int) {}, func(int, Result) {})
	if !errors.Is(results[0].Err, errDenied) {
		t.Errorf("without an answer it gave %q, want a refusal", results[0])
	}
}

func TestListOfSkills(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		want  string // name: description, or name: error
	}{
		{"the person's own stand between those of the program", map[string]string{"cook/SKILL.md": skillText("cook", "")},
			"code-review cook explore"},
		{"the person's own wins over one of the program", map[string]string{"explore/SKILL.md": skillText("explore", "read")},
			"code-review explore(about explore)"},
		{"a broken one wins as well, and the others are not hurt",
			map[string]string{"explore/SKILL.md": "", "x/SKILL.md": skillText("x", "")}, "code-review explore! x"},
		{"a folder without SKILL.md is shown as broken", map[string]string{"empty/notes.md": ""}, "code-review empty! explore"},
		{"files and hidden folders beside the skills are left alone",
			map[string]string{"README.md": "", ".git/config": ""}, "code-review explore"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			skills, _ := skillsIn(t, test.files)
			var got []string
			for _, skill := range skills.List() {
				switch {
				case skill.Err != nil:
					got = append(got, skill.Name+"!")
				case skill.Name == "explore" && strings.HasPrefix(skill.Description, "about"):
					got = append(got, skill.Name+"("+skill.Description+")")
				default:
					got = append(got, skill.Name)
				}
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestASkillsFolderThatIsNoneIsShownAndHurtsNoOther(t *testing.T) {
	skills, _ := skillsIn(t, nil)
	writeFile(t, skills.dir, "a file")
	broken := slices.IndexFunc(skills.List(), func(s Skill) bool { return s.Err != nil && strings.Contains(s.Err.Error(), skills.dir) })
	if broken < 0 || len(skills.List()) != 3 {
		t.Errorf("got %v, want the two skills and an error", skills.List())
	}
}

func TestSkillsComeAndGoWhileATurnRuns(t *testing.T) {
	skills, registry := skillsIn(t, map[string]string{
		"bring/SKILL.md": skillText("bring", "read, extra"), "wide/SKILL.md": skillText("wide", ""),
	}, "read", "write")
	var running sync.WaitGroup
	for _, work := range []func(){
		func() { _ = skills.Use("bring") }, // errors show in what is visible at the end
		func() { _ = skills.Use("wide") },
		skills.Unuse,
		func() { registry.Definitions(); skills.Prompt(); skills.Name() },
	} {
		running.Go(func() {
			for range 50 {
				work()
			}
		})
	}
	running.Wait()
	skills.Unuse()
	if got := visibleNames(registry); got != "read write" {
		t.Errorf("visible at the end: %s", got)
	}
}

package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
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
	return newSkills(dir, registry, []Tool{{Name: "extra", Policy: Allow}}), registry
}

// skillText is a SKILL.md; tools "" stands for no such line.
func skillText(name, tools string) string {
	if tools != "" {
		tools = "tools: " + tools + "\n"
	}
	return "---\nname: " + name + "\ndescription: about " + name + "\n" + tools + "---\nYou are " + name + ".\n"
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
		visible string // ? is a tool that asks: a skill brings a tool, not the permission to run it
		err     string // of the last step
	}{
		{"no skill hides nothing", "", "", "mcp_a_b read write", "<nil>"},
		{"a skill without tools hides nothing", "narrow wide", "wide", "mcp_a_b read write", "<nil>"},
		{"a skill narrows the tools by its globs", "narrow", "narrow", "mcp_a_b read", "<nil>"},
		{"a skill brings the extra tool that it names", "bring", "bring", "?extra read", "<nil>"},
		{"a glob that matches an extra tool does not bring it", "glob", "glob", "read", "<nil>"},
		{"the next skill replaces the one in use", "bring narrow", "narrow", "mcp_a_b read", "<nil>"},
		{"an extra tool stays for the next skill that names it", "bring bring again", "again", "?extra write", "<nil>"},
		{"leaving shows all again and takes the extra tool away", "bring - -", "", "mcp_a_b read write", "<nil>"},
		{"an unknown skill leaves the one in use, and says which there are", "bring nope", "bring", "?extra read",
			`there is no skill named "nope"; there are: again, bring, broken, code-review, explore, glob, narrow, wide`},
		{"a broken skill leaves the one in use", "bring broken", "bring", "?extra read", "broken/SKILL.md:1: "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			skills, registry := skillsIn(t, all, "read", "write", "mcp_a_b")
			var err error
			for _, step := range strings.Fields(test.steps) {
				if err = nil; step == "-" {
					skills.Unuse()
				} else {
					err = skills.Use(step, "")
				}
			}
			prompt, visible := "", ""
			for _, tool := range registry.Visible() {
				visible += []string{Allow: "", Ask: "?"}[tool.Policy] + tool.Name + " "
			}
			if test.inUse != "" {
				prompt = `The skill "` + test.inUse + "\" is in use.\n\nYou are " + test.inUse + "."
			}
			if visible != test.visible+" " || skills.Name() != test.inUse || skills.Prompt() != prompt || !strings.Contains(fmt.Sprint(err), test.err) {
				t.Errorf("visible: %s; in use: %q, prompt %q, error %v", visible, skills.Name(), skills.Prompt(), err)
			}
		})
	}
}

func TestArgumentsOfASkill(t *testing.T) {
	skills, _ := skillsIn(t, map[string]string{"place/SKILL.md": "---\ndescription: d\n---\nLook at $ARGUMENTS and $ARGUMENTS.",
		"plain/SKILL.md": "---\ndescription: d\n---\nLook."})
	for _, test := range [][]string{
		{"place", "a $1 file", "Look at a $1 file and a $1 file."},
		{"place", "", "Look at  and ."},
		{"plain", "a file", "Look.\n\nARGUMENTS: a file"},
	} {
		if err := skills.Use(test[0], test[1]); err != nil || !strings.HasSuffix(skills.Prompt(), "\n\n"+test[2]) {
			t.Errorf("%q: error %v, prompt %q", test, err, skills.Prompt())
		}
	}
}

func TestListOfSkills(t *testing.T) {
	const ls = " read glob search get_current_time rag_search"
	tests := []struct {
		name  string
		files map[string]string
		want  string // name(tools), or name! for a broken one, after each a space
	}{
		{"the person's own stand between those of the program", map[string]string{"cook/SKILL.md": skillText("cook", "")},
			"code-review[ls" + ls + " git_diff] cook[] explore[ls" + ls + "] "},
		{"the person's own wins, and a broken one too",
			map[string]string{"explore/SKILL.md": skillText("explore", "read"), "code-review/skill.md": ""}, "code-review![] explore[read] "},
		{"what is no skill is left alone", map[string]string{"README.md": "", ".git/SKILL.md": "", "x/notes.md": "",
			"code-review/SKILL.md": skillText("code-review", "x")}, "code-review[x] explore[ls" + ls + "] "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			skills, _ := skillsIn(t, test.files)
			got := ""
			for _, skill := range skills.List() {
				if skill.Err != nil {
					skill.Name += "!"
				}
				got += fmt.Sprint(skill.Name, skill.Tools, " ")
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestSkillFiles(t *testing.T) {
	const entry = "expected key: value between"
	tests := []struct{ name, text, want string }{ // description|tools|prompt, or the line and the beginning of the error
		{"name, description, tools and text", "---\nname: s\ndescription: d\ntools: ls, mcp_*\n---\n\nText\n\nmore\n", "d|ls mcp_*|Text\n\nmore"},
		{"tools as lists", "---\ndescription: d\ntools:\n- ls\n  # c\n- \"mcp_*\" # more\n---\nT", "d|ls mcp_*|T"},
		{"tools in brackets, over two lines", "---\ndescription: d\n'tools' : [ls,\n  'read']\n---\nT", "d|ls read|T"},
		{"lines that end in CR LF, and a byte order mark", "\uFEFF---\r\nname: s\r\ndescription: d\r\n---\r\nT\r\nU\r\n", "d||T\nU"},
		{"double quotes", "---\ndescription: \"a: \\\"b\\\" # c\"\n---\nT", `a: "b" # c||T`},
		{"single quotes", "---\ndescription: 'it''s'\n---\nT", "it's||T"},
		{"quotes that belong to the value", "---\ndescription: \"a\" or b\n---\nT", `"a" or b||T`},
		{"the Agent Skills format", "---\nname: s\ndescription: >-\n  one line\n\n  tools: two\nlicense: MIT\nmetadata:\n  a: {b: c}\n" +
			"  tools:\n  - none\n# c\nallowed-tools: Bash(git:*) Read\n---\nT", "one line tools: two||T"},
		{"a block that keeps its lines", "---\ndescription: |+\n  one\n  two\n\n---\nT", "one two||T"},

		{"no front matter", "# Title\n", "1: " + entry},
		{"front matter without an end", "---\nname: s\n", "1: " + entry},
		{"a line that is no entry", "---\ndescription: d\ntools ls\n---\nT", "3: " + entry},
		{"a colon that is none", "---\ndescription: d\ntools：ls\n---\nT", "3: " + entry},
		{"a repeated key", "---\r\ntools: ls\r\ndescription: d\r\ntools: write\r\n---\r\nT", "4: " + entry},
		{"tools in capitals", "---\ndescription: d\nTools: ls\n---\nT", "3: " + entry},
		{"tools without an s", "---\ndescription: d\nlicense: x\ntool:\n  - ls\n---\nT", "4: " + entry},
		{"tools below something else", "---\ndescription: d\n tools: ls\n---\nT", "2: " + entry},
		{"tools without a tool", "---\nallowed-tools: x\ntools: []\ndescription: d\n---\nT", "3: tools: expected names"},
		{"tools of another program", "---\ntools: Bash(git:*)\ndescription: d\n---\nT", "2: tools: expected names"},
		{"a class, which looks like a list", "---\ntools: [a-z]*\ndescription: d\n---\nT", "2: tools: expected names"},
		{"no description", "---\nname: s\n---\nT", "1: expected a description"},
		{"no text", "---\ndescription: d\n---\n \n", "1: expected a description"},
		{"a byte that is not UTF-8", "---\ndescription: caf\xe9\n---\nT", "1: expected a description"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			skills, _ := skillsIn(t, map[string]string{"s/SKILL.md": test.text})
			for _, skill := range skills.List() {
				got := skill.Description + "|" + strings.Join(skill.Tools, " ") + "|" + skill.Prompt
				if skill.Err != nil {
					got = strings.TrimPrefix(skill.Err.Error(), skills.dir+"/s/SKILL.md:")
				}
				if skill.Name == "s" && got != test.want && (skill.Err == nil || !strings.HasPrefix(got, test.want)) {
					t.Errorf("got  %q\nwant %q", got, test.want)
				}
			}
		})
	}
}

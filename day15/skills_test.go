package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

// skillsIn returns skills over a registry with the tools read, write and mcp_a_b; files are the person's own, path below
// the skills folder → text. The one extra tool is called extra.
func skillsIn(t *testing.T, files map[string]string) *Skills {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "skills")
	for name, text := range files {
		writeFile(t, filepath.Join(dir, name), text)
	}
	console := newConsole(strings.NewReader(""), io.Discard, io.Discard)
	registry := newRegistry(&Permissions{file: "GeekAgent.json", console: console, accepted: map[string]string{}})
	for _, name := range []string{"read", "write", "mcp_a_b"} {
		registry.Register(Tool{Name: name, Policy: Allow}) // fails only for a name that is taken
	}
	return newSkills(dir, registry, []Tool{{Name: "extra", Policy: Allow}})
}

func TestSkillsInUse(t *testing.T) {
	const head = "---\ndescription: d\n"
	files := map[string]string{
		"wide/SKILL.md":   head + "---\nT",
		"narrow/SKILL.md": head + "tools: read, mcp_*\n---\nT",
		"bring/SKILL.md":  head + "tools: read, extra\n---\nT",
		"again/SKILL.md":  head + "tools: write, extra\n---\nT",
		"glob/SKILL.md":   head + "tools: read, ext*\n---\nT",
		"broken/SKILL.md": "no front matter",
	}
	for steps, want := range map[string]string{ // skills in turn, - leaves one → the skill in use, its tools, errors
		"":            ": mcp_a_b read write",
		"narrow wide": "wide: mcp_a_b read write",
		"narrow":      "narrow: mcp_a_b read",
		// A skill brings a tool, not the permission to run it: it asks.
		"bring":             "bring: extra? read",
		"glob":              "glob: read",
		"bring narrow":      "narrow: mcp_a_b read",
		"bring bring again": "again: extra? write",
		"bring - -":         ": mcp_a_b read write",
		"bring nope": "bring: extra? read " +
			`there is no skill named "nope"; there are: again, bring, broken, code-review, explore, glob, narrow, wide`,
		"bring broken": "bring: extra? read DIR/broken/SKILL.md: expected key: value…",
	} {
		skills := skillsIn(t, files)
		failed := ""
		for _, step := range strings.Fields(steps) {
			if step == "-" {
				skills.Unuse()
			} else if err := skills.Use(step, ""); err != nil {
				failed = " " + strings.ReplaceAll(err.Error(), skills.dir, "DIR")
			}
		}
		got := skills.Name() + ":"
		for _, tool := range skills.registry.Visible() {
			got += " " + tool.Name + map[Policy]string{Ask: "?"}[tool.Policy]
		}
		got += failed
		if !fits(got, want) {
			t.Errorf("%s: %q, want %q", steps, got, want)
		}
	}
}

func TestArgumentsOfASkill(t *testing.T) {
	skills := skillsIn(t, map[string]string{"place/SKILL.md": "---\ndescription: d\n---\nLook at $ARGUMENTS and $ARGUMENTS.",
		"plain/SKILL.md": "---\ndescription: d\n---\nLook."})
	for _, test := range [][3]string{
		{"place", "a $1 file", "Look at a $1 file and a $1 file."},
		{"place", "", "Look at  and ."},
		{"plain", "a file", "Look.\n\nARGUMENTS: a file"},
	} {
		want := fmt.Sprintf("The skill %q is in use.\n\n%s", test[0], test[2])
		if err := skills.Use(test[0], test[1]); err != nil || skills.Prompt() != want {
			t.Errorf("%q: error %v, prompt %q", test, err, skills.Prompt())
		}
	}
}

// The person's own skills stand between those of the program, and win over them, a broken one too.
func TestListOfSkills(t *testing.T) {
	skills := skillsIn(t, map[string]string{"cook/skill.md": "---\ndescription: d\ntools: x\n---\nT", "explore/SKILL.md": "",
		"README.md": "", ".git/SKILL.md": "", "x/notes.md": ""})
	got := ""
	for _, skill := range skills.List() {
		got += fmt.Sprint(skill.Name, skill.Tools, skill.Err != nil, " ")
	}
	if got != "code-review[ls read glob search get_current_time rag_search git_diff] false cook[x] false explore[] true " {
		t.Errorf("the skills are %s", got)
	}
}

func TestSkillFiles(t *testing.T) {
	const tools, missing = "tools: expected names of tools, or patterns with * and ?", "expected a description, and text"
	for text, want := range map[string]string{ // → description|tools|text, or a part of the error
		"---\nname: s\ndescription: d\ntools: ls, mcp_*\n---\n\nText\n\nmore\n": "d|ls mcp_*|Text\n\nmore",
		"---\ndescription: d\ntools:\n- ls\n  # c\n- \"mcp_*\" # more\n---\nT":  "d|ls mcp_*|T",
		"---\ndescription: d\n'tools' : [ls,\n  'read']\n---\nT":                "d|ls read|T",
		"\uFEFF---\r\nname: s\r\ndescription: d\r\n---\r\nT\r\nU\r\n":           "d||T\nU",
		"---\ndescription: \"a: \\\"b\\\" # c\"\n---\nT":                        `a: "b" # c||T`,
		"---\ndescription: 'it''s'\n---\nT":                                     "it's||T",
		"---\ndescription: \"a\" or b\n---\nT":                                  `"a" or b||T`,
		"---\ndescription: |+\n  one\n  two\n\n---\nT":                          "one two||T",
		"---\nname: s\ndescription: >-\n  one line\n\n  tools: two\nlicense: MIT\nmetadata:\n  a: {b: c}\n" +
			"  tools:\n  - none\n# c\nallowed-tools: Bash(git:*) Read\n---\nT": "one line tools: two||T",

		"# Title\n":                                        `not "# Title"`,
		"---\nname: s\n":                                   `not "---\nname: s"`, // without an end
		"---\ndescription: d\ntools ls\n---\nT":            `not "tools ls"`,
		"---\ndescription: d\ntools：ls\n---\nT":            `not "tools：ls"`, // a colon that is none
		"---\r\ntools: ls\r\na: d\r\ntools: x\r\n---\r\nT": `not "tools: x"`, // twice

		// What was meant to be tools does not show the skill every tool.
		"---\ndescription: d\nTools: ls\n---\nT":                   `not "Tools: ls"`,
		"---\ndescription: d\nlicense: x\ntool:\n  - ls\n---\nT":   `not "tool:\n  - ls"`,
		"---\ndescription: d\n tools: ls\n---\nT":                  `not "description: d\n tools: ls"`,
		"---\nallowed-tools: x\ntools: []\ndescription: d\n---\nT": tools,
		"---\ntools: Bash(git:*)\ndescription: d\n---\nT":          tools,
		"---\ntools: [a-z]*\ndescription: d\n---\nT":               tools, // a class

		"---\nname: s\n---\nT":              missing,
		"---\ndescription: d\n---\n \n":     missing,
		"---\ndescription: caf\xe9\n---\nT": missing,
		"":                                  missing,
	} {
		skills := skillsIn(t, map[string]string{"a/SKILL.md": text})
		skill := skills.List()[0]
		got := skill.Description + "|" + strings.Join(skill.Tools, " ") + "|" + skill.Prompt
		if got != want && (skill.Err == nil || !strings.Contains(skill.Err.Error(), want)) {
			t.Errorf("%q\n got %q (%v)\nwant %q", text, got, skill.Err, want)
		}
	}
}

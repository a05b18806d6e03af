package main

import (
	"strings"
	"testing"
)

func TestParseSkill(t *testing.T) {
	tests := []struct {
		name string
		text string
		want string // description|tools|prompt, or the error
	}{
		{"name, description, tools and text", "---\nname: s\ndescription: d\ntools: ls, mcp_*\n---\n\nText\n\nmore\n",
			"d|ls mcp_*|Text\n\nmore"},
		{"no tools", "---\nname: s\ndescription: d\n---\nT", "d||T"},
		{"lines that end in CR LF, and a byte order mark", "\uFEFF---\r\nname: s\r\ndescription: d\r\n---\r\nT\r\nU\r\n", "d||T\nU"},
		{"empty lines and comments in the front matter", "---\n\n# c\nname: s\ndescription: d\n---\nT", "d||T"},
		{"a colon in the value, and quotes around it", "---\nname: 's'\ndescription: \"a: b\"\n---\nT", "a: b||T"},
		{"a quote that belongs to the value", "---\nname: s\ndescription: \"a\" or b\n---\nT", `"a" or b||T`},
		{"dashes in the text", "---\nname: s\ndescription: d\n---\nT\n---\nU", "d||T\n---\nU"},
		{"Chinese", "---\nname: s\ndescription: 说明\n---\n正文", "说明||正文"},

		{"an empty file", "", "S:1: the file must begin with a line of three dashes, ---"},
		{"no front matter", "# Title\n", "S:1: the file must begin with a line of three dashes, ---"},
		{"front matter without an end", "---\nname: s\n", "S:1: the front matter has no end: a second line of three dashes, ---"},
		{"a line that is no key and value", "---\nname: s\ndescription\n---\nT",
			"S:3: expected key: value on one line, or --- at the end of the front matter"},
		{"a value over several lines", "---\nname: s\ndescription: >\n  a\n---\nT",
			"S:4: expected key: value on one line, or --- at the end of the front matter"},
		{"a nested value", "---\nname: s\nmeta:\n  a: b\n---\nT",
			"S:4: expected key: value on one line, or --- at the end of the front matter"},
		{"an unknown key", "---\nname: s\ndescription: d\ntool: ls\n---\nT", `S:4: unknown key "tool"; expected name, description or tools`},
		{"a repeated key", "---\nname: s\ntools: ls\ntools: write\n---\nT", `S:4: "tools" stands there twice`},
		{"a name that is not the folder's", "---\ndescription: d\nname: other\n---\nT", `S:3: the name is "other", but the folder's is "s"`},
		{"no name", "---\ndescription: d\n---\nT", "S:3: the name is missing; expected name: s"},
		{"no description", "---\nname: s\n---\nT", "S:3: the description is missing"},
		{"an empty description", "---\nname: s\ndescription:\n---\nT", "S:4: the description is missing"},
		{"no text", "---\nname: s\ndescription: d\n---\n \n", "S:4: no text follows the front matter"},
		{"tools without a tool", "---\nname: s\ndescription: d\ntools:\n---\nT",
			`S:4: tools: "" is no name of a tool and no pattern; expected names with commas between them`},
		{"a comma too many", "---\nname: s\ntools: ls,\ndescription: d\n---\nT",
			`S:3: tools: "" is no name of a tool and no pattern; expected names with commas between them`},
		{"a pattern that is none", "---\nname: s\ntools: ls, [a\ndescription: d\n---\nT",
			`S:3: tools: "[a" is no name of a tool and no pattern; expected names with commas between them`},
		{"a byte that is not UTF-8", "---\nname: s\ndescription: caf\xe9\n---\nT", "S:3: the text is not UTF-8"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			skill := parseSkill("S", "s", []byte(test.text))
			got := skill.Description + "|" + strings.Join(skill.Tools, " ") + "|" + skill.Prompt
			if skill.Err != nil {
				got = skill.Err.Error()
			}
			if got != test.want || skill.Name != "s" {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func FuzzParseSkill(f *testing.F) {
	f.Add("---\nname: s\ndescription: d\ntools: a, b*\n---\ntext")
	f.Add("---\r\nname: \"s\"\r\n---\r\n")
	f.Add("---\n---\n")
	f.Add("\uFEFF---\nname: '\n\x00: [\n")
	f.Fuzz(func(t *testing.T, text string) {
		skill := parseSkill("S", "s", []byte(text))
		if skill.Err == nil && (skill.Description == "" || skill.Prompt == "" || skill.Tools != nil && len(skill.Tools) == 0) {
			t.Errorf("accepted: %+v", skill)
		}
		if skill.Err != nil && !strings.HasPrefix(skill.Err.Error(), "S:") {
			t.Errorf("an error without a place: %v", skill.Err)
		}
	})
}

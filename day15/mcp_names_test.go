package main

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var validName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func TestToolNames(t *testing.T) {
	long := "list_all_upcoming_calendar_events_with_attendees"
	for name, test := range map[string]struct {
		server  string
		servers []string
		tools   map[string]string // a name that ends in # stands for it and a hash
	}{
		"an ordinary name": {
			"demo",
			nil,
			map[string]string{"dice": "mcp_demo_dice", "word-count": "mcp_demo_word-count"},
		},
		"spaces, dots and brackets": {
			"s1",
			nil,
			map[string]string{"get file.v2": "mcp_s1_get_file_v2", "greet (content with X)": "mcp_s1_greet__content_with_X_"},
		},
		"other scripts": {"演示", nil, map[string]string{"读取": "mcp______"}},
		"too long": {
			"workspace-files-and-calendar",
			nil,
			map[string]string{long: "mcp_workspace-files-and-calendar_list_all_upcoming_cale#"},
		},
		"the name that fits keeps it": {
			"s",
			nil,
			map[string]string{"get_file": "mcp_s_get_file", "get.file": "mcp_s_get_file#", "get file": "mcp_s_get_file#"},
		},
		"none fits: all get a hash": {
			"s",
			nil,
			map[string]string{"get.file": "mcp_s_get_file#", "get file": "mcp_s_get_file#"},
		},
		"the same tool on two servers":  {"s1", []string{"s2"}, map[string]string{"search": "mcp_s1_search"}},
		"a server that reads like ours": {"my.files", []string{"my_files"}, map[string]string{"ls": "mcp_my_files_ls#"}},
		"ours, read as another":         {"my_files", []string{"my.files"}, map[string]string{"ls": "mcp_my_files_ls"}},
		"both servers' names changed":   {"my.files", []string{"my files"}, map[string]string{"ls": "mcp_my_files_ls#"}},
		"a tool that reads like another": {
			"git",
			[]string{"git_hub"},
			map[string]string{"hub_x": "mcp_git_hub_x#", "log": "mcp_git_log"},
		},
		"the longer prefix keeps names": {"git_hub", []string{"git"}, map[string]string{"x": "mcp_git_hub_x"}},
		"invisible characters":          {"s", nil, map[string]string{"a\u200bdd\U000E0069": "mcp_s_add"}},
		"no name at all":                {"s", nil, map[string]string{"": "mcp_s_"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := toolNames(test.server, append(test.servers, test.server), slices.Collect(maps.Keys(test.tools)))
			for tool, want := range test.tools {
				plain, hash := strings.CutSuffix(want, "#")
				if hash && !regexp.MustCompile(`^`+regexp.QuoteMeta(plain)+`_[0-9a-f]{8}$`).MatchString(got[tool]) || !hash && got[tool] != want {
					t.Errorf("%q became %q, want %q", tool, got[tool], want)
				}
				if !validName.MatchString(got[tool]) {
					t.Errorf("%q is no valid name", got[tool])
				}
			}
		})
	}
}

// The same servers and tools give the same names, whatever order they are in, and no two tools share one.
func TestToolNamesDoNotDependOnOrder(t *testing.T) {
	servers := []string{"git", "git_hub", "git.hub", "git hub", "demo", "demo_1"}
	tools := []string{"x", "hub_x", "a.b", "a b", "a_b", "1_x", strings.Repeat("n", 70), strings.Repeat("n", 71)}
	owner := map[string]string{}
	for _, server := range servers {
		names := toolNames(server, servers, tools)
		backwards := slices.Clone(tools)
		slices.Reverse(backwards)
		sorted := slices.Sorted(slices.Values(servers))
		if again := toolNames(server, sorted, append(backwards, tools...)); !maps.Equal(names, again) {
			t.Errorf("%s: %v, then %v", server, names, again)
		}
		for tool, name := range names {
			if owner[name] != "" {
				t.Errorf("%s is %s and %s", name, owner[name], server+"/"+tool)
			}
			owner[name] = server + "/" + tool
		}
	}
	if len(owner) != len(servers)*len(tools) {
		t.Errorf("%d names for %d tools", len(owner), len(servers)*len(tools))
	}
	// This hash stands in people's GeekAgent.json: it must not change with a version of this program.
	if got := toolNames("s", []string{"s"}, []string{"a.b", "a b"})["a.b"]; got != "mcp_s_a_b_5c364201" {
		t.Errorf("got %s", got)
	}
}

func FuzzToolNames(f *testing.F) {
	f.Add("demo", "demo_1", "1_dice", "dice")
	f.Add("a b", "a.b", "get.file", "get file")
	f.Add("", "_", "\xff", "\U000E0069")
	f.Add(strings.Repeat("s", 80), strings.Repeat("s", 81), "x", "y")
	f.Add("_", "", "_", "")
	f.Fuzz(func(t *testing.T, server1, server2, tool1, tool2 string) {
		servers, tools := []string{server1, server2}, []string{tool1, tool2}
		owner := map[string]string{}
		for _, server := range servers {
			for tool, name := range toolNames(server, servers, tools) {
				if !validName.MatchString(name) {
					t.Errorf("%q of %q became %q", tool, server, name)
				}
				if before, taken := owner[name]; taken && before != server+"\x00"+tool {
					t.Errorf("%q for %q and %q", name, before, server+"\x00"+tool)
				}
				owner[name] = server + "\x00" + tool
			}
		}
	})
}

package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestGlobsChooseTools(t *testing.T) {
	for name, test := range map[string]struct {
		globs []string
		want  string
		idle  int
	}{
		"none given":               {nil, "get_day set_day fs/read a.b", 0},
		"none wanted":              {[]string{}, "", 0},
		"all":                      {[]string{"*"}, "get_day set_day fs/read a.b", 0},
		"by the server's names":    {[]string{"get_*", "a.b"}, "get_day a.b", 0},
		"by the names on screen":   {[]string{"mcp_cal_set_*"}, "set_day", 0},
		"a name with a slash":      {[]string{"fs/*"}, "fs/read", 0},
		"a slash is no border":     {[]string{"fs*"}, "fs/read", 0},
		"one that matches nothing": {[]string{"get_*", "delte"}, "get_day", 1},
		"case matters":             {[]string{"GET_*"}, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFakeServer("cal", text(""))
			s.Globs = test.globs
			tools, warnings := s.tools(list(t, `[{"name":"get_day"},{"name":"set_day"},{"name":"fs/read"},{"name":"a.b"}]`))
			var names []string
			for _, tool := range tools {
				names = append(names, tool.Original)
			}
			if got := strings.Join(names, " "); got != test.want || len(warnings) != test.idle {
				t.Errorf("got %s, %q", got, warnings)
			}
			if test.idle > 0 && !strings.Contains(warnings[0], test.globs[len(test.globs)-1]+`" matches none of its 4 tools`) {
				t.Errorf("warnings %q", warnings)
			}
		})
	}
}

func manyTools(server string, n int) []serverTool {
	tools := make([]serverTool, n)
	for i := range tools {
		tools[i] = serverTool{Server: server, Tool: Tool{Name: fmt.Sprintf("mcp_%s_%d", server, i)}}
	}
	return tools
}

func TestNoMoreToolsThanTheAPITakes(t *testing.T) {
	for name, test := range map[string]struct {
		sizes []int
		room  int
		kept  int
		note  string
	}{
		"none":        {nil, 128, 0, ""},
		"just enough": {[]int{100, 28}, 128, 128, ""},
		"too many": {
			[]int{100, 100},
			116,
			116,
			`200 tools, but the model's API takes no more than 128, those of the agent included; left out: 84 of s1. Choose some with "tools": ["get_*", …] in the server's entry`,
		},
		"one server after it too": {[]int{0, 130, 5}, 128, 128, `left out: 2 of s1, 5 of s2.`},
		"no room at all":          {[]int{2}, -3, 0, `left out: 2 of s0.`},
	} {
		t.Run(name, func(t *testing.T) {
			var servers [][]serverTool
			for i, n := range test.sizes {
				servers = append(servers, manyTools(fmt.Sprintf("s%d", i), n))
			}
			kept, note := capTools(servers, test.room)
			if len(kept) != test.kept || !strings.Contains(note, test.note) || test.note == "" && note != "" {
				t.Errorf("%d kept, %q", len(kept), note)
			}
			if !slices.IsSortedFunc(kept, func(a, b serverTool) int { return strings.Compare(a.Server, b.Server) }) {
				t.Error("not in the servers' order")
			}
		})
	}
}

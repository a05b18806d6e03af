package main

import (
	"strings"
	"testing"
)

func TestPanelFitsInto80Columns(t *testing.T) {
	inFolder(t, newFakeModel(t))
	t.Setenv("OPENAI_MODEL", "a-model-with-a-very-long-name-that-goes-on 读取读取读取读取读取读取读取")
	_, stdout, _ := runAgent(t, "/exit\n")
	for line := range strings.Lines(stdout) {
		if width := columns(strings.TrimSuffix(line, "\n")); width > 80 {
			t.Errorf("%d columns: %s", width, line)
		}
	}
	if !strings.Contains(stdout, "│ Model    a-model-with-a-very\n") {
		t.Errorf("the long name is not wrapped:\n%s", stdout)
	}
}

func TestWrap(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"one", "one"},
		{"one two three", "one two|three"},
		{"abcdefghijkl", "abcdefgh|ijkl"},
		{"ab abcdefghijkl", "ab|abcdefgh|ijkl"},
		{"读取读取读取", "读取读取|读取"},
	} {
		if got := strings.Join(wrap(test.text, 8), "|"); got != test.want {
			t.Errorf("wrap(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}

func TestShortPath(t *testing.T) {
	t.Setenv("HOME", "/home/me")
	for path, want := range map[string]string{"/home/me": "~", "/home/me/src": "~/src", "/home/meg": "/home/meg", "/etc": "/etc"} {
		if got := shortPath(path); got != want {
			t.Errorf("shortPath(%q) = %q, want %q", path, got, want)
		}
	}
}

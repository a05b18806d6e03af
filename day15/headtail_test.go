package main

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestHeadTail(t *testing.T) {
	a := func(n int) string { return strings.Repeat("a", n) }
	e := func(n int) string { return strings.Repeat("é", n) }
	for name, test := range map[string]struct {
		writes []string
		want   string
	}{
		"nothing":        {nil, "(no output)"},
		"a line":         {[]string{"hello\n"}, "hello"},
		"several writes": {[]string{"a\n", "b", "\nc\n\n"}, "a\nb\nc"},
		"all that fits":  {[]string{a(maxOutput)}, a(maxOutput)},
		"one byte too many": {
			[]string{a(maxOutput), "b"},
			a(maxOutput/2) + "\n[… 1 bytes of output are left out …]\n" + a(maxOutput/2-1) + "b",
		},
		"one very long write": {
			[]string{"x" + a(1<<20) + "y"},
			"x" + a(maxOutput/2-1) + "\n[… 1017858 bytes of output are left out …]\n" + a(maxOutput/2-1) + "y",
		},
		"characters are not cut": {
			[]string{"x" + e(maxOutput) + "y"},
			"x" + e(maxOutput/4-1) + "\n[… 30724 bytes of output are left out …]\n" + e(maxOutput/4-1) + "y",
		},
		"bytes that are no character": {[]string{strings.Repeat("\xbf", maxOutput+1)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var h headTail
			for _, text := range test.writes {
				if n, err := h.Write([]byte(text)); n != len(text) || err != nil {
					t.Fatalf("Write: %d, %v", n, err)
				}
			}
			got := h.String()
			if test.want != "" && (got != test.want || !utf8.ValidString(got)) {
				t.Errorf("%d bytes: %.50q … %.50q", len(got), got, got[max(0, len(got)-50):])
			}
			if len(got) > maxResult {
				t.Errorf("%d bytes are too many for a result", len(got))
			}
		})
	}
	t.Run("the memory is bounded", func(t *testing.T) {
		var h headTail
		for range 10000 {
			h.Write([]byte(strings.Repeat("y\n", 4096)))
		}
		if cap(h.tail) > 16*maxOutput {
			t.Errorf("it holds %d bytes", cap(h.tail))
		}
	})
}

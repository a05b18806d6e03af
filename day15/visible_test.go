package main

import (
	"testing"
	"unicode/utf8"
)

func TestVisible(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"plain text, line feeds and tabs stay", "a\tb\nc", "a\tb\nc"},
		{"Chinese and emoji stay", "掷骰子 🎲 👩‍💻", "掷骰子 🎲 👩‍💻"},
		{"escape sequences", "\x1b[2Jx\x1b]0;title\a", `\x1b[2Jx\x1b]0;title\x07`},
		{"carriage return", "safe\rrm -rf", `safe\rrm -rf`},
		{"backspace and delete", "a\bb\x7f", `a\x08b\x7f`},
		{"C1 control as a character", "\u009b2J", `\u009b2J`},
		{"C1 control as a raw byte", "\x9b2J", `\x9b2J`},
		{"bidi controls", "a\u202eb\u2066c", `a\u202eb\u2066c`},
		{"tag characters", "x\U000e0069", `x\U000e0069`},
		{"zero-width space and byte order mark", "a\u200bb\ufeff", `a\u200bb\ufeff`},
		{"variation selectors and fillers", "a\U000e0173b\ufe00c\u3164d\u034fe\u2800", `a\U000e0173b\ufe00c\u3164d\u034fe\u2800`},
		{"the selector of a coloured heart stays", "❤\ufe0f", "❤\ufe0f"},
		{"line separators", "a\u2028b\u2029", `a\u2028b\u2029`},
		{"a replacement character that was there stays", "a\ufffdb", "a\ufffdb"},
		{"NUL", "a\x00b", `a\x00b`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := visible(test.in); got != test.want {
				t.Errorf("visible(%q) = %q, want %q", test.in, got, test.want)
			}
		})
	}
}

func TestPreviewIsOneShortLine(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"short", "short"},
		{"two\nlines", `two\nlines`},
		{"0123456789", "0123456789"},
		{"0123456789a", "012345678…"},
		{"读取读取读取读取读取读取", "读取读取读取读取读…"},
	} {
		if got := preview(test.in, 10); got != test.want {
			t.Errorf("preview(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\x1b[0m\r\n\u202e\xff\U000e0001")
	f.Fuzz(func(t *testing.T, in string) {
		out := visible(in)
		if !utf8.ValidString(out) {
			t.Errorf("visible(%q) is not valid UTF-8", in)
		}
		for _, r := range out {
			if harmful(r) {
				t.Errorf("visible(%q) lets %U through", in, r)
			}
		}
	})
}

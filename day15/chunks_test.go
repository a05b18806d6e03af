package main

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestChunks(t *testing.T) {
	fill := func(n int, text string) string { return strings.Repeat(text, n/utf8.RuneCountInString(text)+1) }
	tests := []struct {
		name string
		text string
		ends string // of the first passage
		next string // beginning of the second; "": there is none
	}{
		{"a short text is one passage", "One.\n\nTwo.", "Two.", ""},
		{"exactly one passage", strings.Repeat("x", chunkSize), "x", ""},
		{"at the last paragraph that fits", fill(600, "word ") + "\n\nSecond.\n" + fill(600, "more "), "word", "Second."},
		{"before a heading, though a paragraph follows it",
			fill(500, "word ") + "\n## Heading\n\nText.\n" + fill(600, "more "), "word", "## Heading\n\nText."},
		{"at a line", fill(600, "word ") + "\nnext line " + fill(600, "more "), "word", "next line"},
		{"after a sentence", fill(600, "word ") + "end. Next " + fill(600, "more "), "end.", "Next"},
		{"at a space", fill(1200, "word "), "word", "word"},
		{"after a Chinese sentence", fill(600, "文字") + "结束。下一句" + fill(600, "更多"), "结束。", "下一句"},
		{"in the middle of a line without an end", strings.Repeat("長", chunkSize+1), "長", "長"},
		{"not at a paragraph in the first half", "Title\n\n" + fill(700, "word ") + "end. Next " + fill(300, "more "), "end.", "Next"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			passages := chunks(test.text)
			next := ""
			if len(passages) > 1 {
				next = passages[1]
			}
			if !strings.HasSuffix(passages[0], test.ends) || !strings.HasPrefix(next, test.next) || (next == "") != (test.next == "") {
				t.Errorf("got %q, want the first to end with %q and the second to begin with %q", passages, test.ends, test.next)
			}
		})
	}
}

func TestNothingHasNoPassages(t *testing.T) {
	if got := chunks(" \n\n\t "); got != nil {
		t.Errorf("got %q", got)
	}
}

func FuzzChunks(f *testing.F) {
	f.Add("One. Two.\n\n# Three\n", uint16(200))
	f.Add("文字。更多！", uint16(300))
	f.Add("a\xff\xe8\x96\u2028 \u00a0", uint16(700))
	f.Add("长", uint16(2000))
	f.Add(" ", uint16(900))
	f.Fuzz(func(t *testing.T, text string, times uint16) {
		text = strings.Repeat(text, int(times)%2048)
		passages := chunks(text)
		for _, p := range passages {
			if p == "" || p != strings.TrimSpace(p) || !utf8.ValidString(p) || utf8.RuneCountInString(p) > chunkSize {
				t.Fatalf("not a passage: %q", p)
			}
		}
		squeeze := func(text string) string { return strings.Join(strings.Fields(text), "") }
		if want := squeeze(strings.ToValidUTF8(text, "\uFFFD")); squeeze(strings.Join(passages, "")) != want {
			t.Errorf("the passages of %q are %q", text, passages)
		}
	})
}

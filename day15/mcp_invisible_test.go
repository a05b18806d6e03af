package main

import (
	"encoding/json"
	"testing"
)

func TestInvisibleCharactersGo(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"tag characters":               {"Add two numbers\U000E0069\U000E0067\U000E006E\U000E007F", "Add two numbers"},
		"a zero-width space in a word": {"num\u200bbers", "numbers"},
		"bidi controls":                {"a\u202eb\u2066c\u2069d\u200ee\u061c", "abcde"},
		"a byte order mark":            {"a\ufeffb", "ab"},
		"joiners between ASCII":        {"a\u200db\u200cc", "abc"},
		"a row of joiners":             {"é\u200c\u200d\u200c\u200dx", "é\u200cx"},
		"a row of variation selectors": {"😀\ufe0f\U000E0101\U000E0102\U000E0103", "😀\ufe0f"},
		"selectors after ASCII":        {"A\U000E0101d\ufe0fd\ufe01 é\U000E0101", "Add é"},
		"invisible operators, fillers": {"a\u2060\u2063\u3164\uffa0\u115f\u00ad\u034fb", "ab"},
		"controls":                     {"a\x1b[2Jb\x00\x7f\u0085c\r\n\td", "a[2Jbc\n\td"},
		"emoji stay":                   {"👩‍💻 ❤️ 1️⃣ 🇰🇭 👍🏽 🏳️‍🌈", "👩‍💻 ❤️ 1️⃣ 🇰🇭 👍🏽 🏳️‍🌈"},
		"CJK stays":                    {"读取 🎉 — カタカナ 한글 葛\U000E0100飾", "读取 🎉 — カタカナ 한글 葛\U000E0100飾"},
		"Persian and Hindi stay":       {"می\u200cخواهم क्\u200dष", "می\u200cخواهم क्\u200dष"},
		"Arabic number signs stay":     {"\u0600١٢", "\u0600١٢"},
	} {
		t.Run(name, func(t *testing.T) {
			got, removed := withoutInvisible(test.text)
			if got != test.want || (removed > 0) != (test.text != test.want) {
				t.Errorf("got %+q (%d removed), want %+q", got, removed, test.want)
			}
		})
	}
}

func TestMapStringsTouchesOnlyWhatChanges(t *testing.T) {
	clean := func(text string) string { text, _ = withoutInvisible(text); return text }
	for in, want := range map[string]string{
		`{"a": "\u00e9\/<\\\"", "n":1.50e+3}`:    `{"a": "\u00e9\/<\\\"", "n":1.50e+3}`,
		`["\u200b","x\udb40\udc69<&>\"", 12 ]`:   `["","x<&>\"", 12 ]`,
		`{"k\u200b":{"\u202e":true}}`:            `{"k":{"":true}}`,
		`"\ud800 alone"`:                         "\"\uFFFD alone\"",
		"\"\xE9 in Latin-1\"":                    "\"\uFFFD in Latin-1\"",
		"[\"\U000E0069\", \"读\"]":                "[\"\", \"读\"]",
		``:                                       ``,
		`null`:                                   `null`,
		`{"\\":"\\\\","\"":"\\\"\u200b\\u200b"}`: `{"\\":"\\\\","\"":"\\\"\\u200b"}`,
	} {
		if got := mapStrings(json.RawMessage(in), clean); string(got) != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

package main

import (
	"strings"
	"testing"
)

func TestRedact(t *testing.T) {
	redactor := newRedactor([]string{
		"API_KEY=sk-123456", "LONG_TOKEN=sk-123456-and-more", "db_password=hunter22", "MY_SECRET=short", "TRIMMED_KEY=live-key-1\n", `QUOTED_KEY=a"b\c-secret`, "HOME=/home/someone", "SECRET_B=",
		`HTML_KEY=a"b&c0`, "UMLAUT_KEY=päss😀word", `QUOTE_KEY=value"`,
	})
	for _, test := range []struct{ name, in, want string }{
		{"a secret in the middle", "key sk-123456.", "key [REDACTED:API_KEY]."},
		{"the longer of two that begin alike", "sk-123456-and-more", "[REDACTED:LONG_TOKEN]"},
		{"twice", "hunter22hunter22", "[REDACTED:db_password][REDACTED:db_password]"},
		{"under six characters it is left alone", "short", "short"},
		{"space around a value does not count", "is live-key-1.", "is [REDACTED:TRIMMED_KEY]."},
		{"as it stands in a JSON file", `{"key":"a\"b\\c-secret"}`, `{"key":"[REDACTED:QUOTED_KEY]"}`},
		{"in JSON that escapes < > &", `"a\"b\u0026c0"`, `"[REDACTED:HTML_KEY]"`},
		{"in JSON that does not", `"a\"b&c0"`, `"[REDACTED:HTML_KEY]"`},
		{"in JSON that escapes all but ASCII", `"p\u00e4ss\ud83d\ude00word"`, `"[REDACTED:UMLAUT_KEY]"`},
		{"a quotation mark at the end", `{"k":"value\""}`, `{"k":"[REDACTED:QUOTE_KEY]"}`},
		{"other variables are left alone", "/home/someone", "/home/someone"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := redactor.Redact(test.in); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Wherever a text is cut, what is shown is what the whole text would show.
func TestRedactTextInPieces(t *testing.T) {
	redactor := newRedactor([]string{
		"API_KEY=sk-123456", "LONG_KEY=sk-123456-and-more", "TWICE_KEY=passpass", "ENDS_AS_IT_BEGINS_KEY=abcdefga",
		"FIRST_KEY=secret-one", "NEXT_KEY=one-two-three", `QUOTED_KEY=a"b\c-secret`,
	})
	for _, text := range []string{
		"The key is sk-123456, sk-12 is not.", "sk-123456-and-more or sk-123456-and-less", "sk-123456-and-",
		"It is passpass I think, passpasspas is longer, and passpasspassp.", "abcdefga", "abcdefgabcdefga", "secret-one-two-three",
		`{"k":"a\"b\\c-secret"}`, `a"b\c-secret`, "sk-12",
	} {
		for size := 1; size <= len(text); size++ {
			var shown strings.Builder
			held := ""
			for rest := text; rest != ""; {
				piece := rest[:min(size, len(rest))]
				rest = rest[len(piece):]
				var done string
				done, held = redactor.Split(held + piece)
				shown.WriteString(redactor.Redact(done))
			}
			shown.WriteString(redactor.Redact(held))
			if want := redactor.Redact(text); shown.String() != want {
				t.Errorf("in pieces of %d bytes: %q, want %q", size, shown.String(), want)
			}
		}
	}
}

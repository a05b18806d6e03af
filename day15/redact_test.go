package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

func TestSecretNames(t *testing.T) {
	for names, want := range map[string]bool{
		"API_KEY APIKEY OPENAI_API_KEY X-Api-Key apiKeyId KEYBASE64 ACCESS_TOKENS npm_token CLIENT_SECRET DB_PASSWORD PGPASSWORD MYSQL_PASSWD": true,
		"SSH_PASSPHRASE AWS_CREDENTIALS Authorization Proxy-Authorization Cookie DB_PASS PASS_1 SMTP_PWD GITHUB_PAT PAT BASIC_AUTH OAUTH":      true,
		"PATH GOPATH COMPASS COMPASS_MODE KEYBOARD_LAYOUT PWD OLDPWD AUTHOR GIT_AUTHOR_NAME PATTERN BYPASS_CACHE HOME LANG":                    false,
	} {
		for name := range strings.FieldsSeq(names) {
			if got := secretName(name); got != want {
				t.Errorf("%s: %v", name, got)
			}
		}
	}
}

func TestPlainValuesAreNoSecretsUnlessAPersonChoseThem(t *testing.T) {
	for line, secret := range map[string]bool{
		"MAX_OUTPUT_TOKENS=128000": false, "TOKEN_LIMIT=1_000_000": false, "OPENAI_API_KEY=ollama": false, "AUTH_METHOD=password": false,
		"SSL_KEY_FILE=/srv/keys/app.pem": false, "SSH_KEY=~/.ssh/id_ed25519": false, `TLS_KEY=C:\keys\app key.pem`: false,
		"SSH_AUTH_SOCK=/tmp/ssh-XXXXabc/agent.1": false, "DB_PASSWORD_FILE=/run/secrets/db": false, "GOOGLE_APPLICATION_CREDENTIALS=/home/jörg/key.json": false,
		"DB_PASS=german": true, "SMTP_PWD=123456": true, "DB_PASSWORD=hunterhunter": true, "ADMIN_CREDENTIAL=letmein": true, "CLIENT_SECRET=/srv/keys/app": true,
		"API_KEY=abcdefghijkl": true, "API_KEY=Abcdef": true, "API_KEY=abc123": true, "API_TOKEN=123456789012": true, "A_TOKEN=a-b-c-d": true,
		"API_KEY=/9j4AAQSkZJRgABAQ": true, "API_KEY=/bPx/Rfi+CYEXAMPLE": true, "A_KEY=a.b/c?key=1": true,
	} {
		_, value, _ := strings.Cut(line, "=")
		if got := newRedactor([]string{line}).Redact(value); (got != value) != secret {
			t.Errorf("%s is shown as %s", line, got)
		}
	}
}

func TestRedact(t *testing.T) {
	redactor := newRedactor([]string{
		"API_KEY=sk-123456", "LONG_TOKEN=sk-123456-and-more", "db_password=hunter22", "MY_SECRET=short", "TRIMMED_KEY=live-key-1\n", `QUOTED_KEY=a"b\c-secret`, "HOME=/home/someone", "SECRET_B=",
		`HTML_KEY=ä"b&c0`, "UMLAUT_KEY=pässw0rd", `QUOTE_KEY=value"`, "SAME_KEY=sk-123456",
		"PEM_KEY=-----BEGIN KEY-----\r\nMIIEvQIBADAN\nBgkqhkiG9w0B\nAQ==\n-----END KEY-----", `FLAT_KEY=-----BEGIN KEY-----\nZZZZ`,
	})
	for _, test := range []struct{ name, in, want string }{
		{"a secret in the middle", "key sk-123456.", "key [REDACTED:API_KEY]."},
		{"the longer of two that begin alike", "sk-123456-and-more", "[REDACTED:LONG_TOKEN]"},
		{"twice", "hunter22hunter22", "[REDACTED:db_password][REDACTED:db_password]"},
		{"under six characters it is left alone", "short", "short"},
		{"space around a value does not count", "is live-key-1.", "is [REDACTED:TRIMMED_KEY]."},
		{"as it stands in a JSON file", `{"key":"a\"b\\c-secret"}`, `{"key":"[REDACTED:QUOTED_KEY]"}`},
		{"in JSON that escapes < > &", `"ä\"b\u0026c0"`, `"[REDACTED:HTML_KEY]"`},
		{"in JSON that does not", `"ä\"b&c0"`, `"[REDACTED:HTML_KEY]"`},
		{"in JSON that escapes all but ASCII", `"p\u00e4ssw0rd"`, `"[REDACTED:UMLAUT_KEY]"`},
		{"a quotation mark at the end", `{"k":"value\""}`, `{"k":"[REDACTED:QUOTE_KEY]"}`},
		{"other variables are left alone", "/home/someone", "/home/someone"},
		{"a value of several lines, line by line", "1 MIIEvQIBADAN\n2 BgkqhkiG9w0B\n3 AQ==", "1 [REDACTED:PEM_KEY]\n2 [REDACTED:PEM_KEY]\n3 AQ=="},
		{"and as a whole", "-----BEGIN KEY-----\r\nMIIEvQIBADAN\nBgkqhkiG9w0B\nAQ==\n-----END KEY-----", "[REDACTED:PEM_KEY]"},
		{"what every key has", "-----BEGIN KEY-----\n-----END KEY-----", "-----BEGIN KEY-----\n-----END KEY-----"},
		{"line feeds written as such", `-----BEGIN KEY-----\nZZZZ`, "[REDACTED:FLAT_KEY]"},
	} {
		if got := redactor.Redact(test.in); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// Wherever a text is cut, what is shown is what the whole text would show.
func TestRedactTextInPieces(t *testing.T) {
	check := func(redactor *Redactor, text string) {
		for size := 1; size <= len(text); size++ {
			shown, done, held := "", "", ""
			for rest := text; rest != ""; rest = rest[min(size, len(rest)):] {
				done, held = redactor.Split(held + rest[:min(size, len(rest))])
				shown += redactor.Redact(done)
			}
			if shown += redactor.Redact(held); shown != redactor.Redact(text) {
				t.Errorf("%q in pieces of %d bytes: %q, want %q", text, size, shown, redactor.Redact(text))
			}
		}
	}
	redactor := newRedactor([]string{
		"API_KEY=sk-123456", "LONG_KEY=sk-123456-and-more", "TWICE_KEY=pass1pass1", "ENDS_AS_IT_BEGINS_KEY=abcdefga1a",
		"FIRST_KEY=secret-one", "NEXT_KEY=one-two-three", `QUOTED_KEY=a"b\c-secret`,
	})
	for _, text := range []string{
		"The key is sk-123456, sk-12 is not.", "sk-123456-and-more or sk-123456-and-less", "sk-123456-and-",
		"It is pass1pass1 I think, pass1pass1pass is longer.", "abcdefga1abcdefga1a", "secret-one-two-three", `{"k":"a\"b\\c-secret"}`, "sk-12",
	} {
		check(redactor, text)
	}
	random := rand.New(rand.NewPCG(1, 2))
	letters := func(n int) string { return fmt.Sprintf("%0*b", n, random.Uint64N(1<<n)) }
	for range 50 {
		check(newRedactor([]string{"A_SECRET=" + letters(6), "B_SECRET=" + letters(8), "C_SECRET=" + letters(9)}), letters(40))
	}
}

func TestRedactorLearnsWhileItIsUsed(t *testing.T) {
	r := newRedactor(nil)
	if done, rest := r.Split("value-"); done != "value-" || rest != "" {
		t.Errorf("without a secret: %q, %q", done, rest)
	}
	var users sync.WaitGroup
	for i := range 8 {
		users.Go(func() {
			value := fmt.Sprintf("value-%d-secret", i)
			r.Add("FIRST", value)
			r.Add("SECOND", value)
			if r.Split("a text that ends in value-"); r.Redact(value) != "[REDACTED:FIRST]" {
				t.Errorf("%s is shown as %s", value, r.Redact(value))
			}
		})
	}
	users.Wait()
}

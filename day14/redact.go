package main

import (
	"cmp"
	"slices"
	"strings"
)

// shortestSecret is the length, in bytes, below which a value is left alone: replacing "1" or "true" everywhere would
// hide nothing and garble everything.
const shortestSecret = 6

// Redactor replaces secrets in text. The zero Redactor knows none.
type Redactor struct {
	values   []string
	replacer *strings.Replacer
}

// newRedactor takes the environment as KEY=value lines and remembers the values of all variables whose name contains
// KEY, TOKEN, SECRET or PASSWORD.
func newRedactor(environ []string) *Redactor {
	type secret struct{ name, value string }
	var secrets []secret
	for _, line := range environ {
		name, value, _ := strings.Cut(line, "=")
		if secretName(name) && len(value) >= shortestSecret {
			secrets = append(secrets, secret{name, value})
		}
	}
	// A replacer tries its pairs in order: the longest first, or a secret that begins with another one would leak its tail.
	slices.SortFunc(secrets, func(a, b secret) int {
		return cmp.Or(len(b.value)-len(a.value), cmp.Compare(a.name, b.name))
	})
	r := &Redactor{}
	var pairs []string
	for _, s := range secrets {
		r.values = append(r.values, s.value)
		pairs = append(pairs, s.value, "[REDACTED:"+s.name+"]")
	}
	r.replacer = strings.NewReplacer(pairs...)
	return r
}

// secretName reports whether a variable, or a header, of this name is taken to hold a secret.
func secretName(name string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc([]string{"KEY", "TOKEN", "SECRET", "PASSWORD"}, func(word string) bool {
		return strings.Contains(name, word)
	})
}

// Redact returns text with each secret replaced by [REDACTED:NAME].
func (r *Redactor) Redact(text string) string {
	if len(r.values) == 0 {
		return text
	}
	return r.replacer.Replace(text)
}

// Split cuts text that arrives in pieces: done can be redacted and shown now; rest is the beginning of what may become
// a secret, and has to wait for the next piece.
func (r *Redactor) Split(text string) (done, rest string) {
	hold := 0
	for _, value := range r.values {
		for n := min(len(value)-1, len(text)); n > hold; n-- {
			if strings.HasSuffix(text, value[:n]) {
				hold = n
				break
			}
		}
	}
	return text[:len(text)-hold], text[len(text)-hold:]
}

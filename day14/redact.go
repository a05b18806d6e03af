package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// shortestSecret is the length, in bytes, below which a value is left alone: replacing "1" or "true" everywhere would
// hide nothing and garble everything.
const shortestSecret = 6

// secret is a value that nobody shall read, and the name that stands in its place.
type secret struct{ name, value string }

// Redactor replaces secrets in text. It is safe for concurrent use. The zero Redactor, and a nil one, know none.
type Redactor struct {
	mu       sync.RWMutex  // guards what follows
	secrets  []secret      // each value in all its spellings, the longest first
	starting [256][]secret // the same, by their first byte
	replacer *strings.Replacer
}

// newRedactor takes the environment as KEY=value lines and adds the values of all variables whose name contains KEY,
// TOKEN, SECRET or PASSWORD.
func newRedactor(environ []string) *Redactor {
	r := &Redactor{}
	for _, line := range environ {
		if name, value, _ := strings.Cut(line, "="); secretName(name) {
			r.Add(name, strings.TrimSpace(value))
		}
	}
	return r
}

// Add makes value a secret from now on, shown as [REDACTED:name]. A value that is too short is left alone; one that is
// known keeps its name.
func (r *Redactor) Add(name, value string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := slices.ContainsFunc(r.secrets, func(s secret) bool { return s.value == value })
	if known || len(value) < shortestSecret {
		return
	}
	for _, spelling := range spellings(value) {
		r.secrets = append(r.secrets, secret{name, spelling})
	}
	// A replacer tries its pairs in order: the longest first, or a secret that begins with another one would leak its tail.
	slices.SortFunc(r.secrets, func(a, b secret) int {
		return cmp.Or(len(b.value)-len(a.value), cmp.Compare(a.name, b.name))
	})
	var pairs []string
	r.starting = [256][]secret{}
	for _, s := range r.secrets {
		r.starting[s.value[0]] = append(r.starting[s.value[0]], s)
		pairs = append(pairs, s.value, "[REDACTED:"+s.name+"]")
	}
	r.replacer = strings.NewReplacer(pairs...)
}

// spellings are a value as it is, and as it may stand in JSON: with < > & escaped or not, and with everything escaped
// that is not ASCII.
func spellings(value string) []string {
	var line bytes.Buffer
	plain := json.NewEncoder(&line)
	plain.SetEscapeHTML(false)
	_ = plain.Encode(value) // a string always has a JSON form
	inJSON := strings.TrimSuffix(line.String(), "\n")
	var ascii strings.Builder
	for _, r := range inJSON {
		if r < utf8.RuneSelf {
			ascii.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&ascii, `\u%04x`, unit)
		}
	}
	all := []string{value}
	for _, text := range []string{inJSON, quoted(value), ascii.String()} {
		if inner := text[1 : len(text)-1]; !slices.Contains(all, inner) {
			all = append(all, inner)
		}
	}
	return all
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
	if r == nil {
		return text
	}
	r.mu.RLock()
	replacer := r.replacer
	r.mu.RUnlock()
	if replacer == nil {
		return text
	}
	return replacer.Replace(text)
}

// Split cuts text that arrives in pieces: done can be redacted and shown now; rest is the beginning of what may become
// a secret, and has to wait for the next piece.
func (r *Redactor) Split(text string) (done, rest string) {
	if r == nil {
		return text, ""
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	for i := 0; i < len(text); { // as the replacer goes through the whole text
		known := 1
		for _, s := range r.starting[text[i]] {
			switch {
			case len(s.value) > len(text)-i && strings.HasPrefix(s.value, text[i:]):
				return text[:i], text[i:]
			case known == 1 && strings.HasPrefix(text[i:], s.value):
				known = len(s.value)
			}
		}
		i += known
	}
	return text, ""
}

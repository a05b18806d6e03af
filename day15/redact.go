package main

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// shortestSecret is the length, in bytes, below which a value is left alone: replacing "1" or "true" everywhere would
// hide nothing and garble everything.
const shortestSecret = 6

var (
	// Short words count only as whole words: PATH is not PAT, COMPASS is not PASS. KEYBOARD is not KEY, and PWD by itself is
	// the working directory.
	secretNames = regexp.MustCompile(`(?i)KEYB?([^BO]|$)|TOKEN|SECRET|CREDENTIAL|PASSWORD|PASSWD|PASSPHRASE|AUTHORIZ|COOKIE|` +
		`([^A-Z]|^)(PASS|PAT|O?AUTH)([^A-Z]|$)|[^A-Z]PWD([^A-Z]|$)`)
	// Keys and tokens are generated, but people choose passwords: those may be a plain word or number, or look like a path.
	chosenNames = regexp.MustCompile(`(?i)PASS|PWD|SECRET|CREDENTIAL|AUTHORIZ|COOKIE`)
	placeNames  = regexp.MustCompile(`(?i)(FILE|PATH|DIR|APPLICATION_CREDENTIALS)$`)
	plainValues = regexp.MustCompile(`^([a-z]{1,11}|[\d.,_]{1,11}|(~|\.\.?|/[a-z]{3,}|/Users|/Library|[A-Z]:)[/\\][\pL\pN./\\@_ ~-]*)$`)
)

// secretName reports whether a variable, a header or a flag of this name is taken to hold a secret.
func secretName(name string) bool { return secretNames.MatchString(name) }

// Redactor replaces secrets in text. It is safe for concurrent use. newRedactor makes one.
type Redactor struct {
	replacer atomic.Pointer[strings.Replacer]

	mu    sync.Mutex        // guards names
	names map[string]string // by secret, in each of its spellings
}

// newRedactor takes the environment as KEY=value lines and adds the values of all variables with a secretName.
func newRedactor(environ []string) *Redactor {
	r := &Redactor{names: map[string]string{}}
	r.replacer.Store(strings.NewReplacer())
	for _, line := range environ {
		if name, value, _ := strings.Cut(line, "="); secretName(name) {
			r.Add(name, value)
		}
	}
	return r
}

// Add makes value a secret from now on, and each of its lines, shown as [REDACTED:name]; the first name lasts. Values that
// are short are left alone, and so are plain ones: paths, and words and numbers if the name does not tell of a password.
func (r *Redactor) Add(name, value string) {
	value = strings.TrimSpace(value)
	if plainValues.MatchString(value) && (placeNames.MatchString(name) || !chosenNames.MatchString(name)) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, text := range append(strings.Split(value, "\n"), value) {
		text = strings.TrimSpace(text)
		if len(text) < shortestSecret || text != value && strings.HasPrefix(text, "-----") { // -----BEGIN …
			continue
		}
		// As it is, and as it may stand in JSON: with < > & escaped or not, or all that is not ASCII.
		for _, spelling := range []string{`"` + text + `"`, quoted(text), strconv.Quote(text), strconv.QuoteToASCII(text)} {
			spelling = spelling[1 : len(spelling)-1]
			r.names[spelling] = cmp.Or(r.names[spelling], name)
		}
	}
	// A replacer tries its pairs in order: the longest first, or a secret that begins with another one would leak its tail.
	longest := slices.SortedFunc(maps.Keys(r.names), func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, secret := range longest {
		pairs = append(pairs, secret, "[REDACTED:"+r.names[secret]+"]")
	}
	r.replacer.Store(strings.NewReplacer(pairs...))
}

// Redact returns text with each secret replaced by [REDACTED:NAME].
func (r *Redactor) Redact(text string) string { return r.replacer.Load().Replace(text) }

// Split cuts text that arrives in pieces: done can be redacted and shown now; rest is the beginning of what may become
// a secret, and has to wait for the next piece. It does not cut through a whole secret: one may end as it begins.
func (r *Redactor) Split(text string) (done, rest string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range text {
		for secret := range r.names {
			done, rest := text[:i], text[i:]
			if strings.HasPrefix(secret, rest) && r.Redact(done)+r.Redact(rest) == r.Redact(text) {
				return done, rest
			}
		}
	}
	return text, ""
}

package main

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// reference is ${NAME}, ${NAME:-default}, or ${env:NAME} as some hosts write it; the second group is what follows the name.
var reference = regexp.MustCompile(`\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(:[^}]*)?\}`)

// expand replaces the references in text, once, and ~ at the beginning by the home folder. As in a shell, an empty variable
// counts as unset. Without a default that is an error that names it: "Bearer " with nothing behind it would fail elsewhere.
func (r *configReader) expand(text string) (expanded string, err error) {
	if text == "~" || strings.HasPrefix(text, "~/") {
		text = "${HOME}" + text[1:]
	}
	expanded = reference.ReplaceAllStringFunc(text, func(whole string) string {
		match := reference.FindStringSubmatch(whole)
		name, rest := match[1], match[2]
		value := r.lookup(name)
		if sensitive.MatchString(name) {
			r.secret(name, value)
		}
		fallback, hasFallback := strings.CutPrefix(rest, ":-")
		switch {
		case rest != "" && !hasFallback || strings.Contains(fallback, "${"):
			err = fmt.Errorf("%s is not understood; expected ${NAME} or ${NAME:-default}", whole)
		case value == "" && !hasFallback:
			err = fmt.Errorf("the environment variable %s is not set, or empty; set it, or write ${%s:-default}", name, name)
		}
		return cmp.Or(value, fallback)
	})
	return expanded, err
}

// secrets tells what nobody shall read of an entry: variables, flags, headers and references whose names sound like a secret,
// and what URLs carry. Not every value of env: a Redactor that knew "production" would garble what the model reads.
func (r *configReader) secrets(c *serverConfig) {
	text := c.Command + "\n" + strings.Join(c.Args, "\n") + "\n" + c.URL // some write a whole line into command
	for name, value := range c.Env {
		text += "\n" + value
		if sensitive.MatchString(name) {
			r.secret(name, value)
		}
	}
	for name, value := range c.Headers {
		r.secret(name, strings.TrimSpace(value[strings.Index(value, " ")+1:])) // a server may repeat it without its scheme
	}
	for _, carrier := range carriers {
		for _, match := range carrier.FindAllStringSubmatch(text, -1) {
			name := cmp.Or(match[1], "password")
			r.secret(name, match[2])
			decoded, _ := url.QueryUnescape(match[2]) // "" is no secret
			r.secret(name, decoded)
		}
	}
}

const secretWords = `key|token|secret|pass|authoriz|cookie|credential|auth\b|pat\b`

// sensitive names what holds a secret in a configuration; secretName, which judges a whole environment, is more careful.
var sensitive = regexp.MustCompile(`(?i)` + secretWords)

// carriers are where else secrets are: --token …, API_KEY=…, the user of a URL, and what is long in its query.
var carriers = []*regexp.Regexp{
	regexp.MustCompile(`(?i)(?:^|\s)-+([\w-]*(?:` + secretWords + `)[\w-]*)\s([^\s-]\S*)`),
	regexp.MustCompile(`(?i)([\w-]*(?:` + secretWords + `)[\w-]*)\s*[=:]\s*(?:(?:bearer|basic|token)\s+)?([^\s&#]+)`),
	regexp.MustCompile(`()://(?:[^/\s:?#@]*:)?([^/\s?#@]+)@`),
	regexp.MustCompile(`[?&]([^=\s&]+)=([^\s&#]{16,})`),
}

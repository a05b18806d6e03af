package main

import (
	"cmp"
	"net/url"
	"regexp"
	"strings"
)

// secrets tells what nobody shall read of an entry: the values of variables, flags, headers and references whose names
// sound like a secret, and what URLs carry besides their address. Not every value of env is one: a Redactor that knew
// "production" or the folder of the data would garble what the model reads.
func (r *configReader) secrets(c *serverConfig) {
	text := c.Command + "\n" + strings.Join(c.Args, "\n") + "\n" + c.URL // some write a whole line into command
	for name, value := range c.Env {
		text += "\n" + value
		if sensitive.MatchString(name) {
			r.secret(name, value)
		}
	}
	for name, value := range c.Headers {
		if sensitive.MatchString(name) || c.err == nil && !c.Disabled { // else nobody sends it
			_, credential, found := strings.Cut(value, " ") // a server may repeat it without its scheme
			if !found {
				credential = value
			}
			r.secret(name, strings.TrimSpace(credential))
		}
	}
	for _, carrier := range carriers {
		for _, match := range carrier.FindAllStringSubmatch(text, -1) {
			name := cmp.Or(match[1], "password")
			r.secret(name, match[2])
			if decoded, err := url.QueryUnescape(match[2]); err == nil {
				r.secret(name, decoded)
			}
		}
	}
}

const secretWords = `key|token|secret|pass|authoriz|cookie|credential|auth\b|pat\b`

// sensitive names what holds a secret. A person wrote it into a configuration; secretName judges a whole environment and is
// more careful.
var sensitive = regexp.MustCompile(`(?i)` + secretWords)

// carriers are where else secrets are in a configuration: --token …, API_KEY=…, the user of a URL, and what is too long
// for a mere setting in its query.
var carriers = []*regexp.Regexp{
	regexp.MustCompile(`(?i)(?:^|\s)-+([\w-]*(?:` + secretWords + `)[\w-]*)\s([^\s-]\S*)`),
	regexp.MustCompile(`(?i)([\w-]*(?:` + secretWords + `)[\w-]*)\s*[=:]\s*(?:(?:bearer|basic|token)\s+)?([^\s&#]+)`),
	regexp.MustCompile(`()://(?:[^/\s:?#@]*:)?([^/\s?#@]+)@`),
	regexp.MustCompile(`[?&]([^=\s&]+)=([^\s&#]{16,})`),
}

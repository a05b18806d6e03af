package main

import (
	"fmt"
	"io"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

const masked = "***" // stands where a secret is not shown

// Format prints a serverConfig without its secrets, whatever the verb: a %+v in a log line must not publish a token.
// (fmt does not call it for an unexported field of another struct: keep a pointer there.)
func (c serverConfig) Format(f fmt.State, _ rune) {
	text := fmt.Sprintf("%s: %s", c.Name, c.target())
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		text += fmt.Sprintf(" env %s=%s", name, masked)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Headers)) {
		text += fmt.Sprintf(" header %s: %s", name, masked)
	}
	io.WriteString(f, text) // f is a buffer of fmt
}

// target is what a person may see of where the server is: the command line with its secrets masked and its ${VAR} as
// they are written, or the URL without userinfo and query.
func (c serverConfig) target() string {
	if c.URL == "" {
		args, _ := maskedArgs(append(strings.Fields(c.Command), c.written...)) // some write a whole line into command
		return strings.Join(args, " ")
	}
	u, err := url.Parse(c.URL)
	if err != nil {
		return masked
	}
	shown := plainURL(u)
	for _, s := range c.hidden {
		if s.value != "" {
			shown = strings.ReplaceAll(shown, s.value, masked)
		}
	}
	return shown
}

// secrets returns what a Redactor has to know of this server: the values of all headers, of variables, references and flags
// whose names sound like a secret, and what URLs carry besides their address. Not every value of env is one: a Redactor that
// knew "production" or the folder of the data would garble what the model reads.
func (c serverConfig) secrets() []secret {
	_, all := maskedArgs(append(strings.Fields(c.Command), c.Args...))
	for name, value := range c.Env {
		if sensitive(name) {
			all = append(all, secret{name, value})
		}
		all = append(all, urlSecrets(value)...)
	}
	for name, value := range c.Headers {
		all = append(all, secret{name, credential(value)})
	}
	all = append(all, c.hidden...)
	return append(all, urlSecrets(c.URL)...)
}

// sensitive reports whether a variable, flag or header of this name is taken to hold a secret. A person named it in
// the configuration of a server; secretName judges a whole environment and is more careful.
func sensitive(name string) bool {
	upper := strings.ToUpper(name)
	return secretName(name) || strings.HasSuffix(upper, "PAT") || strings.HasSuffix(upper, "AUTH") ||
		slices.ContainsFunc([]string{"AUTHORIZ", "COOKIE", "CREDENTIAL", "PASS"}, func(word string) bool {
			return strings.Contains(upper, word)
		})
}

// credential is the value of a header without its scheme: a server may repeat the one without the other.
func credential(value string) string {
	if _, after, found := strings.Cut(strings.TrimSpace(value), " "); found {
		return strings.TrimSpace(after)
	}
	return value
}

var (
	setting = regexp.MustCompile(`(?s)^-*([A-Za-z][\w.-]*)\s*[=:]\s*(.+)$`) // --token=…, API_KEY=…, Authorization: …
	userIn  = regexp.MustCompile(`://([^/\s?#]+)@`)
	queryIn = regexp.MustCompile(`(://[^\s?]*)\?(\S+)`)
)

// maskedArgs returns a command's arguments as they may be shown, and the secrets in them: what follows --token and its
// like, in the same argument or the next.
func maskedArgs(args []string) (shown []string, hidden []secret) {
	for i, arg := range args {
		name, value := secretSetting(arg)
		switch {
		case i > 0 && strings.HasPrefix(args[i-1], "-") && !setting.MatchString(args[i-1]) &&
			sensitive(args[i-1]) && !strings.HasPrefix(arg, "--"):
			hidden = append(hidden, secret{strings.TrimLeft(args[i-1], "-"), arg})
			arg = masked
		case value != "":
			hidden = append(hidden, secret{name, value}, secret{name, credential(value)})
			arg = strings.TrimSuffix(arg, value) + masked
		default:
			hidden = append(hidden, urlSecrets(arg)...)
			arg = userIn.ReplaceAllString(queryIn.ReplaceAllString(arg, "$1?"+masked), "://"+masked+"@")
		}
		shown = append(shown, arg)
	}
	return shown, hidden
}

// secretSetting finds a secret in one argument, also behind another name: --header=Authorization: …
func secretSetting(arg string) (name, value string) {
	for match := setting.FindStringSubmatch(arg); match != nil; match = setting.FindStringSubmatch(match[2]) {
		if sensitive(match[1]) {
			return match[1], match[2]
		}
	}
	return "", ""
}

// urlSecrets finds the URLs in text and returns their passwords, and the values of their queries that are named like a
// secret or too long for a mere setting; encoded and decoded.
func urlSecrets(text string) (found []secret) {
	add := func(name, value string) {
		found = append(found, secret{name, value})
		if decoded, err := url.QueryUnescape(value); err == nil && decoded != value {
			found = append(found, secret{name, decoded})
		}
	}
	for _, match := range userIn.FindAllStringSubmatch(text, -1) {
		user, password, both := strings.Cut(match[1], ":")
		if !both {
			password = user // a token in the user's place
		}
		add("password", password)
	}
	for _, match := range queryIn.FindAllStringSubmatch(text, -1) {
		for pair := range strings.SplitSeq(match[2], "&") {
			if name, value, _ := strings.Cut(pair, "="); sensitive(name) || len(value) >= 16 {
				add(name, value)
			}
		}
	}
	return found
}

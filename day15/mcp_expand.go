package main

import (
	"fmt"
	"regexp"
	"strings"
)

// reference is ${NAME}, ${NAME:-default}, or ${env:NAME} as some hosts write it. The second group is what follows the
// name. Any other $ is text: passwords and regular expressions are full of them.
var reference = regexp.MustCompile(`\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(:[^}]*)?\}`)

// expand replaces the references in text by the values of variables, once: a value is not searched for references. As
// in a shell, an empty variable counts as unset where there is a default. Without one both are an error that names the
// variable: the literal text, or "Bearer " with nothing behind it, would only fail later and elsewhere.
func expand(text string, lookup func(string) (string, bool)) (string, error) {
	var failed error
	expanded := reference.ReplaceAllStringFunc(text, func(whole string) string {
		match := reference.FindStringSubmatch(whole)
		name, rest := match[1], match[2]
		fallback, hasFallback := strings.CutPrefix(rest, ":-")
		value, _ := lookup(name)
		switch {
		case rest != "" && !hasFallback:
			failed = fmt.Errorf("%s is not understood; expected ${NAME} or ${NAME:-default}", whole)
		case strings.Contains(fallback, "${"):
			failed = fmt.Errorf("the default of ${%s} must not contain another ${…}", name)
		case value != "":
			return value
		case !hasFallback:
			failed = fmt.Errorf("the environment variable %s is not set, or empty; set it, or write ${%s:-default}", name, name)
		}
		return fallback
	})
	return expanded, failed
}

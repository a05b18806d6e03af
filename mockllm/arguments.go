package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// arguments gives those of a call that does a step, as JSON, by the rules P1 to P5.
func arguments(step string, t tool) string {
	var schema struct {
		Properties map[string]parameter
		Required   []string
	}
	_ = json.Unmarshal(t.Parameters, &schema) // what is odd counts as a string
	c := clues{params: schema.Properties, said: words(material.ReplaceAllString(step, " ")), values: map[string][]string{}}
	if object := c.find(step); object != "" {
		return object // P1
	}
	names := append(schema.Required, slices.Sorted(maps.Keys(schema.Properties))...)
	var members []string
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		isRequired := i < len(schema.Required)
		value := c.value(name, isRequired)
		if value == "" && isRequired {
			value = c.params[name].fallback(step, t) // P5
		}
		if value != "" {
			members = append(members, jsonString(name)+":"+value)
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// suits lists the kinds of clues for a parameter of that name, best first. What is
// optional goes without the last kind: "the first 10 lines" is not an offset.
func (p parameter) suits(name string) []string {
	switch kind := p.kind(); {
	case kind == "integer" || kind == "number":
		return []string{"number"}
	case kind != "string" || len(p.Enum) > 0:
		return nil
	case commandName.MatchString(name): // in a command, "for" and "in" introduce nothing
		return []string{"quote"}
	case pathName.MatchString(name):
		return []string{"path", "phrase", "quote"}
	}
	return []string{"quote", "phrase", "path"}
}

var (
	pathName    = regexp.MustCompile(`(?i)(\b|_)(path|file|filename|uri|url|link|source|src|dst|destination|directory|dir|folder)s?(\b|_)`)
	commandName = regexp.MustCompile(`(?i)(\b|_)(command|cmd|code)(\b|_)`)
	// typeName finds a type, alone or in a list such as ["null", "string"].
	typeName = regexp.MustCompile(`string|integer|number|boolean|array|object`)
	// lexeme finds what matters in a step: quotes, paths, where a JSON object may
	// begin, words with digits, what introduces a phrase, and what ends one.
	lexeme = regexp.MustCompile(`(?i)(` + quotes + `)|(` + paths + `)|(\{)|([\w.-]*\d\w*)|` +
		`(\b(?:in|for|of|named|called|about|with|to|into|from)\b|名为|叫做|关于)|[,;!?\n，。；！？]|\.\s`)
	// nameBefore finds the word that a value stands behind.
	nameBefore = regexp.MustCompile(`([\pL_]+)(?:\s+(?:of|is))?[\s:=]*$`)
)

// parameter is the part of a parameter's JSON Schema that the rules look at.
type parameter struct {
	Type json.RawMessage
	Enum []json.RawMessage
}

// kind is the type of a parameter, string if its schema names none.
func (p parameter) kind() string { return cmp.Or(typeName.FindString(string(p.Type)), "string") }

// fallback is the value of a required parameter of which the step says nothing.
func (p parameter) fallback(step string, t tool) string {
	if len(p.Enum) > 0 {
		return string(p.Enum[0])
	}
	simple := map[string]string{"integer": "1", "number": "1", "boolean": "false", "object": "{}", "array": "[]"}
	rest := trimmer(words(t.Name + " " + t.Description)).FindStringSubmatch(step)[1]
	return cmp.Or(simple[p.kind()], jsonString(cmp.Or(rest, step)))
}

// clues are what a step has to offer: values as JSON, by kind, which is quote, path,
// number or phrase, or :NAME for those that stand behind a parameter's name.
type clues struct {
	params map[string]parameter
	said   []string // the words of the step
	values map[string][]string
}

// value finds the value of a parameter; it is empty if there is none.
func (c *clues) value(name string, isRequired bool) string {
	p := c.params[name]
	for _, allowed := range p.Enum { // P2
		if c.says(string(allowed)) {
			return string(allowed)
		}
	}
	if p.kind() == "boolean" && c.says(name) {
		return "true"
	}
	kinds := p.suits(name)
	if !isRequired {
		kinds = kinds[:max(0, len(kinds)-1)]
	}
	for _, kind := range append([]string{":" + name}, kinds...) { // P3, P4
		if found := c.values[kind]; len(found) > 0 {
			c.values[kind] = found[1:]
			return found[0]
		}
	}
	return ""
}

// says tells whether a step has all words of a text.
func (c *clues) says(text string) bool {
	list := words(text)
	return list != nil && !slices.ContainsFunc(list, func(w string) bool { return !slices.Contains(c.said, w) })
}

// find finds the clues of a step. If the step has a JSON object, it gives that.
func (c *clues) find(step string) (object string) {
	text, start := step+"\n", -1 // of the phrase that has begun, -1 for none
	for _, at := range lexeme.FindAllStringSubmatchIndex(text, -1) {
		found := text[at[0]:at[1]]
		switch {
		case at[2] >= 0 || at[4] >= 0: // a quote or a path
			kind, value := "path", strings.TrimRight(found, ".,:;!?)")
			if at[2] >= 0 {
				runes := []rune(value)
				value = strings.ReplaceAll(string(runes[1:len(runes)-1]), `\"`, `"`)
				if value == "" || material.FindString(value) != value {
					kind = "quote"
				}
			}
			c.add(kind, jsonString(value), text[:at[0]])
			start = -1 // what a quote or a path breaks off is no phrase
		case at[6] >= 0: // a brace
			if object := leadingObject(text[at[0]:]); object != "" {
				return object
			}
		case at[8] >= 0: // a word with digits
			if json.Valid([]byte(found)) { // v2 and 007 are no numbers
				c.add("number", found, text[:at[0]])
			}
		default: // an introduction, or the end of a clause
			if start >= 0 {
				if phrase := trimPhrase.FindStringSubmatch(text[start:at[0]])[1]; phrase != "" {
					c.add("phrase", jsonString(phrase), text[:start])
				}
			}
			if start = -1; at[10] >= 0 {
				start = at[1]
			}
		}
	}
	return ""
}

// add adds a clue, with the text before it.
func (c *clues) add(kind, value, before string) {
	if word := nameBefore.FindStringSubmatch(before[max(0, len(before)-80):]); word != nil {
		name := strings.ToLower(word[1])
		if name == "called" || name == "named" {
			name = "title"
		}
		p, isParameter := c.params[name]
		if isParameter && slices.Contains(p.suits(name), kind) {
			kind = ":" + name
		}
	}
	c.values[kind] = append(c.values[kind], value)
}

// leadingObject gives the JSON object that a text begins with, as it stands
// there; empty if there is none.
func leadingObject(text string) string {
	var object json.RawMessage
	if !strings.HasPrefix(text, "{") || json.NewDecoder(strings.NewReader(text)).Decode(&object) != nil {
		return ""
	}
	return string(object)
}

// jsonString is s as JSON, with <, > and & as they are.
func jsonString(s string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // a string can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

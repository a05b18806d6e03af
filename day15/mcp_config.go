package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// serverConfig is one entry of mcpServers, with every ${VAR} replaced.
type serverConfig struct {
	name    string
	command string // a server that is started here …
	args    []string
	env     map[string]string // on top of the agent's environment
	dir     string            // "" is the agent's working directory
	url     string            // … or one that is reached over HTTP
	headers map[string]string

	disabled bool
	limits   limits
	tools    []string // globs of the tools to offer; nil offers all
	version  string   // of the protocol; "" lets client and server agree on one

	target string // where the server is, for a person: the command line as it is written, or the URL without user and query
	err    error  // why this server cannot be started; it costs the others nothing
}

// configReader reads the format that other hosts use as well:
//
//	{"mcpServers": {"demo": {"command": "go", "args": ["run", "./demoserver"]}, "far": {"url": "https://…"}}}
type configReader struct {
	*jsonFile
	lookup func(name string) string         // finds environment variables, as os.Getenv does
	secret func(name, value string)         // is told what nobody shall read
	warn   func(format string, args ...any) // is told what costs nothing
}

// servers returns the entries in the file's order. It fails, with file, line and column, where there are no servers in
// it; a mistake inside an entry is that entry's err.
func (r *configReader) servers() (configs []*serverConfig, err error) {
	var others []string
	err = r.Object("the file", func(key string) error {
		switch key {
		case "mcpServers", "servers", "context_servers":
			return r.Object(key, func(name string) error {
				configs = append(configs, r.entry(name))
				return nil
			})
		}
		others = append(others, key) // another host's settings
		return r.dec.Decode(new(json.RawMessage))
	})
	if err == nil && configs == nil && others != nil {
		err = fmt.Errorf(`%s: no "mcpServers" in the file, only %q; expected {"mcpServers": {"NAME": {"command": "…", "args": ["…"]}}}`,
			r.name, others)
	}
	return configs, err
}

// entry reads one server. It reads on after a mistake, since what is secret has to be known: the model may read the file.
// An entry that is switched off is not judged.
func (r *configReader) entry(name string) *serverConfig {
	c, where := &serverConfig{name: name}, "mcpServers."+visibleLine(name)
	r.skip()
	start := r.pos
	if r.data[start] != '{' {
		c.err = r.errorf("%s must be an object, {…}", where)
		_ = r.dec.Decode(new(json.RawMessage)) // openJSON has seen that it is JSON
		return c
	}
	kind, enabled, timeout, startTimeout := "", true, int64(0), int64(0)
	members := map[string]any{
		"command": &c.command, "args": &c.args, "env": &c.env, "cwd": &c.dir,
		"url": &c.url, "httpUrl": &c.url, "serverUrl": &c.url, "headers": &c.headers, "type": &kind, "transport": &kind,
		"disabled": &c.disabled, "enabled": &enabled, "timeoutMs": &timeout, "startTimeoutMs": &startTimeout,
		"tools": &c.tools, "protocolVersion": &c.version,
	}
	var unknown []string
	for r.token(); r.dec.More(); {
		key := r.token().(string)
		if members[key] == nil {
			unknown = append(unknown, key)
		}
		c.err = cmp.Or(c.err, r.member(where+"."+key, key, members[key]))
		delete(members, key) // it may not come twice
	}
	r.token()
	r.pos = start
	if problem := c.problem(); problem != "" {
		c.err = cmp.Or(c.err, r.errorf("%s%s", where, problem))
	}
	if c.disabled = c.disabled || !enabled; c.disabled {
		c.err = nil
	} else if unknown != nil {
		r.warn("%s: ignored, since unknown here: %q", where, unknown)
	}
	// The start has a limit of its own: npx and go run may have to fetch or compile the server first.
	c.limits.start = time.Duration(cmp.Or(startTimeout, timeout, 60_000)) * time.Millisecond
	c.limits.request = time.Duration(cmp.Or(timeout, 10_000)) * time.Millisecond
	r.secrets(c)
	return c
}

// member reads the value of a key into v, a pointer, and replaces its references; nil is for a key that means nothing.
func (r *configReader) member(place, key string, v any) (err error) {
	r.skip()
	if v == nil || r.data[r.pos] == 'n' { // null, which other hosts write for nothing
		return r.dec.Decode(new(json.RawMessage))
	}
	if err := r.Value(place, v); err != nil {
		return err
	}
	fail := func(sub string, problem error) {
		if problem != nil && err == nil {
			err = r.errorf("%s%s: %v", place, sub, problem)
		}
	}
	text := func(sub, text string) string {
		expanded, problem := r.expand(text)
		fail(sub, cmp.Or(problem, wrongText(key, sub, expanded)))
		return expanded
	}
	raw := r.data[r.pos:r.dec.InputOffset()]
	switch v := v.(type) {
	case *int64:
		if *v <= 0 || *v > 1e12 {
			fail("", errors.New("expected a number of milliseconds above 0"))
		}
	case *string:
		*v = text("", *v)
	case *[]string:
		for i, element := range parseArray(raw) {
			sub := fmt.Sprintf("[%d]", i)
			if (*v)[i] = text(sub, (*v)[i]); isNull(element) {
				fail(sub, errors.New(`expected a string, "…"`))
			}
		}
	case *map[string]string:
		o := parseObject(raw)
		if len(o) != 2*len(*v) {
			fail("", errors.New("a name stands there twice"))
		}
		for i := 0; i < len(o); i += 2 {
			name := unquoted(o[i])
			if (*v)[name] = text("."+name, (*v)[name]); isNull(o[i+1]) {
				fail("."+name, errors.New(`expected a string, "…"`))
			}
		}
	}
	return err
}

var (
	kindName   = regexp.MustCompile(`(?i)^(stdio|local|http|streamable[-_]?http|remote)$`)
	headerName = regexp.MustCompile("^[-!#$%&'*+.^_`|~0-9A-Za-z]+$") // RFC 9110, section 5.1: a token
)

// wrongText is what is wrong with a string of a member, nil if nothing is; sub is its place in there.
func wrongText(key, sub, text string) error {
	switch {
	case key == "tools":
		_, err := path.Match(text, "")
		return err
	case key == "headers" && !headerName.MatchString(sub[1:]):
		return errors.New("not a header name")
	case key == "headers" && strings.ContainsFunc(text, unicode.IsControl): // net/http would refuse it, at the first request
		return errors.New("it contains a line feed or another control character")
	case (key == "type" || key == "transport") && !kindName.MatchString(text):
		return fmt.Errorf(`%q is not supported; expected "stdio" or "http", which most servers with "sse" offer at another URL`, text)
	}
	return nil
}

// problem is what is wrong with an entry as a whole, "" if nothing is.
func (c *serverConfig) problem() string {
	u, err := url.Parse(c.url)
	switch {
	case c.name == "":
		return " must have a name"
	case c.command != "" && c.url != "":
		return " has both command and url; it must be one of them"
	case c.command == "" && c.url == "":
		return " needs a command (a program to start) or a url (a server to connect to)"
	case c.url != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https"):
		// The error of net/url would show the whole URL, and with it what may be secret in it.
		return ".url must be a whole http or https URL, such as http://127.0.0.1:8000/mcp"
	}
	if c.target = strings.Join(append(strings.Fields(c.command), c.args...), " "); c.url != "" {
		c.target = plainURL(u)
	}
	return ""
}

// reference is ${NAME}, ${NAME:-default}, or ${env:NAME} as some hosts write it, or ~ for the home folder. The second
// group is what follows the name. Any other $ is text: passwords and regular expressions are full of them.
var reference = regexp.MustCompile(`\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(:[^}]*)?\}`)

// expand replaces the references in text by the values of variables, once: a value is not searched for references. As
// in a shell, an empty variable counts as unset where there is a default, and ~ at the beginning is the home folder.
// Without a default an unset one is an error that names it: the literal text, or "Bearer " with nothing behind it, would
// only fail later and elsewhere.
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

// configs reads the file of -mcp. A file that is not there stands for no servers, unless a person has named it; one that
// cannot be understood is told of, and costs the agent its servers only. The error is about the flags.
func (m *MCP) configs() (configs []*serverConfig, err error) {
	file, err := readJSON(cmp.Or(m.file, filepath.Join(home, "mcp.json")))
	switch {
	case errors.Is(err, fs.ErrNotExist) && m.file != "":
		return nil, fmt.Errorf("cannot read the MCP servers: %w", err)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	case err == nil:
		configs, err = (&configReader{file, os.Getenv, m.console.redact.Add, m.say}).servers()
	}
	if m.broken = err; err != nil {
		m.say("%v", err)
		return nil, nil
	}
	var names []string
	only := strings.Split(m.only, ",")
	for _, c := range configs {
		names = append(names, c.name)
		c.disabled = c.disabled || m.only != "" && !slices.Contains(only, c.name)
	}
	for _, name := range only {
		if m.only != "" && !slices.Contains(names, name) {
			return nil, fmt.Errorf("-only: there is no MCP server %q; there are: %s", name, strings.Join(names, ", "))
		}
	}
	return configs, nil
}

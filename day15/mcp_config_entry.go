package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strings"
)

// serverEntry reads one entry of mcpServers into config.
type serverEntry struct {
	*jsonFile
	config *serverConfig
	path   string // mcpServers.demo, for messages
	lookup func(string) (string, bool)

	transport string   // "stdio", "http", or "" where the entry does not say
	unknown   []string // members that mean nothing here
}

// parseServer returns the entry of this name. An entry that is switched off is not judged.
func parseServer(name string, f *jsonFile, lookup func(string) (string, bool)) serverConfig {
	c := serverConfig{Name: name, Timeout: defaultTimeout, StartTimeout: defaultStartTimeout}
	var switches struct{ Disabled, Enabled json.RawMessage }
	_ = json.Unmarshal(f.data, &switches) // what is wrong in the entry is reported below, with its place
	if string(switches.Disabled) == "true" || string(switches.Enabled) == "false" {
		c.Disabled = true
		c.glean(f.data)
		return c
	}
	e := &serverEntry{jsonFile: f, config: &c, path: "mcpServers." + visibleLine(name), lookup: lookup}
	f.skip()
	start := f.pos
	if c.Err = f.Object(e.path, e.member); c.Err == nil {
		f.pos = start // from here on the mistake is not in one place
		c.Err = e.check()
	}
	if name == "" {
		c.Err = f.errorf("mcpServers: a server must have a name")
	}
	if c.Err != nil {
		c.glean(f.data)
	}
	if len(e.unknown) > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s: ignored, since unknown here: %q", e.path, e.unknown))
	}
	return c
}

// glean reads an entry that is of no use, as far as it can be read: what is secret in it has to be known all the same,
// for the model may read the file. A ${VAR} is no secret, and not every header is: nobody has sent them.
func (c *serverConfig) glean(entry []byte) {
	var written struct {
		Command, URL string
		Args         []string
		Env, Headers map[string]string
	}
	_ = json.Unmarshal(entry, &written) // a member of the wrong type costs that member alone
	maps.DeleteFunc(written.Headers, func(name, _ string) bool { return !sensitive(name) })
	found := serverConfig{Command: written.Command, Args: written.Args, URL: written.URL, Env: written.Env, Headers: written.Headers}.secrets()
	for _, s := range found {
		for _, part := range append(reference.Split(s.value, -1), defaults(s.value)...) {
			c.hidden = append(c.hidden, secret{s.name, strings.TrimSpace(part)})
		}
	}
}

// defaults are what the references in text fall back on.
func defaults(text string) (all []string) {
	for _, match := range reference.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.TrimPrefix(match[2], ":-"))
	}
	return all
}

func (e *serverEntry) member(key string) error {
	c, path := e.config, e.path+"."+key
	switch key {
	case "command":
		return e.text(path, &c.Command)
	case "args":
		return e.args(path)
	case "env":
		c.Env = map[string]string{}
		return e.pairs(path, c.Env, variableName)
	case "cwd":
		return e.text(path, &c.Dir)
	case "url":
		return e.text(path, &c.URL)
	case "headers":
		c.Headers = map[string]string{}
		return e.pairs(path, c.Headers, headerName)
	case "type", "transport":
		return e.kind(path)
	case "disabled", "enabled":
		return e.Value(path, new(bool)) // its value was looked at first
	case "timeoutMs":
		return e.milliseconds(path, &c.Timeout)
	case "startTimeoutMs":
		return e.milliseconds(path, &c.StartTimeout)
	case "tools":
		return e.globs(path)
	case "protocolVersion":
		return e.Value(path, &c.ProtocolVersion)
	}
	e.unknown = append(e.unknown, key)
	return e.dec.Decode(new(json.RawMessage))
}

// kind reads the transport, in the spellings that are around.
func (e *serverEntry) kind(path string) error {
	var word string
	if err := e.Value(path, &word); err != nil {
		return err
	}
	transport := ""
	switch strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(word)) {
	case "stdio", "local":
		transport = "stdio"
	case "http", "streamablehttp", "remote":
		transport = "http"
	case "sse":
		return e.errorf(`%s: "sse", the HTTP transport of 2024, is not supported; most servers offer "http" at another URL`, path)
	default:
		return e.errorf("%s: %q is not supported; expected stdio or http", path, word)
	}
	if e.transport != "" && e.transport != transport {
		return e.errorf("%s contradicts the other of type and transport", path)
	}
	e.transport = transport
	return nil
}

// check looks at what can be judged only when all members are known.
func (e *serverEntry) check() error {
	c := e.config
	switch {
	case c.Command != "" && c.URL != "":
		return e.errorf("%s has both command and url; it must be one of them", e.path)
	case e.transport == "http" && c.URL == "":
		return e.errorf("%s: a server of type http needs a url", e.path)
	case e.transport == "stdio" && c.Command == "":
		return e.errorf("%s: a server of type stdio needs a command", e.path)
	case c.Command == "" && c.URL == "":
		return e.errorf("%s needs a command (a program to start) or a url (a server to connect to)", e.path)
	case c.Command != "" && c.Headers != nil:
		c.Warnings = append(c.Warnings, e.path+": headers mean nothing to a server with a command; it is given env")
	case c.URL != "" && (c.Args != nil || c.Env != nil || c.Dir != ""):
		c.Warnings = append(c.Warnings, e.path+": args, env and cwd mean nothing to a server with a url; it is given headers")
	}
	if c.Command != "" {
		return nil
	}
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		// The error of net/url would show the whole URL, and with it what may be secret in it.
		return e.errorf("%s.url must be a whole http or https URL, such as http://127.0.0.1:8000/mcp", e.path)
	}
	return nil
}

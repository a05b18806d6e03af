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

// serverConfig is one entry of mcpServers, with every ${VAR} replaced. The tags are its keys.
type serverConfig struct {
	Command    string            `json:"command"` // a server that is started here …
	Args       []string          `json:"args"`
	Env        map[string]string `json:"env"` // on top of the agent's environment
	Dir        string            `json:"cwd"` // "" is the agent's working directory
	URL        string            `json:"url"` // … or one that is reached over HTTP
	Headers    map[string]string `json:"headers"`
	HTTPURL    string            `json:"httpUrl"` // as other hosts write it
	ServerURL  string            `json:"serverUrl"`
	Type       string            `json:"type"` // stdio or http: not needed
	Transport  string            `json:"transport"`
	Enabled    bool              `json:"enabled"`
	Disabled   bool              `json:"disabled"`
	Timeout    uint32            `json:"timeoutMs"` // 0 stands for the usual one
	StartLimit uint32            `json:"startTimeoutMs"`
	Tools      []string          `json:"tools"`           // globs of the tools to offer; nil offers all
	Version    string            `json:"protocolVersion"` // "" lets client and server agree on one
	name       string
	limits     limits
	target     string // where the server is, for a person: the command line as it is written, or the URL without user and query
	err        error  // why this server cannot be started; it costs the others nothing
}

// memberNames are the keys of an entry that mean something here, exactly so.
const memberNames = " command args env cwd url headers httpUrl serverUrl type transport enabled disabled timeoutMs startTimeoutMs tools protocolVersion "

// kinds says what a person has to write for a Go type.
var kinds = strings.NewReplacer("[]string", `a list of strings, ["…"]`, "map[string]string", `an object of strings, {"…": "…"}`,
	"string", `a string, "…"`, "bool", "true or false", "uint32", "a whole number of milliseconds")

// configReader reads the format that other hosts use as well:
//
//	{"mcpServers": {"demo": {"command": "go", "args": ["run", "./demoserver"]}, "far": {"url": "https://…"}}}
type configReader struct {
	*jsonFile
	lookup func(name string) string         // finds environment variables, as os.Getenv does
	secret func(name, value string)         // is told what nobody shall read
	warn   func(format string, args ...any) // is told what costs nothing
}

// servers returns the entries in the file's order. A mistake inside an entry is that entry's err.
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

// entry reads one server, and reads on after a mistake: what is secret has to be known. One that is switched off is not judged.
func (r *configReader) entry(name string) *serverConfig {
	var raw json.RawMessage
	r.skip()               // errors show where the entry begins
	_ = r.dec.Decode(&raw) // readJSON has seen that it is JSON
	c, members := &serverConfig{name: name, Enabled: true}, map[string]json.RawMessage{}
	var mistakes []error
	wrong := func(key, format string, args ...any) {
		place := "mcpServers." + visibleLine(name) + key
		mistakes = append(mistakes, r.errorf("%s %s", place, fmt.Sprintf(format, args...)))
	}
	var unknown []string
	o := parseObject(raw)
	for i := 0; i < len(o); i += 2 {
		key, value := unquoted(o[i]), o[i+1]
		if !strings.Contains(memberNames, " "+key+" ") {
			unknown = append(unknown, key)
			continue
		}
		if slices.ContainsFunc(append(parseArray(value), parseObject(value)...), isNull) {
			wrong("."+key, `holds null; expected a string, "…"`)
		}
		members[key] = mapStrings(value, func(text string) string {
			expanded, err := r.expand(text)
			if err != nil {
				wrong("."+key, "cannot be read: %v", err)
			}
			return expanded
		})
	}
	text, _ := encode(members)
	var mismatch *json.UnmarshalTypeError
	if errors.As(json.Unmarshal(text, c), &mismatch) { // which has read all the rest
		wrong("."+mismatch.Field, "holds a JSON %s; expected %s", mismatch.Value, kinds.Replace(mismatch.Type.String()))
	}
	if o == nil {
		wrong("", "must be an object, {…}")
	}
	c.URL = cmp.Or(c.URL, c.HTTPURL, c.ServerURL)
	c.judge(wrong)
	if c.Disabled = c.Disabled || !c.Enabled; !c.Disabled {
		c.err = cmp.Or(mistakes...)
		if unknown != nil {
			r.warn("mcpServers.%s: ignored, since unknown here: %q", name, unknown)
		}
	}
	// The start has a limit of its own: npx and go run may have to fetch or compile the server first.
	c.limits.start = time.Duration(cmp.Or(c.StartLimit, c.Timeout, 60_000)) * time.Millisecond
	c.limits.request = time.Duration(cmp.Or(c.Timeout, 10_000)) * time.Millisecond
	r.secrets(c)
	return c
}

var (
	kindName   = regexp.MustCompile(`(?i)^(stdio|local|http|streamable[-_]?http|remote)?$`)
	headerName = regexp.MustCompile("^[-!#$%&'*+.^_`|~0-9A-Za-z]+$") // RFC 9110, section 5.1: a token
)

// judge tells what is wrong with an entry as a whole.
func (c *serverConfig) judge(wrong func(key, format string, args ...any)) {
	for _, glob := range c.Tools {
		if _, err := path.Match(glob, ""); err != nil {
			wrong(".tools", "holds %q: %v", glob, err)
		}
	}
	for name, value := range c.Headers { // net/http would refuse these at the first request
		if !headerName.MatchString(name) || strings.ContainsFunc(value, unicode.IsControl) {
			wrong(".headers", "holds %q, which is no header name, or has a line feed or another control character in its value", name)
		}
	}
	u, err := url.Parse(c.URL)
	kind := cmp.Or(c.Type, c.Transport)
	switch {
	case !kindName.MatchString(kind):
		wrong(".type", `is %q, which is not supported; expected "stdio" or "http", which most servers with "sse" offer at another URL`, kind)
	case c.Command != "" && c.URL != "":
		wrong("", "has both command and url; it must be one of them")
	case c.Command == "" && c.URL == "":
		wrong("", "needs a command (a program to start) or a url (a server to connect to)")
	case c.Command != "":
		c.target = strings.Join(append(strings.Fields(c.Command), c.Args...), " ")
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		// The error of net/url would show the whole URL, and with it what may be secret in it.
		wrong(".url", "must be a whole http or https URL, such as http://127.0.0.1:8000/mcp")
	default:
		c.target = plainURL(u)
	}
}

// configs reads the file of -mcp. One that a person has named has to be there, and right; else no file stands for no servers,
// and a wrong one for one server that has failed. The error is about the flags.
func (m *MCP) configs() (configs []*serverConfig, err error) {
	name := cmp.Or(m.file, filepath.Join(home, "mcp.json"))
	file, err := readJSON(name)
	if err == nil {
		configs, err = (&configReader{file, os.Getenv, m.console.redact.Add, m.say}).servers()
	}
	switch {
	case err != nil && m.file != "":
		return nil, fmt.Errorf("cannot read the MCP servers: %w", err)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return []*serverConfig{{name: "mcp.json", err: err}}, nil
	case m.only == "":
		return configs, nil
	}
	var names []string
	only := strings.Split(m.only, ",")
	for _, c := range configs {
		names = append(names, c.name)
		c.Disabled = c.Disabled || !slices.Contains(only, c.name)
	}
	for _, name := range only {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("-only: there is no MCP server %q; there are: %s", name, strings.Join(names, ", "))
		}
	}
	return configs, nil
}

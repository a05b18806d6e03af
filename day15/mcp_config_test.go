package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// readConfig reads an mcp.json with the given variables, as name, value, …; it returns the servers by name, the secrets,
// and the warnings.
func readConfig(t testing.TB, text string, variables ...string) (byName map[string]*serverConfig, redact *Redactor, warnings []string) {
	t.Helper()
	file, err := openJSON("mcp.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	redact = newRedactor(nil)
	lookup := func(name string) string {
		if i := slices.Index(variables, name); i >= 0 {
			return variables[i+1]
		}
		return ""
	}
	warn := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	servers, err := (&configReader{file, lookup, redact.Add, warn}).servers()
	if err != nil {
		t.Fatal(err)
	}
	byName = map[string]*serverConfig{}
	for _, s := range servers {
		byName[s.name] = s
	}
	return byName, redact, warnings
}

func mustParse(t testing.TB, text string, variables ...string) map[string]*serverConfig {
	t.Helper()
	byName, _, _ := readConfig(t, text, variables...)
	return byName
}

func TestConfigOfOneServer(t *testing.T) {
	s := mustParse(t, `{"mcpServers":{"a":{"type":"stdio","command":"npx","args":["-y","x"],"env":{"A":"1"},"cwd":"data",
		"timeoutMs":1500,"startTimeoutMs":90000,"tools":["get_*","add"],"protocolVersion":"2026-07-28"},
		"b":{"url":"https://h:1/mcp?x=1","headers":{"X-One":"2"}}}}`)
	a, b := s["a"], s["b"]
	if a.err != nil || a.command != "npx" || !slices.Equal(a.args, []string{"-y", "x"}) || a.env["A"] != "1" || a.dir != "data" ||
		a.limits.request != 1500*time.Millisecond || a.limits.start != 90*time.Second || !slices.Equal(a.tools, []string{"get_*", "add"}) ||
		a.version != "2026-07-28" {
		t.Errorf("a: %v, %v", a, a.err)
	}
	if b.err != nil || b.url != "https://h:1/mcp?x=1" || b.headers["X-One"] != "2" || b.limits.request != 10*time.Second ||
		b.limits.start != time.Minute || b.tools != nil {
		t.Errorf("b: %v, %v", b, b.err)
	}
}

// Arguments reach the program as they stand in the file, element by element: there is no shell.
func TestConfigKeepsArguments(t *testing.T) {
	s := mustParse(t, `{"mcpServers":{"a":{"command":"x","args":["--root","/tmp/My Files","it's","a\"b","$HOME","*","; rm x",""]}}}`,
		"HOME", "/home/me")
	want := []string{"--root", "/tmp/My Files", "it's", `a"b`, "$HOME", "*", "; rm x", ""}
	if !slices.Equal(s["a"].args, want) {
		t.Errorf("got %q, want %q", s["a"].args, want)
	}
}

// Each bad entry stands between two good ones, which have to stay good.
func TestConfigOfBadEntries(t *testing.T) {
	for name, test := range map[string]struct{ entry, want string }{
		"no object":                 {`"npx"`, `mcp.json:3:7: mcpServers.bad must be an object`},
		"null":                      {`null`, `mcp.json:3:7: mcpServers.bad must be an object`},
		"a list":                    {`["npx"]`, `mcp.json:3:7: mcpServers.bad must be an object`},
		"nothing in it":             {`{}`, `mcp.json:3:7: mcpServers.bad needs a command (a program to start) or a url`},
		"an empty command":          {`{"command":""}`, `mcpServers.bad needs a command`},
		"command and url":           {`{"command":"x","url":"http://h/"}`, `mcpServers.bad has both command and url`},
		"a command of a wrong type": {`{"command":["x"]}`, `mcp.json:3:18: mcpServers.bad.command must be a string`},
		"arguments in one string": {
			`{"command":"x","args":"-y z"}`,
			`mcp.json:3:29: mcpServers.bad.args must be a list of strings`,
		},
		"a number as an argument": {`{"command":"x","args":["-p",80]}`, `mcpServers.bad.args must be a list of strings`},
		"null as an argument":     {`{"command":"x","args":["-p",null]}`, `mcpServers.bad.args[1]: expected a string`},
		"a number in env": {
			`{"command":"x","env":{"PORT":80}}`,
			`mcp.json:3:28: mcpServers.bad.env must be an object of strings`,
		},
		"null in env":      {`{"command":"x","env":{"PORT":null}}`, `mcpServers.bad.env.PORT: expected a string`},
		"a variable twice": {`{"command":"x","env":{"A":"1","A":"2"}}`, `mcpServers.bad.env: a name stands there twice`},
		"a header with a space": {
			`{"url":"http://h/","headers":{"X A":"1"}}`,
			`mcpServers.bad.headers.X A: not a header name`,
		},
		"a header of two lines": {
			`{"url":"http://h/","headers":{"X-A":"1\r\nX-B: 2"}}`,
			`mcpServers.bad.headers.X-A: it contains a line feed`,
		},
		"no URL":                {`{"url":"h/mcp"}`, `mcpServers.bad.url must be a whole http or https URL`},
		"a URL of another kind": {`{"url":"ws://h/mcp"}`, `mcpServers.bad.url must be a whole http or https URL`},
		"a URL without a host":  {`{"url":"http:///mcp"}`, `mcpServers.bad.url must be a whole http or https URL`},
		"sse": {
			`{"type":"sse","url":"http://h/"}`,
			`mcpServers.bad.type: "sse" is not supported; expected "stdio" or "http"`,
		},
		"grpc": {
			`{"transport":"grpc","url":"http://h/"}`,
			`mcpServers.bad.transport: "grpc" is not supported; expected "stdio" or "http"`,
		},
		"no time": {
			`{"command":"x","timeoutMs":0}`,
			`mcpServers.bad.timeoutMs: expected a number of milliseconds above 0`,
		},
		"a negative time":         {`{"command":"x","startTimeoutMs":-5}`, `mcpServers.bad.startTimeoutMs: expected`},
		"half a millisecond":      {`{"command":"x","timeoutMs":0.5}`, `mcpServers.bad.timeoutMs must be a whole number`},
		"a time in words":         {`{"command":"x","timeoutMs":"10s"}`, `mcpServers.bad.timeoutMs must be a whole number`},
		"a time beyond all times": {`{"command":"x","timeoutMs":9223372036854775807}`, `mcpServers.bad.timeoutMs: expected`},
		"a broken glob": {
			`{"command":"x","tools":["["]}`,
			`mcp.json:3:30: mcpServers.bad.tools[0]: syntax error in pattern`,
		},
		"a glob that is no list": {`{"command":"x","tools":"get_*"}`, `mcpServers.bad.tools must be a list of strings`},
		"disabled in words":      {`{"command":"x","disabled":"yes"}`, `mcpServers.bad.disabled must be true or false`},
	} {
		t.Run(name, func(t *testing.T) {
			text := fmt.Sprintf("{\"mcpServers\":{\n\"é\":{\"command\":\"one\"},\n\"bad\":%s,\"after\":{\"url\":\"http://h/\"}}}", test.entry)
			s := mustParse(t, text)
			if s["é"].err != nil || s["after"].err != nil || s["é"].command != "one" || s["after"].url != "http://h/" {
				t.Errorf("the neighbours: %v, %v", s["é"].err, s["after"].err)
			}
			if err := s["bad"].err; err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestConfigWithoutAName(t *testing.T) {
	s := mustParse(t, `{"mcpServers":{"":{"command":"x"},"a":{"command":"x"}}}`)
	if err := s[""].err; err == nil || !strings.Contains(err.Error(), "mcpServers. must have a name") || s["a"].err != nil {
		t.Errorf("got %v, %v", err, s["a"].err)
	}
}

func TestTransportSpellings(t *testing.T) {
	for _, word := range []string{"stdio", "local", "STDIO"} {
		if s := mustParse(t, `{"mcpServers":{"a":{"type":"`+word+`","command":"x"}}}`); s["a"].err != nil {
			t.Errorf("%s: %v", word, s["a"].err)
		}
	}
	for _, word := range []string{"http", "streamable-http", "streamableHttp", "streamable_http", "Streamable-HTTP"} {
		for _, key := range []string{"type", "transport"} {
			if s := mustParse(t, `{"mcpServers":{"a":{"`+key+`":"`+word+`","url":"http://h/"}}}`); s["a"].err != nil {
				t.Errorf("%s: %v", word, s["a"].err)
			}
		}
	}
}

// What is switched off is not judged: its variables need not be set.
func TestDisabledServers(t *testing.T) {
	s, _, warnings := readConfig(t, `{"mcpServers":{"a":{"command":"x","args":["${UNSET}"],"disabled":true},"b":{"enabled":false,"command":7,"odd":1},
		"c":{"command":"x","disabled":false,"enabled":true},"d":{"command":"x","disabled":false,"enabled":false},
		"e":{"command":"x","enabled":false,"Enabled":true}}}`)
	for name, want := range map[string]bool{"a": true, "b": true, "c": false, "d": true, "e": true} {
		if s[name].disabled != want || s[name].err != nil || warnings != nil {
			t.Errorf("%s: disabled %v, %v, %q", name, s[name].disabled, s[name].err, warnings)
		}
	}
}

// Words that look like a switch are none.
func TestSwitchesThatAreNoBooleans(t *testing.T) {
	for _, member := range []string{`"enabled":"true"`, `"enabled":1`, `"enabled":[]`, `"disabled":"true"`, `"disabled":1`} {
		s := mustParse(t, `{"mcpServers":{"a":{"command":"x",`+member+`}}}`)["a"]
		if s.disabled || s.err == nil || !strings.Contains(s.err.Error(), "abled must be true or false") {
			t.Errorf("%s: disabled %v, %v", member, s.disabled, s.err)
		}
	}
}

func TestUnknownMembersAreToldOf(t *testing.T) {
	s, _, warnings := readConfig(t, `{"mcpServers":{"a":{"command":"x","autoApprove":["y"],"Timeout":60,"description":{"z":1},"env":null,"cwd":null,"url":null}}}`)
	if s["a"].err != nil || len(warnings) != 1 || warnings[0] != `mcpServers.a: ignored, since unknown here: ["autoApprove" "Timeout" "description"]` {
		t.Errorf("%v, %q", s["a"].err, warnings)
	}
}

func TestSpellingsOfOtherHosts(t *testing.T) {
	for _, text := range []string{
		`{"inputs":[],"servers":{"a":{"type":"stdio","command":"x"}}}`,
		`{"context_servers":{"a":{"command":"x"}}}`,
		`{"mcpServers":{"a":{"httpUrl":"http://h/","trust":true}}}`,
		`{"mcpServers":{"a":{"serverUrl":"http://h/","url":null}}}`,
	} {
		if s := mustParse(t, text)["a"]; s == nil || s.err != nil || s.command+s.url == "" {
			t.Errorf("%s: %+v", text, s)
		}
	}
}

func TestTheHomeFolderAndTheTimeLimits(t *testing.T) {
	s := mustParse(t, `{"mcpServers":{"a":{"command":"~/bin/x","args":["~","~/y","a~/b","~z"],"cwd":"~/w","timeoutMs":800}}}`, "HOME", "/home/me")["a"]
	if s.err != nil || s.command != "/home/me/bin/x" || s.dir != "/home/me/w" || strings.Join(s.args, " ") != "/home/me /home/me/y a~/b ~z" {
		t.Errorf("%+v", s)
	}
	if s.limits != (limits{800 * time.Millisecond, 800 * time.Millisecond}) {
		t.Errorf("limits %v", s.limits)
	}
}

func TestUnsetVariableStopsItsServerAlone(t *testing.T) {
	text := `{"mcpServers":{
		"a":{"command":"demo-server","env":{"TOKEN":"${DEMO_TOKEN}"}},
		"b":{"url":"http://127.0.0.1:1/mcp","headers":{"Authorization":"Bearer ${DEMO_TOKEN}"}},
		"c":{"command":"demo-server","env":{"TOKEN":"${DEMO_TOKEN:-none}"}},
		"d":{"command":"${DEMO_TOKEN}"},"e":{"command":"x","args":["a","${DEMO_TOKEN}"]},"f":{"url":"http://h/${DEMO_TOKEN}"},
		"g":{"command":"x","cwd":"${DEMO_TOKEN}/x"}}}`
	paths := map[string]string{"a": "env.TOKEN", "b": "headers.Authorization", "d": "command", "e": "args[1]", "f": "url", "g": "cwd"}
	for _, environ := range [][]string{nil, {"DEMO_TOKEN", ""}} { // empty is as bad as unset
		s := mustParse(t, text, environ...)
		for name, path := range paths {
			err := s[name].err
			if err == nil || !strings.Contains(err.Error(), "mcpServers."+name+"."+path) || !strings.Contains(err.Error(), "DEMO_TOKEN") {
				t.Errorf("%s: got %v, want %s and the variable", name, err, path)
			}
			if all := fmt.Sprint(s[name].env, s[name].headers, s[name].args[min(1, len(s[name].args)):], s[name].url); strings.Contains(all, "${") {
				t.Errorf("%s: the literal text was kept: %s", name, all)
			}
		}
		if c := s["c"]; c.err != nil || c.env["TOKEN"] != "none" {
			t.Errorf("c: %v, %v", c.env, c.err)
		}
	}
	s := mustParse(t, text, "DEMO_TOKEN", "s3cr3t")
	if s["b"].headers["Authorization"] != "Bearer s3cr3t" || s["e"].args[1] != "s3cr3t" || s["f"].url != "http://h/s3cr3t" || s["g"].dir != "s3cr3t/x" {
		t.Error("a set variable is not replaced everywhere")
	}
}

func TestReferences(t *testing.T) {
	r := &configReader{secret: func(string, string) {}, lookup: func(name string) string {
		return map[string]string{"HOME": "/home/me", "A": "1", "TRICK": "${A}"}[name]
	}}
	for text, want := range map[string]string{
		"pa$$w0rd$1": "pa$$w0rd$1", "^a+$": "^a+$", "x${HOME}y$HOMEz": "x/home/mey$HOMEz", "${A}${A}": "11", "$${A}": "$1",
		"${}": "${}", "${1}": "${1}", "${A": "${A", "${a b}": "${a b}", "${f%.txt}": "${f%.txt}",
		"${TRICK}":   "${A}", // a value is not looked at again
		"${UNSET:-}": "", "${UNSET:-a b}": "a b", "${A:-x}": "1", "${env:A}": "1", "${UNSET:-http://h:1/}": "http://h:1/", "": "",
	} {
		if got, err := r.expand(text); got != want || err != nil {
			t.Errorf("expand(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"${UNSET}": "the environment variable UNSET is not set", "${env:UNSET}": "the environment variable UNSET is not set",
		"${input:token}": "${input:token} is not understood", "${A:?no}": "${A:?no} is not understood",
		"${A:-${HOME}}": "is not understood", "${UNSET}${A}": "UNSET", "${workspaceFolder}": "workspaceFolder",
	} {
		if got, err := r.expand(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("expand(%q) = %q, %v; want an error with %q", text, got, err, want)
		}
	}
}

// Whatever the entries are good for: the model may read the file, and a server may repeat what it was given.
func TestSecretsOfAConfiguration(t *testing.T) {
	s, redact, _ := readConfig(t, `{"mcpServers":{
		"io":{"command":"demo-server","args":["--token","s3cr3t-A","--api-key=s3cr3t-B","--header","Authorization: Bearer s3cr3t-C",
			"--header=X-Key: s3cr3t-D","-e","DB_PASS=s3cr3t-E","postgres://me:s3cr3t-F@db/x?sslmode=disable","${MY_PAT}","--verbose","plain-text"],
			"env":{"API_TOKEN":"s3cr3t-G","DATABASE_URL":"postgres://u:s3cr3t%2DH@h/","MODE":"production"}},
		"web":{"url":"http://u:s3cr3t-I@127.0.0.1:1/mcp?key=s3cr3t-J&profile=default","headers":{"Authorization":"Bearer s3cr3t-K","X-Plain":"s3cr3t-L"}},
		"line":{"command":"demo-server --token s3cr3t-M"},
		"off":{"disabled":true,"url":"http://h/?key=s3cr3t-N","headers":{"Authorization":"Bearer s3cr3t-O"}},
		"bad":{"type":"grpc","args":["--token","s3cr3t-P"],"env":{"A_KEY":"s3cr3t-Q"},"headers":{"Accept":"application/json"}},
		"odd":{"command":7,"headers":{"X-Key":"s3cr3t-R"}}}}`, "MY_PAT", "s3cr3t-S")
	for _, letter := range "ABCDEFGHIJKLMNOPQRS" {
		value := "s3cr3t-" + string(letter)
		if got := redact.Redact("the server says " + value); strings.Contains(got, value) {
			t.Errorf("%s: %s", value, got)
		}
	}
	for _, plain := range []string{"production", "Bearer", "default", "disable", "verbose", "127.0.0.1", "plain-text", "application/json"} {
		if got := redact.Redact(plain); got != plain {
			t.Errorf("%s became %s", plain, got)
		}
	}
	if got, want := redact.Redact(s["web"].target), "http://127.0.0.1:1/mcp"; got != want {
		t.Errorf("shown as %s, want %s", got, want)
	}
	for _, entry := range []string{
		`{"url":"ht!tp://u:s3cr3t-1@h/?k=s3cr3t-2"}`, `{"url":"http://u:s3cr3t-1@h:port/"}`, `{"command":"x","url":"http://u:s3cr3t-1@h/"}`,
		`{"url":"http://h/","headers":{"A":"s3cr3t-1\n"}}`, `{"command":"x","args":["--token","s3cr3t-1",null]}`,
		`{"command":"x","env":{"A":"s3cr3t-1","B":"${UNSET}"}}`,
	} {
		if s := mustParse(t, `{"mcpServers":{"a":`+entry+`}}`)["a"]; s.err == nil || strings.Contains(s.err.Error(), "s3cr3t") {
			t.Errorf("%s: %v", entry, s.err)
		}
	}
}

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// variables is a lookup over a fixed environment.
func variables(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func mustParse(t *testing.T, text string, environ ...string) map[string]serverConfig {
	t.Helper()
	servers, err := parseServers("mcp.json", []byte(text), variables(environ...))
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]serverConfig{}
	for _, s := range servers {
		byName[s.Name] = s
	}
	return byName
}

func TestConfigThatStopsTheStart(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"a comment": {
			"\xEF\xBB\xBF{ // note\n \"mcpServers\": {} }",
			"mcp.json:1:3: invalid character '/'",
		},
		"a comma before a bracket": {
			"{\"mcpServers\": {\n  \"a\": {\"command\":\"x\"},\n} }",
			"mcp.json:3:1: invalid character '}'",
		},
		"a real error on line 7": {
			"{\n\"mcpServers\":{\n\"a\":{\n\"command\":\"x\",\n\"args\":[\n\"y\",\n'z']}}}",
			"mcp.json:7:1: invalid character '\\''",
		},
		"an empty file":           {"", "mcp.json:1:1: the file is empty"},
		"a byte order mark alone": {"\xEF\xBB\xBF \n", "mcp.json:1:1: the file is empty"},
		"a cut file":              {`{"mcpServers": {"a": {"command": "x"`, "unexpected end of JSON input"},
		"a list":                  {`[]`, "mcp.json:1:1: the file must be an object"},
		"null":                    {`null`, "mcp.json:1:1: the file must be an object"},
		"a list of servers": {
			"{\n  \"mcpServers\": [{\"command\":\"x\"}]}",
			"mcp.json:2:17: mcpServers must be an object",
		},
		"no servers but null": {`{"mcpServers": null}`, "mcp.json:1:16: mcpServers must be an object"},
		"the key of another host": {
			`{"servers": {"a": {"command": "x"}}}`,
			`mcp.json: no "mcpServers" in the file, only ["servers"]`,
		},
		"a server that stands there twice": {
			"{\"mcpServers\": {\"a\": {\"command\":\"x\"},\n\"a\": {\"command\":\"y\"}}}",
			`mcp.json:2:1: "a" stands twice in mcpServers`,
		},
		"bytes that are not UTF-8": {
			"{\"mcpServers\": {\"a\": {\n\"command\":\"caf\xE9\"}}}",
			"mcp.json:2:15: the text is not UTF-8",
		},
		"text behind the object": {"{} {}", "mcp.json:1:4: invalid character '{'"},
	} {
		t.Run(name, func(t *testing.T) {
			servers, err := parseServers("mcp.json", []byte(test.text), variables())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, %v; want an error with %q", servers, err, test.want)
			}
		})
	}
}

func TestConfigThatIsFine(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want string // names, in order
	}{
		"an empty object": {`{}`, ""},
		"no server":       {`{"mcpServers":{}}`, ""},
		"servers in the file's order": {
			`{"mcpServers":{"z":{"command":"x"},"a":{"command":"x"},"m":{"url":"http://h/"}}}`,
			"z a m",
		},
		"another host's settings around": {`{"theme":"dark","mcpServers":{"a":{"command":"x"}},"more":[{}]}`, "a"},
		"a byte order mark":              {"\xEF\xBB\xBF" + `{"mcpServers":{"a":{"command":"x"}}}`, "a"},
		"any string as a name":           {`{"mcpServers":{"a b.c/读":{"command":"x"}}}`, "a b.c/读"},
	} {
		t.Run(name, func(t *testing.T) {
			servers, err := parseServers("mcp.json", []byte(test.text), variables())
			var names []string
			for _, s := range servers {
				names = append(names, s.Name)
				if s.Err != nil || s.Warnings != nil || s.Disabled {
					t.Errorf("%v: %v %q", s, s.Err, s.Warnings)
				}
			}
			if got := strings.Join(names, " "); err != nil || got != test.want {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestConfigOfOneServer(t *testing.T) {
	s := mustParse(t, `{"mcpServers":{"a":{"type":"stdio","command":"npx","args":["-y","x"],"env":{"A":"1"},"cwd":"data",
		"timeoutMs":1500,"startTimeoutMs":90000,"tools":["get_*","add"],"protocolVersion":"2026-07-28"},
		"b":{"url":"https://h:1/mcp?x=1","headers":{"X-One":"2"}}}}`)
	a, b := s["a"], s["b"]
	if a.Err != nil || a.Command != "npx" || !slices.Equal(a.Args, []string{"-y", "x"}) || a.Env["A"] != "1" || a.Dir != "data" ||
		a.Timeout != 1500*time.Millisecond || a.StartTimeout != 90*time.Second || !slices.Equal(a.Tools, []string{"get_*", "add"}) ||
		a.ProtocolVersion != "2026-07-28" {
		t.Errorf("a: %v, %v", a, a.Err)
	}
	if b.Err != nil || b.URL != "https://h:1/mcp?x=1" || b.Headers["X-One"] != "2" || b.Timeout != 10*time.Second ||
		b.StartTimeout != time.Minute || b.Tools != nil {
		t.Errorf("b: %v, %v", b, b.Err)
	}
}

// Arguments reach the program as they stand in the file, element by element: there is no shell.
func TestConfigKeepsArguments(t *testing.T) {
	s := mustParse(t, `{"mcpServers":{"a":{"command":"x","args":["--root","/tmp/My Files","it's","a\"b","$HOME","*","; rm x",""]}}}`,
		"HOME", "/home/me")
	want := []string{"--root", "/tmp/My Files", "it's", `a"b`, "$HOME", "*", "; rm x", ""}
	if !slices.Equal(s["a"].Args, want) {
		t.Errorf("got %q, want %q", s["a"].Args, want)
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
		"null as an argument":     {`{"command":"x","args":["-p",null]}`, `mcpServers.bad.args[1] must be a string`},
		"a number in env": {
			`{"command":"x","env":{"PORT":80}}`,
			`mcp.json:3:36: mcpServers.bad.env.PORT must be a string`,
		},
		"null in env":                {`{"command":"x","env":{"PORT":null}}`, `mcpServers.bad.env.PORT must be a string`},
		"an impossible variable":     {`{"command":"x","env":{"A=B":"1"}}`, `mcpServers.bad.env: "A=B" is no valid name`},
		"a member that stands twice": {`{"command":"x","command":"y"}`, `"command" stands twice in mcpServers.bad`},
		"a variable twice":           {`{"command":"x","env":{"A":"1","A":"2"}}`, `"A" stands twice in mcpServers.bad.env`},
		"a header twice": {
			`{"url":"http://h/","headers":{"X-A":"1","x-a":"2"}}`,
			`X-A and x-a are the same header`,
		},
		"a header with a space": {
			`{"url":"http://h/","headers":{"X A":"1"}}`,
			`mcpServers.bad.headers: "X A" is no valid name`,
		},
		"a header of two lines": {
			`{"url":"http://h/","headers":{"X-A":"1\r\nX-B: 2"}}`,
			`mcpServers.bad.headers.X-A contains a line feed`,
		},
		"a NUL character":       {`{"command":"x","args":["\u0000"]}`, `mcpServers.bad.args[0] contains a NUL`},
		"no URL":                {`{"url":"h/mcp"}`, `mcpServers.bad.url must be a whole http or https URL`},
		"a URL of another kind": {`{"url":"ws://h/mcp"}`, `mcpServers.bad.url must be a whole http or https URL`},
		"a URL without a host":  {`{"url":"http:///mcp"}`, `mcpServers.bad.url must be a whole http or https URL`},
		"sse": {
			`{"type":"sse","url":"http://h/"}`,
			`mcpServers.bad.type: "sse", the HTTP transport of 2024, is not supported`,
		},
		"grpc": {
			`{"transport":"grpc","url":"http://h/"}`,
			`mcpServers.bad.transport: "grpc" is not supported; expected stdio or http`,
		},
		"http without a url": {`{"type":"http","command":"x"}`, `mcpServers.bad: a server of type http needs a url`},
		"stdio without a command": {
			`{"type":"stdio","url":"http://h/"}`,
			`mcpServers.bad: a server of type stdio needs a command`,
		},
		"type against transport": {`{"type":"stdio","transport":"http","command":"x"}`, `contradicts`},
		"no time": {
			`{"command":"x","timeoutMs":0}`,
			`mcpServers.bad.timeoutMs must be a number of milliseconds above 0`,
		},
		"a negative time":         {`{"command":"x","startTimeoutMs":-5}`, `mcpServers.bad.startTimeoutMs must be`},
		"half a millisecond":      {`{"command":"x","timeoutMs":0.5}`, `mcpServers.bad.timeoutMs must be a whole number`},
		"a time in words":         {`{"command":"x","timeoutMs":"10s"}`, `mcpServers.bad.timeoutMs must be a whole number`},
		"a time beyond all times": {`{"command":"x","timeoutMs":9223372036854775807}`, `mcpServers.bad.timeoutMs must be`},
		"a broken glob": {
			`{"command":"x","tools":["["]}`,
			`mcp.json:3:30: mcpServers.bad.tools: "[" is no valid pattern`,
		},
		"a glob that is no list": {`{"command":"x","tools":"get_*"}`, `mcpServers.bad.tools must be a list of strings`},
		"disabled in words":      {`{"command":"x","disabled":"yes"}`, `mcpServers.bad.disabled must be true or false`},
	} {
		t.Run(name, func(t *testing.T) {
			text := fmt.Sprintf("{\"mcpServers\":{\n\"é\":{\"command\":\"one\"},\n\"bad\":%s,\"after\":{\"url\":\"http://h/\"}}}", test.entry)
			s := mustParse(t, text)
			if s["é"].Err != nil || s["after"].Err != nil || s["é"].Command != "one" || s["after"].URL != "http://h/" {
				t.Errorf("the neighbours: %v, %v", s["é"].Err, s["after"].Err)
			}
			if err := s["bad"].Err; err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestConfigWithoutAName(t *testing.T) {
	s := mustParse(t, `{"mcpServers":{"":{"command":"x"},"a":{"command":"x"}}}`)
	if err := s[""].Err; err == nil || !strings.Contains(err.Error(), "a server must have a name") || s["a"].Err != nil {
		t.Errorf("got %v, %v", err, s["a"].Err)
	}
}

func TestTransportSpellings(t *testing.T) {
	for _, word := range []string{"stdio", "local", "STDIO"} {
		if s := mustParse(t, `{"mcpServers":{"a":{"type":"`+word+`","command":"x"}}}`); s["a"].Err != nil {
			t.Errorf("%s: %v", word, s["a"].Err)
		}
	}
	for _, word := range []string{"http", "streamable-http", "streamableHttp", "streamable_http", "Streamable-HTTP"} {
		for _, key := range []string{"type", "transport"} {
			if s := mustParse(t, `{"mcpServers":{"a":{"`+key+`":"`+word+`","url":"http://h/"}}}`); s["a"].Err != nil {
				t.Errorf("%s: %v", word, s["a"].Err)
			}
		}
	}
}

// What is switched off is not looked at: its variables need not be set.
func TestDisabledServers(t *testing.T) {
	s := mustParse(t, `{"mcpServers":{"a":{"command":"x","args":["${UNSET}"],"disabled":true},"b":{"enabled":false,"command":7},
		"c":{"command":"x","disabled":false,"enabled":true},"d":{"command":"x","disabled":false,"enabled":false}}}`)
	for name, want := range map[string]bool{"a": true, "b": true, "c": false, "d": true} {
		if s[name].Disabled != want || s[name].Err != nil || s[name].Warnings != nil {
			t.Errorf("%s: disabled %v, %v, %q", name, s[name].Disabled, s[name].Err, s[name].Warnings)
		}
	}
}

// Words that look like a switch are none.
func TestSwitchesThatAreNoBooleans(t *testing.T) {
	for _, member := range []string{`"enabled":"true"`, `"enabled":1`, `"enabled":[]`, `"disabled":"true"`, `"disabled":1`} {
		s := mustParse(t, `{"mcpServers":{"a":{"command":"x",`+member+`}}}`)["a"]
		if s.Disabled || s.Err == nil || !strings.Contains(s.Err.Error(), "abled must be true or false") {
			t.Errorf("%s: disabled %v, %v", member, s.Disabled, s.Err)
		}
	}
}

func TestConfigWarnings(t *testing.T) {
	s := mustParse(t, `{"mcpServers":{"a":{"command":"x","autoApprove":["y"],"timeout":60,"description":{"z":1}},
		"b":{"url":"http://h/","env":{"TOKEN":"t"}},"c":{"command":"x","headers":{"A":"b"}}}}`)
	for name, want := range map[string]string{
		"a": `mcpServers.a: ignored, since unknown here: ["autoApprove" "timeout" "description"]`,
		"b": `mcpServers.b: args, env and cwd mean nothing to a server with a url; it is given headers`,
		"c": `mcpServers.c: headers mean nothing to a server with a command; it is given env`,
	} {
		if got := s[name]; got.Err != nil || len(got.Warnings) != 1 || got.Warnings[0] != want {
			t.Errorf("%s: %v, %q", name, got.Err, got.Warnings)
		}
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
			err := s[name].Err
			if err == nil || !strings.Contains(err.Error(), "mcpServers."+name+"."+path) || !strings.Contains(err.Error(), "DEMO_TOKEN") {
				t.Errorf("%s: got %v, want %s and the variable", name, err, path)
			}
			if all := fmt.Sprint(s[name].Env, s[name].Headers, s[name].Args[min(1, len(s[name].Args)):], s[name].URL); strings.Contains(all, "${") {
				t.Errorf("%s: the literal text was kept: %s", name, all)
			}
		}
		if c := s["c"]; c.Err != nil || c.Env["TOKEN"] != "none" {
			t.Errorf("c: %v, %v", c.Env, c.Err)
		}
	}
	s := mustParse(t, text, "DEMO_TOKEN", "s3cr3t")
	if s["b"].Headers["Authorization"] != "Bearer s3cr3t" || s["e"].Args[1] != "s3cr3t" || s["f"].URL != "http://h/s3cr3t" || s["g"].Dir != "s3cr3t/x" {
		t.Error("a set variable is not replaced everywhere")
	}
}

func TestExpand(t *testing.T) {
	lookup := variables("HOME", "/home/me", "A", "1", "TRICK", "${A}", "EMPTY", "")
	for text, want := range map[string]string{
		"pa$$w0rd$1":            "pa$$w0rd$1",
		"^a+$":                  "^a+$",
		"x${HOME}y$HOMEz":       "x/home/mey$HOMEz",
		"${A}${A}":              "11",
		"$${A}":                 "$1",
		"${}":                   "${}",
		"${1}":                  "${1}",
		"${A":                   "${A",
		"${a b}":                "${a b}",
		"${f%.txt}":             "${f%.txt}",
		"${TRICK}":              "${A}", // a value is not looked at again
		"${UNSET:-}":            "",
		"${UNSET:-a b}":         "a b",
		"${EMPTY:-x}":           "x",
		"${A:-x}":               "1",
		"${env:A}":              "1",
		"${UNSET:-http://h:1/}": "http://h:1/",
		"":                      "",
	} {
		if got, err := expand(text, lookup); got != want || err != nil {
			t.Errorf("expand(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"${UNSET}":           "the environment variable UNSET is not set",
		"x ${EMPTY} y":       "the environment variable EMPTY is not set, or empty",
		"${env:UNSET}":       "the environment variable UNSET is not set",
		"${input:token}":     "${input:token} is not understood",
		"${A:?no}":           "${A:?no} is not understood",
		"${A:-${HOME}}":      "must not contain another",
		"${UNSET}${A}":       "UNSET",
		"${workspaceFolder}": "workspaceFolder",
	} {
		if got, err := expand(text, lookup); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("expand(%q) = %q, %v; want an error with %q", text, got, err, want)
		}
	}
}

func FuzzParseServers(f *testing.F) {
	f.Add([]byte(`{"mcpServers":{"a":{"command":"x","args":["${A}"],"env":{"B":"${C:-d}"},"cwd":"."},"b":{"url":"http://u:p@h/?k=v","headers":{"A":"b"}}}}`))
	f.Add([]byte("\xEF\xBB\xBF{ // note\n \"mcpServers\": { \"a\": {\"command\":\"x\"}, } }"))
	f.Add([]byte(`{"mcpServers":{"":null,"é":[{}],"c":{"type":"sse","tools":["["],"timeoutMs":1e99,"disabled":"x"}}}`))
	f.Add([]byte("{\"mcpServers\":{\"a\\ud800\":{\"command\":\"\xff\"}},\"x\":1}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		servers, err := parseServers("mcp.json", data, variables("A", "s3cr3t-value"))
		if err != nil && !strings.HasPrefix(err.Error(), "mcp.json:") {
			t.Errorf("an error without its file: %v", err)
		}
		seen := map[string]bool{}
		for _, s := range servers {
			if seen[s.Name] {
				t.Errorf("%q twice", s.Name)
			}
			seen[s.Name] = true
			if s.Err == nil && !s.Disabled && (s.Name == "" || (s.Command == "") == (s.URL == "") || s.Timeout <= 0 || s.StartTimeout <= 0) {
				t.Errorf("accepted: %#v", s)
			}
			if s.Err != nil && !strings.Contains(s.Err.Error(), "mcp.json:") {
				t.Errorf("an error without its place: %v", s.Err)
			}
			_ = s.secrets()
			for value := range maps.Values(s.Headers) {
				if len(value) > 8 && strings.Contains(fmt.Sprintf("%+v", s), value) && !strings.Contains(s.Name+s.target(), value) {
					t.Errorf("a header is shown: %v", s)
				}
			}
		}
	})
}

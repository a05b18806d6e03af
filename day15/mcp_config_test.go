package main

import (
	"fmt"
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
	lookup := func(name string) string { return pairs(variables)[name] }
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

// pairs is a map of name, value, …
func pairs(list []string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(list); i += 2 {
		m[list[i]] = list[i+1]
	}
	return m
}

// readEntry is readConfig for the one server that stands there.
func readEntry(t testing.TB, entry string, variables ...string) *serverConfig {
	t.Helper()
	byName, _, _ := readConfig(t, `{"mcpServers":{"a":`+entry+`}}`, variables...)
	return byName["a"]
}

func TestTheEntryOfAServer(t *testing.T) {
	a := readEntry(t, `{"type":"stdio","command":"npx","args":["-y","x"],"env":{"A":"1"},"cwd":"data",
		"timeoutMs":1500,"startTimeoutMs":90000,"tools":["get_*","add"],"protocolVersion":"2026-07-28"}`)
	if got, want := fmt.Sprintln(a.Command, a.Args, a.Env, a.Dir, a.Tools, a.Version, a.err), "npx [-y x] map[A:1] data [get_* add] 2026-07-28 <nil>\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for entry, want := range map[string]limits{
		`{"command":"x"}`:                                         {time.Minute, 10 * time.Second},
		`{"command":"x","timeoutMs":800}`:                         {800 * time.Millisecond, 800 * time.Millisecond},
		`{"command":"x","timeoutMs":1500,"startTimeoutMs":90000}`: {90 * time.Second, 1500 * time.Millisecond},
	} {
		if got := readEntry(t, entry).limits; got != want {
			t.Errorf("%s: %v", entry, got)
		}
	}
}

// Each bad entry stands between two good ones, which have to stay good.
func TestBadEntries(t *testing.T) {
	for entry, want := range map[string]string{
		`"npx"`:                                               `must be an object`,
		`["npx"]`:                                             `must be an object`,
		`{}`:                                                  `needs a command (a program to start) or a url`,
		`{"command":""}`:                                      `needs a command`,
		`{"command":"x","url":"http://h/"}`:                   `has both command and url`,
		`{"command":["x"]}`:                                   `.command holds a JSON array; expected a string, "…"`,
		`{"command":"x","args":"-y z"}`:                       `.args holds a JSON string; expected a list of strings, ["…"]`,
		`{"command":"x","args":["-p",80]}`:                    `.args holds a JSON number; expected a string, "…"`,
		`{"command":"x","args":["-p",null]}`:                  `.args holds null; expected a string`,
		`{"command":"x","env":["A=1"]}`:                       `.env holds a JSON array; expected an object of strings, {"…": "…"}`,
		`{"command":"x","env":{"PORT":80}}`:                   `.env holds a JSON number; expected a string`,
		`{"command":"x","env":{"PORT":null}}`:                 `.env holds null; expected a string`,
		`{"url":"http://h/","headers":{"X A":"1"}}`:           `.headers holds "X A", which is no header name`,
		`{"url":"http://h/","headers":{"X-A":"1\r\nX-B: 2"}}`: `.headers holds "X-A", which is no header name, or has a line feed`,
		`{"url":"h/mcp"}`:                                     `.url must be a whole http or https URL`,
		`{"url":"ws://h/mcp"}`:                                `.url must be a whole http or https URL`,
		`{"url":"http:///mcp"}`:                               `.url must be a whole http or https URL`,
		`{"type":"sse","url":"http://h/"}`:                    `.type is "sse", which is not supported; expected "stdio" or "http"`,
		`{"transport":"grpc","url":"http://h/"}`:              `is "grpc", which is not supported`,
		`{"command":"x","startTimeoutMs":-5}`:                 `.startTimeoutMs holds a JSON number -5; expected a whole number of milliseconds`,
		`{"command":"x","timeoutMs":0.5}`:                     `.timeoutMs holds a JSON number 0.5; expected`,
		`{"command":"x","timeoutMs":"10s"}`:                   `.timeoutMs holds a JSON string; expected`,
		`{"command":"x","tools":["["]}`:                       `.tools holds "[": syntax error in pattern`,
		`{"command":"x","tools":"get_*"}`:                     `.tools holds a JSON string; expected a list of strings`,
		`{"command":"x","disabled":"yes"}`:                    `.disabled holds a JSON string; expected true or false`,
		`{"command":"x","enabled":1}`:                         `.enabled holds a JSON number; expected true or false`,
		`{"command":"x","cwd":"${UNSET}/y"}`:                  `.cwd cannot be read: the environment variable UNSET is not set`,
		`{"command":"x","args":["${input:k}"]}`:               `.args cannot be read: ${input:k} is not understood`,
	} {
		t.Run(entry, func(t *testing.T) {
			s, _, _ := readConfig(t, "{\"mcpServers\":{\n\"é\":{\"command\":\"one\"},\n\"bad\":"+entry+",\"after\":{\"url\":\"http://h/\"}}}")
			if s["é"].err != nil || s["after"].err != nil || s["é"].Command != "one" || s["after"].URL != "http://h/" {
				t.Errorf("the neighbours: %v, %v", s["é"].err, s["after"].err)
			}
			if got := fmt.Sprint(s["bad"].err); !strings.HasPrefix(got, "mcp.json:3:7: mcpServers.bad") || !strings.Contains(got, want) {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestSpellingsOfOtherHosts(t *testing.T) {
	texts := []string{
		`{"inputs":[],"servers":{"a":{"type":"stdio","command":"x"}}}`,
		`{"context_servers":{"a":{"command":"x","env":null,"cwd":null,"url":null}}}`,
		`{"mcpServers":{"a":{"httpUrl":"http://h/","trust":true}}}`,
		`{"mcpServers":{"a":{"serverUrl":"http://h/","url":null}}}`,
		`{"mcpServers":{"a":{"transport":"STDIO","command":"x"}}}`,
	}
	for _, word := range []string{"http", "streamable-http", "streamableHttp", "streamable_http", "Streamable-HTTP"} {
		texts = append(texts, `{"mcpServers":{"a":{"type":"`+word+`","url":"http://h/"}}}`)
	}
	for _, text := range texts {
		if s, _, _ := readConfig(t, text); s["a"] == nil || s["a"].err != nil || s["a"].Command+s["a"].URL == "" {
			t.Errorf("%s: %+v", text, s["a"])
		}
	}
}

// What is switched off is not judged: its variables need not be set. Keys are exact; what is unknown is told of.
func TestDisabledAndUnknown(t *testing.T) {
	for entry, want := range map[string]string{
		`{"command":"x","args":["${UNSET}"],"disabled":true}`: "true []",
		`{"enabled":false,"command":7,"odd":1}`:               "true []",
		`{"command":"x","enabled":false,"Enabled":true}`:      "true []",
		`{"command":"x","disabled":false,"enabled":true}`:     "false []",
		`{"command":"x","Timeout":60,"description":{"z":1}}`:  `false [mcpServers.a: ignored, since unknown here: ["Timeout" "description"]]`,
	} {
		s, _, warnings := readConfig(t, `{"mcpServers":{"a":`+entry+`}}`)
		if got := fmt.Sprint(s["a"].Disabled, warnings); got != want || s["a"].err != nil {
			t.Errorf("%s: %s, %v", entry, got, s["a"].err)
		}
	}
}

// Arguments reach the program as they stand in the file, element by element: there is no shell. References are replaced
// once, everywhere.
func TestReferences(t *testing.T) {
	variables := []string{"HOME", "/home/me", "A", "1", "EMPTY", "", "TRICK", "${A}"}
	for text, want := range map[string]string{
		"pa$$w0rd$1": "pa$$w0rd$1", "^a+$": "^a+$", "x${HOME}y$HOMEz": "x/home/mey$HOMEz", "${A}${A}": "11", "$${A}": "$1",
		"${}": "${}", "${1}": "${1}", "${A": "${A", "${a b}": "${a b}", "${f%.txt}": "${f%.txt}", "/tmp/My Files; rm *": "/tmp/My Files; rm *",
		"${TRICK}": "${A}", "${UNSET:-}": "", "${EMPTY:-a b}": "a b", "${A:-x}": "1", "${env:A}": "1", "${UNSET:-http://h:1/}": "http://h:1/", "": "",
		"~": "/home/me", "~/y": "/home/me/y", "a~/b": "a~/b", "~z": "~z",
	} {
		s := readEntry(t, fmt.Sprintf(`{"command":"x","args":[%q],"env":{"X":%[1]q}}`, text), variables...)
		if s.err != nil || s.Args[0] != want || s.Env["X"] != want {
			t.Errorf("%s became %q, %q; want %s, %v", text, s.Args, s.Env, want, s.err)
		}
	}
	for text, want := range map[string]string{
		"${UNSET}": "UNSET is not set", "${EMPTY}": "EMPTY is not set, or empty", "${A:?no}": "${A:?no} is not understood",
		"${A:-${HOME}}": "is not understood", "${UNSET}${A}": "UNSET",
	} {
		s := readEntry(t, `{"url":"http://h/","headers":{"X":"Bearer `+text+`"}}`, variables...)
		if s.err == nil || !strings.Contains(s.err.Error(), want) || strings.Contains(s.Headers["X"], "${") {
			t.Errorf("%s: %v, %s", text, s.err, s.Headers)
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
		"bad":{"type":"grpc","args":["--token","s3cr3t-P"],"env":{"A_KEY":"s3cr3t-Q","N":1},"headers":{"Accept":"application/json"}},
		"odd":{"command":7,"headers":{"X-Key":"s3cr3t-R"}}}}`, "MY_PAT", "s3cr3t-S")
	for _, letter := range "ABCDEFGHIJKLMNOPQRS" {
		value := "s3cr3t-" + string(letter)
		if got := redact.Redact("the server says " + value); strings.Contains(got, value) {
			t.Errorf("%s: %s", value, got)
		}
	}
	for _, plain := range []string{"production", "Bearer", "default", "disable", "verbose", "127.0.0.1", "plain-text"} {
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
		if s := readEntry(t, entry); s.err == nil || strings.Contains(s.err.Error(), "s3cr3t") {
			t.Errorf("%s: %v", entry, s.err)
		}
	}
}

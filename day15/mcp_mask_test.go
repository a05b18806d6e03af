package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

const secretServers = `{"mcpServers":{
	"io":{"command":"demo-server","args":["--token","s3cr3t-C","--api-key=s3cr3t-H","--header","Authorization: Bearer s3cr3t-I",
		"--header=X-Key: s3cr3t-J","-e","DB_PASS=s3cr3t-K","postgres://me:s3cr3t-L@db/x?sslmode=disable","${DEMO_REF}","--verbose","plain"],
		"env":{"API_TOKEN":"s3cr3t-A","DEMO_KEY":"s3cr3t-B","DATABASE_URL":"postgres://u:s3cr3t%2DM@h/","MODE":"production"}},
	"web":{"url":"http://u:s3cr3t-E@127.0.0.1:1/mcp?key=s3cr3t-F&profile=default#s3cr3t-N","headers":{"Authorization":"Bearer s3cr3t-D","X-Plain":"s3cr3t-O"}},
	"line":{"command":"demo-server --token s3cr3t-P"}}}`

// However a configuration gets into a log, no secret goes with it.
func TestConfigPrintsWithoutSecrets(t *testing.T) {
	servers := mustParse(t, secretServers, "DEMO_REF", "s3cr3t-R")
	for name, s := range servers {
		if s.Err != nil {
			t.Fatalf("%s: %v", name, s.Err)
		}
		for _, value := range []any{s, &s, []serverConfig{s}, map[string]serverConfig{"x": s}, struct{ C serverConfig }{s}} {
			for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
				if text := fmt.Sprintf(verb, value); strings.Contains(text, "s3cr3t") {
					t.Errorf("%s of %T: %s", verb, value, text)
				}
			}
		}
		if strings.Contains(s.target(), "s3cr3t") {
			t.Errorf("target: %s", s.target())
		}
	}
	want := "io: demo-server --token *** --api-key=*** --header Authorization: *** --header=X-Key: *** -e DB_PASS=***" +
		" postgres://***@db/x?*** ${DEMO_REF} --verbose plain env API_TOKEN=*** env DATABASE_URL=*** env DEMO_KEY=*** env MODE=***"
	if got := fmt.Sprint(servers["io"]); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := fmt.Sprint(servers["web"]), "web: http://127.0.0.1:1/mcp header Authorization: *** header X-Plain: ***"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The errors of a bad entry say where, and never what stands there.
func TestConfigErrorsShowNoSecret(t *testing.T) {
	for _, entry := range []string{
		`{"url":"ht!tp://u:s3cr3t-1@h/?k=s3cr3t-2"}`,
		`{"url":"http://u:s3cr3t-1@h:port/?k=s3cr3t-2"}`,
		`{"command":"x","url":"http://u:s3cr3t-1@h/"}`,
		`{"url":"http://h/","headers":{"A":"s3cr3t-1\n"}}`,
		`{"url":"http://h/","headers":"Authorization: s3cr3t-1"}`,
		`{"command":"x","args":["--token","s3cr3t-1",null]}`,
		`{"command":"x","env":{"A":"s3cr3t-1\u0000"}}`,
		`{"command":"x","env":{"A":"s3cr3t-1","B":"${UNSET}"}}`,
	} {
		s := mustParse(t, `{"mcpServers":{"a":`+entry+`}}`)["a"]
		if s.Err == nil || strings.Contains(s.Err.Error(), "s3cr3t") || strings.Contains(fmt.Sprintf("%+v", s), "s3cr3t") {
			t.Errorf("%s: %v, %+v", entry, s.Err, s)
		}
	}
}

func TestSecretsReachTheRedactor(t *testing.T) {
	r := &Redactor{}
	for _, s := range mustParse(t, secretServers, "DEMO_REF", "s3cr3t-R") {
		for _, found := range s.secrets() {
			r.Add(found.name, found.value)
		}
	}
	for _, letter := range "ABCDEFHIJKLMOP" {
		value := "s3cr3t-" + string(letter)
		if got := r.Redact("the server says " + value); strings.Contains(got, value) || !strings.Contains(got, "[REDACTED:") {
			t.Errorf("%s: %s", value, got)
		}
	}
	for _, plain := range []string{"production", "Bearer", "default", "disable", "verbose", "127.0.0.1", "plain"} {
		if got := r.Redact(plain); got != plain {
			t.Errorf("%s became %s", plain, got)
		}
	}
	if got, want := r.Redact("Bearer s3cr3t-D"), "Bearer [REDACTED:Authorization]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The model may read the file, whatever the entries are good for.
func TestSecretsOfUnusedEntriesAreKnown(t *testing.T) {
	r := &Redactor{}
	for _, s := range mustParse(t, `{"mcpServers":{
		"off":{"disabled":true,"url":"http://h/?key=s3cr3t-A","headers":{"Authorization":"Bearer s3cr3t-B"}},
		"bad":{"type":"grpc","args":["--token","s3cr3t-C"],"env":{"A_KEY":"s3cr3t-D","B_KEY":"${A_VARIABLE}"}},
		"odd":{"command":7,"headers":{"X-Key":"s3cr3t-E","Accept":"application/json"}},
		"ref":{"disabled":true,"env":{"F_KEY":"${F_KEY:-s3cr3t-F}","PASSWORD":"pa${ss-s3cr3t-G"},"headers":{"Authorization":"Bearer s3cr3t-H ${X}"}}}}`) {
		for _, found := range s.secrets() {
			r.Add(found.name, found.value)
		}
	}
	for _, letter := range "ABCDEFH" {
		if value := "s3cr3t-" + string(letter); strings.Contains(r.Redact(value), value) {
			t.Errorf("%s is not known", value)
		}
	}
	if got := r.Redact("pa${ss-s3cr3t-G"); got != "[REDACTED:PASSWORD]" { // no reference
		t.Errorf("a password became %s", got)
	}
	for _, plain := range []string{"${A_VARIABLE}", "application/json"} {
		if got := r.Redact(plain); got != plain {
			t.Errorf("%s became %s", plain, got)
		}
	}
}

func TestRedactorLearnsWhileItIsUsed(t *testing.T) {
	r := newRedactor([]string{"A_TOKEN=long-secret", "B_KEY=long-secret-tail", "C_KEY=short"})
	if got, want := r.Redact("long-secret-tail long-secret short"), "[REDACTED:B_KEY] [REDACTED:A_TOKEN] short"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var users sync.WaitGroup
	for i := range 8 {
		users.Go(func() {
			r.Add(fmt.Sprintf("N%d", i), fmt.Sprintf("value-%d-secret", i))
			r.Split("a text that ends in value-")
			if got := r.Redact(fmt.Sprintf("value-%d-secret", i)); got != fmt.Sprintf("[REDACTED:N%d]", i) {
				t.Errorf("got %s", got)
			}
		})
	}
	users.Wait()
	r.Add("AGAIN", "long-secret")
	if got := r.Redact("long-secret"); got != "[REDACTED:A_TOKEN]" {
		t.Errorf("a known secret changed its name: %s", got)
	}
	if done, rest := r.Split("x value-3-sec"); done != "x " || rest != "value-3-sec" {
		t.Errorf("Split: %q, %q", done, rest)
	}
}

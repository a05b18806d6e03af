package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Servers that fail at start, and one that tells all it was given with everything that it sends: nothing of it gets
// through. Only the names of variables and headers may be seen.
func TestSecretsStayWhereTheyAre(t *testing.T) {
	for _, wire := range []string{"wire.log", "-"} {
		t.Run("-wire "+wire, func(t *testing.T) {
			model := newFakeModel(t, calls("mcp_l_result", "{}", "mcp_l_no", "{}", "mcp_l_refusal", "{}", "mcp_l_noise", "{}", "mcp_l_crash", "{}"),
				says("I have seen all of it."), `401 {"error":{"message":"Incorrect API key provided: s3cr3t-G"}}`)
			env := map[string]string{"API_TOKEN": "s3cr3t-A", "DEMO_KEY": "s3cr3t-B", "DATABASE": "postgres://u:s3cr3t-H@db/x", "COPY": "${MY_SECRET}"}
			t.Setenv("MY_SECRET", "s3cr3t-I")
			const args = `"args":["--token","s3cr3t-C","--header=Authorization: Bearer s3cr3t-J"`
			config := mcpJSON(t, entry{name: "l", fake: "leaky", env: env, more: args + "]"},
				entry{name: "dies", fake: "leaky", env: env, more: args + `,"--die"]`},
				entry{name: "silent", fake: "silent", env: env, more: args + `],"startTimeoutMs":100`},
				entry{name: "wrong", fake: "demo", env: env, more: args + `],"timeoutMs":"s3cr3t-A"`})
			config = strings.Replace(config, "\n}}", `,"missing":{"command":"no-such-cmd --token s3cr3t-K",`+args+`]},
				"far":{"url":"http://u:s3cr3t-E@127.0.0.1:1/mcp?key=s3cr3t-F","headers":{"Authorization":"Bearer s3cr3t-D"}}}}`, 1)
			inFolder(t, model, home+"/mcp.json", config, home+"/GeekAgent.json", `{"tools":{"mcp_*":"allow"}}`)
			t.Setenv("OPENAI_API_KEY", "s3cr3t-G")
			_, stdout, stderr := runAgent(t, "/mcp\ntell me\n/mcp\n/mcp l\n/mcp dies\n/tools mcp_l_result\n/panel\nand more\n", "-wire", wire)
			mustShow(t, stdout, " --token [REDACTED:token] --header=Authorization: Bearer [REDACTED:Authorization]\n",
				"[Calling tool mcp_l_result → API_TOKEN=[REDACTED:API_TOKEN] DEMO_KEY=[REDACTED:DEMO_KEY] DATABASE=postgres://u:[REDACTED:password]@db/x ",
				"× l: exit status 1: API_TOKEN=[REDACTED:API_TOKEN] ", "× dies: exit status 3: API_TOKEN=[REDACTED:API_TOKEN] ", "Incorrect API key provided: [REDACTED:OPENAI_API_KEY]")
			mustShow(t, stderr, "[mcp:l] API_TOKEN=[REDACTED:API_TOKEN] ")
			if !strings.Contains(stderr, "OPENAI_API_KEY= ") {
				t.Error("the server was given the key of the model")
			}
			all := map[string]string{"stdout": stdout, "stderr": stderr, "the model": strings.Join(model.bodies, "\n")}
			for _, file := range []string{"wire.log", home + "/session.json"} {
				if text, err := os.ReadFile(file); err == nil {
					all[file] = string(text)
				}
			}
			if want := map[string]int{"wire.log": 5, "-": 4}[wire]; len(all) != want {
				t.Errorf("only %d places were searched", len(all))
			}
			for place, text := range all {
				if _, after, found := strings.Cut(text, "s3cr3t"); found {
					t.Errorf("%s: s3cr3t%.10s … in\n%s", place, after, text)
				}
			}
		})
	}
}

// Names, descriptions, results, errors, progress and stderr of a server cannot move the cursor, change colours, hide or
// reorder text, or look like a prompt.
func TestNothingThatAServerSendsDrawsOnTheTerminal(t *testing.T) {
	const name = "d\x1b[1m\nYou › /exit"
	prefix := newServer(nil, &serverConfig{name: name}).prefix
	paint, fail, die := prefix+underscored(withoutInvisible("paint\x1b]0;owned\a\x1b[31mred\r\u202e")), prefix+"fail", prefix+"die"
	model := newFakeModel(t, calls(paint, `{"a":"\u001b[31m\n\nConfirm execution? [y/N/a] y"}`, fail, "{}", die, "{}"), says("\x1b[2Jdone"))
	inMCPFolder(t, model, noRules, plays(name, "draws"))
	_, stdout, stderr := runAgent(t, fmt.Sprintf("/mcp\n/tools\n/tools %s\npaint\ny\ny\ny\n/mcp\n/panel\n", paint), "-wire", "-")
	mustShow(t, stdout, "3 tools", "[MCP:d You › /exit] Paints.", "About to call MCP tool: "+paint+` (from server d\x1b[1m\nYou › /exit)`,
		`{"a":"\u001b[31m\n\nConfirm execution? [y/N/a] y"}`, `painted \x1b]0;owned\a`, `(error) no \x1b]0;owned`, `× d\x1b[1m\nYou › /exit: exit status 1: dying red`)
	mustShow(t, stderr, `[mcp:d\x1b[1m\nYou › /exit] up red\r\u202e`)
	for name, text := range map[string]string{"stdout": stdout, "stderr": stderr} {
		if i := strings.IndexFunc(text, harmful); i >= 0 {
			t.Errorf("%s: %q", name, text[max(0, i-100):i+10])
		}
	}
	for line := range strings.Lines(stderr) {
		if !strings.HasPrefix(line, "[mcp") && !strings.HasPrefix(line, "d\\x1b[1m\\nYou › /exit ") {
			t.Errorf("a line of its own: %q", line)
		}
	}
}

package main

import (
	"net"
	"os"
	"strings"
	"testing"
)

// setMark puts a mark into the environment of all processes that the test starts from here on; survivors finds it.
func setMark(t testing.TB) (mark string) {
	t.Helper()
	t.Setenv("FAKE_MARK", t.TempDir())
	return "FAKE_MARK=" + os.Getenv("FAKE_MARK")
}

func TestServersThatFailAtStartCostTheOthersNothing(t *testing.T) {
	mark := setMark(t)
	model := newFakeModel(t, calls("mcp_demo_dice", "{}"), says("Result: 5"))
	files := mcpJSON(t, entry{name: "silent", fake: "silent", more: `"timeoutMs":300`}, plays("demo", "demo"),
		plays("dies", "die"), plays("bare", "bare"))
	files = strings.Replace(files, "\n}}", `,"missing":{"command":"no-such-cmd-42"},"line":{"command":"demo-server --stdio"},"far":{"command":"cat","cwd":"/no/such/dir"}}}`, 1)
	inFolder(t, model, home+"/mcp.json", files, home+"/GeekAgent.json", `{"tools":{"mcp_*":"allow"}}`)
	code, stdout, stderr := runMCP(t, "roll\n/mcp\n/exit\n")
	if code != exitOK {
		t.Errorf("exit code %d", code)
	}
	var lines string
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, "[mcp] ") {
			lines += line
		}
	}
	if want := `[mcp] silent: failed: no answer to initialize in 300 ms
[mcp] demo: connected, 2 tools (2025-06-18)
[mcp] dies: failed: exit status 3: DEMO_KEY missing
[mcp] bare: connected, 2 tools (2025-06-18)
[mcp] missing: failed: cannot start no-such-cmd-42: exec: "no-such-cmd-42": executable file not found in $PATH
[mcp] line: failed: cannot start demo-server --stdio: exec: "demo-server --stdio": executable file not found in $PATH; if the command is "demo-server", move the rest to "args": ["--stdio"]
[mcp] far: failed: cannot start cat: stat /no/such/dir: no such file or directory
`; lines != want {
		t.Errorf("stderr\n%s\nwant\n%s", stderr, want)
	}
	model.mustRead(t, "Roll: 5")
	mustShow(t, stdout, "│ MCP      2 of 7 servers up\n", " · MCP 2 of 7 servers up ──",
		"× silent: no answer to initialize in 300 ms\ndemo: protocol", "× dies: exit status 3: DEMO_KEY missing\n",
		"× missing: cannot start no-such-cmd-42: exec: \"no-such-cmd-42\": executable file not found in $PATH\n")
	mustShow(t, stderr, "[mcp:dies] starting\n[mcp:dies] DEMO_KEY missing\n")
	if found := survivors(t, mark); found != "" {
		t.Errorf("left: %s", found)
	}
}

// Each of the servers waits until all of them run: one after the other they would never be connected.
func TestServersStartSideBySide(t *testing.T) {
	gate, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer gate.Close()
	var entries []entry
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		entries = append(entries, entry{name: name, fake: "gated", env: map[string]string{"FAKE_GATE": gate.Addr().String()}})
	}
	go func() {
		for range entries {
			if conn, err := gate.Accept(); err == nil {
				defer conn.Close() // lets it pass
			}
		}
	}()
	inMCPFolder(t, nil, noRules, entries...)
	if _, _, stderr := runMCP(t, "", "/mcp"); strings.Count(stderr, ": connected, 2 tools") != 5 {
		t.Errorf("stderr %s", stderr)
	}
}

func TestFlagsThatCannotBeFollowedEndTheStart(t *testing.T) {
	inFolder(t, newFakeModel(t), home+"/mcp.json", mcpJSON(t, plays("demo", "demo")), "bad.json", "{")
	for args, want := range map[string]string{
		"-mcp=nope.json":           "geekagent: cannot read the MCP servers: open nope.json: ",
		"-mcp=bad.json":            "geekagent: cannot read the MCP servers: bad.json:1:1: unexpected end of JSON input",
		"-only=demo,dmeo":          `geekagent: -only: there is no MCP server "dmeo"; there are: demo`,
		"-wire=no/such/folder/log": "geekagent: open no/such/folder/log: ",
	} {
		code, stdout, stderr := runMCP(t, "/exit\n", args, "/mcp")
		if code != exitFailure || stdout != "" || !strings.HasPrefix(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("exit code %d, stdout %s, stderr %s, want %s", code, stdout, stderr, want)
		}
	}
}

// A wrong file costs the agent its servers, and nothing else.
func TestAFileThatCannotBeUnderstoodIsToldOf(t *testing.T) {
	for config, place := range map[string]string{
		"{\n  \"mcpServers\": {\n  oops": ":3:3: ",
		"{} // none":                     ":1:4: ",
		"{\"mcpServers\":{\n\"demo\":{\"command\":\"cat\"},}}": ":2:26: ",
		"":                                 ":1:1: ",
		`{"mcpServers": []}`:               ":1:16: mcpServers must be an object",
		`{"mcp": {"a": {"command": "x"}}}`: `: no "mcpServers" in the file, only ["mcp"]; expected {"mcpServers": `,
		`{"mcpServers": {"a": {"command": "x"}, "a": {}}}`: `:1:40: "a" stands twice in mcpServers`,
	} {
		inFolder(t, newFakeModel(t, says("Hello.")), home+"/mcp.json", config)
		code, stdout, stderr := runMCP(t, "hello\n/mcp\n")
		if code != exitOK || !strings.HasPrefix(stderr, "[mcp] mcp.json: failed: .geekagent/mcp.json"+place) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("exit code %d, stderr %s", code, stderr)
		}
		mustShow(t, stdout, "│ MCP      mcp.json(failed)", "Hello.\n", "× mcp.json: .geekagent/mcp.json"+place)
	}
}

func TestWhereTheConfigurationIs(t *testing.T) {
	config := func(name string) string { return mcpJSON(t, entry{name: name, fake: "demo"}) }
	inFolder(t, nil, home+"/mcp.json", config("usual"), "env.json", config("env"), "flag.json", config("flag"))
	for env, args := range map[string][]string{"": {"/mcp usual"}, "env.json": {"/mcp env"}, "nope.json": {"-mcp=flag.json", "/mcp flag"}} {
		t.Setenv("MCP_CONFIG", env)
		if code, _, stderr := runMCP(t, "", args...); code != exitOK {
			t.Errorf("%s: stderr %s", args, stderr)
		}
	}
}

package main

import (
	"net"
	"os"
	"path/filepath"
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
	files := mcpJSON(t, entry{name: "silent", fake: "silent", more: `"startTimeoutMs":300`}, entry{name: "demo", fake: "demo"},
		entry{name: "dies", fake: "die"}, entry{name: "late", fake: "late"})
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
[mcp] late: connected, 2 tools (2025-06-18)
[mcp] missing: failed: command "no-such-cmd-42" not found on PATH
[mcp] line: failed: command "demo-server --stdio" not found on PATH; if the command is "demo-server", move the rest to "args": ["--stdio"]
[mcp] far: failed: there is no working directory /no/such/dir
`; lines != want {
		t.Errorf("stderr\n%s\nwant\n%s", stderr, want)
	}
	model.mustRead(t, "Roll: 5")
	mustShow(t, stdout, "│ MCP      7 servers, 5 failed\n", " · MCP 7 servers, 5 failed ──",
		"× silent: no answer to initialize in 300 ms\ndemo: protocol", "× dies: exit status 3: DEMO_KEY missing\n",
		"× missing: command \"no-such-cmd-42\" not found on PATH\n")
	mustShow(t, stderr, "[mcp:dies] starting\n[mcp:dies] DEMO_KEY missing\n")
	if found := survivors(t, mark); found != "" {
		t.Errorf("left: %s", found)
	}
}

// Each of the servers waits until all of them run: one after the other they would never be connected.
func TestServersStartSideBySide(t *testing.T) {
	mark := setMark(t)
	gate, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer gate.Close()
	go func() {
		var waiting []net.Conn
		for len(waiting) < 5 {
			conn, err := gate.Accept()
			if err != nil {
				return
			}
			waiting = append(waiting, conn)
		}
		for _, conn := range waiting {
			conn.Write([]byte{1})
			conn.Close()
		}
	}()
	var entries []entry
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		entries = append(entries, entry{name: name, fake: "gated", env: map[string]string{"FAKE_GATE": gate.Addr().String()}})
	}
	inMCPFolder(t, nil, noRules, entries...)
	code, _, stderr := runMCP(t, "", "/mcp")
	if code != exitOK || strings.Count(stderr, ": connected, 2 tools") != 5 {
		t.Errorf("exit code %d, stderr %s", code, stderr)
	}
	if found := survivors(t, mark); found != "" {
		t.Errorf("left: %s", found)
	}
}

func TestFlagsThatCannotBeFollowedEndTheStart(t *testing.T) {
	mark := setMark(t)
	good := mcpJSON(t, entry{name: "demo", fake: "demo"})
	for _, test := range []struct {
		name, config, env string
		args              []string
		want              string
	}{
		{"a file that a flag names and that is not there", good, "", []string{"-mcp", "nope.json"}, "geekagent: cannot read the MCP servers: open nope.json: "},
		{"a file that the environment names and that is not there", good, "none.json", nil, "geekagent: cannot read the MCP servers: open none.json: "},
		{"a name that no server has", good, "", []string{"-only", "demo,dmeo"}, `geekagent: -only: there is no MCP server "dmeo"; there are: demo`},
		{"a wire log that cannot be written", good, "", []string{"-wire", "no/such/folder/log"}, "geekagent: cannot write the wire log: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			inFolder(t, newFakeModel(t), home+"/mcp.json", test.config)
			t.Setenv("MCP_CONFIG", test.env)
			code, stdout, stderr := runMCP(t, "/exit\n", append(test.args, "/mcp")...)
			if code != exitFailure || stdout != "" || !strings.HasPrefix(stderr, test.want) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("exit code %d, stdout %s, stderr %s, want %s", code, stdout, stderr, test.want)
			}
			if found := survivors(t, mark); found != "" {
				t.Errorf("left: %s", found)
			}
		})
	}
}

// A wrong file costs the agent its servers, and nothing else.
func TestAFileThatCannotBeUnderstoodIsToldOf(t *testing.T) {
	for name, test := range map[string]struct{ config, want string }{
		"no JSON":              {"{\n  \"mcpServers\": {\n  oops", ".geekagent/mcp.json:3:3: "},
		"a comment":            {"{} // none", ".geekagent/mcp.json:1:4: "},
		"a comma too many":     {"{\"mcpServers\":{\n\"demo\":{\"command\":\"cat\"},}}", ".geekagent/mcp.json:2:26: "},
		"an empty file":        {"", ".geekagent/mcp.json:1:1: "},
		"no object of servers": {`{"mcpServers": []}`, ".geekagent/mcp.json:1:16: mcpServers must be an object"},
		"another host's key":   {`{"mcp": {"a": {"command": "x"}}}`, `.geekagent/mcp.json: no "mcpServers" in the file, only ["mcp"]; expected {"mcpServers": `},
		"a server twice":       {`{"mcpServers": {"a": {"command": "x"}, "a": {}}}`, `.geekagent/mcp.json:1:40: "a" stands twice in mcpServers`},
	} {
		t.Run(name, func(t *testing.T) {
			inFolder(t, newFakeModel(t, says("Hello.")), home+"/mcp.json", test.config)
			t.Setenv("MCP_CONFIG", "")
			code, stdout, stderr := runMCP(t, "hello\n/mcp\n")
			if code != exitOK || !strings.HasPrefix(stderr, "[mcp] "+test.want) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("exit code %d, stderr %s", code, stderr)
			}
			mustShow(t, stdout, "Hello.\n", "Error: "+test.want)
		})
	}
}

func TestWhereTheConfigurationIs(t *testing.T) {
	for _, test := range []struct {
		name, env string
		args      []string
		want      string
	}{
		{"in its usual place", "", nil, "usual"},
		{"where the environment says", "env.json", nil, "env"},
		{"where the flag says, whatever the environment says", "env.json", []string{"-mcp", "flag.json"}, "flag"},
	} {
		t.Run(test.name, func(t *testing.T) {
			inFolder(t, nil)
			for file, name := range map[string]string{home + "/mcp.json": "usual", "env.json": "env", "flag.json": "flag"} {
				if err := replaceFile(file, []byte(mcpJSON(t, entry{name: name, fake: "demo"}))); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("MCP_CONFIG", test.env)
			if _, _, stderr := runMCP(t, "", append(test.args, "/mcp")...); stderr != "[mcp] "+test.want+": connected, 2 tools (2025-06-18)\n" {
				t.Errorf("stderr %s", stderr)
			}
		})
	}
}

func TestADisabledServerIsListedAndNotStarted(t *testing.T) {
	starts := filepath.Join(t.TempDir(), "starts")
	once := map[string]string{"FAKE_STARTS": starts}
	inMCPFolder(t, newFakeModel(t), noRules, entry{name: "off", fake: "failing", env: once, more: `"disabled":true`},
		entry{name: "out", fake: "failing", env: once, more: `"enabled":false`}, entry{name: "left", fake: "failing", env: once}, entry{name: "demo", fake: "demo"})
	_, stdout, stderr := runMCP(t, "/mcp\n", "-only", "demo,off") // -only chooses among those that are on
	mustShow(t, stdout, "│ MCP      demo(2)\n", "- off: disabled\n- out: disabled\n- left: disabled\ndemo: protocol")
	if stderr != "[mcp] demo: connected, 2 tools (2025-06-18)\n" {
		t.Errorf("stderr %s", stderr)
	}
	if _, err := os.Stat(starts); err == nil {
		t.Error("it was started")
	}
}

func TestAnUnsetVariableStopsItsServer(t *testing.T) {
	starts := filepath.Join(t.TempDir(), "starts")
	t.Setenv("DEMO_NAME", "")
	os.Unsetenv("DEMO_NAME")
	inMCPFolder(t, nil, noRules, entry{name: "a", fake: "failing", env: map[string]string{"FAKE_STARTS": starts, "X": "Bearer ${DEMO_NAME}"}},
		entry{name: "b", fake: "demo", env: map[string]string{"X": "${DEMO_NAME:-none}"}})
	code, stdout, stderr := runMCP(t, "", "/mcp")
	reason := "mcpServers.a.env.X: the environment variable DEMO_NAME is not set, or empty; set it, or write ${DEMO_NAME:-default}\n"
	if code != exitOK || !strings.HasPrefix(stderr, "[mcp] a: failed: .geekagent/mcp.json:2:") || !strings.Contains(stderr, reason+"[mcp] b: connected, 2 tools") {
		t.Errorf("exit code %d, stderr %s", code, stderr)
	}
	mustShow(t, stdout, "× a: .geekagent/mcp.json:2:", reason, "b: protocol")
	if _, err := os.Stat(starts); err == nil {
		t.Error("it was started")
	}
}

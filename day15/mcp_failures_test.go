package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Each failure reaches three readers: the model, the person on stderr, and whoever types /mcp.
func TestWhatEachFailureTells(t *testing.T) {
	t.Parallel()
	const (
		gone = "(error) server f is not available: it is gone"
		slow = "no answer to tools/call in 1000 ms"
		fine = "f: protocol 2025-06-18, 9 tools"
	)
	tests := []struct{ tool, model, stderr, command string }{
		{"says_no", "(error) disk full", "", fine},
		{"refuses", `(error) missing path (code -32602) {"hint":"x"}`, "", fine},
		{"wants_input", `(error) the server asks for input that this client cannot give: {"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create"}}}`, "", fine},
		{"crash", gone, "[mcp:f] out of memory\n[mcp] f: exit status 7: out of memory\n", "× f: exit status 7: out of memory; 1 call, 1 failed\n"},
		{"hang_up", gone, "[mcp] f: it closed its stdout\n", "× f: it closed its stdout; 1 call, 1 failed\n"},
		{"slow", "(error) server f is not available: " + slow, "[mcp] f: " + slow + "\n", fine},
		{"garbage", "(error) server f is not available: " + slow, "[mcp] f: sent what is no message: {\"jsonrpc\": \"2.0\", \"id\": 3,\n[mcp] f: " + slow + "\n", fine},
		{"copy", "copied", "[mcp] f: mcp_f_copy: 1 copying\n[mcp] f: mcp_f_copy: 2 copying\n", fine}, // longer than the limit, but with progress
	}
	var running sync.WaitGroup
	for _, test := range tests { // all at once, for some of them take a while
		model := newFakeModel(t, calls("mcp_f_"+test.tool, "{}"), says("I see."))
		c := newChild(t, model, []entry{{name: "f", fake: "failing", more: `"startTimeoutMs":60000,"timeoutMs":1000`}}, "-wire", "wire.log")
		running.Go(func() {
			code, stdout, stderr := c.run("do it\n/mcp\n")
			shown := "[Calling tool mcp_f_" + test.tool + " → " + test.model + "]\nI see.\n"
			if code != exitOK || !strings.Contains(stdout, shown) || !strings.Contains(stdout, "You › /mcp\n"+test.command) {
				t.Errorf("%s: exit code %d\n%s", test.tool, code, stdout)
			}
			if got := model.read(); len(got) != 1 || got[0] != test.model {
				t.Errorf("the model has read %q, want %s", got, test.model)
			}
			if !strings.HasPrefix(stderr, "[mcp] f: connected, 9 tools (2025-06-18)\n"+test.stderr) || test.stderr == "" && strings.Count(stderr, "\n") != 1 {
				t.Errorf("%s: stderr\n%s\nwant\n%s", test.tool, stderr, test.stderr)
			}
			cancelled := frames(t, filepath.Join(c.cmd.Dir, "wire.log"), "f", "→", "notifications/cancelled")
			if strings.Contains(test.model, slow) != (len(cancelled) == 1 && strings.HasSuffix(cancelled[0], `"params":{"requestId":3,"reason":"`+slow+`"}}`)) {
				t.Errorf("%s: sent %q", test.tool, cancelled)
			}
		})
	}
	running.Wait()
}

func TestAServerThatDiedIsStartedAgainByTheNextCall(t *testing.T) {
	t.Parallel()
	model := newFakeModel(t, calls("mcp_f_crash", "{}"), calls("mcp_f_fine", "{}", "mcp_f_fine", "{}", "mcp_f_fine", "{}"))
	c := newChild(t, model, []entry{plays("f", "failing")}, "-wire", "wire.log", "do it")
	code, _, stderr := c.run("")
	model.mustRead(t, "(error) server f is not available: it is gone", "fine", "fine", "fine")
	if want := `[mcp] f: connected, 9 tools (2025-06-18)
[mcp:f] out of memory
[mcp] f: exit status 7: out of memory
[mcp] f: started again
`; code != exitMissed || stderr != want {
		t.Errorf("exit code %d, stderr\n%s\nwant\n%s", code, stderr, want)
	}
	log := filepath.Join(c.cmd.Dir, "wire.log")
	called, started := frames(t, log, "f", "→", "tools/call"), frames(t, log, "f", "→", "initialize")
	if len(called) != 4 || strings.Count(strings.Join(called, ""), `"crash"`) != 1 || len(started) != 2 {
		t.Errorf("%d starts, calls %q", len(started), called) // the call that it died of is not repeated; three calls share a start
	}
}

func TestAServerThatCannotBeStartedAgain(t *testing.T) {
	t.Parallel()
	model := newFakeModel(t, oneByOne("mcp_f_crash", "mcp_f_fine", "mcp_f_fine")...)
	starts := filepath.Join(t.TempDir(), "starts")
	env := map[string]string{"FAKE_STARTS": starts, "FAKE_ONCE": "yes"}
	_, stdout, stderr := newChild(t, model, []entry{{name: "f", fake: "failing", env: env}}).run("do it\n/mcp\n/panel\n")
	const gone = "(error) server f is not available: it is gone"
	model.mustRead(t, gone, gone, gone)
	mustShow(t, stdout, " · MCP f(failed) ──\n", "× f: exit status 4: the lock is left; 3 calls, 3 failed; it has failed 3 times in a row; it is tried again in 30 s\n", "│ MCP      f(failed)\n")
	mustShow(t, stderr, "[mcp] f: exit status 7: out of memory\n", "[mcp] f: could not be started again: exit status 4: the lock is left\n")
	if got, err := os.ReadFile(starts); err != nil || string(got) != "xxx" { // the first, and one for each call after the death
		t.Errorf("starts %q, %v", got, err)
	}
}

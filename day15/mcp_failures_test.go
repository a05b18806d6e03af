package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// Each failure reaches three readers: the model, the person on stderr, and whoever types /mcp.
func TestWhatEachFailureTells(t *testing.T) {
	t.Parallel()
	const gone = "(error) server f is not available: it is gone"
	tests := []struct{ name, tool, model, stderr, command string }{
		{"the tool says that it failed", "says_no", "(error) disk full", "", "f: protocol 2025-06-18, 9 tools"},
		{"the server refuses the call", "refuses", `(error) missing path (code -32602) {"hint":"x"}`, "", "f: protocol 2025-06-18, 9 tools"},
		{"the server wants something of us", "wants_input", `(error) the server asks for input that this client cannot give: {"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create"}}}`, "", "f: protocol"},
		{"the server ends", "crash", gone, "[mcp:f] out of memory\n[mcp] f: exit status 7: out of memory\n", "× f: exit status 7: out of memory; 1 call, 1 failed\n"},
		{"the server closes its output", "hang_up", gone, "[mcp] f: it closed its stdout\n", "× f: it closed its stdout; 1 call, 1 failed\n"},
		{"the server does not answer", "slow", "(error) server f is not available: no answer to tools/call in 3000 ms",
			"[mcp] f: no answer to tools/call in 3000 ms\n", "f: protocol 2025-06-18, 9 tools"},
		{"the answer is no message", "garbage", "(error) server f is not available: no answer to tools/call in 3000 ms",
			`[mcp] f: sent what is no message: {"jsonrpc": "2.0", "id": 3,
[mcp] f: no answer to tools/call in 3000 ms
`, "f: protocol"},
	}
	type result struct {
		code           int
		stdout, stderr string
	}
	models, results := make([]*fakeModel, len(tests)), make([]result, len(tests))
	var running sync.WaitGroup
	for i, test := range tests { // all at once, for some of them take seconds
		limit := 10_000
		if strings.Contains(test.model, "3000 ms") {
			limit = 3000 // that a machine may stand still for a while, and the list of tools be in time all the same
		}
		models[i] = newFakeModel(t, calls("mcp_f_"+test.tool, "{}"), says("I see."))
		c := newChild(t, models[i], []entry{{name: "f", fake: "failing", more: fmt.Sprintf(`"timeoutMs":%d`, limit)}})
		running.Go(func() {
			code, stdout, stderr := c.run("do it\n/mcp\n")
			results[i] = result{code, stdout, stderr}
		})
	}
	running.Wait()
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := results[i]
			if got.code != exitOK {
				t.Errorf("exit code %d", got.code)
			}
			models[i].mustRead(t, test.model)
			mustShow(t, got.stdout, "[Calling tool mcp_f_"+test.tool+" → "+test.model+"]\nI see.\n", "You › /mcp\n"+test.command)
			if want := "[mcp] f: connected, 9 tools (2025-06-18)\n" + test.stderr; got.stderr != want {
				t.Errorf("stderr\n%s\nwant\n%s", got.stderr, want)
			}
		})
	}
}

func TestACallThatIsNotAnsweredIsCancelledAndTheNextOneWorks(t *testing.T) {
	t.Parallel()
	model := newFakeModel(t, calls("mcp_f_slow", "{}"), calls("mcp_f_fine", "{}"))
	c := newChild(t, model, []entry{{name: "f", fake: "failing", more: `"timeoutMs":3000`}}, "-wire", "wire.log", "do it")
	c.run("")
	log := filepath.Join(c.cmd.Dir, "wire.log")
	model.mustRead(t, "(error) server f is not available: no answer to tools/call in 3000 ms", "fine")
	called, cancelled := frames(t, log, "f", "→", "tools/call"), frames(t, log, "f", "→", "notifications/cancelled")
	if len(called) != 2 || len(cancelled) != 1 {
		t.Fatalf("sent %q and %q", called, cancelled)
	}
	id := regexp.MustCompile(`"id":(\d+)`).FindStringSubmatch(called[0])[1]
	if want := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"no answer to tools/call in 3000 ms"}}`; cancelled[0] != want {
		t.Errorf("sent %s, want %s", cancelled[0], want)
	}
	if starts := frames(t, log, "f", "→", "initialize"); len(starts) != 1 { // the connection is the same
		t.Errorf("started %d times", len(starts))
	}
}

func TestProgressIsShownAndRestartsTheTimeLimit(t *testing.T) {
	t.Parallel()
	model := newFakeModel(t, calls("mcp_f_copy", "{}"))
	_, _, stderr := newChild(t, model, []entry{{name: "f", fake: "failing", more: `"timeoutMs":3000`}}, "copy it").run("") // copy takes 3200 ms
	model.mustRead(t, "copied")
	mustShow(t, stderr, "[mcp] f: mcp_f_copy: 1 copying\n", "[mcp] f: mcp_f_copy: 2 copying\n")
}

func TestAServerThatDiedIsStartedAgainByTheNextCall(t *testing.T) {
	model := newFakeModel(t, calls("mcp_f_crash", "{}"), calls("mcp_f_fine", "{}", "mcp_f_fine", "{}", "mcp_f_fine", "{}"))
	inMCPFolder(t, model, allowAll, entry{name: "f", fake: "failing"})
	code, _, stderr := runMCP(t, "", "-wire", "wire.log", "do it")
	model.mustRead(t, "(error) server f is not available: it is gone", "fine", "fine", "fine")
	if want := `[mcp] f: connected, 9 tools (2025-06-18)
[mcp:f] out of memory
[mcp] f: exit status 7: out of memory
[mcp] f: started again
`; code != exitMissed || stderr != want {
		t.Errorf("exit code %d, stderr\n%s\nwant\n%s", code, stderr, want)
	}
	called, started := frames(t, "wire.log", "f", "→", "tools/call"), frames(t, "wire.log", "f", "→", "initialize")
	if len(called) != 4 || strings.Count(strings.Join(called, ""), `"crash"`) != 1 || len(started) != 2 {
		t.Errorf("%d starts, calls %q", len(started), called) // the call that it died of is not repeated; three calls share a start
	}
}

func TestAServerThatCannotBeStartedAgain(t *testing.T) {
	model := newFakeModel(t, calls("mcp_f_crash", "{}"), calls("mcp_f_fine", "{}"), calls("mcp_f_fine", "{}"))
	starts := filepath.Join(t.TempDir(), "starts")
	inMCPFolder(t, model, allowAll, entry{name: "f", fake: "failing", env: map[string]string{"FAKE_STARTS": starts, "FAKE_ONCE": "yes"}})
	_, stdout, stderr := runMCP(t, "do it\n/mcp\n/panel\n")
	const gone = "(error) server f is not available: it is gone"
	model.mustRead(t, gone, gone, gone)
	mustShow(t, stdout, " · MCP f(failed) ──\n", "× f: exit status 4: the lock is left; 3 calls, 3 failed; it has failed 3 times in a row; it is tried again in 30 s\n", "│ MCP      f(failed)\n")
	mustShow(t, stderr, "[mcp] f: exit status 7: out of memory\n", "[mcp] f: could not be started again: exit status 4: the lock is left\n")
	if got, err := os.ReadFile(starts); err != nil || string(got) != "xxx" { // the first, and one for each call after the death
		t.Errorf("starts %q, %v", got, err)
	}
}

package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The next call comes before anybody has seen that the server has ended, and then while it only lingers.
func TestACallAfterTheEndOfItsServerStartsItAnew(t *testing.T) {
	t.Parallel()
	env := map[string]string{"FAKE_STARTS": filepath.Join(t.TempDir(), "starts")}
	model := newFakeModel(t, calls("mcp_e_start", "{}", "mcp_e_start", "{}"), calls("mcp_e_start", "{}"))
	code, _, stderr := newChild(t, model, []entry{{name: "e", fake: "ephemeral", env: env}}, "go on").run("")
	if code != exitOK || strings.Count(stderr, "started again") != 2 {
		t.Errorf("exit code %d, stderr %s", code, stderr)
	}
	model.mustRead(t, "start 1", "start 2", "start 3")
}

func TestToolsAreListedWhileACallWaitsForThat(t *testing.T) {
	t.Parallel()
	model := newFakeModel(t, oneByOne("mcp_a_grow", "mcp_a_lists")...)
	began := time.Now()
	newChild(t, model, []entry{plays("a", "announcing")}, "grow").run("")
	got := model.read()
	number, _, _ := strings.Cut(got[len(got)-1], " ") // it announces another list with each
	if n, err := strconv.Atoi(number); len(got) != 2 || got[0] != "grown" || err != nil || n < 2 || n > 4*int(time.Since(began).Seconds()+1) {
		t.Errorf("the model has read %q after %v", got, time.Since(began))
	}
}

// startServers is newBench with the servers of an mcp.json.
func startServers(t testing.TB, entries ...entry) *bench {
	t.Helper()
	b := newBench(t, nil, `{"tools":`+allowAll+`}`, "")
	if err := os.WriteFile("servers.json", []byte(mcpJSON(t, entries...)), 0o600); err != nil {
		t.Fatal(err)
	}
	b.mcp = mcpFlags(flag.NewFlagSet("", flag.ContinueOnError))
	b.mcp.file = "servers.json"
	t.Cleanup(b.mcp.Close)
	if err := b.connectServers(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b
}

// use calls a tool and returns what the model would read.
func (b *bench) use(tool string) string {
	return b.registry.Call(context.Background(), []Call{{tool, "{}"}}, func(int) {}, func(int, Result) {})[0].String()
}

func TestAServerThatKeepsFailingIsLeftAlone(t *testing.T) {
	b := startServers(t, entry{name: "f", fake: "failing", more: `"timeoutMs":200,"startTimeoutMs":9000`})
	b.use("mcp_f_slow")
	if code := b.mcp.ExitCode(exitOK); code != exitMissed || b.mcp.ExitCode(exitDenied) != exitDenied {
		t.Errorf("exit code %d", code)
	}
	if got := b.use("mcp_f_fine"); got != "fine" { // a success, so that counting begins anew
		t.Error(got)
	}
	for range 3 {
		b.use("mcp_f_slow")
	}
	const want = "(error) server f is not available: it has failed 3 times in a row; it is tried again in 30 s"
	if got := b.use("mcp_f_fine"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s := b.mcp.servers[0]
	b.describe(s, false)
	mustShow(t, b.out.String(), "; 5 calls, 4 failed; it has failed 3 times in a row; ")
	s.mu.Lock()
	s.missed = time.Time{}
	s.mu.Unlock()
	if got := b.use("mcp_f_fine"); got != "fine" {
		t.Error(got)
	}
}

// GEEKAGENT_LONG_TESTS makes it 100,000 calls.
func TestManyCallsKeepMemoryFlat(t *testing.T) {
	count := 3_000
	if os.Getenv("GEEKAGENT_LONG_TESTS") != "" {
		count = 100_000
	}
	b := startServers(t, plays("s", "benchquick"))
	use := func(calls int) uint64 {
		for range calls {
			if got := b.use("mcp_s_dice"); got != "Roll: 5" {
				t.Fatal(got)
			}
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, goroutines := use(1000), runtime.NumGoroutine()
	if after := use(count); after > before+1<<20 || runtime.NumGoroutine() > goroutines {
		t.Errorf("the heap grew from %d to %d bytes, goroutines from %d to %d", before, after, goroutines, runtime.NumGoroutine())
	}
}

func TestACommandIsLookedUpOnThePATHOfItsServer(t *testing.T) {
	bin := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, "only-there")); err != nil {
		t.Skip(err)
	}
	config := mcpJSON(t, entry{name: "p", fake: "demo", env: map[string]string{"PATH": bin + string(os.PathListSeparator) + "${PATH}"}})
	inFolder(t, nil, home+"/mcp.json", strings.Replace(config, quoted(self), `"only-there"`, 1))
	t.Setenv("MCP_CONFIG", "")
	if _, _, stderr := runMCP(t, "", "/panel"); stderr != "[mcp] p: connected, 2 tools (2025-06-18)\n" {
		t.Errorf("stderr %s", stderr)
	}
}

func TestTheLineThatSaysMost(t *testing.T) {
	for want, lines := range map[string]string{
		"Error: Cannot find module '/x'":                    "node:internal/modules/cjs/loader:1228\n  throw err;\n  ^\n\nError: Cannot find module '/x'\n    at Module._load (x)\n\nNode.js v20.20.2",
		"npm error 404 Not Found - GET https://r/x":         "npm error code E404\nnpm error 404 Not Found - GET https://r/x\nnpm error 404\nnpm error A complete log of this run can be found in: /x",
		"KeyError: 'TOKEN'":                                 "Traceback (most recent call last):\n  File \"x.py\", line 1, in <module>\n    raise error\nKeyError: 'TOKEN'",
		"panic: runtime error: index out of range":          "starting\npanic: runtime error: index out of range\n\ngoroutine 1 [running]:\nmain.main()\n\t/x.go:3\nexit status 2",
		"./x.go:3:2: undefined: y":                          "# command-line-arguments\n./x.go:3:2: undefined: y",
		"usage: server FILE":                                "usage: server FILE\n",
		"demoserver: DEMO_TOKEN is not set, it is required": "demoserver: DEMO_TOKEN is not set, it is required\nexit status 3",
		"": "exit status 0\n",
	} {
		if got := telling(strings.Split(lines, "\n")); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestTimesAndCallsAreTold(t *testing.T) {
	model := newFakeModel(t, calls("mcp_d_dice", "{}"))
	inMCPFolder(t, model, allowAll, plays("d", "demo"))
	_, stdout, stderr := runMCP(t, "roll\n/mcp\n", "-time")
	times := regexp.MustCompile(`\d\.\d\d\d s`)
	if got, want := times.ReplaceAllString(stderr, "T"), "[mcp] d: tools listed in T\n[mcp] d: started in T\n[mcp] d: connected, 2 tools (2025-06-18)\n"; got != want {
		t.Errorf("stderr %s, want %s", got, want)
	}
	mustShow(t, stdout, "d: protocol 2025-06-18, 2 tools, about ", "; 1 call, 0 failed\n")
}

// What a server has started ends with it: when we leave, and when it dies.
func TestNothingOfAServerIsLeft(t *testing.T) {
	mark := setMark(t)
	for _, task := range []string{"/call mcp_f_dice {}", "/call mcp_f_die {}"} {
		inMCPFolder(t, nil, allowAll, plays("f", "family"))
		began := time.Now()
		runMCP(t, "", task)
		if found := survivors(t, mark); found != "" || time.Since(began) > 5*time.Second {
			t.Errorf("%s: left after %v: %s", task, time.Since(began), found)
		}
	}
}

func TestWhatAServerMakesUsPrintIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen strings.Builder
		s := newServer(&MCP{console: newConsole(strings.NewReader(""), &screen, &screen)}, &serverConfig{name: "s"})
		for range 2 {
			for i := range 1000 {
				s.heard(fmt.Sprint("line ", i))
			}
			time.Sleep(time.Second)
		}
		s.note("odd", "%s", "\x1b[31m"+strings.Repeat("long ", 100))
		s.note("odd", "once more")
		lines := strings.Split(strings.TrimSpace(screen.String()), "\n")
		last := lines[len(lines)-1]
		if len(lines) != 2*(linesPerSecond+1)+1 || lines[50] != "[mcp] s: more than 50 lines a second; the others are left out" ||
			len([]rune(last)) != lineWidth+len("[mcp] s: ") || !strings.HasSuffix(last, "…") {
			t.Errorf("%d lines\n%s", len(lines), screen.String())
		}
	})
}

func TestNamesOfTools(t *testing.T) {
	for _, test := range []struct {
		servers, tools string // separated by |; the names are those of the first server
		want           string
	}{
		{"demo", "add|get_file", "mcp_demo_add mcp_demo_get_file"},
		{"s1", "get file.v2", "mcp_s1_get_file_v2"},
		{"s", "get_file|get.file", "mcp_s_get_file mcp_s_get_file_#"},
		{"s", "get file|get.file", "mcp_s_get_file_# mcp_s_get_file_#"},
		{"workspace-files-and-calendar", "list_all_upcoming_calendar_events_with_attendees", "mcp_workspace-files-and-calendar_list_all_upcoming_cale_#"},
		{"my.files|my_files", "x", "mcp_my_files_x_#"},
		{"my_files|my.files", "x", "mcp_my_files_x"},
		{"git|git_hub", "hub_x|y", "mcp_git_hub_x_# mcp_git_y"},
	} {
		m := &MCP{}
		for name := range strings.SplitSeq(test.servers, "|") {
			m.servers = append(m.servers, newServer(m, &serverConfig{name: name}))
		}
		var list []toolInfo
		for name := range strings.SplitSeq(test.tools, "|") {
			list = append(list, toolInfo{name: name})
		}
		names := m.servers[0].toolNames(list)
		var got []string
		for _, tool := range list {
			got = append(got, regexp.MustCompile(`_[0-9a-f]{8}$`).ReplaceAllString(names[tool.name], "_#"))
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s of %s: %s, want %s", test.tools, test.servers, got, test.want)
		}
	}
}

func TestWhatIsInvisibleGoes(t *testing.T) {
	for text, want := range map[string]string{
		"Add two numbers\U000E0069\U000E0067": "Add two numbers",
		"a\u200Bb\u202Ec\u00ADd\x07":          "abcd",
		"line\n\ttab":                         "line\n\ttab",
		"❤️‍🔥 👩‍👩‍👧 读取 नमस्‍ते": "❤️‍🔥 👩‍👩‍👧 读取 नमस्‍ते",
		"a\u200D\u200Db\uFE0F": "ab",
		"读\u200D\u200D\u200D":  "读\u200D",
		"😀\uFE0F\uFE0F\uFE01":  "😀\uFE0F",
	} {
		if got := withoutInvisible(text); got != want {
			t.Errorf("%+q became %+q, want %+q", text, got, want)
		}
	}
	if got := mapStrings(json.RawMessage(`{"a" : "x\u200by", "b\u200b":1.10, "c":["\\\"","d"]}`), withoutInvisible); string(got) != `{"a" : "xy", "b":1.10, "c":["\\\"","d"]}` {
		t.Errorf("got %s", got)
	}
}

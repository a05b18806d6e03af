package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// inMCPFolder is inFolder with an mcp.json, and rules for GeekAgent.json: {"tools": rules}.
func inMCPFolder(t testing.TB, model *fakeModel, rules string, entries ...entry) {
	t.Helper()
	inFolder(t, model, home+"/mcp.json", mcpJSON(t, entries...), home+"/GeekAgent.json", `{"tools":`+rules+`}`)
	t.Setenv("MCP_CONFIG", "")
}

// slowStart is the line about a server whose start takes longer than patience: the machine decides whether it is there.
var slowStart = regexp.MustCompile(`(?m)^\[mcp\] .*: waiting for .* Ctrl-C goes on without it\n`)

// runMCP is runAgent for an agent with servers: without the lines about slow starts on stderr.
func runMCP(t testing.TB, input string, args ...string) (code int, stdout, stderr string) {
	code, stdout, stderr = runAgent(t, input, args...)
	return code, stdout, slowStart.ReplaceAllString(stderr, "")
}

const (
	allowAll = `{"mcp_*":"allow"}`
	noRules  = `{}`
)

// mustShow fails unless the pieces stand on the screen, in this order.
func mustShow(t testing.TB, screen string, pieces ...string) {
	t.Helper()
	rest := screen
	for _, piece := range pieces {
		_, after, found := strings.Cut(rest, piece)
		if !found {
			t.Fatalf("%q is not there, or not at its place:\n%s", piece, screen)
		}
		rest = after
	}
}

// offered are the names of the tools from servers that the model got with a request.
func (f *fakeModel) offered(request int) (names []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range f.requests[request].Tools {
		if strings.HasPrefix(d.Function.Name, "mcp_") {
			names = append(names, d.Function.Name)
		}
	}
	return names
}

// read are the results that the model has read so far.
func (f *fakeModel) read() (results []string) {
	for _, m := range f.last() {
		if m.Role == "tool" {
			results = append(results, m.Content)
		}
	}
	return results
}

// mustRead fails unless these are the results that the model has read.
func (f *fakeModel) mustRead(t testing.TB, want ...string) {
	t.Helper()
	mustBeValid(t, f.last())
	if got := f.read(); !slices.Equal(got, want) {
		t.Errorf("the model has read\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// counts are the numbers of the status line, which depend on an estimate.
var counts = regexp.MustCompile(`── this turn \d+ tokens · total \d+ · context \d+%`)

func TestTheDieAndTheWordCountThroughBothQuestions(t *testing.T) {
	const request, phrase = "掷一次骰子，然后统计“模型 上下文 协议”的字符数和单词数", "模型 上下文 协议"
	model := newFakeModel(t, calls("mcp_demo_dice", "{}"), calls("mcp_demo_word_count", `{"text": "`+phrase+`"}`), says("结果如下。"))
	inMCPFolder(t, model, noRules, plays("demo", "demo"))
	code, stdout, stderr := runMCP(t, request+"\ny\ny\n")
	if code != exitOK || stderr != "[mcp] demo: connected, 2 tools (2025-06-18)\n" {
		t.Errorf("exit code %d, stderr %s", code, stderr)
	}
	mustShow(t, stdout, "│ MCP      demo(2)\n")
	_, screen, _ := strings.Cut(stdout, "You › ")
	want := request + `
About to call MCP tool: mcp_demo_dice (from server demo)
  {}
Confirm execution? [y/N/a] y
[Calling tool mcp_demo_dice → Roll: 5]
About to call MCP tool: mcp_demo_word_count (from server demo)
  {"text":"` + phrase + `"}
Confirm execution? [y/N/a] y
[Calling tool mcp_demo_word_count → Characters 9, words 3]
结果如下。
── … · MCP demo(2) ──
` + "You › \n"
	if screen = counts.ReplaceAllString(screen, "── …"); screen != want {
		t.Errorf("on the screen\n%s\nwant\n%s", screen, want)
	}
	model.mustRead(t, "Roll: 5", "Characters 9, words 3")
}

func TestTwoServersInOneTurn(t *testing.T) {
	model := newFakeModel(t, calls("mcp_one_dice", "{}", "mcp_two_word_count", `{"text":"a b"}`))
	inMCPFolder(t, model, noRules, plays("one", "demo"), plays("two", "demo"), plays("bad", "die"))
	_, _, stderr := runMCP(t, "", "-yes", "-only", "one,two", "do this and that")
	if stderr != "[mcp] one: connected, 2 tools (2025-06-18)\n[mcp] two: connected, 2 tools (2025-06-18)\n" {
		t.Error(stderr) // the third one is not even started
	}
	model.mustRead(t, "Roll: 5", "Characters 3, words 2")
}

// A server that says of a tool that it only reads gets its calls side by side: it answers when it has three of them.
func TestCallsOfOneMessageRunSideBySide(t *testing.T) {
	model := newFakeModel(t, calls("mcp_m_read", `{"n":1}`, "mcp_m_read", `{"n":2}`, "mcp_m_read", `{"n":3}`))
	inMCPFolder(t, model, allowAll, plays("m", "meets"))
	runMCP(t, "", "meet")
	model.mustRead(t, "met 1", "met 2", "met 3")
}

func TestACallWithoutModelAndKey(t *testing.T) {
	inMCPFolder(t, nil, `{"mcp_demo_word_count":"allow"}`, plays("demo", "demo"))
	for _, test := range []struct {
		args           string // with commas between them
		code           int
		stdout, stderr string
	}{
		{"-yes,/call mcp_demo_dice {}", exitOK, "Roll: 5\n", ""},
		{"/call mcp_demo_dice {}", exitDenied, "", "geekagent: mcp_demo_dice: denied: nobody can be asked\n"},
		{"/call mcp_demo_word_count {}", exitFailure, "", `geekagent: mcp_demo_word_count: not run: the required argument "text" is missing` + "\n"},
	} {
		code, stdout, stderr := runMCP(t, "", strings.Split(test.args, ",")...)
		if code != test.code || !strings.Contains(stdout, test.stdout) || !strings.Contains(stderr, test.stderr) {
			t.Errorf("%s: exit code %d, stdout %s, stderr %s", test.args, code, stdout, stderr)
		}
	}
}

func TestServerCommand(t *testing.T) {
	inMCPFolder(t, nil, `{"mcp_demo_dice":"allow"}`, plays("demo", "demo"), entry{name: "off", fake: "die", more: `"disabled":true`},
		plays("bad", "die"))
	_, stdout, _ := runMCP(t, "", "/mcp")
	tokens := regexp.MustCompile(`about \d+ tokens`)
	command := quoted(fakeLaunch("").command)
	want := "demo: protocol 2025-06-18, 2 tools, about N tokens (estimated: characters / 4); " + strings.Trim(command, `"`) + `
  mcp_demo_dice        allow  [MCP:demo] Rolls a six-sided die.
  mcp_demo_word_count  ask    [MCP:demo] Counts.
- off: disabled
× bad: exit status 3: DEMO_KEY missing
`
	if got := tokens.ReplaceAllString(stdout, "about N tokens"); got != want {
		t.Errorf("on the screen\n%s\nwant\n%s", got, want)
	}
	if _, stdout, _ = runMCP(t, "", "/mcp bad"); stdout != "× bad: exit status 3: DEMO_KEY missing\n  stderr: starting\n  stderr: DEMO_KEY missing\n  stderr: \n" {
		t.Errorf("on the screen\n%s", stdout)
	}
	if code, _, stderr := runMCP(t, "", "/mcp nope"); code != exitFailure || !strings.Contains(stderr, `geekagent: there is no MCP server "nope"; /mcp lists them`) {
		t.Errorf("exit code %d, stderr %s", code, stderr)
	}
}

func TestWithoutServersNothingIsLost(t *testing.T) {
	inFolder(t, newFakeModel(t, calls("ls", "{}")))
	_, stdout, stderr := runMCP(t, "look around\n/mcp\n")
	if stderr != "" {
		t.Errorf("stderr %s", stderr)
	}
	mustShow(t, stdout, "│ MCP      none\n", "[Calling tool ls → ", " · MCP none ──\n", "No MCP servers; .geekagent/mcp.json, or the file of -mcp, would name them.\n")
}

func TestArgumentsArriveByteForByte(t *testing.T) {
	const args = `{"id":1234567890123456789,"price":1.10,"big":1e400,"html":"<b>&","escaped":"\u00e9"}`
	model := newFakeModel(t, calls("mcp_echo_echo", args))
	inMCPFolder(t, model, allowAll, plays("echo", "echo"))
	if code, _, stderr := runMCP(t, "", "echo"); code != exitOK {
		t.Errorf("exit code %d, stderr %s", code, stderr)
	}
	model.mustRead(t, args)
}

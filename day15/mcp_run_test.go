package main

import (
	"bytes"
	"os"
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
	for _, test := range []struct{ name, request, phrase, counted, answer string }{
		{"in English", `Roll the die once, then count the characters and words in the phrase "Model Context Protocol"`,
			"Model Context Protocol", "Characters 22, words 3", "Here is what I found:\n1. Roll: 5\n2. Characters 22, words 3"},
		{"in Chinese", "掷一次骰子，然后统计“模型 上下文 协议”的字符数和单词数", "模型 上下文 协议", "Characters 9, words 3", "结果如下：\n1. Roll: 5\n2. Characters 9, words 3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			model := newFakeModel(t, calls("mcp_demo_dice", "{}"),
				calls("mcp_demo_word_count", `{"text": "`+test.phrase+`"}`), says(test.answer))
			inMCPFolder(t, model, noRules, entry{name: "demo", fake: "demo"})
			code, stdout, stderr := runMCP(t, test.request+"\ny\ny\n")
			if code != exitOK || stderr != "[mcp] demo: connected, 2 tools (2025-06-18)\n" {
				t.Errorf("exit code %d, stderr %s", code, stderr)
			}
			mustShow(t, stdout, "│ MCP      demo(2)\n")
			_, screen, _ := strings.Cut(stdout, "You › ")
			screen = counts.ReplaceAllString(screen, "── …")
			want := test.request + `
About to call MCP tool: mcp_demo_dice (from server demo)
  {}
Confirm execution? [y/N/a] y
[Calling tool mcp_demo_dice → Roll: 5]
About to call MCP tool: mcp_demo_word_count (from server demo)
  {"text":"` + test.phrase + `"}
Confirm execution? [y/N/a] y
[Calling tool mcp_demo_word_count → ` + test.counted + `]
` + test.answer + `
── … · MCP demo(2) ──
` + "You › \n"
			if screen != want {
				t.Errorf("on the screen\n%s\nwant\n%s", screen, want)
			}
			model.mustRead(t, "Roll: 5", test.counted)
		})
	}
}

func TestTwoServersInOneTurn(t *testing.T) {
	for _, test := range []struct {
		name, task string
		answers    []string
		results    []string
		done       string
	}{
		{"a sum of one, a count of the other", `add 2 and 3, then count the words in "one two three four"`,
			[]string{calls("mcp_notes_add", `{"a":2,"b":3}`), calls("mcp_demo_word_count", `{"text":"one two three four"}`)},
			[]string{"5", "Characters 18, words 4"}, "--- done in 3 steps, "},
		{"two calls of one message", `get the weather in Siem Reap, then save a note called "trip" with "bring umbrella"`,
			[]string{calls("mcp_notes_get_weather", `{"city":"Siem Reap"}`, "mcp_notes_save_note", `{"title":"trip","content":"bring umbrella"}`),
				calls("mcp_notes_read_note", `{"title":"trip"}`)},
			[]string{"Siem Reap: sunny, 31 °C", "saved trip", "bring umbrella"}, "--- done in 3 steps, "},
		{"no tool fits", "make me a sandwich", nil, nil, "--- done in 1 step, "},
	} {
		t.Run(test.name, func(t *testing.T) {
			model := newFakeModel(t, append(test.answers, says("I am done."))...)
			inMCPFolder(t, model, noRules, entry{name: "demo", fake: "demo"}, entry{name: "notes", fake: "notes"}, entry{name: "bad", fake: "die"})
			code, stdout, stderr := runMCP(t, "", "-yes", "-only", "demo,notes", test.task)
			if code != exitOK || stderr != "[mcp] demo: connected, 2 tools (2025-06-18)\n[mcp] notes: connected, 5 tools (2025-06-18)\n" {
				t.Errorf("exit code %d, stderr %s", code, stderr) // the third one is not even started
			}
			model.mustRead(t, test.results...)
			for _, result := range test.results {
				mustShow(t, stdout, "result  "+result+"\n")
			}
			mustShow(t, stdout, "answer  I am done.\n", test.done)
			if offered := model.offered(0); len(offered) != 7 {
				t.Errorf("the model was offered %q", offered)
			}
		})
	}
}

func TestOneShotTaskOnTheScreen(t *testing.T) {
	model := newFakeModel(t, calls("mcp_demo_dice", ""), says("Result: 5"))
	inMCPFolder(t, model, noRules, entry{name: "demo", fake: "demo"})
	code, stdout, _ := runMCP(t, "", "-yes", "roll")
	if want := "step 1  call    mcp_demo_dice \nstep 1  result  Roll: 5\nstep 2  answer  Result: 5\n--- done in 2 steps, "; code != exitOK || !strings.HasPrefix(stdout, want) {
		t.Errorf("exit code %d, screen\n%s\nwant\n%s", code, stdout, want)
	}
}

func TestTwoCopiesOfOneServer(t *testing.T) {
	model := newFakeModel(t,
		calls("mcp_home_save_note", `{"title":"shopping","content":"rice"}`, "mcp_work_save_note", `{"title":"report","content":"late"}`),
		calls("mcp_home_list_notes", "{}", "mcp_work_list_notes", "{}"))
	inMCPFolder(t, model, allowAll, entry{name: "home", fake: "notes"}, entry{name: "work", fake: "notes"})
	if code, stdout, stderr := runMCP(t, "", "note it"); code != exitOK {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	model.mustRead(t, "saved shopping", "saved report", "shopping", "report")
	names := model.offered(0)
	if unique := slices.Compact(slices.Clone(names)); len(names) != 10 || len(unique) != 10 {
		t.Errorf("the model was offered %q", names)
	}
}

func TestACallWithoutModelAndKey(t *testing.T) {
	for _, test := range []struct {
		name, task, rules string
		yes               bool
		code              int
		stdout, stderr    string
	}{
		{"answered", "/call mcp_demo_dice {}", noRules, true, exitOK, "Roll: 5\n", ""},
		{"allowed by a rule", "/call mcp_demo_dice {}", allowAll, false, exitOK, "Roll: 5\n", ""},
		{"nobody can be asked", "/call mcp_demo_dice {}", noRules, false, exitDenied, "", "geekagent: mcp_demo_dice: denied: nobody can be asked\n"},
		{"a required argument is missing", "/call mcp_demo_word_count {}", allowAll, false, exitFailure, "",
			`geekagent: mcp_demo_word_count: not run: the required argument "text" is missing` + "\n"},
		{"no such tool", "/call mcp_demo_die {}", allowAll, false, exitFailure, "", `there is no tool named "mcp_demo_die"`},
		{"the list", "/tools", noRules, false, exitOK, "mcp_demo_dice", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			inMCPFolder(t, nil, test.rules, entry{name: "demo", fake: "demo"})
			args := []string{"-wire", "wire.log", test.task}
			if test.yes {
				args = slices.Insert(args, 0, "-yes")
			}
			code, stdout, stderr := runMCP(t, "", args...)
			if code != test.code || !strings.Contains(stdout, test.stdout) || !strings.Contains(stderr, test.stderr) {
				t.Errorf("exit code %d, stdout %s, stderr %s", code, stdout, stderr)
			}
			if sent := frames(t, "wire.log", "demo", "→", "tools/call"); (len(sent) == 1) != (stdout == "Roll: 5\n") {
				t.Errorf("sent %q", sent)
			}
		})
	}
}

func TestServerCommand(t *testing.T) {
	inMCPFolder(t, nil, `{"mcp_demo_dice":"allow"}`, entry{name: "demo", fake: "demo"}, entry{name: "off", fake: "die", more: `"disabled":true`},
		entry{name: "bad", fake: "die"})
	code, stdout, stderr := runMCP(t, "", "/mcp")
	if code != exitOK {
		t.Errorf("exit code %d, stderr %s", code, stderr)
	}
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
	if code, _, stderr = runMCP(t, "", "/mcp nope"); code != exitFailure || !strings.Contains(stderr, `geekagent: there is no MCP server "nope"; /mcp lists them`) {
		t.Errorf("exit code %d, stderr %s", code, stderr)
	}
}

func TestWithoutServersNothingIsLost(t *testing.T) {
	model := newFakeModel(t, calls("ls", "{}"))
	inFolder(t, model)
	t.Setenv("MCP_CONFIG", "")
	code, stdout, stderr := runMCP(t, "look around\n/mcp\n")
	if code != exitOK || stderr != "" {
		t.Errorf("exit code %d, stderr %s", code, stderr)
	}
	mustShow(t, stdout, "│ MCP      none\n", "[Calling tool ls → ", " · MCP none ──\n", "No MCP servers; .geekagent/mcp.json, or the file of -mcp, would name them.\n")
	if len(model.requests[0].Tools) == 0 || model.offered(0) != nil {
		t.Errorf("offered %+v", model.requests[0].Tools)
	}
}

func TestArgumentsArriveByteForByte(t *testing.T) {
	const args = `{"id":1234567890123456789,"price":1.10,"big":1e400,"html":"<b>&","escaped":"\u00e9"}`
	model := newFakeModel(t, calls("mcp_echo_echo", args))
	inMCPFolder(t, model, allowAll, entry{name: "echo", fake: "echo"})
	if code, _, stderr := runMCP(t, "", "echo"); code != exitOK {
		t.Errorf("exit code %d, stderr %s", code, stderr)
	}
	model.mustRead(t, args)
}

// A skill knows nothing of servers: it names tools, and theirs are tools.
func TestASkillNarrowsTheToolsOfServersToo(t *testing.T) {
	const skill = "---\nname: roller\ndescription: rolls\ntools: ls, mcp_demo_d*\n---\nYou roll dice.\n"
	model := newFakeModel(t, calls("mcp_demo_word_count", `{"text":"x"}`), calls("mcp_demo_dice", "{}"), says("ok"))
	inMCPFolder(t, model, allowAll, entry{name: "demo", fake: "demo"})
	if err := replaceFile(home+"/skills/roller/SKILL.md", []byte(skill)); err != nil {
		t.Fatal(err)
	}
	_, stdout, _ := runMCP(t, "/use roller\nroll\n/unuse\nagain\n")
	if got := model.offered(0); !slices.Equal(got, []string{"mcp_demo_dice"}) || len(model.requests[0].Tools) != 2 {
		t.Errorf("with the skill the model is offered %q", got)
	}
	if got := model.offered(3); len(got) != 2 {
		t.Errorf("without it, %q", got)
	}
	if got := model.read(); !strings.HasPrefix(got[0], `(error) there is no tool named "mcp_demo_word_count"`) || got[1] != "Roll: 5" {
		t.Errorf("the model has read %q\n%s", got, stdout)
	}
}

// The server answers when it has three calls.
func TestCallsOfOneMessageRunSideBySide(t *testing.T) {
	model := newFakeModel(t, calls("mcp_m_read", "{}", "mcp_m_read", "{}", "mcp_m_read", "{}"))
	inMCPFolder(t, model, allowAll, entry{name: "m", fake: "meets"})
	runMCP(t, "", "meet")
	model.mustRead(t, "met", "met", "met")
}

// Without the hint that it only reads, a tool is called for the second time when the first call is over.
func TestCallsThatMayWriteRunOneAfterTheOther(t *testing.T) {
	model := newFakeModel(t, calls("mcp_notes_save_note", `{"title":"a"}`, "mcp_notes_list_notes", "{}", "mcp_notes_save_note", `{"title":"b"}`))
	inMCPFolder(t, model, allowAll, entry{name: "notes", fake: "notes"})
	runMCP(t, "", "-wire", "wire.log", "note it")
	model.mustRead(t, "saved a", "a", "saved b")
	log, err := os.ReadFile("wire.log")
	if err != nil {
		t.Fatal(err)
	}
	_, log, _ = bytes.Cut(log, []byte(`"method":"tools/call"`))
	var arrows string
	for line := range bytes.Lines(log) {
		if _, frame, found := bytes.Cut(line, []byte("notes ")); found {
			arrows += string([]rune(string(frame))[0])
		}
	}
	if arrows != "←→←→←" {
		t.Errorf("after the first call went out, the messages went %s", arrows)
	}
}

func TestWhatAServerSaysOfItself(t *testing.T) {
	inMCPFolder(t, nil, noRules, entry{name: "demo", fake: "demo"})
	_, stdout, _ := runMCP(t, "", "/mcp demo")
	mustShow(t, stdout, "  calls itself: demo 1.0.0\n  its instructions: Be kind.\n")
}

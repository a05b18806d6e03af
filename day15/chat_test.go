package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestArgumentsThatModelsSend(t *testing.T) {
	for _, test := range []struct{ name, arguments, ran, kept, result string }{
		{"empty", `""`, "{}", "{}", "noon"},
		{"white space", `"  "`, "{}", "{}", "noon"},
		{"null as text", `"null"`, "{}", "{}", "noon"},
		{"null", `null`, "{}", "{}", "noon"},
		{"an object instead of text", `{"a": 1}`, `{"a":1}`, `{"a":1}`, "noon"},
		{"19 digits keep their digits", `"{\"id\":1234567890123456789}"`, `{"id":1234567890123456789}`, `{"id":1234567890123456789}`, "noon"},
		{"cut off", `"{\"a\":"`, "", "{}", `(error) not run: the arguments are not a JSON object: unexpected end of JSON input`},
		{"a list", `"[1]"`, "", "{}", "(error) not run: the arguments are not a JSON object"},
		{"a text", `"\"x\""`, "", "{}", "(error) not run: the arguments are not a JSON object"},
		{"two objects", `"{}{}"`, "", "{}", "(error) not run: the arguments are not a JSON object"},
	} {
		t.Run(test.name, func(t *testing.T) {
			model := newFakeModel(t, deltas("tool_calls", `{"tool_calls":[{"index":0,"id":"c1","function":{"name":"now","arguments":`+test.arguments+`}}]}`))
			b := newBench(t, model, "", "")
			b.add(t, "now", Allow, "noon")
			b.turn(t, "go")
			if ran := strings.TrimPrefix(strings.Join(b.ran, "|"), "now "); ran != test.ran {
				t.Errorf("ran with %q, want %q", ran, test.ran)
			}
			if kept := model.last()[1].ToolCalls[0].Function.Arguments; kept != test.kept {
				t.Errorf("the history has %q, want %q", kept, test.kept)
			}
			mustHear(t, model, test.result)
		})
	}
}

// mustHear fails unless the results in the last request begin like this, and their history is valid.
func mustHear(t *testing.T, model *fakeModel, want ...string) {
	t.Helper()
	mustBeValid(t, model.last())
	var got []string
	for _, m := range model.last() {
		if m.Role == "tool" {
			got = append(got, m.Content)
		}
	}
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("the model read\n%.800q\nwant\n%q", got, want)
	}
}

func TestMissingRequiredArgumentIsNamedAndNotAskedAbout(t *testing.T) {
	model := newFakeModel(t, calls("save", `{"title":"x"}`))
	b := newBench(t, model, "", "y\n")
	b.register(t, Tool{Name: "save", Parameters: json.RawMessage(`{"type":"object","required":["title","content"]}`),
		Run: func(context.Context, json.RawMessage) (string, error) { t.Error("it ran"); return "", nil }})
	b.turn(t, "go")
	mustHear(t, model, `(error) not run: the required argument "content" is missing`)
	if strings.Contains(b.out.String(), "Confirm") {
		t.Error("a call that cannot run was asked about")
	}
}

func TestUnknownTools(t *testing.T) {
	long := strings.Repeat("x", 65)
	model := newFakeModel(t, calls("calculator", "{}", "now", "{}"), calls("search", "{}", "", "{}", "bad name!", "{}", long, "{}"))
	b := newBench(t, model, "", "")
	b.add(t, "now", Allow, "noon")
	b.add(t, "mcp_s1_search", Ask, "found")
	b.turn(t, "go")
	mustHear(t, model, `(error) there is no tool named "calculator"; there are: mcp_s1_search, now`, "noon",
		`(error) there is no tool named "search"; close to it: mcp_s1_search`, `(error) there is no tool named ""`,
		`(error) there is no tool named "bad name!"`, `(error) there is no tool named "`+long+`"`)
	for i, want := range []string{"search", "unknown", "unknown", "unknown"} { // which the API takes
		if kept := model.last()[4].ToolCalls[i].Function.Name; kept != want {
			t.Errorf("%q was kept as %q", want, kept)
		}
	}
	if strings.Contains(b.out.String(), "Confirm") || len(b.ran) != 1 {
		t.Errorf("an unknown tool was asked about or guessed: ran %q, screen %s", b.ran, b.out.String())
	}
}

func TestNamesInTheMessageAreBounded(t *testing.T) {
	b := newBench(t, nil, "", "")
	for i := range 100 {
		b.add(t, fmt.Sprintf("tool_%03d", i), Allow, "")
	}
	_, err := b.registry.Lookup("zzz")
	if err == nil || strings.Count(err.Error(), "tool_") != 20 {
		t.Errorf("error %v", err)
	}
}

func TestModelThatNeverStops(t *testing.T) {
	var answers []string
	for i := range maxSteps {
		answers = append(answers, calls("add", fmt.Sprintf(`{"n":%d}`, i)))
	}
	model := newFakeModel(t, append(answers, says("at last"))...)
	b := newBench(t, model, "", "")
	b.add(t, "add", Allow, "ok")
	turn := b.turn(t, "go")
	if !turn.Limited || turn.Steps != maxSteps || len(b.ran) != maxSteps {
		t.Fatalf("turn %+v, %d calls", turn, len(b.ran))
	}
	mustBeValid(t, b.chat.History)
	turn = b.turn(t, "and now?")
	if turn.Limited || turn.Steps != 1 {
		t.Errorf("the next turn: %+v", turn)
	}
}

func TestOutputCutOffAtTheLengthLimit(t *testing.T) {
	model := newFakeModel(t, deltas("length", `{"content":"once upon","tool_calls":[{"index":0,"id":"c1","function":{"name":"now","arguments":"{\"path\":\"/et"}}]}`),
		deltas("length", `{"content":"a time"}`))
	b := newBench(t, model, "", "")
	b.add(t, "now", Allow, "noon")
	b.turn(t, "go")
	mustHear(t, model, "(error) "+errCutOff.Error())
	if last := b.chat.History[3].Content; len(b.ran) != 0 || last != "a time" || strings.Count(b.out.String(), `was cut off ("length")`) != 2 {
		t.Errorf("ran %q, kept %q, screen %s", b.ran, last, b.out.String())
	}
}

func TestHugeResults(t *testing.T) {
	for _, test := range []struct{ name, result string }{
		{"3 MB of two-byte characters in one line", strings.Repeat("é", 1_500_000)},
		{"the same, off by one byte", "x" + strings.Repeat("é", 1_500_000)},
		{"200 blocks of 20 KB", strings.Repeat(strings.Repeat("b", 20_000)+"\n", 200)},
		{"invalid UTF-8", strings.Repeat("caf\xe9 ", 100_000)},
	} {
		t.Run(test.name, func(t *testing.T) {
			model := newFakeModel(t, calls("big", "{}"))
			b := newBench(t, model, "", "")
			b.add(t, "big", Allow, "HEAD"+test.result+"TAIL")
			b.turn(t, "go")
			got := model.last()[2].Content
			if len(got) > maxResult || !strings.HasPrefix(got, "HEAD") || !strings.HasSuffix(got, "TAIL") || !strings.Contains(got, "bytes in all") {
				t.Errorf("%d bytes, begins %q, ends %q", len(got), got[:20], got[len(got)-20:])
			}
			if utf8.ValidString(test.result) && strings.ContainsRune(got, '\ufffd') {
				t.Error("a character was cut in half")
			}
			if b.out.Len() > 1000 {
				t.Errorf("the screen shows %d bytes", b.out.Len())
			}
		})
	}
}

func TestFailedRequestLeavesTheHistoryAsItWas(t *testing.T) {
	for _, test := range []struct {
		name     string
		answers  []string
		messages int // in the history after the failure
	}{
		{"at the first step", []string{events(`{"choices":[{"delta":{"content":"half"}}]}`)}, 0},
		{"after a tool call", []string{calls("now", "{}"), events(`{"choices":[{"delta":{"content":"half"}}]}`)}, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			model := newFakeModel(t, append(test.answers, says("hello"))...)
			b := newBench(t, model, "", "")
			b.add(t, "now", Allow, "noon")
			if _, err := b.chat.Turn(t.Context(), "go"); err == nil {
				t.Fatal("no error")
			}
			if len(b.chat.History) != test.messages {
				t.Errorf("%d messages: %v", len(b.chat.History), b.chat.History)
			}
			b.turn(t, "again")
			mustBeValid(t, model.last())
			if strings.Contains(fmt.Sprint(model.last()), "half") {
				t.Error("half a message was kept")
			}
		})
	}
}

func TestAfterCtrlCNothingMoreRunsOrIsAskedAbout(t *testing.T) {
	model := newFakeModel(t, calls("slow", "{}", "write", "{}", "ask", "{}"))
	b := newBench(t, model, "", "y\n")
	ctx, cancel := context.WithCancel(t.Context())
	b.register(t, Tool{Name: "slow", Policy: Allow, Run: func(ctx context.Context, _ json.RawMessage) (string, error) {
		cancel() // as the signal would
		<-ctx.Done()
		return "", ctx.Err()
	}})
	b.add(t, "write", Allow, "written")
	b.add(t, "ask", Ask, "asked")
	if _, err := b.chat.Turn(ctx, "go"); err != context.Canceled {
		t.Fatalf("error %v", err)
	}
	mustBeValid(t, b.chat.History)
	if len(b.ran) != 0 || strings.Contains(b.out.String(), "Confirm") {
		t.Errorf("ran %q, screen %s", b.ran, b.out.String())
	}
	b.turn(t, "go on")
	mustHear(t, model, "(error) interrupted by the user while it ran, perhaps half done",
		"(error) not run: interrupted by the user", "(error) not run: interrupted by the user")
}

func TestToolThatPanics(t *testing.T) {
	model := newFakeModel(t, calls("bad", "{}"))
	b := newBench(t, model, "", "")
	b.register(t, Tool{Name: "bad", Policy: Allow, Run: func(context.Context, json.RawMessage) (string, error) { panic("oops") }})
	b.turn(t, "go")
	mustHear(t, model, "(error) bad failed: oops")
}

func TestToolsThatComeWhileATurnRuns(t *testing.T) {
	model := newFakeModel(t, calls("grow", "{}"))
	b := newBench(t, model, "", "")
	b.register(t, Tool{Name: "grow", Policy: Allow, Run: func(context.Context, json.RawMessage) (string, error) {
		b.add(t, "extra", Ask, "")
		b.registry.Unregister("grow")
		return "grown", nil
	}})
	b.turn(t, "go")
	tools := model.requests[1].Tools
	if len(tools) != 1 || tools[0].Function.Name != "extra" {
		t.Errorf("the second request offers %v", tools)
	}
}

func TestSecretsAreNotKept(t *testing.T) {
	t.Setenv("DEMO_TOKEN", "s3cr3t-value")
	model := newFakeModel(t, calls("env", `{"a":"s3cr3t-value"}`), deltas("stop", `{"content":"It is s3cr"}`, `{"content":"3t-value."}`))
	b := newBench(t, model, "", "")
	b.add(t, "env", Allow, "DEMO_TOKEN=s3cr3t-value")
	b.turn(t, "is it s3cr3t-value?")
	b.turn(t, "what was it?")
	if all := strings.Join(model.bodies, "") + b.out.String(); strings.Contains(all, "s3cr3t") || strings.Count(all, "[REDACTED:DEMO_TOKEN]") < 5 {
		t.Errorf("the secret got out, or was not marked: %s", all)
	}
	if len(b.ran) != 1 || b.ran[0] != `env {"a":"s3cr3t-value"}` {
		t.Errorf("ran %q", b.ran)
	}
}

func TestOldResultsMakeRoom(t *testing.T) {
	const full = `data: {"choices":[],"usage":{"total_tokens":57600}}` + "\n\n"
	var answers []string
	for range 6 {
		answers = append(answers, calls("big", "{}"))
	}
	answers[5] = full + answers[5]
	model := newFakeModel(t, append(answers, full+says("done"))...)
	b := newBench(t, model, "", "")
	b.add(t, "big", Allow, "HEAD "+strings.Repeat("x", 200_000)) // 8,000 tokens of it are kept
	b.turn(t, "go")
	mustHear(t, model, "[This", "[This", "[This", "HEAD", "HEAD", "HEAD")
	if !strings.Contains(b.out.String(), "(The conversation fills its context: 3 old tool results replaced by one line each.)") {
		t.Errorf("the screen says nothing of it: %s", b.out.String())
	}
}

func TestInstructionsOfTheProject(t *testing.T) {
	model := newFakeModel(t)
	b := newBench(t, model, "", "")
	for _, text := range []string{"Use tabs.", strings.Repeat("x", 40<<10)} {
		if err := os.WriteFile("AGENTS.md", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		b.turn(t, "go")
		system := model.requests[len(model.requests)-1].Messages[0].Content
		if n := strings.Count(system, "x"); !strings.Contains(system, text[:9]) || n > maxInstructions+10 {
			t.Errorf("the system prompt has %d bytes: %.400s", len(system), system)
		}
	}
}

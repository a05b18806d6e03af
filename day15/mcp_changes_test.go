package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestNewToolsAreOfferedWithTheNextRequest(t *testing.T) {
	model := newFakeModel(t, oneByOne("mcp_c_grow", "mcp_c_old", "mcp_c_extra")...)
	inMCPFolder(t, model, `{"mcp_c_grow":"allow"}`, plays("c", "changing"))
	_, stdout, _ := runMCP(t, "grow\ny\n/mcp\n") // extra has no rule: it is asked about
	for request, want := range []string{"mcp_c_old", "mcp_c_extra"} {
		if got := model.offered(request); !slices.Contains(got, want) || len(got) != 7 {
			t.Errorf("with request %d the model is offered %q", request, got)
		}
	}
	if got := model.read(); len(got) != 3 || !strings.HasPrefix(got[1], `(error) there is no tool named "mcp_c_old"; there are: `) || got[2] != "extra" {
		t.Errorf("the model has read %q", got)
	}
	mustShow(t, stdout, "About to call MCP tool: mcp_c_extra (from server c)\n", "  mcp_c_extra     ask    [MCP:c] extra\n")
}

func TestAListThatIsLostLeavesTheOldOne(t *testing.T) {
	t.Parallel()
	model := newFakeModel(t, oneByOne("mcp_c_lose", "mcp_c_old")...)
	_, _, stderr := newChild(t, model, []entry{plays("c", "changing")}, "lose it").run("")
	model.mustRead(t, "lost", "old")
	if first, next := model.offered(0), model.offered(1); !slices.Equal(first, next) || len(next) != 7 {
		t.Errorf("the model is offered %q, then %q", first, next)
	}
	if want := "[mcp] c: its new list of tools could not be read, the old one stays: tools/list: the list is lost (code -32603)\n"; !strings.HasSuffix(stderr, want) {
		t.Errorf("stderr %s, want %s", stderr, want)
	}
}

// A server that forgets a tool without a word is found out by the call that it refuses.
func TestAToolThatTheServerDoesNotKnowAnyMore(t *testing.T) {
	t.Parallel()
	model := newFakeModel(t, oneByOne("mcp_c_forget", "mcp_c_old")...)
	newChild(t, model, []entry{plays("c", "changing")}, "forget it").run("")
	model.mustRead(t, "forgotten", "(error) Unknown tool: old (code -32602)")
	if got := model.offered(1); !slices.Contains(got, "mcp_c_old") {
		t.Errorf("nobody has said anything, but the model is offered %q", got)
	}
	if got := model.offered(2); slices.Contains(got, "mcp_c_old") {
		t.Errorf("after the refusal the model is offered %q", got)
	}
}

const caution = "Caution: the definition of this tool changed since it was first seen: "

// A rule, and the answer "always", are for the definition that a person has seen.
func TestAToolThatChangedIsAskedAboutAgain(t *testing.T) {
	for _, test := range []struct{ rules, change, input, last string }{ // last is what the model reads then
		{`{"mcp_c_describe":"allow"}`, "describe", "a\nn\n", "(error) denied by the user"},
		{`{"mcp_c_widen":"allow"}`, "widen", "a\ny\n", "sent"},
		{allowAll, "describe", "n\n", "(error) denied by the user"},
	} {
		t.Run(test.change+test.input, func(t *testing.T) {
			model := newFakeModel(t, calls("mcp_c_send", "{}"), calls("mcp_c_"+test.change, "{}"), calls("mcp_c_send", "{}"))
			inMCPFolder(t, model, test.rules, plays("c", "changing"))
			_, stdout, _ := runMCP(t, "send twice\n"+test.input)
			mustShow(t, stdout, "[Calling tool mcp_c_send → sent]", "About to call MCP tool: mcp_c_send (from server c)\n  {}\n"+caution)
			if got := model.read(); len(got) != 3 || got[0] != "sent" || got[2] != test.last {
				t.Errorf("the model has read %q", got)
			}
		})
	}
}

func TestNoMoreToolsThanTheAPITakesAreOffered(t *testing.T) {
	model := newFakeModel(t, oneByOne("mcp_a_t99", "mcp_b_t99")...)
	inMCPFolder(t, model, allowAll, plays("a", "many"), plays("b", "many"))
	_, stdout, stderr := runMCP(t, "call some\n/mcp\n")
	left := 200 - len(model.offered(0))
	warning := fmt.Sprintf("[mcp] 200 tools, but the model's API takes no more than 128, those of the agent included; left out: %d, the last of the file. "+
		`Choose some with "tools": ["get_*", …] in the server's entry`+"\n", left)
	if len(model.requests[0].Tools) != maxTools || strings.Count(stderr, warning) != 1 {
		t.Errorf("%d tools, stderr\n%s\nwant once\n%s", len(model.requests[0].Tools), stderr, warning)
	}
	if got := model.read(); got[0] != "done" || !strings.HasPrefix(got[1], `(error) there is no tool named "mcp_b_t99"`) {
		t.Errorf("the model has read %q", got)
	}
	mustShow(t, stdout, "a: protocol 2025-06-18, 100 tools", fmt.Sprintf("b: protocol 2025-06-18, %d tools", 100-left))
}

func TestToolsChosenInTheConfiguration(t *testing.T) {
	model := newFakeModel(t)
	inMCPFolder(t, model, noRules, entry{name: "a", fake: "many", more: `"tools":["t0?","mcp_a_t42","nope*"]`}, entry{name: "b", fake: "many", more: `"tools":[]`})
	_, _, stderr := runMCP(t, "", "go")
	if got := model.offered(0); len(got) != 11 || got[10] != "mcp_a_t42" {
		t.Errorf("the model is offered %q", got)
	}
	mustShow(t, stderr, `tools: "nope*" matches none of its 100 tools`, "a: connected, 11 tools", "b: connected, 0 tools")
}

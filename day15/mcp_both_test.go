package main

import (
	"net/http"
	"strings"
	"testing"
)

func TestAServerHereAndOneFarAwayInOneTurn(t *testing.T) {
	far := newWeb(t, legacy("A", func(w http.ResponseWriter, _ *http.Request, m rpcMessage) {
		reply(w, 200, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"Far roll: 3"}]}}`, m.ID)
	}))
	model := newFakeModel(t, calls("mcp_demo_word_count", `{"text":"a b"}`, "mcp_far_dice", "{}"))
	servers := strings.TrimSuffix(mcpJSON(t, entry{name: "demo", fake: "demo"}), "\n}}\n") +
		",\n\"far\":{\"url\":" + quoted(far.URL) + "}\n}}\n"
	inFolder(t, model, home+"/mcp.json", servers, home+"/GeekAgent.json", `{"tools":{"mcp_*":"allow"}}`)
	code, _, stderr := runMCP(t, "", "count and roll")
	if code != exitOK {
		t.Errorf("exit code %d", code)
	}
	mustShow(t, stderr, "[mcp] demo: connected, 2 tools", "[mcp] far: connected, 1 tool")
	model.mustRead(t, "Characters 3, words 2", "Far roll: 3")
	if asked := far.asked(); !strings.HasSuffix(asked, "DELETE A 2025-06-18") {
		t.Errorf("the session was not given back:\n%s", asked)
	}
}

package main

import "testing"

func TestPoliciesOfServerTools(t *testing.T) {
	const dice, asked = "[Calling tool mcp_demo_dice → Roll: 5]", "About to call MCP tool: mcp_demo_dice (from server demo)\n  {}\nConfirm execution? [y/N/a] "
	for _, test := range []struct{ rules, input, screen, model string }{
		{`{"mcp_demo_dice":"deny","mcp_*":"allow"}`, "", "You › roll\n[Calling tool mcp_demo_dice → ",
			"(error) denied by policy: .geekagent/GeekAgent.json does not allow mcp_demo_dice"},
		{`{"mcp_demo2_*":"allow"}`, "y\n", asked + "y\n" + dice, "Roll: 5"},
		{noRules, "n\n", asked + "n\n", "(error) denied by the user"},
		{noRules, "a\n", asked + "a\nmcp_demo_dice is always allowed from now on: saved in .geekagent/GeekAgent.json.\n" + dice, "Roll: 5"},
	} {
		t.Run(test.rules+test.input, func(t *testing.T) {
			model := newFakeModel(t, calls("mcp_demo_dice", "{}"))
			inMCPFolder(t, model, test.rules, plays("demo", "demo"))
			_, stdout, _ := runMCP(t, "roll\n"+test.input, "-wire", "wire.log")
			mustShow(t, stdout, test.screen)
			model.mustRead(t, test.model)
			if sent := frames(t, "wire.log", "demo", "→", "tools/call"); (len(sent) == 1) != (test.model == "Roll: 5") {
				t.Errorf("sent %q", sent)
			}
		})
	}
}

// A server says of its tool that it only reads. It is asked about all the same, and each of its calls by itself.
func TestAHintIsNoPermission(t *testing.T) {
	model := newFakeModel(t, calls("mcp_f_fine", "{}", "mcp_f_fine", `{"again":true}`))
	inMCPFolder(t, model, noRules, plays("f", "failing"))
	_, stdout, _ := runMCP(t, "read\nn\ny\n")
	mustShow(t, stdout, "(from server f)\n  {}\nConfirm execution? [y/N/a] n\n", "(from server f)\n  {\"again\":true}\nConfirm execution? [y/N/a] y\n")
	model.mustRead(t, "(error) denied by the user", "fine")
}

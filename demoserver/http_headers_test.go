package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
)

// What a well-behaved modern client sends with a request.
const (
	modernList  = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + modernMeta + `}}`
	modernDice  = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + modernMeta + `,"name":"dice"}}`
	listHeaders = "MCP-Protocol-Version: 2026-07-28; Mcp-Method: tools/list"
	callHeaders = "MCP-Protocol-Version: 2026-07-28; Mcp-Method: tools/call"
)

func TestHTTPStatus(t *testing.T) {
	tests := []struct {
		name, protocol, method, headers, body string
		status                                int
		answer                                string // part of it
	}{
		{"a modern call", "both", "POST", callHeaders + "; Mcp-Name: dice", modernDice, 200, `"text":"Roll: 5"`},
		{"an encoded name", "both", "POST", callHeaders + "; Mcp-Name: =?base64?ZGljZQ==?=", modernDice, 200, `"text":"Roll: 5"`},
		{"a session id means nothing to modern", "both", "POST", listHeaders + "; Mcp-Session-Id: x", modernList, 200, `"tools":[`},
		{"a modern notification", "both", "POST", "MCP-Protocol-Version: 2026-07-28", `{"jsonrpc":"2.0","method":"x"}`, 202, ""},
		{"an unknown tool is no HTTP error", "both", "POST", callHeaders + "; Mcp-Name: nope", strings.Replace(modernDice, "dice", "nope", 1), 200, `"code":-32602`},
		{"an unknown modern method", "both", "POST", "MCP-Protocol-Version: 2026-07-28; Mcp-Method: ping", strings.Replace(modernList, "tools/list", "ping", 1), 404, `"id":1,"error":{"code":-32601`},

		{"no version header", "both", "POST", "Mcp-Method: tools/list", modernList, 400, `{"code":-32020,"message":"header MCP-Protocol-Version is \"\", the body says \"2026-07-28\""}`},
		{"another version in the header", "both", "POST", "MCP-Protocol-Version: 2025-11-25; Mcp-Method: tools/list", modernList, 400, `"code":-32020`},
		{"another version in the body", "both", "POST", listHeaders, strings.Replace(modernList, "2026", "2099", 1), 400, `"code":-32020`},
		{"no method header", "both", "POST", "MCP-Protocol-Version: 2026-07-28", modernList, 400, `{"code":-32020,"message":"header Mcp-Method is \"\", the body says \"tools/list\""}`},
		{"another method in the header", "both", "POST", callHeaders, modernList, 400, `"code":-32020`},
		{"no name header", "both", "POST", callHeaders, modernDice, 400, `{"code":-32020,"message":"header Mcp-Name is \"\", the body says \"dice\""}`},
		{"another name in the header", "both", "POST", callHeaders + "; Mcp-Name: Dice", modernDice, 400, `"code":-32020`},
		{"a name that is badly encoded", "both", "POST", callHeaders + "; Mcp-Name: =?base64?ZGljZQ=?=", modernDice, 400, `"code":-32020`},
		{"an unknown version", "both", "POST", "MCP-Protocol-Version: 2099-07-28; Mcp-Method: tools/list", strings.Replace(modernList, "2026", "2099", 1), 400, `"id":1,"error":{"code":-32022,"message":"Unsupported protocol version","data":` + supported + `"requested":"2099-07-28"}}`},
		{"an unknown version and no _meta", "both", "POST", "MCP-Protocol-Version: 2099-07-28", ping, 400, `"code":-32022`},
		{"a modern header and no _meta", "both", "POST", listHeaders, strings.Replace(modernList, modernMeta, "", 1), 400, `"code":-32602,"message":"_meta lacks io.modelcontextprotocol/protocolVersion"`},
		{"no capabilities", "both", "POST", listHeaders, strings.Replace(modernList, `clientCapabilities":{}`, `clientInfo":{}`, 1), 400, `"code":-32602,"message":"_meta lacks io.modelcontextprotocol/clientCapabilities"`},

		{"initialize where only modern is spoken", "modern", "POST", "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`, 400, `"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}`},
		{"a legacy version where only modern is spoken", "modern", "POST", "MCP-Protocol-Version: 2025-11-25", ping, 400, `"requested":"2025-11-25"`},
		{"a session where only modern is spoken", "modern", "DELETE", "Mcp-Session-Id: x", "", 405, ""},
		{"GET where only modern is spoken", "modern", "GET", "", "", 405, ""},
		{"a modern version where only legacy is spoken", "legacy", "POST", listHeaders, modernList, 400, `"code":-32600,"message":"unsupported MCP-Protocol-Version 2026-07-28"`},
		{"GET", "both", "GET", "Accept: text/event-stream", "", 405, "Method Not Allowed"},

		{"a body that is not JSON", "both", "POST", "", `{oops`, 400, `"id":null,"error":{"code":-32700`},
		{"a batch", "both", "POST", "", `[]`, 400, `"id":null,"error":{"code":-32600`},
		{"a body that is too long", "both", "POST", "", strings.Repeat(" ", maxMessage+1), 413, "too large"},
		{"a charset", "both", "POST", listHeaders + "; Content-Type: Application/JSON;charset=UTF-8", modernList, 200, `"tools":[`},
		{"another content type", "both", "POST", listHeaders + "; Content-Type: text/plain", modernList, 415, "application/json"},

		{"the Host localhost", "both", "POST", listHeaders + "; Host: LocalHost", modernList, 200, ""},
		{"the Host ::1", "both", "POST", listHeaders + "; Host: [::1]:80", modernList, 200, ""},
		{"the Host ::1 without a port", "both", "POST", listHeaders + "; Host: [::1]", modernList, 200, ""},
		{"the Host 127.1.2.3", "both", "POST", listHeaders + "; Host: 127.1.2.3:80", modernList, 200, ""},
		{"a foreign Host", "both", "POST", listHeaders + "; Host: evil.example:80", modernList, 403, "Host and Origin"},
		{"a Host that begins like ours", "both", "POST", listHeaders + "; Host: 127.0.0.1.evil.example", modernList, 403, ""},
		{"an Origin of this machine", "both", "POST", listHeaders + "; Origin: http://localhost:3000", modernList, 200, ""},
		{"a foreign Origin", "both", "POST", listHeaders + "; Origin: https://evil.example", modernList, 403, ""},
		{"the Origin of a file", "both", "POST", listHeaders + "; Origin: null", modernList, 403, ""},
		{"a foreign Origin that only looks", "both", "GET", "Origin: https://localhost.evil.example", "", 403, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWeb(t, test.protocol).do(t.Context(), test.method, test.headers, test.body)
			if w.Code != test.status || !strings.Contains(w.Body.String(), test.answer) {
				t.Errorf("got  %d %s\nwant %d %s", w.Code, w.Body, test.status, test.answer)
			}
			if w.Header().Get("Mcp-Session-Id") != "" {
				t.Error("a session that nobody asked for")
			}
		})
	}
}

func TestListensOnLoopbackOnly(t *testing.T) {
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:80", "example.com:80"} {
		var stderr bytes.Buffer
		if code := run(context.Background(), []string{"-http", addr}, strings.NewReader(""), io.Discard, &stderr); code != 2 {
			t.Errorf("-http %s: exit code %d, stderr %s", addr, code, &stderr)
		}
	}
	var stderr bytes.Buffer
	code := run(context.Background(), []string{"-http", "127.0.0.1:99999"}, strings.NewReader(""), io.Discard, &stderr)
	if code != 1 || !strings.HasPrefix(stderr.String(), "demoserver: listen tcp") {
		t.Errorf("a port that does not exist: exit code %d, stderr %s", code, &stderr)
	}
}

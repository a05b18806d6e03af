package main

import (
	"strings"
	"testing"
)

// The _meta of a modern request, and what a modern result begins with.
const (
	modernMeta  = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	modernStart = `"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"demo","version":"1.0.0"}}`
	supported   = `{"supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],`
)

// Each line in is answered by the line out; where that is empty, by nothing.
func TestLines(t *testing.T) {
	tests := []struct{ name, flags, in, out string }{
		{"a string id comes back as a string", "",
			`{"jsonrpc":"2.0","id":"a-1","method":"ping"}`,
			`{"jsonrpc":"2.0","id":"a-1","result":{}}`},
		{"an id comes back byte for byte", "",
			`{"jsonrpc":"2.0","id":"\u00e9<&>\/é","method":"ping"}`,
			`{"jsonrpc":"2.0","id":"\u00e9<&>\/é","result":{}}`},
		{"a long integer id keeps its digits", "",
			`{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}`,
			`{"jsonrpc":"2.0","id":12345678901234567890,"result":{}}`},
		{"id 0 is an id", "",
			`{"jsonrpc":"2.0","id":0,"method":"ping","params":{}}`,
			`{"jsonrpc":"2.0","id":0,"result":{}}`},
		{"params null are no params", "",
			`{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`,
			`{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"spaces and a carriage return around a message do not matter", "",
			" {\"jsonrpc\":\"2.0\" , \"id\":1,\"method\":\"ping\"} \r",
			`{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"an empty line is no message", "", " \r", ""},
		{"a notification is not answered", "", `{"jsonrpc":"2.0","method":"notifications/x"}`, ""},
		{"a request without an id is a notification, whatever its method", "",
			`{"jsonrpc":"2.0","method":"tools/list"}`, ""},
		{"a response is not answered", "", `{"jsonrpc":"2.0","id":1,"result":{}}`, ""},
		{"a null result is a response", "", `{"jsonrpc":"2.0","id":1,"result":null}`, ""},
		{"an error is a response", "", `{"jsonrpc":"2.0","id":1,"error":{"code":0,"message":""}}`, ""},

		{"a line that is not JSON", "", `{oops`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: invalid character 'o' looking for beginning of object key string"}}`},
		{"a cut off line", "", `{"jsonrpc":"2.0","id":1`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: unexpected end of JSON input"}}`},
		{"a batch", "", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"message cannot be of type array"}}`},
		{"JSON that is no object", "", `null`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"\"jsonrpc\" must be \"2.0\""}}`},
		{"another version of JSON-RPC", "", `{"jsonrpc":"1.0","id":1,"method":"ping"}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"\"jsonrpc\" must be \"2.0\""}}`},
		{"a null id", "", `{"jsonrpc":"2.0","id":null,"method":"ping"}`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"\"id\" must be a string or a number"}}`},
		{"an object as id", "", `{"jsonrpc":"2.0","id":{},"method":"ping"}`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"\"id\" must be a string or a number"}}`},
		{"a request without a method", "", `{"jsonrpc":"2.0","id":1}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"\"method\" is missing"}}`},
		{"a method that is a number", "", `{"jsonrpc":"2.0","id":1,"method":2}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"message.method cannot be of type number"}}`},
		{"an unknown method", "", `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"unknown method prompts/list"}}`},
		{"params that are an array", "", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params cannot be of type array"}}`},
		{"arguments that are an array", "", call1("dice", `[1]`),
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params.arguments cannot be of type array"}}`},
		{"a tool name that is a number", "", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params.name cannot be of type number"}}`},
		{"an unknown tool", "", call1("nope", `{}`),
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown tool \"nope\""}}`},
		{"a tool of a set that is not offered", "", call1("add", `{"a":1,"b":2}`),
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown tool \"add\""}}`},
		{"a cursor that we never gave", "", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"p2"}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown cursor"}}`},

		{"an older version that we know", "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05"}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"demo","version":"1.0.0"}}}`},
		{"a version that does not exist", "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2099-01-01"}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"demo","version":"1.0.0"}}}`},
		{"the modern version cannot be initialized", "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2026-07-28"}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"demo","version":"1.0.0"}}}`},
		{"a version that is a number", "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params.protocolVersion cannot be of type number"}}`},

		{"discover without a version is an unknown method", "", `{"jsonrpc":"2.0","id":7,"method":"server/discover"}`,
			`{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"unknown method server/discover"}}`},
		{"discover", "", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + modernMeta + `}}`,
			`{"jsonrpc":"2.0","id":1,"result":{` + modernStart + `,"ttlMs":0,"cacheScope":"public","supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"capabilities":{"tools":{}}}}`},
		{"discover where only modern is spoken", "-protocol=modern", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + modernMeta + `}}`,
			`{"jsonrpc":"2.0","id":1,"result":{` + modernStart + `,"ttlMs":0,"cacheScope":"public","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}`},
		{"a modern call", "", strings.Replace(call1("word_count", `{"text":"a b"}`), `"name"`, modernMeta+`,"name"`, 1),
			`{"jsonrpc":"2.0","id":1,"result":{` + modernStart + `,"content":[{"type":"text","text":"Characters 3, words 2"}]}}`},
		{"a modern call that fails", "", strings.Replace(call1("word_count", `{}`), `"name"`, modernMeta+`,"name"`, 1),
			`{"jsonrpc":"2.0","id":1,"result":{` + modernStart + `,"content":[{"type":"text","text":"argument \"text\" is missing"}],"isError":true}}`},
		{"a modern cursor that we never gave", "-protocol=modern", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + modernMeta + `,"cursor":"x"}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown cursor"}}`},
		{"a modern list says how long it may be kept", "", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + modernMeta + `}}`,
			`{"jsonrpc":"2.0","id":1,"result":{` + modernStart + `,"ttlMs":0,"cacheScope":"public","tools":[{"name":"word_count","description":"Count the characters and words of a text","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}},{"name":"dice","description":"Roll a six-sided die","inputSchema":{"type":"object","properties":{}}}]}}`},
		{"modern has no ping", "", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{` + modernMeta + `}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"unknown method ping"}}`},
		{"modern has no initialize", "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{` + modernMeta + `}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"unknown method initialize"}}`},
		{"an unknown modern version", "", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + strings.Replace(modernMeta, "2026", "2099", 1) + `}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version","data":` + supported + `"requested":"2099-07-28"}}}`},
		{"a modern request without capabilities", "", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"_meta lacks io.modelcontextprotocol/clientCapabilities"}}`},
		{"a request without a version where only modern is spoken", "-protocol=modern", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"_meta lacks io.modelcontextprotocol/protocolVersion"}}`},
		{"initialize where only modern is spoken", "-protocol=modern", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}}`},
		{"discover where only legacy is spoken", "-protocol=legacy", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + modernMeta + `}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"unknown method server/discover"}}`},
		{"_meta means nothing where only legacy is spoken", "-protocol=legacy", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{` + modernMeta + `}}`,
			`{"jsonrpc":"2.0","id":1,"result":{}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := start(t, strings.Fields(test.flags)...)
			s.send(test.in)
			if test.out == "" {
				s.end(0)
			} else {
				s.end(0, test.out)
			}
		})
	}
}

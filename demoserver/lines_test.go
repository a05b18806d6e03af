package main

import (
	"os"
	"strings"
	"testing"
)

// What a modern request says about itself, how a modern result begins, and what both eras together support.
const (
	modern    = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},`
	complete  = `"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"demo","version":"1.0.0"}},`
	supported = `"supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],`
	malformed = `"error":{"code":-32600,"message":"a request needs \"jsonrpc\":\"2.0\", a \"method\", and a string or number as \"id\""}}`
)

// list makes a tools/list, initialize an initialize, and welcome the answer to it.
func list(params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + strings.TrimSuffix(params, ",") + `}}`
}

func initialize(version string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + version + `"}}`
}

func welcome(version string) string {
	return `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"` + version + `","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"demo","version":"1.0.0"}}}`
}

// Each line in is answered by the line out, which may leave out its end; where it is empty, by nothing.
func TestLines(t *testing.T) {
	tests := []struct{ name, flags, in, out string }{
		{"a string id comes back as a string", "", `{"jsonrpc":"2.0","id":"a-1","method":"ping"}`, `{"jsonrpc":"2.0","id":"a-1","result":{}}`},
		{"an id comes back byte for byte", "", `{"jsonrpc":"2.0","id":"\u00e9<&>\/é","method":"ping"}`, `{"jsonrpc":"2.0","id":"\u00e9<&>\/é","result":{}}`},
		{"a long integer keeps its digits", "", `{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}`, `{"jsonrpc":"2.0","id":12345678901234567890,"result":{}}`},
		{"0 is an id", "", `{"jsonrpc":"2.0","id":0,"method":"ping","params":{}}`, `{"jsonrpc":"2.0","id":0,"result":{}}`},
		{"params null are no params", "", `{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"spaces and a carriage return do not matter", "", " {\"jsonrpc\":\"2.0\" , \"id\":1,\"method\":\"ping\"} \r", `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"an empty line is no message", "", "\r", ""},
		{"a notification is not answered", "", `{"jsonrpc":"2.0","method":"notifications/x"}`, ""},
		{"a notification with wrong params neither", "", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}`, ""},
		{"a request without an id is a notification", "", `{"jsonrpc":"2.0","method":"tools/list"}`, ""},
		{"a response is not answered", "", `{"jsonrpc":"2.0","id":1,"result":{}}`, ""},
		{"an error is a response", "", `{"jsonrpc":"2.0","id":1,"error":{"code":0,"message":""}}`, ""},

		{"a line that is not JSON", "", `{oops`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: invalid character 'o' looking for beginning of object key string"}}`},
		{"a line that is cut off", "", `{"jsonrpc":"2.0","id":1`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON: unexpected end of JSON input"}}`},
		{"a batch", "", `[` + ping + `]`, `{"jsonrpc":"2.0","id":null,` + malformed},
		{"JSON that is no object", "", `null`, `{"jsonrpc":"2.0","id":null,` + malformed},
		{"another version of JSON-RPC", "", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,` + malformed},
		{"an id that is null", "", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":null,` + malformed},
		{"an id that is an object", "", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"2.0","id":{},` + malformed},
		{"a request without a method", "", `{"jsonrpc":"2.0","id":1}`, `{"jsonrpc":"2.0","id":1,` + malformed},
		{"a method that is a number", "", `{"jsonrpc":"2.0","id":1,"method":2}`, `{"jsonrpc":"2.0","id":1,` + malformed},
		{"an unknown method", "", `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"unknown method prompts/list"}}`},
		{"params that are an array", "", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params cannot be of type array"}}`},
		{"arguments that are an array", "", call(1, "dice", `[1]`, ""), `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params.arguments cannot be of type array"}}`},
		{"an unknown tool", "", call(1, "nope", `{}`, ""), `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown tool \"nope\""}}`},
		{"a tool of a set that is not offered", "", call(1, "add", `{}`, ""), `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown tool \"add\""}}`},
		{"a cursor that was never given", "", list(`"cursor":"p2"`), `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown cursor"}}`},
		{"a cursor that is null", "", list(`"cursor":null`), `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"word_count",…`},

		{"an older version that we know", "", initialize("2024-11-05"), welcome("2024-11-05")},
		{"a version that does not exist", "", initialize("2099-01-01"), welcome("2025-11-25")},
		{"the modern version cannot be initialized", "", initialize("2026-07-28"), welcome("2025-11-25")},
		{"discover without a version", "", `{"jsonrpc":"2.0","id":7,"method":"server/discover"}`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"unknown method server/discover"}}`},
		{"discover", "", strings.Replace(list(modern), "tools/list", "server/discover", 1),
			`{"jsonrpc":"2.0","id":1,"result":{` + complete + `"ttlMs":0,"cacheScope":"public","supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"capabilities":{"tools":{}}}}`},
		{"a modern call", "", call(1, "word_count", `{"text":"a b"}`, modern), strings.Replace(text(1, "Characters 3, words 2"), `"content"`, complete+`"content"`, 1)},
		{"a modern call that fails", "", call(1, "word_count", `{}`, modern), strings.Replace(failed(1, `argument \"text\" is missing`), `"content"`, complete+`"content"`, 1)},
		{"a modern list says how long it may be kept", "", list(modern), `{"jsonrpc":"2.0","id":1,"result":{` + complete + `"ttlMs":0,"cacheScope":"public","tools":[{"name":"word_count",…`},
		{"modern has no ping", "", strings.Replace(list(modern), "tools/list", "ping", 1), `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"unknown method ping"}}`},
		{"modern has no initialize", "", strings.Replace(list(modern), "tools/list", "initialize", 1), `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"unknown method initialize"}}`},
		{"an unknown modern version", "", list(strings.Replace(modern, "2026", "2099", 1)), `{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version","data":{` + supported + `"requested":"2099-07-28"}}}`},
		{"a modern request without capabilities", "", list(strings.Replace(modern, "clientCapabilities", "x", 1)), `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"_meta lacks io.modelcontextprotocol/clientCapabilities"}}`},

		{"discover where only modern is spoken", "-protocol=modern", strings.Replace(list(modern), "tools/list", "server/discover", 1),
			`{"jsonrpc":"2.0","id":1,"result":{` + complete + `"ttlMs":0,"cacheScope":"public","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}`},
		{"no version where only modern is spoken", "-protocol=modern", list(""), `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"_meta lacks io.modelcontextprotocol/protocolVersion"}}`},
		{"initialize where only modern is spoken", "-protocol=modern", initialize("2025-11-25"),
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}}`},
		{"no JSON where only modern is spoken", "-protocol=modern", `{oops`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,…`},
		{"discover where only legacy is spoken", "-protocol=legacy", strings.Replace(list(modern), "tools/list", "server/discover", 1), `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"unknown method server/discover"}}`},
		{"_meta means nothing where only legacy is spoken", "-protocol=legacy", strings.Replace(list(modern), "tools/list", "ping", 1), `{"jsonrpc":"2.0","id":1,"result":{}}`},
	}
	servers := map[string]*process{}
	for _, test := range tests {
		if servers[test.flags] == nil {
			servers[test.flags] = start(t, strings.Fields(test.flags)...)
		}
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := servers[test.flags]
			if p.t = t; test.out == "" {
				p.send(test.in, ping)
				p.want(pong)
				return
			}
			p.send(test.in)
			got := p.line(p.stdout)
			if want, open := strings.CutSuffix(test.out, "…"); got != want && !(open && strings.HasPrefix(got, want)) {
				t.Errorf("got  %s\nwant %s", got, test.out)
			}
		})
	}
	for _, p := range servers {
		p.t = t
		p.end()
	}
}

// The transcript in the package comment is what really happens.
func TestManual(t *testing.T) {
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	p, lines := start(t), 0
	for line := range strings.Lines(string(source)) {
		line = strings.TrimSuffix(line, "\n")
		if in, ok := strings.CutPrefix(line, "//\t→ "); ok {
			p.send(in)
			lines++
		} else if out, ok := strings.CutPrefix(line, "//\t← "); ok {
			p.want(out)
		}
	}
	p.end()
	if lines < 3 {
		t.Errorf("the manual has %d lines in", lines)
	}
}

func TestLongLines(t *testing.T) {
	p := start(t, "-tools=basic,flaky")
	p.send(call(1, "word_count", `{"text":"`+strings.Repeat("é", 1<<20)+`"}`, ""))
	p.want(text(1, "Characters 1048576, words 1"))
	p.send(call(2, "big_result", `{"bytes":5242880}`, ""))
	p.want(text(2, strings.Repeat("x", 5<<20)))
	p.end()
}

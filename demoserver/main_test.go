package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
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

// The transcript in the package comment is what really happens.
func TestManual(t *testing.T) {
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	s, lines := start(t), 0
	for line := range strings.Lines(string(source)) {
		line = strings.TrimSuffix(line, "\n")
		if in, ok := strings.CutPrefix(line, "//\t→ "); ok {
			s.send(in)
			lines++
		} else if out, ok := strings.CutPrefix(line, "//\t← "); ok {
			s.want(out)
		}
	}
	s.end(0)
	if lines != 5 {
		t.Errorf("the manual has %d lines in, want 5", lines)
	}
}

func TestLastLineWithoutNewline(t *testing.T) {
	var out bytes.Buffer
	code := run(context.Background(), nil, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), &out, io.Discard)
	if want := `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n"; code != 0 || out.String() != want {
		t.Errorf("exit code %d, output %s, want %s", code, &out, want)
	}
}

func TestLongLines(t *testing.T) {
	s := start(t, "-tools=basic,flaky")
	s.send(call1("word_count", `{"text":"`+strings.Repeat("é", 1<<20)+`"}`))
	s.want(text1("Characters 1048576, words 1"))
	s.send(call1("big_result", `{"bytes":5242880}`))
	s.want(text1(strings.Repeat("x", 5<<20)))
	s.end(0)
}

// endless is a line that never ends.
type endless struct{}

var spaces = strings.Repeat(" ", 4096)

func (endless) Read(p []byte) (int, error) {
	return copy(p, spaces), nil
}

func TestEndsOnFailure(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		name   string
		stdin  io.Reader
		stdout io.Writer
		stderr string
	}{
		{"a line without end", endless{}, io.Discard, "demoserver: reading the input: a line is longer than 67108864 bytes\n"},
		{"an input that breaks", iotest.ErrReader(broken), io.Discard, "demoserver: reading the input: broken\n"},
		{"an output that breaks", strings.NewReader("{}\n" + strings.Repeat(" ", 1<<20)),
			spoiler(func([]byte) (int, error) { return 0, broken }), "demoserver: writing the output: broken\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var stderr bytes.Buffer
			code := run(context.Background(), nil, test.stdin, test.stdout, &stderr)
			if code != 1 || stderr.String() != test.stderr {
				t.Errorf("exit code %d, stderr %q, want 1 and %q", code, &stderr, test.stderr)
			}
		})
	}
}

func TestFlags(t *testing.T) {
	tests := []struct {
		name, flags string
		code        int
		stderr      string
	}{
		{"help", "-h", 0, "Usage of demoserver:"},
		{"an unknown flag", "-x", 2, "flag provided but not defined: -x"},
		{"an unknown set", "-tools=basic,x", 2, `-tools: there is no set "x", only basic, notes and flaky`},
		{"an unknown era", "-protocol=new", 2, "wrong arguments"},
		{"an argument", "x", 2, "wrong arguments"},
		{"an unknown drill", "-drill=x", 2, `-drill: there is no "x"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var stderr bytes.Buffer
			code := run(context.Background(), strings.Fields(test.flags), strings.NewReader(""), io.Discard, &stderr)
			if code != test.code || !strings.Contains(stderr.String(), test.stderr) {
				t.Errorf("exit code %d, stderr %q, want %d and %q", code, &stderr, test.code, test.stderr)
			}
		})
	}
}

// At the end of the input short calls are still answered, a hanging one is not
// waited for.
func TestEndOfInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, "-tools=basic,flaky")
		began := time.Now()
		s.send(strings.Replace(call1("slow_lookup", `{}`), `:1,`, `:2,`, 1))
		s.send(call1("slow_count", `{"n":3}`))
		s.end(0, text1("Counted to 3"))
		if took := time.Since(began); took > time.Second {
			t.Errorf("the end took %v, want at most a second", took)
		}
	})
}

func TestNothingWaitsForACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, "-tools=basic,flaky")
		s.send(call1("slow_lookup", `{}`))
		s.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		s.want(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		s.send(strings.Replace(call1("word_count", `{"text":""}`), `:1,`, `:3,`, 1))
		s.want(strings.Replace(text1("Characters 0, words 0"), `:1,`, `:3,`, 1))
		s.end(0)
	})
}

func TestCancelledCallIsNotAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, "-tools=flaky")
		s.send(strings.Replace(call1("slow_count", `{"n":9}`), `:1,`, `:"c",`, 1))
		s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"other"}}`)
		s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}`)
		s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c","reason":"enough"}}`)
		began := time.Now()
		s.end(0)
		if took := time.Since(began); took != 0 {
			t.Errorf("the call went on for %v after it was cancelled", took)
		}
	})
}

func TestProgress(t *testing.T) {
	tests := []struct {
		name, meta string
		want       []string
	}{
		{"with a token", `"_meta":{"progressToken":"p<1>"},`, []string{
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p<1>","progress":1,"total":2,"message":"1 of 2"}}`,
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p<1>","progress":2,"total":2,"message":"2 of 2"}}`}},
		{"without a token", ``, nil},
		{"with a null token", `"_meta":{"progressToken":null},`, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := start(t, "-tools=flaky")
				began := time.Now()
				s.send(strings.Replace(call1("slow_count", `{"n":2}`), `"name"`, test.meta+`"name"`, 1))
				for _, line := range test.want {
					s.want(line)
				}
				s.want(text1("Counted to 2"))
				if took := time.Since(began); took != 200*time.Millisecond {
					t.Errorf("counting to 2 took %v, want 200 ms", took)
				}
				s.end(0)
			})
		})
	}
}

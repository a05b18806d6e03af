package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// fakeTransport answers with a function, and writes down what it is asked.
type fakeTransport struct {
	peer   peer
	answer func(ctx context.Context, method, params string) (string, error)

	mu     sync.Mutex
	log    []string
	closed bool
}

func (f *fakeTransport) record(method string, params any) string {
	text := ""
	if params != nil {
		data, err := json.Marshal(params)
		if err != nil {
			panic(err)
		}
		text = " " + string(data)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, method+text)
	return text
}

func (f *fakeTransport) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	text := f.record(method, params)
	result, err := f.answer(ctx, method, text)
	return json.RawMessage(result), err
}

func (f *fakeTransport) notify(ctx context.Context, method string, params any) error {
	f.record(method, params)
	return nil
}

func (f *fakeTransport) close() error {
	f.closed = true
	return nil
}

// sent is the log, one message a line.
func (f *fakeTransport) sent() string { return strings.Join(f.log, "\n") }

const agreed = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"demo","version":"1.0.0"},"instructions":"Be kind."}`

// answers makes an answer function from results by method; an error is an *rpcError in JSON after "error ".
func answers(results map[string]string) func(context.Context, string, string) (string, error) {
	return func(ctx context.Context, method, params string) (string, error) {
		result, ok := results[method]
		if !ok {
			return "", &rpcError{Code: methodNotFound, Message: "no " + method}
		}
		if text, ok := strings.CutPrefix(result, "error "); ok {
			refused := new(rpcError)
			if err := json.Unmarshal([]byte(text), refused); err != nil {
				panic(err)
			}
			return "", refused
		}
		return result, nil
	}
}

// dial connects a client to a fake transport, with limits that no test reaches.
func dial(t *testing.T, n *notebook, version string, answer func(context.Context, string, string) (string, error)) (*client, *fakeTransport, error) {
	return dialWithin(t, limits{time.Minute, time.Minute}, n, version, answer)
}

func dialWithin(t *testing.T, l limits, n *notebook, version string, answer func(context.Context, string, string) (string, error)) (*client, *fakeTransport, error) {
	f := &fakeTransport{answer: answer}
	c, err := connect(t.Context(), peer{name: "demo", note: n.notef}, l, version,
		func(p peer) (transport, error) { f.peer = p; return f, nil })
	return c, f, err
}

func mustDial(t *testing.T, n *notebook, results map[string]string) (*client, *fakeTransport) {
	t.Helper()
	if results["initialize"] == "" {
		results["initialize"] = agreed
	}
	c, f, err := dial(t, n, "", answers(results))
	if err != nil {
		t.Fatal(err)
	}
	f.log = nil
	return c, f
}

const initializeLine = `initialize {"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"geekagent","version":"0.1.0"}}`

func TestTheHandshake(t *testing.T) {
	c, f, err := dial(t, &notebook{}, "", answers(map[string]string{"initialize": agreed}))
	if err != nil {
		t.Fatal(err)
	}
	if want := initializeLine + "\nnotifications/initialized"; f.sent() != want {
		t.Errorf("sent:\n%s", f.sent())
	}
	s := c.current()
	if s.version != "2025-06-18" || s.server != (implementation{"demo", "1.0.0"}) || s.instructions != "Be kind." || !s.tools {
		t.Errorf("session: %+v", s)
	}
}

func TestVersions(t *testing.T) {
	const refusesModern = `error {"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}`
	const discovered = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":1,"cacheScope":"public"}`
	answer := func(version string) string { return fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{}}`, version) }
	for _, test := range []struct {
		name       string
		begin      string
		initialize []string // its answers, in order; the last one stays
		discover   []string
		agreed     string // the version, or
		err        string // the error
		sent       string // the methods
	}{
		{"the newest with a handshake", "", []string{answer("2025-11-25")}, nil, "2025-11-25", "", "initialize notifications/initialized"},
		{"the oldest", "", []string{answer("2024-11-05")}, nil, "2024-11-05", "", "initialize notifications/initialized"},
		{"a version of the future", "", []string{answer("2099-01-01")}, nil, "",
			`it speaks protocol version "2099-01-01", which we do not; we asked for "2025-11-25"`, "initialize"},
		{"an empty version", "", []string{answer("")}, nil, "",
			`it speaks protocol version "", which we do not; we asked for "2025-11-25"`, "initialize"},
		{"the stateless version as an answer to a handshake", "", []string{answer("2026-07-28")}, nil, "",
			`it speaks protocol version "2026-07-28", which we do not; we asked for "2025-11-25"`, "initialize"},
		{"an answer of null", "", []string{`null`}, nil, "", `it speaks protocol version ""`, "initialize"},
		{"an answer that is no JSON", "", []string{`{oops`}, nil, "", `its answer to initialize is no JSON`, "initialize"},
		{"a server version that is a number", "", []string{`{"protocolVersion":"2025-03-26","serverInfo":{"name":"x","version":1}}`}, nil,
			"2025-03-26", "", "initialize notifications/initialized"},
		{"a refusal that names an older version", "", []string{
			`error {"code":-32602,"message":"Unsupported protocol version","data":{"supported":["2024-11-05"],"requested":"2025-11-25"}}`,
			answer("2024-11-05")}, nil, "2024-11-05", "", "initialize initialize notifications/initialized"},
		{"a refusal that names nothing we know", "", []string{`error {"code":-32602,"message":"no","data":{"supported":["1.0"]}}`}, nil, "",
			"initialize: error -32602: no (it supports 1.0; we speak 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05)", "initialize"},
		{"a refusal for another reason", "", []string{`error {"code":-32603,"message":"broken"}`}, nil, "", "initialize: error -32603: broken", "initialize"},
		{"a refusal that names the stateless version", "", []string{refusesModern}, []string{discovered}, "2026-07-28", "", "initialize server/discover"},
		{"initialize is unknown", "", []string{`error {"code":-32601,"message":"?"}`}, []string{discovered}, "2026-07-28", "", "initialize server/discover"},
		{"initialize lacks _meta", "", []string{`error {"code":-32602,"message":"_meta"}`}, []string{discovered}, "2026-07-28", "", "initialize server/discover"},
		{"both are unknown", "", []string{`error {"code":-32601,"message":"a"}`}, []string{`error {"code":-32601,"message":"b"}`}, "",
			"initialize: error -32601: a; server/discover: error -32601: b", "initialize server/discover"},
		{"the discovery leaves only an older version", "", []string{`error {"code":-32601,"message":"a"}`, answer("2025-06-18")},
			[]string{`{"supportedVersions":["2025-06-18","2025-03-26"]}`}, "2025-06-18", "", "initialize server/discover initialize notifications/initialized"},
		{"the discovery leaves nothing", "2026-07-28", nil, []string{`{"supportedVersions":["2030-01-01"]}`}, "",
			"it supports protocol versions 2030-01-01; we speak 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05", "server/discover"},
		{"stateless from the start", "2026-07-28", nil, []string{discovered}, "2026-07-28", "", "server/discover"},
		{"a refusal that names the version that was asked for", "2026-07-28", nil, []string{refusesModern, discovered},
			"2026-07-28", "", "server/discover server/discover"},
		{"refusals without end", "2026-07-28", nil, []string{refusesModern}, "", "server/discover: error -32022",
			"server/discover server/discover server/discover"},
		{"stateless from the start with a server that knows only the handshake", "2026-07-28", []string{answer("2025-11-25")},
			[]string{`error {"code":-32600,"message":"initialize first"}`}, "2025-11-25", "", "server/discover initialize notifications/initialized"},
		{"an older version from the start", "2025-03-26", []string{answer("2025-03-26")}, nil, "2025-03-26", "", "initialize notifications/initialized"},
	} {
		t.Run(test.name, func(t *testing.T) {
			next := map[string][]string{"initialize": test.initialize, "server/discover": test.discover}
			c, f, err := dial(t, &notebook{}, test.begin, func(ctx context.Context, method, params string) (string, error) {
				list := next[method]
				next[method] = list[min(1, len(list)-1):]
				return answers(map[string]string{method: list[0]})(ctx, method, params)
			})
			var methods []string
			for _, line := range f.log {
				method, _, _ := strings.Cut(line, " ")
				methods = append(methods, method)
			}
			if got := strings.Join(methods, " "); got != test.sent {
				t.Errorf("sent %s", got)
			}
			if test.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), test.err) || !f.closed {
					t.Errorf("got %v, closed %v; want %s", err, f.closed, test.err)
				}
				return
			}
			if err != nil || c.current().version != test.agreed {
				t.Errorf("got %v, %v", c, err)
			}
		})
	}
}

func TestTheStatelessEra(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"geekagent","version":"0.1.0"},"io.modelcontextprotocol/clientCapabilities":{}}`
	results := map[string]string{
		"server/discover": `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"instructions":"I","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"d","version":"2"}}}`,
		"tools/list":      `{"resultType":"complete","tools":[{"name":"dice"}]}`,
		"tools/call":      `{"content":[]}`,
	}
	n := &notebook{}
	c, f, err := dial(t, n, statelessVersion, answers(results))
	if err != nil {
		t.Fatal(err)
	}
	if s := c.current(); s.server.Name != "d" || s.instructions != "I" || !s.tools {
		t.Errorf("session: %+v", s)
	}
	if tools, err := c.listTools(t.Context()); len(tools) != 1 || err != nil {
		t.Errorf("got %v, %v", tools, err)
	}
	if _, err := c.callTool(t.Context(), "dice", nil, nil); err != nil {
		t.Error(err)
	}
	want := "server/discover {" + meta + "}\ntools/list {" + meta + "}\n" +
		`tools/call {` + strings.Replace(meta, `{"io`, `{"progressToken":1,"io`, 1) + `,"name":"dice","arguments":{}}`
	if f.sent() != want {
		t.Errorf("sent:\n%s\nwant:\n%s", f.sent(), want)
	}
	for result, want := range map[string]string{
		`{"resultType":"complete","content":[]}`: "",
		`{"resultType":"input_required","inputRequests":{"login":{"method":"elicitation/create","params":{}},"w":{"method":"roots/list"}},"requestState":"x"}`:// names what is asked for
		"the server asks for input that this client cannot give: elicitation/create (login), roots/list (w)",
		`{"resultType":"input_required"}`: "the server asks for input that this client cannot give",
		`{"resultType":"task"}`:           `the server sent a result of a type that this client does not know: "task"`,
		`{"resultType":null}`:             `the server sent a result of a type that this client does not know: null`,
		`error {"code":-32021,"message":"no","data":{"requiredCapabilities":{"sampling":{},"elicitation":{"form":{}}}}}`:// names them
		"error -32021: no (the server needs what this client cannot do: elicitation, sampling)",
	} {
		results["tools/call"] = result
		_, err := c.callTool(t.Context(), "dice", nil, nil)
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: got %v", result, err)
		}
	}
}

func TestWithAHandshakeResultTypesMeanNothing(t *testing.T) {
	c, _ := mustDial(t, &notebook{}, map[string]string{"tools/call": `{"resultType":"input_required","content":[]}`})
	if raw, err := c.callTool(t.Context(), "x", nil, nil); err != nil || !strings.Contains(string(raw), "input_required") {
		t.Errorf("got %s, %v", raw, err)
	}
}

func TestAVersionThatIsRefusedLater(t *testing.T) {
	for name, supported := range map[string]string{"for the same one": "2026-07-28", "for an older one": "2025-06-18"} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			c, f, err := dial(t, &notebook{}, statelessVersion, func(ctx context.Context, method, params string) (string, error) {
				switch method {
				case "server/discover":
					return `{"supportedVersions":["2026-07-28"],"capabilities":{}}`, nil
				case "initialize":
					return agreed, nil
				}
				if calls++; calls == 1 {
					return "", &rpcError{Code: unsupportedVersion, Data: json.RawMessage(`{"supported":["` + supported + `"]}`)}
				}
				return `{"content":[]}`, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.callTool(t.Context(), "x", nil, nil); err != nil || c.current().version != supported || calls != 2 {
				t.Errorf("%v, now %s, sent:\n%s", err, c.current().version, f.sent())
			}
		})
	}
	t.Run("for ever", func(t *testing.T) {
		c, _ := mustDial(t, &notebook{}, map[string]string{
			"tools/call": `error {"code":-32022,"message":"no","data":{"supported":["2025-06-18"]}}`})
		if _, err := c.callTool(t.Context(), "x", nil, nil); err == nil || err.Error() != "error -32022: no" {
			t.Errorf("got %v", err)
		}
	})
}

func TestToolPages(t *testing.T) {
	pages := func(of map[string]string) func(context.Context, string, string) (string, error) {
		return func(ctx context.Context, method, params string) (string, error) {
			if method == "initialize" {
				return agreed, nil
			}
			if page, ok := of[strings.TrimSpace(params)]; ok {
				return answers(map[string]string{method: page})(ctx, method, params)
			}
			return "", &rpcError{Code: invalidParams, Message: "bad cursor"}
		}
	}
	for _, test := range []struct {
		name  string
		pages map[string]string
		tools string
		note  string
		asks  int
	}{
		{"one page", map[string]string{"": `{"tools":[{"name":"a"},{"name":"b"}]}`}, "a b", "", 1},
		{"no tools", map[string]string{"": `{"tools":[]}`}, "", "", 1},
		{"a null cursor ends the list", map[string]string{"": `{"tools":[{"name":"a"}],"nextCursor":null}`}, "a", "", 1},
		{"an empty cursor is asked for, and its refusal is the end", map[string]string{
			"":                          `{"tools":[{"name":"a"},{"name":"b"}],"nextCursor":"eyJvIjoyfQ=="}`,
			`{"cursor":"eyJvIjoyfQ=="}`: `{"tools":[{"name":"c"}],"nextCursor":""}`}, "a b c", "", 3},
		{"an empty cursor that begins anew", map[string]string{
			"":              `{"tools":[{"name":"a"}],"nextCursor":""}`,
			`{"cursor":""}`: `{"tools":[{"name":"a"}],"nextCursor":""}`}, "a", "", 2},
		{"an empty cursor with a page of its own", map[string]string{
			"":              `{"tools":[{"name":"a"}],"nextCursor":""}`,
			`{"cursor":""}`: `{"tools":[{"name":"b"}]}`}, "a b", "", 2},
		{"the same page for ever", map[string]string{
			"":               `{"tools":[{"name":"a"},{"name":"b"},{"name":"c"}],"nextCursor":"x"}`,
			`{"cursor":"x"}`: `{"tools":[{"name":"a"},{"name":"b"},{"name":"c"}],"nextCursor":"x"}`},
			"a b c", "its list of tools begins anew after 2 pages; kept 3 tools", 2},
		{"a page that is refused", map[string]string{"": `{"tools":[{"name":"a"}],"nextCursor":"x"}`},
			"a", "the list of its tools is not whole: error -32602: bad cursor", 2},
		{"a name twice, and what is no tool", map[string]string{
			"": `{"tools":[{"name":"a","description":"1"},{"name":"a","description":"2"},{"name":""},7,{"name":"b","annotations":{"readOnlyHint":"yes"}}]}`},
			"a b", "left out 2 tools without a name", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := &notebook{}
			c, f, err := dial(t, n, "", pages(test.pages))
			if err != nil {
				t.Fatal(err)
			}
			tools, err := c.listTools(t.Context())
			var names []string
			for _, tool := range tools {
				names = append(names, tool.Name)
			}
			if got := strings.Join(names, " "); got != test.tools || err != nil || n.text() != test.note || len(f.log)-2 != test.asks {
				t.Errorf("got %s, %v, note %q, sent:\n%s", got, err, n.text(), f.sent())
			}
		})
	}
	t.Run("cursors without end", func(t *testing.T) {
		n, asks := &notebook{}, 0
		c, _, err := dial(t, n, "", func(ctx context.Context, method, params string) (string, error) {
			if method == "initialize" {
				return agreed, nil
			}
			asks++
			return fmt.Sprintf(`{"tools":[{"name":"a"}],"nextCursor":"%d"}`, asks), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		tools, err := c.listTools(t.Context())
		if len(tools) != 1 || err != nil || asks != 100 || n.text() != "its list of tools does not end; kept the 1 tools of the first 100 pages" {
			t.Errorf("got %v, %v after %d pages, note %q", tools, err, asks, n.text())
		}
	})
}

func TestAServerWithoutTools(t *testing.T) {
	for name, results := range map[string]map[string]string{
		"that declares none is not asked":     {"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"prompts":{}}}`, "tools/list": `{"tools":[{"name":"x"}]}`},
		"that declares null is not asked":     {"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":null}}`, "tools/list": `{"tools":[{"name":"x"}]}`},
		"that does not know the method":       {},
		"whose capabilities have other types": {"initialize": `{"protocolVersion":"2025-11-25","capabilities":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := mustDial(t, &notebook{}, results)
			if tools, err := c.listTools(t.Context()); len(tools) != 0 || err != nil {
				t.Errorf("got %v, %v", tools, err)
			}
		})
	}
}

func TestACall(t *testing.T) {
	const result = `{"content":[{"type":"text","text":"disk full"}],"isError":true}`
	c, f := mustDial(t, &notebook{}, map[string]string{"tools/call": result})
	for _, args := range []string{"", `{"n":12345678901234567890}`} {
		if raw, err := c.callTool(t.Context(), "a tool", json.RawMessage(args), nil); string(raw) != result || err != nil {
			t.Errorf("got %s, %v", raw, err)
		}
	}
	want := `tools/call {"_meta":{"progressToken":1},"name":"a tool","arguments":{}}` + "\n" +
		`tools/call {"_meta":{"progressToken":2},"name":"a tool","arguments":{"n":12345678901234567890}}`
	if f.sent() != want {
		t.Errorf("sent:\n%s", f.sent())
	}
}

// hang is an answer function whose tools/call takes its time and does work meanwhile.
func hang(work func(ctx context.Context) (string, error)) func(context.Context, string, string) (string, error) {
	return func(ctx context.Context, method, params string) (string, error) {
		if method == "initialize" {
			return agreed, nil
		}
		return work(ctx)
	}
}

// shortLimits are for tests with a clock of their own.
var shortLimits = limits{800 * time.Millisecond, time.Second}

func TestTimeLimits(t *testing.T) {
	silent := func(ctx context.Context) (string, error) {
		<-ctx.Done()
		return "", fmt.Errorf("%w (a hint)", context.Cause(ctx))
	}
	t.Run("of the handshake", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, f, err := dialWithin(t, shortLimits, &notebook{}, "", func(ctx context.Context, _, _ string) (string, error) { return silent(ctx) })
			var failure *connectionError
			if !errors.As(err, &failure) || err.Error() != "no answer to initialize in 800 ms (a hint)" || !f.closed {
				t.Errorf("got %v, closed %v", err, f.closed)
			}
		})
	})
	t.Run("of a call", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c, _, err := dialWithin(t, shortLimits, &notebook{}, "", hang(silent))
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			_, err = c.callTool(t.Context(), "x", nil, nil)
			var failure *connectionError
			if !errors.As(err, &failure) || err.Error() != "no answer to tools/call in 1000 ms (a hint)" || time.Since(start) != time.Second {
				t.Errorf("got %v after %v", err, time.Since(start))
			}
		})
	})
	t.Run("of the caller", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c, _, err := dialWithin(t, shortLimits, &notebook{}, "", hang(silent))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			if _, err := c.callTool(ctx, "x", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
		})
	})
}

func TestProgressStartsTheTimeLimitAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f *fakeTransport
		n := &notebook{}
		c, f, err := dialWithin(t, shortLimits, n, "", hang(func(ctx context.Context) (string, error) {
			for i, token := range []string{"1", `"1"`, "1.0", "null", "0", "7"} { // the last three are nobody's
				select {
				case <-ctx.Done():
					return "", context.Cause(ctx)
				case <-time.After(900 * time.Millisecond):
				}
				f.peer.notified("notifications/progress", json.RawMessage(fmt.Sprintf(`{"progressToken":%s,"progress":%d,"total":6,"message":"m"}`, token, i)))
			}
			return `{}`, nil
		}))
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err = c.callTool(t.Context(), "x", nil, func(p progress) { n.notef("%v/%v %s", p.Progress, p.Total, p.Message) })
		if err == nil || err.Error() != "no answer to tools/call in 1000 ms" || time.Since(start) != 3700*time.Millisecond {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
		if n.text() != "0/6 m\n1/6 m\n2/6 m" {
			t.Errorf("progress:\n%s", n.text())
		}
		f.peer.notified("notifications/progress", json.RawMessage(`{"progressToken":1,"progress":9}`)) // too late
		f.peer.notified("notifications/progress", json.RawMessage(`[]`))
		if len(c.watches) != 0 || strings.Contains(n.text(), "9") {
			t.Errorf("still watched: %v", c.watches)
		}
	})
}

func TestListChangedIsMerged(t *testing.T) {
	c, f := mustDial(t, &notebook{}, map[string]string{})
	for range 100 {
		f.peer.notified("notifications/tools/list_changed", nil)
	}
	<-c.changed
	select {
	case <-c.changed:
		t.Error("announced twice")
	default:
	}
}

func TestTheEndOfAConnectionIsSeen(t *testing.T) {
	c, f := mustDial(t, &notebook{}, map[string]string{})
	select {
	case <-c.done:
		t.Fatal("done too early")
	default:
	}
	gone := &connectionError{reason: "exit status 3"}
	f.peer.ended(gone)
	<-c.done
	if c.cause != gone {
		t.Errorf("cause: %v", c.cause)
	}
}

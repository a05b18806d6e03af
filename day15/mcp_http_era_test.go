package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// modernOnly is a server that knows no handshake, and refuses one with the given status and error.
func modernOnly(status int, failure string, calls answerer) answerer {
	return func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
		switch {
		case r.Method != "POST":
			w.WriteHeader(405)
		case m.Method == "initialize":
			reply(w, status, `{"jsonrpc":"2.0","id":%s,"error":%s}`, m.ID, failure)
		case m.Method == "server/discover":
			w.Header().Set("Mcp-Session-Id", "not in this era")
			reply(w, 200, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}}}`, m.ID)
		default:
			calls(w, r, m)
		}
	}
}

func TestAServerWithoutAHandshakeIsUnderstood(t *testing.T) {
	for _, test := range []struct {
		name    string
		status  int
		failure string
	}{
		{"that names its versions", 400, `{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}`},
		{"that does not know the method", 404, `{"code":-32601,"message":"Method not found"}`},
		{"that misses what each request has to say", 400, `{"code":-32602,"message":"_meta"}`},
		{"that misses headers", 400, `{"code":-32020,"message":"MCP-Protocol-Version is missing"}`},
		{"that answers with status 200", 200, `{"code":-32601,"message":"Method not found"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newWeb(t, modernOnly(test.status, test.failure, func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
				reply(w, 200, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete"}}`, m.ID)
			}))
			c := mustDialHTTP(t, &notebook{}, s.URL, "")
			if got := c.dice(t.Context()); got != `{"resultType":"complete"}` {
				t.Errorf("got %s", got)
			}
			c.close() // no session, no stream, and nothing to give back
			if want := "POST initialize\nPOST server/discover 2026-07-28 server/discover\nPOST tools/call 2026-07-28 tools/call dice"; s.asked() != want {
				t.Errorf("asked:\n%s", s.asked())
			}
		})
	}
}

func TestAnswersOfTheStatelessEra(t *testing.T) {
	for _, test := range []struct {
		name    string
		status  int
		failure string
		want    string
		changed bool
	}{
		{"an unknown method", 404, `{"code":-32601,"message":"Method not found"}`, "error: error -32601: Method not found", false},
		{"a capability that is missing", 400, `{"code":-32021,"message":"no","data":{"requiredCapabilities":{"sampling":{}}}}`,
			"error: error -32021: no (the server needs what this client cannot do: sampling)", false},
		{"headers that do not match list the tools again", 400, `{"code":-32020,"message":"Mcp-Param-Region"}`, "error: error -32020: Mcp-Param-Region", true},
		{"an older version goes on with a handshake", 400, `{"code":-32022,"message":"no","data":{"supported":["2025-11-25"]}}`, `{"in":"A"}`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
				handshake := legacy("A", func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
					reply(w, 200, `{"jsonrpc":"2.0","id":%s,"result":{"in":%q}}`, m.ID, r.Header.Get("Mcp-Session-Id"))
				})
				if m.Method == "initialize" || r.Header.Get("Mcp-Session-Id") != "" {
					handshake(w, r, m)
					return
				}
				modernOnly(0, "", func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
					reply(w, test.status, `{"jsonrpc":"2.0","id":%s,"error":%s}`, m.ID, test.failure)
				})(w, r, m)
			})
			c := mustDialHTTP(t, &notebook{}, s.URL, statelessVersion)
			if got := c.dice(t.Context()); got != test.want {
				t.Errorf("got %s", got)
			}
			if (len(c.changed) == 1) != test.changed {
				t.Errorf("%d times listed again", len(c.changed))
			}
		})
	}
}

func TestASessionDoesNotOutliveItsEra(t *testing.T) {
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
		legacy("A", func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
			switch {
			case m.Method == "server/discover":
				reply(w, 200, `{"jsonrpc":"2.0","id":%s,"result":{"supportedVersions":["2026-07-28"]}}`, m.ID)
			case r.Header.Get("Mcp-Protocol-Version") == statelessVersion:
				reply(w, 200, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
			default:
				reply(w, 400, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}}`, m.ID)
			}
		})(w, r, m)
	})
	c := mustDialHTTP(t, &notebook{}, s.URL, "")
	if got := c.dice(t.Context()); got != "{}" {
		t.Errorf("got %s", got)
	}
	c.close()
	if want := "POST tools/call A 2025-06-18\nPOST server/discover 2026-07-28 server/discover\nPOST tools/call 2026-07-28 tools/call dice\nDELETE A 2025-06-18"; !strings.HasSuffix(strings.Replace(s.asked(), "\nGET A 2025-06-18", "", 1), want) {
		t.Errorf("asked:\n%s", s.asked())
	}
}

func TestArgumentsAreRepeatedInHeaders(t *testing.T) {
	const schema = `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"N"},
		"deep":{"type":"object","properties":{"yes":{"type":"boolean","x-mcp-header":"yes"}}},"query":{"type":"string"}}}`
	for _, version := range []string{statelessVersion, ""} {
		t.Run("in "+version, func(t *testing.T) {
			var got []string
			s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
				serve := legacy("A", nil)
				if version != "" {
					serve = modernOnly(0, "", nil)
				}
				switch m.Method {
				case "tools/list":
					reply(w, 200, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"où","inputSchema":%s},{"name":"bad","inputSchema":{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}}]}}`, m.ID, schema)
				case "tools/call":
					var params []string
					for _, name := range []string{"Mcp-Name", "Mcp-Param-Region", "Mcp-Param-N", "Mcp-Param-Yes", "Mcp-Param-Query"} {
						for _, value := range r.Header.Values(name) {
							params = append(params, fmt.Sprintf("%s=%q", name, value))
						}
					}
					got = append(got, strings.Join(params, " "))
					reply(w, 200, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
				default:
					serve(w, r, m)
				}
			})
			n := &notebook{}
			c := mustDialHTTP(t, n, s.URL, version)
			tools, err := c.listTools(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, args := range []string{`{"region":"us-west1","n":42,"deep":{"yes":false},"query":"SELECT"}`, `{"region":"Siem\r\nReap","n":null}`, `{"region":""}`} {
				if _, err := c.callTool(t.Context(), "où", []byte(args), nil); err != nil {
					t.Error(err)
				}
			}
			want := []string{`Mcp-Name="=?base64?b8O5?=" Mcp-Param-Region="us-west1" Mcp-Param-N="42" Mcp-Param-Yes="false"`,
				`Mcp-Name="=?base64?b8O5?=" Mcp-Param-Region="=?base64?U2llbQ0KUmVhcA==?="`,
				`Mcp-Name="=?base64?b8O5?=" Mcp-Param-Region=""`}
			wantTools, wantNotes := 1, `left out its tool bad: x-mcp-header of "a" is on a value of type "number"; it may be string, integer or boolean`
			if version == "" { // with a handshake an annotation means nothing
				want, wantTools, wantNotes = []string{"", "", ""}, 2, ""
			}
			if fmt.Sprint(got) != fmt.Sprint(want) || len(tools) != wantTools || n.text() != wantNotes {
				t.Errorf("in %q: %d tools, notes %q, headers\n%s", version, len(tools), n.text(), strings.Join(got, "\n"))
			}
			if string(tools[0].InputSchema) != schema {
				t.Errorf("schema: %s", tools[0].InputSchema)
			}
		})
	}
}

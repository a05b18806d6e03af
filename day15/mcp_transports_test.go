package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// serve answers one message of the client, in a goroutine of its own: say sends a message back, on the stream that
// belongs to m; die breaks the connection.
type serve func(m rpcMessage, say func(format string, args ...any), die func())

// party is the server's side of a connection, whatever the transport.
type party struct {
	serve serve

	mu   sync.Mutex
	seen []rpcMessage
}

// sees remembers a message, in the order in which they come.
func (p *party) sees(m rpcMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = append(p.seen, m)
}

// overPipes connects a client to a server by a stream of lines.
func overPipes(t *testing.T, s *party) func(peer) (transport, error) {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	var mu sync.Mutex // keeps each line whole
	say := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(toClient, format+"\n", args...)
	}
	var working sync.WaitGroup
	working.Go(func() {
		for r := bufio.NewReader(fromClient); ; {
			line, err := readLine(r)
			if err != nil {
				toClient.Close()
				return
			}
			m, _ := parseMessage(line)
			s.sees(m)
			working.Go(func() { s.serve(m, say, func() { toClient.Close() }) })
		}
	})
	t.Cleanup(working.Wait)
	return func(p peer) (transport, error) {
		stream := newStream(fromServer, toServer, p, func(err error) error {
			return &connectionError{reason: "it has gone", err: err}
		})
		working.Go(stream.read)
		return stream, nil
	}
}

// overHTTP connects a client to a server over HTTP, that answers in JSON where it can, or always in events.
func overHTTP(events bool) func(t *testing.T, s *party) func(peer) (transport, error) {
	return func(t *testing.T, s *party) func(peer) (transport, error) {
		server := newWeb(t, func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
			if r.Method != "POST" {
				w.WriteHeader(405)
				return
			}
			if m.Method == "initialize" {
				w.Header().Set("Mcp-Session-Id", "A")
			}
			said := false
			s.sees(m)
			s.serve(m, func(format string, args ...any) {
				said = true
				text := fmt.Sprintf(format, args...)
				if events || strings.Contains(text, `"method"`) || w.Header().Get("Content-Type") != "" {
					sendEvents(w, "data: "+text+"\n\n")
				} else {
					reply(w, 200, "%s", text)
				}
			}, func() { panic(http.ErrAbortHandler) })
			if !said {
				w.WriteHeader(202)
			}
		})
		return func(p peer) (transport, error) { return openHTTP(remote{url: server.URL}, p) }
	}
}

// usual answers what is not of interest in a test, and reports whether it did.
func usual(m rpcMessage, say func(format string, args ...any)) bool {
	switch m.Method {
	case "initialize":
		say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, agreed)
	case "server/discover":
		say(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}`, m.ID)
	}
	return m.Method == "initialize" || m.Method == "server/discover" || m.Method == "notifications/initialized"
}

// protocolCase is a behaviour of the protocol that no transport may change. play returns what the server does with the
// messages that usual does not know, and what the client does.
type protocolCase struct {
	name string
	era  string // the only version that it is about; "" stands for both
	play func(t *testing.T) (calls serve, check func(c *client, s *party))
}

// answering is a server that answers each call with the given members.
func answering(members string) serve {
	return func(m rpcMessage, say func(format string, args ...any), die func()) {
		say(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, members)
	}
}

// expecting is a case about the text of one answer.
func expecting(name, members, want string) protocolCase {
	return protocolCase{name, "", func(t *testing.T) (serve, func(c *client, s *party)) {
		return answering(members), func(c *client, s *party) {
			if got := c.dice(t.Context()); got != want {
				t.Errorf("got %s", got)
			}
		}
	}}
}

func protocolCases() []protocolCase {
	return []protocolCase{
		{"the handshake is whole", handshakeVersion, func(t *testing.T) (serve, func(c *client, s *party)) {
			return answering(`"result":{}`), func(c *client, s *party) {
				if now := c.current(); now.version != "2025-06-18" || now.server.Name != "demo" || now.instructions != "Be kind." || !now.tools {
					t.Errorf("session: %+v", now)
				}
				c.dice(t.Context()) // by then the notification has arrived as well
				s.mu.Lock()
				defer s.mu.Unlock()
				if len(s.seen) != 3 || s.seen[0].Method != "initialize" || s.seen[1].Method != "notifications/initialized" || s.seen[1].ID != nil {
					t.Errorf("seen: %+v", s.seen)
				}
			}
		}},
		{"without a handshake each request says who asks", statelessVersion, func(t *testing.T) (serve, func(c *client, s *party)) {
			return answering(`"result":{}`), func(c *client, s *party) {
				c.dice(t.Context())
				s.mu.Lock()
				defer s.mu.Unlock()
				for i, m := range s.seen {
					var p callParams
					if err := json.Unmarshal(m.Params, &p); err != nil || p.Meta == nil || p.Meta.Version != statelessVersion || p.Meta.Capabilities == nil || i > 1 {
						t.Errorf("seen: %s %s", m.Method, m.Params)
					}
				}
			}
		}},
		{"a list has pages", "", func(t *testing.T) (serve, func(c *client, s *party)) {
			return func(m rpcMessage, say func(format string, args ...any), die func()) {
					var list listParams
					json.Unmarshal(m.Params, &list)
					page := `{"tools":[{"name":"a","inputSchema":{"n":1.0}}],"nextCursor":"2"}`
					if list.Cursor != nil {
						page = `{"tools":[{"name":"b"},{"name":"a"}]}`
					}
					say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, page)
				}, func(c *client, s *party) {
					tools, err := c.listTools(t.Context())
					if want := []toolInfo{{Name: "a", InputSchema: json.RawMessage(`{"n":1.0}`)}, {Name: "b"}}; err != nil || !reflect.DeepEqual(tools, want) {
						t.Errorf("got %+v, %v", tools, err)
					}
				}
		}},
		expecting("a result arrives as it was sent", `"result":{"content":[{"type":"text","text":"— 读取 🎉"}],"n":12345678901234567890}`,
			`{"content":[{"type":"text","text":"— 读取 🎉"}],"n":12345678901234567890}`),
		expecting("a tool that fails has a result", `"result":{"content":[],"isError":true}`, `{"content":[],"isError":true}`),
		expecting("a result may be null", `"result":null`, `null`),
		expecting("an error is an error", `"error":{"code":0,"message":"missing path"}`, `error: error 0: missing path`),
		{"an error is the server's answer", "", func(t *testing.T) (serve, func(c *client, s *party)) {
			return answering(`"error":{"code":-32602,"message":"missing path","data":{"hint":"x"}}`), func(c *client, s *party) {
				_, err := c.callTool(t.Context(), "dice", nil, nil)
				var refused *rpcError
				if !errors.As(err, &refused) || refused.Code != -32602 || refused.Message != "missing path" || string(refused.Data) != `{"hint":"x"}` {
					t.Errorf("got %#v", err)
				}
			}
		}},
		{"progress is told while the call runs", "", func(t *testing.T) (serve, func(c *client, s *party)) {
			return func(m rpcMessage, say func(format string, args ...any), die func()) {
					for i := range 3 {
						say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":%d,"total":3}}`, i+1)
					}
					say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
				}, func(c *client, s *party) {
					told := ""
					_, err := c.callTool(t.Context(), "dice", nil, func(p progress) { told += fmt.Sprintf(" %v/%v", p.Progress, p.Total) })
					if err != nil || told != " 1/3 2/3 3/3" {
						t.Errorf("told%s, %v", told, err)
					}
				}
		}},
		{"a call that is given up is cancelled", handshakeVersion, func(t *testing.T) (serve, func(c *client, s *party)) {
			errStop := errors.New("stopped by hand")
			ctx, cancel := context.WithCancelCause(t.Context())
			told := make(chan string, 1)
			return func(m rpcMessage, say func(format string, args ...any), die func()) {
					if m.Method == "notifications/cancelled" {
						told <- string(m.Params)
						return
					}
					say(`{"jsonrpc":"2.0","method":"x"}`)
					cancel(errStop)
				}, func(c *client, s *party) {
					if _, err := c.callTool(ctx, "dice", nil, nil); !errors.Is(err, errStop) {
						t.Errorf("got %v", err)
					}
					if got := <-told; got != `{"requestId":2,"reason":"stopped by hand"}` {
						t.Errorf("told %s", got)
					}
				}
		}},
		{"requests of the server are answered in the middle of a call", handshakeVersion, func(t *testing.T) (serve, func(c *client, s *party)) {
			answers := make(chan string, 2)
			return func(m rpcMessage, say func(format string, args ...any), die func()) {
					switch {
					case m.Method == "" && m.Error != nil:
						answers <- fmt.Sprintf("%s %d", m.ID, m.Error.Code)
					case m.Method == "":
						answers <- fmt.Sprintf("%s %s", m.ID, m.Result)
					default:
						say(`{"jsonrpc":"2.0","id":"p-1","method":"ping"}`)
						first := <-answers
						say(`{"jsonrpc":"2.0","id":2,"method":"sampling/createMessage","params":{}}`) // our own ID, as it happens
						say(`{"jsonrpc":"2.0","id":%s,"result":[%q,%q]}`, m.ID, first, <-answers)
					}
				}, func(c *client, s *party) {
					if got := c.dice(t.Context()); got != `["\"p-1\" {}","2 -32601"]` {
						t.Errorf("got %s", got)
					}
				}
		}},
		{"other tools are announced", handshakeVersion, func(t *testing.T) (serve, func(c *client, s *party)) {
			return func(m rpcMessage, say func(format string, args ...any), die func()) {
					say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
					say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
				}, func(c *client, s *party) {
					if got := c.dice(t.Context()); got != "{}" || len(c.changed) != 1 {
						t.Errorf("got %s, %d", got, len(c.changed))
					}
				}
		}},
		{"a call that takes too long ends and the next one works", "", func(t *testing.T) (serve, func(c *client, s *party)) {
			release := make(chan struct{})
			return func(m rpcMessage, say func(format string, args ...any), die func()) {
					if strings.Contains(string(m.Params), "slow") {
						<-release
					} else if m.ID != nil {
						say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
					}
				}, func(c *client, s *party) {
					c.limits.request = 50 * time.Millisecond
					_, err := c.callTool(t.Context(), "slow", nil, nil)
					var failure *connectionError
					if !errors.As(err, &failure) || err.Error() != "no answer to tools/call in 50 ms" {
						t.Errorf("got %v", err)
					}
					c.limits.request = time.Minute
					if got := c.dice(t.Context()); got != "{}" {
						t.Errorf("got %s", got)
					}
					close(release)
				}
		}},
		{"a server that dies fails the call", "", func(t *testing.T) (serve, func(c *client, s *party)) {
			return func(m rpcMessage, say func(format string, args ...any), die func()) { die() }, func(c *client, s *party) {
				_, err := c.callTool(t.Context(), "dice", nil, nil)
				var failure *connectionError
				if !errors.As(err, &failure) {
					t.Errorf("got %v", err)
				}
			}
		}},
		{"close ends what still waits", "", func(t *testing.T) (serve, func(c *client, s *party)) {
			began, release := make(chan struct{}), make(chan struct{})
			return func(m rpcMessage, say func(format string, args ...any), die func()) {
					close(began)
					<-release
				}, func(c *client, s *party) {
					result := make(chan string)
					go func() { result <- c.dice(t.Context()) }()
					<-began
					c.close()
					<-c.done
					for _, got := range []string{<-result, c.dice(t.Context())} {
						if got != "error: the connection was closed" {
							t.Errorf("got %s", got)
						}
					}
					close(release)
				}
		}},
		{"calls run side by side", "", func(t *testing.T) (serve, func(c *client, s *party)) {
			const together = 16
			var here sync.WaitGroup
			here.Add(together)
			return func(m rpcMessage, say func(format string, args ...any), die func()) {
					here.Done()
					here.Wait()
					say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, m.ID)
				}, func(c *client, s *party) {
					results, seen := make(chan string, together), map[string]bool{}
					for range together {
						go func() { results <- c.dice(t.Context()) }()
					}
					for range together {
						seen[<-results] = true
					}
					if len(seen) != together {
						t.Errorf("got %v", seen)
					}
				}
		}},
	}
}

func TestTheProtocolIsTheSameOverEachTransport(t *testing.T) {
	transports := map[string]func(t *testing.T, s *party) func(peer) (transport, error){
		"pipes": overPipes, "HTTP with JSON": overHTTP(false), "HTTP with events": overHTTP(true),
	}
	for _, test := range protocolCases() {
		for how, over := range transports {
			for _, version := range []string{handshakeVersion, statelessVersion} {
				if test.era != "" && test.era != version {
					continue
				}
				t.Run(fmt.Sprintf("%s, over %s, %s", test.name, how, version), func(t *testing.T) {
					calls, check := test.play(t)
					s := &party{serve: func(m rpcMessage, say func(format string, args ...any), die func()) {
						if m.Method == "tools/list" || !usual(m, say) {
							calls(m, say, die)
						}
					}}
					p := peer{name: "demo", note: (&notebook{}).notef}
					c, err := connect(t.Context(), p, limits{time.Minute, time.Minute}, version, over(t, s))
					if err != nil {
						t.Fatal(err)
					}
					check(c, s)
					c.close()
					nothingLeft(t)
				})
			}
		}
	}
}

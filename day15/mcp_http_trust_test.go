package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestRedirects(t *testing.T) {
	other := newWeb(t, func(w http.ResponseWriter, r *http.Request, m rpcMessage) { reply(w, 200, "{}") })
	for _, test := range []struct {
		name     string
		status   int
		location string
		want     string // HERE and OTHER stand for the servers' URLs
	}{
		{"307 within the server keeps the message", 307, "/there", `{"moved":"a"}`},
		{"308 as well", 308, "HERE/there", `{"moved":"a"}`},
		{"301 would lose it", 301, "/there", "error: it redirects (301) to HERE/there, and our message would be lost on the way: make that the url"},
		{"302 would lose it", 302, "/there?key=s3cr3t", "error: it redirects (302) to HERE/there, and our message would be lost on the way: make that the url"},
		{"303 would lose it", 303, "/there", "error: it redirects (303) to HERE/there, and our message would be lost on the way: make that the url"},
		{"to another port", 307, "OTHER/mcp?key=s3cr3t", "error: it redirects (307) to another server, OTHER/mcp: if you trust that one, make it the url"},
		{"to another scheme", 308, "https://u:s3cr3t@mcp.test/mcp", "error: it redirects (308) to another server, https://mcp.test/mcp: if you trust that one, make it the url"},
		{"302 to another server", 302, "//evil.test", "error: it redirects (302) to another server, http://evil.test: if you trust that one, make it the url"},
		{"in a circle", 307, "/mcp", "error: it redirects (307) without end, at last to HERE/mcp"},
		{"to nowhere", 307, "", "error: it answered 307 Temporary Redirect"},
		{"to what is no URL", 307, "http://[::1", "error: cannot reach it: failed to parse Location header \"http://[::1\": parse \"http://[::1\": missing ']' in host"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
				if r.Header.Get("Authorization") != "Bearer s3cr3t-D" {
					t.Errorf("Authorization: %s", r.Header.Get("Authorization"))
				}
				if r.URL.Path == "/there" {
					var p callParams
					json.Unmarshal(m.Params, &p)
					reply(w, 200, `{"jsonrpc":"2.0","id":%s,"result":{"moved":%q}}`, m.ID, p.Name)
					return
				}
				if test.location != "" {
					here := strings.Replace(test.location, "HERE", "http://"+r.Host, 1)
					w.Header().Set("Location", strings.Replace(here, "OTHER", other.URL, 1))
				}
				w.WriteHeader(test.status)
			})
			e, err := openHTTP(remote{s.URL + "/mcp", map[string]string{"Authorization": "Bearer s3cr3t-D"}}, (&notebook{}).peer())
			if err != nil {
				t.Fatal(err)
			}
			defer e.close()
			got := outcomeText(e.call(t.Context(), "tools/call", callParams{Name: "a"}))
			if want := strings.NewReplacer("HERE", s.URL, "OTHER", other.URL).Replace(test.want); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
	if other.asked() != "" {
		t.Errorf("the other server was asked:\n%s", other.asked())
	}
}

func TestASameServerIsOneOfTheSameSchemeHostAndPort(t *testing.T) {
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"http://mcp.test/a", "http://MCP.test:80/b?c", true},
		{"https://mcp.test", "https://mcp.test:443", true},
		{"http://[::1]/", "http://[::1]:80/", true},
		{"http://mcp.test", "https://mcp.test", false},
		{"http://mcp.test", "http://mcp.test:8080", false},
		{"http://mcp.test", "http://mcp.test.evil.test", false},
		{"http://localhost", "http://127.0.0.1", false},
	} {
		a, errA := http.NewRequest("GET", test.a, nil)
		b, errB := http.NewRequest("GET", test.b, nil)
		if errA != nil || errB != nil || (origin(a.URL) == origin(b.URL)) != test.same {
			t.Errorf("%s and %s", test.a, test.b)
		}
	}
}

func TestWhoIsNotLetIn(t *testing.T) {
	for _, late := range []bool{false, true} {
		for _, status := range []int{401, 403} {
			t.Run(fmt.Sprintf("%d, late: %v", status, late), func(t *testing.T) {
				n := &notebook{}
				s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
					if late && m.Method == "initialize" {
						legacy("A", nil)(w, r, m)
						return
					}
					if late && m.Method == "notifications/initialized" {
						return
					}
					w.Header().Set("WWW-Authenticate", `Bearer realm="x"`)
					http.Error(w, "your token s3cr3t-D is wrong, your session too", status)
				})
				c, err := dialHTTP(t, n, remote{s.URL, map[string]string{"Authorization": "Bearer s3cr3t-D"}}, "")
				if late {
					_, err = c.callTool(t.Context(), "dice", nil, nil)
				}
				if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("(%d): check headers.Authorization of this server", status)) ||
					strings.Contains(err.Error(), "s3cr3t") || strings.Contains(err.Error(), "\n") {
					t.Errorf("got %v", err)
				}
				if count := strings.Count(s.asked(), "POST initialize") + strings.Count(s.asked(), "POST tools/call"); late && count != 2 || !late && count != 1 {
					t.Errorf("asked:\n%s", s.asked())
				}
			})
		}
	}
}

func TestNoSecretIsInAnErrorOrLog(t *testing.T) {
	refused := httptest.NewServer(nil)
	refused.Close()
	broken := newWeb(t, func(w http.ResponseWriter, r *http.Request, m rpcMessage) { panic(http.ErrAbortHandler) })
	for name, address := range map[string]string{
		"refused":      refused.Listener.Addr().String(),
		"broken":       broken.Listener.Addr().String(),
		"no such host": "mcp.invalid",
		"no such port": "127.0.0.1:99999",
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			n := &notebook{}
			p := peer{name: "demo", note: n.notef, wire: &wireLog{redact: newRedactor(nil), w: &log}}
			_, err := connect(t.Context(), p, limits{farewell, farewell}, "", func(p peer) (transport, error) {
				return openHTTP(remote{"http://u:s3cr3t-E@" + address + "/mcp?key=s3cr3t-F",
					map[string]string{"Authorization": "Bearer s3cr3t-D"}}, p)
			})
			if all := fmt.Sprintf("%v %+v %#v %s %s", err, err, err, n.text(), log.String()); err == nil || strings.Contains(all, "s3cr3t") {
				t.Error(all)
			}
		})
	}
	for _, header := range []map[string]string{{"Authorization": "s3cr3t\n"}, {"X s3cr3t:": "a"}} {
		e, err := openHTTP(remote{broken.URL, header}, (&notebook{}).peer())
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.call(t.Context(), "x", nil)
		if err == nil || strings.Contains(err.Error(), "s3cr3t\n") {
			t.Errorf("got %v", err)
		}
		e.close()
	}
}

// proxyVariable makes TestProxyFromTheEnvironment the child that asks for the URL in it: net/http reads the variables of
// proxies once for each process. All that it dials leads to the address that follows the URL.
const proxyVariable = "GEEKAGENT_PROXY_TEST"

func TestProxyFromTheEnvironment(t *testing.T) {
	if task := os.Getenv(proxyVariable); task != "" {
		url, address, _ := strings.Cut(task, " ")
		e, err := openHTTP(remote{url: url}, (&notebook{}).peer())
		if err != nil {
			t.Fatal(err)
		}
		e.client.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, dialed string) (net.Conn, error) {
			fmt.Println("dialed", dialed)
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
		fmt.Println(outcomeText(e.call(t.Context(), "tools/list", nil)))
		e.close()
		return
	}
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m rpcMessage) {
		reply(w, 200, `{"jsonrpc":"2.0","id":%s,"result":%q}`, m.ID, r.RequestURI) // of a proxy, the whole URL is asked for
	})
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	for _, test := range []struct{ name, url, environment, want string }{
		{"this machine is asked directly", "http://127.0.0.1:" + port + "/mcp", "HTTP_PROXY=http://127.0.0.1:9", "dialed 127.0.0.1:" + port + "\n\"/mcp\""},
		{"also by its name", "http://localhost:" + port + "/mcp", "HTTP_PROXY=http://127.0.0.1:9", "dialed localhost:" + port + "\n\"/mcp\""},
		{"others through the proxy", "http://mcp.test/mcp", "HTTP_PROXY=http://proxy.test:3128", "dialed proxy.test:3128\n\"http://mcp.test/mcp\""},
		{"unless excepted", "http://mcp.test/mcp", "HTTP_PROXY=http://proxy.test:3128 NO_PROXY=mcp.test", "dialed mcp.test:80\n\"/mcp\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestProxyFromTheEnvironment$")
			cmd.Env = append(append(os.Environ(), "GORACE=atexit_sleep_ms=0", "HTTP_PROXY=", "http_proxy=", "NO_PROXY=", "no_proxy=",
				proxyVariable+"="+test.url+" "+s.Listener.Addr().String()), strings.Fields(test.environment)...)
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.HasPrefix(string(out), test.want+"\n") {
				t.Errorf("%v, printed:\n%s", err, out)
			}
		})
	}
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestACallIsForTheToolThatWasAllowed(t *testing.T) {
	allowed := serverTool{Tool: Tool{Name: "mcp_s_send", Description: "Sends"}, Server: "s", Original: "send"}
	for _, test := range []struct {
		name string
		now  []serverTool
		want string
	}{
		{"it says something else now", []serverTool{{Tool: Tool{Name: "mcp_s_send", Description: "Deletes"}, Server: "s", Original: "send"}},
			"not sent: the server defines this tool differently now; call it again if it still fits"},
		{"it is not there any more", nil, "not sent: the server has no such tool any more"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, f := mustDial(t, &notebook{}, map[string]string{"tools/call": `{"content":[]}`})
			s := &server{client: c, tools: test.now}
			if _, err := s.call(t.Context(), allowed, json.RawMessage("{}"), func(string) {}); err == nil || err.Error() != test.want {
				t.Errorf("error %v, want %q", err, test.want)
			}
			if sent := f.sent(); strings.Contains(sent, "tools/call") {
				t.Errorf("it was sent all the same:\n%s", sent)
			}
		})
	}
}

func TestWhatAServerMakesUsPrintIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limiter{perSecond: linesPerSecond}
		count := func() (shown, told int) {
			for range 1000 {
				show, first := l.next()
				if show {
					shown++
				}
				if first {
					told++
				}
			}
			return shown, told
		}
		for range 2 {
			if shown, told := count(); shown != linesPerSecond || told != 1 {
				t.Errorf("%d lines, told %d times", shown, told)
			}
			time.Sleep(time.Second + time.Millisecond)
		}
	})
}

func TestALineThatIsCutDoesNotEndInHalfASecret(t *testing.T) {
	redact := newRedactor([]string{"MY_TOKEN=tok-correct-horse-battery"})
	var shown string
	tail := &stderrTail{redact: redact, pass: func(line string) { shown = line }}
	fmt.Fprintf(tail, "%stok-correct-horse-battery\n", strings.Repeat("x", stderrWidth-12))
	if strings.Contains(shown, "tok-") {
		t.Errorf("the line ends with %q", shown[len(shown)-20:])
	}
	n := noise{redact: redact, note: func(string, ...any) {}}
	n.line([]byte(strings.Repeat("x", 70) + "tok-correct-horse-battery"))
	if strings.Contains(n.sample, "tok-") {
		t.Errorf("the sample is %q", n.sample)
	}
}

func TestEscapesHideNoSecretInStructuredContent(t *testing.T) {
	text, _ := resultText(json.RawMessage(`{"structuredContent":{"a\u002fb":"s3cr\/etv\u0061lue12 <\u003c> \"\\"}}`), nil)
	if want := `{"a/b":"s3cr/etvalue12 <<> \"\\"}`; text != want {
		t.Errorf("got %s, want %s", text, want)
	}
}

func TestWhatNoModelCouldUseIsLeftOut(t *testing.T) {
	deep := strings.Repeat(`{"properties":{"a":`, 40) + "{}" + strings.Repeat("}}", 40)
	s := newFakeServer("demo", text(""))
	tools, warnings := s.tools([]toolInfo{{Name: "deep", InputSchema: json.RawMessage(deep)},
		{Name: "long", Description: strings.Repeat("x", maxDescription)}, {Name: "fine"}})
	if len(tools) != 1 || tools[0].Original != "fine" {
		t.Errorf("offered: %d tools", len(tools))
	}
	want := "tool deep was left out: its schema nests 81 deep, the limit is 64\ntool long was left out: its description has 16395 bytes, the limit is 16384"
	if got := strings.Join(warnings, "\n"); got != want {
		t.Errorf("warnings\n%s\nwant\n%s", got, want)
	}
}

func TestAListWithoutMeasureEnds(t *testing.T) {
	t.Parallel()
	n := &notebook{}
	tools := `{"tools":[{"name":"a","description":"` + strings.Repeat("x", 30<<20) + `"}],"nextCursor":`
	pages := 0
	c, _, err := dial(t, n, "", func(ctx context.Context, method, params string) (string, error) {
		if method == "tools/list" {
			pages++
			return fmt.Sprintf(`%s"%d"}`, tools, pages), nil
		}
		return agreed, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.listTools(context.Background()); err != nil || pages != 3 {
		t.Errorf("%d pages, error %v", pages, err)
	}
	if want := "its list of tools has more than 64 MiB; kept the first 1 tools"; !strings.Contains(n.text(), want) {
		t.Errorf("noted %s", n.text())
	}
}

func TestAServerThatAnnouncesWithEachListIsNotAskedWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asks := 0
		var f *fakeTransport
		c, f, err := dial(t, &notebook{}, "", func(_ context.Context, method, _ string) (string, error) {
			if method != "tools/list" {
				return agreed, nil
			}
			if asks++; asks < 10_000 {
				f.peer.notified("notifications/tools/list_changed", nil)
			}
			return `{"tools":[]}`, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		m := &MCP{console: newConsole(strings.NewReader(""), io.Discard, io.Discard), offered: map[string]serverTool{}}
		s := newServer(m, &serverConfig{Name: "s", Timeout: time.Minute}, nil)
		s.client, m.servers = c, []*server{s}
		c.listAgain()
		go s.watch(c)
		time.Sleep(20 * time.Second)
		close(c.done)
		synctest.Wait()
		if asks < 20*listsPerSecond || asks > 22*listsPerSecond {
			t.Errorf("asked %d times in 20 s", asks)
		}
	})
}

// Who waits for the tools to be taken in waits for one list with all others.
func TestCallsSideBySideWaitForOneList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f *fakeTransport
		c, f, err := dial(t, &notebook{}, "", func(_ context.Context, method, _ string) (string, error) {
			if method == "tools/list" {
				time.Sleep(time.Millisecond)
				f.peer.notified("notifications/tools/list_changed", nil)
				return `{"tools":[]}`, nil
			}
			return agreed, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		m := &MCP{console: newConsole(strings.NewReader(""), io.Discard, io.Discard), offered: map[string]serverTool{}}
		s := newServer(m, &serverConfig{Name: "s", Timeout: time.Minute}, nil)
		s.client, m.servers = c, []*server{s}
		c.listAgain()
		go s.watch(c)
		begin := time.Now()
		var calls sync.WaitGroup
		for range 100 {
			calls.Go(func() {
				for range 5 {
					s.settle(t.Context(), c)
				}
			})
		}
		calls.Wait()
		if took := time.Since(begin); took > 2*time.Second {
			t.Errorf("100 times 5 calls wait %v", took)
		}
		close(c.done)
		time.Sleep(time.Minute) // for the list that is under way
	})
}

// A process that must end while its servers start, and a server that ends as soon as it is there, leave a reason.
func TestAConnectionThatIsNotThereHasAReason(t *testing.T) {
	console := newConsole(strings.NewReader(""), io.Discard, io.Discard)
	m := &MCP{console: console, offered: map[string]serverTool{}}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 { // select takes any case that is ready
		s := newServer(m, &serverConfig{Name: "s", Command: "x"}, nil)
		s.connecting <- struct{}{}
		s.start(ended)
		if s.report(); s.reason() == nil {
			t.Error("no reason after a start that was given up")
		}
	}
	synctest.Test(t, func(t *testing.T) {
		s := newServer(m, &serverConfig{Name: "s"}, nil)
		s.connecting <- struct{}{} // somebody else connects
		failed := make(chan error)
		go func() {
			_, err := s.live(t.Context())
			failed <- err
		}()
		synctest.Wait()
		dead := &client{done: make(chan struct{}), cause: io.EOF}
		close(dead.done)
		s.mu.Lock()
		s.client, s.attempts = dead, 1
		s.mu.Unlock()
		<-s.connecting
		if err := <-failed; err != io.EOF {
			t.Errorf("error %v", err)
		}
	})
}

func TestSecretsThatAreOnlyReferredToAreKnown(t *testing.T) {
	variables := map[string]string{"GITHUB_PAT": "pat-1234567", "MCP_KEY": "code-1234567", "MODE": "production"}
	servers, err := parseServers("mcp.json", []byte(`{"mcpServers":{
		"a":{"command":"x","args":["${GITHUB_PAT}"],"env":{"DSN":"${GITHUB_PAT}","M":"${MODE}"}},
		"b":{"url":"http://host/api/s/${MCP_KEY}/mcp"}}}`), func(name string) (string, bool) { v, ok := variables[name]; return v, ok })
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"pat-1234567", "code-1234567"} {
		redact := &Redactor{}
		for _, s := range servers[i].secrets() {
			redact.Add(s.name, s.value)
		}
		if got := redact.Redact(want + " production"); strings.Contains(got, want) || !strings.Contains(got, "production") {
			t.Errorf("got %q", got)
		}
	}
	if got := servers[1].target(); got != "http://host/api/s/***/mcp" {
		t.Errorf("the target is %s", got)
	}
}

func TestTheWireLogIsForItsOwnerAlone(t *testing.T) {
	file := t.TempDir() + "/wire"
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	log, err := openWire(file, newConsole(strings.NewReader(""), os.Stdout, os.Stderr))
	if err != nil {
		t.Fatal(err)
	}
	defer log.close()
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
}

func TestAWireLogThatIsNotCompleteSaysSo(t *testing.T) {
	l := &wireLog{w: full{}}
	l.sent("s", []byte("{}"))
	if err := l.close(); err != syscall.ENOSPC {
		t.Errorf("error %v", err)
	}
}

// What is shortened is redacted before: nobody would know the beginning of a secret.
func TestASecretIsHiddenWhereATextIsCut(t *testing.T) {
	redact := newRedactor([]string{"A_TOKEN=tok-0123456789"})
	pad := strings.Repeat("x", maxLabel-8)
	for _, result := range []string{
		`{"content":[{"type":"resource_link","name":"n","uri":"` + pad + `tok-0123456789"}]}`,
		`{"content":[{"type":"odd","a":"` + strings.Repeat(`x","b":"`, 60) + `tok-0123456789"}]}`,
	} {
		if text, _ := resultText(json.RawMessage(result), redact); strings.Contains(text, "tok-") {
			t.Errorf("shown: %s", text)
		}
	}
	if text := refusalText(&rpcError{Data: json.RawMessage(`["` + strings.Repeat(`x","`, 163) + `tok-0123456789"]`)}, redact); strings.Contains(text, "tok-") {
		t.Errorf("shown: %s", text)
	}
}

func TestTwoServersThatWantOneName(t *testing.T) {
	b := newBench(t, nil, "", "")
	tool := func(server string) []serverTool {
		return []serverTool{{Tool: Tool{Name: "mcp_a_b_x_f7ccf63e", Description: server}, Server: server, Original: "x"}}
	}
	m := &MCP{console: b.console, registry: b.registry, room: 10, offered: map[string]serverTool{},
		servers: []*server{{tools: tool("a")}, {tools: tool("a_b")}}}
	for range 2 {
		m.offer()
		if got := b.registry.Visible(); len(got) != 1 || got[0].Description != "a" {
			t.Errorf("offered: %v", got)
		}
	}
	if !strings.Contains(b.err.String(), "[mcp] a_b: tool x was left out: a has one of the same name\n") {
		t.Errorf("stderr %s", b.err.String())
	}
}

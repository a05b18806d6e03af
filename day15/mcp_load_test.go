package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// dialProcess connects a client to the named fake server.
func dialProcess(t *testing.T, n *notebook, l launch) (*client, *process, error) {
	var p *process
	open := func(peer peer) (_ transport, err error) {
		p, err = startProcess(l, peer, func(line string) { n.notef("stderr: %s", line) })
		return p, err
	}
	c, err := connect(t.Context(), peer{name: "demo", note: n.notef}, limits{time.Minute, time.Minute}, "", open)
	if err == nil {
		t.Cleanup(func() { c.close() })
	}
	return c, p, err
}

// settled waits until no more goroutines run than before, and fails if that does not happen.
func settled(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(patienceWithTheEnd); runtime.NumGoroutine() > before; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

func TestAThousandCallsAtOnce(t *testing.T) {
	p := startFake(t, &notebook{}, fakeLaunch("shuffles"))
	var all sync.WaitGroup
	seen := make([]string, 1000)
	for i := range seen {
		all.Go(func() {
			raw, err := p.call(t.Context(), "x", i)
			seen[i] = fmt.Sprint(string(raw), err)
		})
	}
	all.Wait()
	unique := map[string]bool{}
	for _, result := range seen {
		unique[result] = true
	}
	// The server answers each ID once with itself, so nothing was mixed up if all answers are different and none failed.
	if len(unique) != 1000 || !unique[`{"is":1}<nil>`] || !unique[`{"is":1000}<nil>`] {
		t.Errorf("%d different answers", len(unique))
	}
}

func TestManyCallsInARowKeepMemoryFlat(t *testing.T) {
	count := 5_000
	if os.Getenv("GEEKAGENT_LONG_TESTS") != "" {
		count = 100_000
	}
	c, p, err := dialProcess(t, &notebook{}, fakeLaunch("handshake"))
	if err != nil {
		t.Fatal(err)
	}
	use := func(calls int) uint64 {
		for range calls {
			if _, err := c.callTool(t.Context(), "dice", nil, nil); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := use(1000)
	if after := use(count); after > before+1<<20 {
		t.Errorf("the heap grew from %d to %d bytes", before, after)
	}
	if len(p.pending) != 0 || len(c.watches) != 0 {
		t.Errorf("%d calls pending, %d watched", len(p.pending), len(c.watches))
	}
}

func TestManyServersAtOnce(t *testing.T) {
	t.Parallel()
	count := 20
	if os.Getenv("GEEKAGENT_LONG_TESTS") != "" {
		count = 100
	}
	l, mark := markedLaunch(t, "handshake")
	clients := make([]*client, count)
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			c, _, err := dialProcess(t, &notebook{}, l)
			if err != nil {
				t.Error(err)
				return
			}
			clients[i] = c
			if tools, err := c.listTools(t.Context()); len(tools) != 1 || err != nil {
				t.Error(tools, err)
			}
		})
	}
	all.Wait()
	for _, c := range clients {
		if c != nil {
			all.Go(func() { c.close() })
		}
	}
	all.Wait()
	if found := survivors(t, mark); found != "" {
		t.Errorf("left: %s", found)
	}
}

func TestNothingIsLeftWhateverHappens(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, test := range []struct {
		server string
		err    string // of the connection
		use    func(c *client, p *process)
	}{
		{"handshake", "", func(c *client, p *process) { c.close() }},
		{"handshake", "", func(c *client, p *process) { // a crash, seen from outside
			signalGroup(p.cmd.Process, syscall.SIGKILL)
			<-c.done
			<-p.ended
			if c.cause.Error() != "signal: killed" {
				t.Errorf("cause: %v", c.cause)
			}
		}},
		{"handshake", "", func(c *client, p *process) { // a call that is given up, then the end
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			c.callTool(ctx, "dice", nil, nil)
			c.close()
		}},
		{"die", "exit status 3: DEMO_KEY missing", nil},
		{"silent", "no answer to initialize in 100 ms", nil},
		{"quick", `it speaks protocol version ""`, nil},
	} {
		l, mark := markedLaunch(t, test.server)
		var p *process
		open := func(peer peer) (_ transport, err error) {
			p, err = startProcess(l, peer, func(string) {})
			return p, err
		}
		limit := limits{time.Minute, time.Minute}
		if test.server == "silent" {
			limit.start = 100 * time.Millisecond
		}
		c, err := connect(t.Context(), peer{note: t.Logf}, limit, "", open)
		if (err == nil) != (test.err == "") || err != nil && !strings.HasPrefix(err.Error(), test.err) {
			t.Errorf("%s: got %v", test.server, err)
		}
		if err == nil {
			test.use(c, p)
		}
		if found := survivors(t, mark); found != "" {
			t.Errorf("%s left: %s", test.server, found)
		}
	}
	settled(t, before)
	if entries, err := os.ReadDir("/proc/self/fd"); err == nil && len(entries) > 50 {
		t.Errorf("%d files are open", len(entries))
	}
}

func TestACancelledCallIsToldToTheServerWhichGoesOn(t *testing.T) {
	c, _, err := dialProcess(t, &notebook{}, fakeLaunch("sleeper"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = c.callTool(ctx, "sleep", nil, func(progress) { cancel() }) // progress: the server is at it
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	raw, err := c.callTool(t.Context(), "tell", nil, nil)
	if want := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"context canceled"}}`; err != nil || string(raw) != want {
		t.Errorf("the server saw %s, %v", raw, err)
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// startFake starts the named fake server and stops it at the end of the test.
func startFake(t *testing.T, n *notebook, l launch) *process {
	t.Helper()
	p, err := startProcess(l, n.peer(), func(line string) { n.notef("stderr: %s", line) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.close() })
	return p
}

// patienceWithTheEnd is how long what has to end may still be there. Only a test that fails waits so long.
const patienceWithTheEnd = 30 * time.Second

// survivors returns the processes that have the mark as an entry of their environment, "" where the system has no /proc.
// A process that has been killed may still stand there for a moment.
func survivors(t *testing.T, mark string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		return ""
	}
	var found string
	for end := time.Now().Add(patienceWithTheEnd); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		found = ""
		environs, err := filepath.Glob("/proc/[0-9]*/environ")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range environs {
			// A zombie's environment is empty: it has ended, and waits for its parent.
			if environ, err := os.ReadFile(file); err == nil && strings.Contains("\x00"+string(environ), "\x00"+mark+"\x00") {
				found += file + " "
			}
		}
		if found == "" {
			return ""
		}
	}
	return found
}

// markedLaunch is fakeLaunch with a mark that survivors finds, another one each time.
func markedLaunch(t *testing.T, name string) (launch, string) {
	l := fakeLaunch(name)
	l.env["FAKE_MARK"] = t.TempDir()
	return l, "FAKE_MARK=" + l.env["FAKE_MARK"]
}

func TestACommandThatCannotBeStarted(t *testing.T) {
	none := t.TempDir()
	for _, test := range []struct {
		name string
		launch
		want string
	}{
		{"is not on PATH", launch{command: "no-such-cmd-42"}, `command "no-such-cmd-42" not found on PATH`},
		{"holds its arguments", launch{command: "demo-server --stdio -v"},
			`command "demo-server --stdio -v" not found on PATH; if the command is "demo-server", move the rest to "args": ["--stdio","-v"]`},
		{"is a path to nothing", launch{command: "./no/such/cmd"}, `command "./no/such/cmd" not found`},
		{"is a folder", launch{command: none}, "cannot start " + none + ": "},
		{"is empty", launch{}, `command "" not found`},
		{"has no working directory", launch{command: "cat", dir: "/no/such/dir"}, "there is no working directory /no/such/dir"},
		{"has a file for a working directory", launch{command: "cat", dir: fakeLaunch("").command}, "there is no working directory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := startProcess(test.launch, (&notebook{}).peer(), nil)
			var failure *connectionError
			if p != nil || !errors.As(err, &failure) || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// question asks a fake server for one string.
func question(t *testing.T, p *process, method string) string {
	t.Helper()
	raw, err := p.call(t.Context(), method, nil)
	if err != nil {
		t.Fatal(err)
	}
	return stringValue(raw)
}

func TestTheEnvironmentOfAServer(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-secret-of-the-agent")
	t.Setenv("INHERITED", "yes")
	t.Setenv("GREETING", "of the parent")
	l := fakeLaunch("mirror")
	l.env["GREETING"] = "hi"
	l.env["PASS"] = "pa$$w0rd$1"
	p := startFake(t, &notebook{}, l)
	for name, want := range map[string]string{"INHERITED": "yes", "GREETING": "hi", "PASS": "pa$$w0rd$1", "PATH": os.Getenv("PATH"), "OPENAI_API_KEY": ""} {
		if got := question(t, p, "env "+name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	l.env["OPENAI_API_KEY"] = "sk-of-the-config"
	if got := question(t, startFake(t, &notebook{}, l), "env OPENAI_API_KEY"); got != "sk-of-the-config" {
		t.Errorf("a key that the config gives is %q", got)
	}
}

func TestArgumentsArriveAsTheyAre(t *testing.T) {
	l := fakeLaunch("mirror")
	l.args = []string{"--root", "/tmp/My Files", "it's", `a"b`, "$HOME", "*", "; rm x", ""}
	if got, want := question(t, startFake(t, &notebook{}, l), "args"), fmt.Sprintf("%q", l.args); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestARelativeCommandIsRelativeToUs(t *testing.T) {
	dir := t.TempDir()
	for _, sub := range []string{"bin", "data"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	l := fakeLaunch("mirror")
	if err := os.Symlink(l.command, filepath.Join(dir, "bin", "server")); err != nil {
		t.Skip(err)
	}
	t.Chdir(dir)
	l.command, l.dir = "."+string(filepath.Separator)+filepath.Join("bin", "server"), "data"
	if got := question(t, startFake(t, &notebook{}, l), "dir"); filepath.Base(got) != "data" {
		t.Errorf("it works in %s", got)
	}
}

func TestAServerThatEndsAtStart(t *testing.T) {
	n := &notebook{}
	l, mark := markedLaunch(t, "die")
	p := startFake(t, n, l)
	_, err := p.call(t.Context(), "initialize", nil)
	var failure *connectionError
	if !errors.As(err, &failure) || err.Error() != "exit status 3: DEMO_KEY missing" {
		t.Errorf("got %v", err)
	}
	<-p.ended // by itself: nobody has called close
	if n.ended != err || n.text() != "stderr: starting\nstderr: DEMO_KEY missing\nstderr: " {
		t.Errorf("the peer was told %v, notes %q", n.ended, n.text())
	}
	if found := survivors(t, mark); found != "" {
		t.Errorf("left: %s", found)
	}
}

func TestAServerThatEndsDuringACall(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"crash":                    "exit status 1",
		"crash with a grandchild":  "exit status 1", // who holds stdout and stderr
		"close stdout and stay on": "it closed its stdin or stdout",
	} {
		t.Run(name, func(t *testing.T) {
			l, mark := markedLaunch(t, name)
			p := startFake(t, &notebook{}, l)
			if _, err := p.call(t.Context(), "ping", nil); err != nil {
				t.Fatal(err)
			}
			if _, err := p.call(t.Context(), "tools/call", nil); err == nil || err.Error() != want {
				t.Errorf("got %v", err)
			}
			<-p.ended
			if found := survivors(t, mark); found != "" {
				t.Errorf("left: %s", found)
			}
		})
	}
}

func TestALastAnswerBeforeTheEndIsHeard(t *testing.T) {
	t.Parallel()
	for range 20 {
		p := startFake(t, &notebook{}, fakeLaunch("answer and exit"))
		first, second := goCall(t.Context(), p.stream, "x"), goCall(t.Context(), p.stream, "y") // one of them is not read any more
		got := []outcome{<-first, <-second}
		if got[0].result != `"bye"` {
			slices.Reverse(got)
		}
		var failure *connectionError
		if got[0].result != `"bye"` || !errors.As(got[1].err, &failure) || failure.reason != "exit status 0" {
			t.Fatalf("got %v", got)
		}
	}
}

func TestStopping(t *testing.T) {
	t.Parallel()
	if longest := 2*stopGrace + 2*pipeGrace + exitGrace; longest > 5*time.Second {
		t.Errorf("stopping may take %v", longest)
	}
	var all sync.WaitGroup
	for _, test := range []struct {
		server string
		least  time.Duration
		end    string // its exit status tells what made it end
	}{
		{"quick", 0, "exit status 0"},                           // ends with its input
		{"deaf until SIGTERM", stopGrace, "signal: terminated"}, // ignores the end of its input
		{"deaf", 2 * stopGrace, "signal: killed"},               // and SIGTERM too
		{"floods", stopGrace, "signal: terminated"},             // never reads, and writes without end
		{"with a grandchild", 0, "exit status 0"},               // leaves a process behind that holds everything
	} {
		all.Go(func() { // all at once, for some of them take seconds
			if end := stopFake(t, test.server, test.least); end != test.end {
				t.Errorf("%s: the end was %s, want %s", test.server, end, test.end)
			}
		})
	}
	all.Wait()
}

// stopFake starts the named server and stops it, which takes a while at least; it returns how the server ended.
func stopFake(t *testing.T, server string, least time.Duration) string {
	l, mark := markedLaunch(t, server)
	p := startFake(t, &notebook{}, l)
	if _, err := p.call(t.Context(), "ready?", nil); err != nil {
		t.Errorf("%s: %v", server, err)
	}
	waiting := goCall(context.Background(), p.stream, "hang")
	begin := time.Now()
	closed := make(chan error)
	for range 3 { // from several goroutines
		go func() { closed <- p.close() }()
	}
	if got := <-waiting; got.err == nil || got.err.Error() != "the connection was closed" {
		t.Errorf("%s: a waiting call got %v", server, got.err)
	}
	if least == 2*stopGrace { // so long that the call was certainly not kept waiting for it
		select {
		case <-p.exited:
			t.Errorf("%s: a waiting call was not ended before its server", server)
		default:
		}
	}
	for range 3 {
		if err := <-closed; err != nil {
			t.Errorf("%s: %v", server, err)
		}
	}
	if took := time.Since(begin); took < least {
		t.Errorf("%s: took %v", server, took)
	}
	if found := survivors(t, mark); found != "" {
		t.Errorf("%s left: %s", server, found)
	}
	if err := p.close(); err != nil { // once more
		t.Errorf("%s: %v", server, err)
	}
	<-p.exited // close does not wait for ever for a process that was killed
	return p.cmd.ProcessState.String()
}

func TestAServerOfItsOwnGroupSurvivesAnInterrupt(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	p := startFake(t, &notebook{}, fakeLaunch("mirror"))
	group, err := strconv.Atoi(question(t, p, "group"))
	if err != nil || group != p.cmd.Process.Pid {
		t.Errorf("group %d, process %d, %v", group, p.cmd.Process.Pid, err)
	}
}

func TestAServerThatFloodsStderr(t *testing.T) {
	t.Parallel()
	lines := 0
	p, err := startProcess(fakeLaunch("floods stderr"), (&notebook{}).peer(), func(string) { lines++ })
	if err != nil {
		t.Fatal(err)
	}
	if got := question(t, p, "x"); got != "done" { // it could not have written all of it with nobody reading
		t.Errorf("got %q", got)
	}
	p.close()
	kept := p.stderr.lines()
	if lines != 10_001 || len(kept) != stderrLines || kept[19] != strings.Repeat("y", stderrWidth) || p.stderr.last() != kept[19] {
		t.Errorf("%d lines, %d kept, the last: %.50q", lines, len(kept), p.stderr.last())
	}
}

func TestMemoryStaysBoundedWithALineThatNeverEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 64 MiB")
	}
	l, mark := markedLaunch(t, "never ends its line")
	p := startFake(t, &notebook{}, l)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := p.call(t.Context(), "x", nil)
	runtime.ReadMemStats(&after)
	if err == nil || err.Error() != "it sent a line of more than 64 MiB" {
		t.Errorf("got %v", err)
	}
	if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 80 {
		t.Errorf("allocated %d MiB", used)
	}
	<-p.ended
	if found := survivors(t, mark); found != "" {
		t.Errorf("left: %s", found)
	}
}

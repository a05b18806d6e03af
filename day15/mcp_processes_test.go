package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// child is the agent as a process of its own: in a folder and a process group of its own, as a shell starts it.
type child struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   *bufio.Reader // its stdout and stderr
	mark  string        // in the environment of all that it starts; see survivors
}

// newChild writes an mcp.json with the servers, allows their tools, and prepares the agent. No model stands for no key.
func newChild(t *testing.T, model *fakeModel, entries []entry, args ...string) *child {
	t.Helper()
	dir := t.TempDir()
	for file, text := range map[string]string{"mcp.json": mcpJSON(t, entries...), "GeekAgent.json": `{"tools":` + allowAll + `}`} {
		if err := replaceFile(filepath.Join(dir, home, file), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // for a test that fails: it must not wait for ever
	t.Cleanup(cancel)
	c := &child{t: t, cmd: exec.CommandContext(ctx, self, args...), mark: "FAKE_MARK=" + dir}
	c.cmd.Dir = dir
	c.cmd.Env = append(append(os.Environ(), asAgent...), c.mark, "MCP_CONFIG=", "OPENAI_API_KEY=")
	if model != nil {
		c.cmd.Env = append(c.cmd.Env, "OPENAI_API_KEY=fake-key", "OPENAI_BASE_URL="+model.URL)
	}
	ownSession(c.cmd)
	return c
}

// startAgent starts a newChild to talk to.
func startAgent(t *testing.T, model *fakeModel, entries []entry, args ...string) *child {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a signal cannot be sent there")
	}
	c := newChild(t, model, entries, args...)
	var err error
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.cmd.Stderr = c.cmd.Stdout
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.out = bufio.NewReader(out)
	return c
}

// until reads the output up to a text.
func (c *child) until(text string) string {
	c.t.Helper()
	var read strings.Builder
	for !strings.HasSuffix(read.String(), text) {
		b, err := c.out.ReadByte()
		if err != nil {
			c.t.Fatalf("the output ends before %q: %v\n%s", text, err, read.String())
		}
		read.WriteByte(b)
	}
	return read.String()
}

// run is runMCP for a process of its own, which may run beside others; afterwards no process may be left.
func (c *child) run(input string) (code int, stdout, stderr string) {
	var out, errs strings.Builder
	c.cmd.Stdout, c.cmd.Stderr = &out, &errs
	if input != "" {
		c.cmd.Stdin = strings.NewReader(input)
	}
	c.cmd.Run() // how it ended is in ProcessState
	if found := survivors(c.t, c.mark); found != "" {
		c.t.Errorf("left: %s", found)
	}
	return c.cmd.ProcessState.ExitCode(), out.String(), slowStart.ReplaceAllString(errs.String(), "")
}

// types writes a line as if it was typed.
func (c *child) types(line string) { io.WriteString(c.stdin, line+"\n") }

// interrupt is a Ctrl-C at the terminal: the signal goes to the whole process group.
func (c *child) interrupt() { signalGroup(c.cmd.Process, syscall.SIGINT) }

// mustEnd waits for the end, and fails on another exit code, and if any process is left.
func (c *child) mustEnd(code int) {
	c.t.Helper()
	rest, err := io.ReadAll(c.out)
	if err != nil {
		c.t.Error(err)
	}
	c.cmd.Wait()
	if got := c.cmd.ProcessState.ExitCode(); got != code {
		c.t.Errorf("exit code %d, want %d; at last\n%s", got, code, rest)
	}
	if found := survivors(c.t, c.mark); found != "" {
		c.t.Errorf("left: %s", found)
	}
}

var pid = regexp.MustCompile(`pid (\d+)`)

func TestCtrlCEndsTheCallAndNotTheServer(t *testing.T) {
	t.Parallel()
	model := newFakeModel(t, calls("mcp_s_pid", "{}"), says("Good."), calls("mcp_s_sleep", "{}"), calls("mcp_s_tell", "{}"), says("Well."))
	c := startAgent(t, model, []entry{plays("s", "interrupted")}, "-wire", "wire.log")
	c.until("You › ")
	c.types("who are you?")
	before := pid.FindString(c.until("Good.\n"))
	c.types("sleep")
	c.until("[mcp] s: mcp_s_sleep: 1 asleep\n") // the server is at it
	c.interrupt()
	c.until("[Calling tool mcp_s_sleep → (error) interrupted by the user while it ran, perhaps half done]\n(interrupted)\nYou › ")
	c.types("what did you hear?")
	after := c.until("Well.\n")
	c.types("/exit")
	c.mustEnd(exitOK)
	if got := pid.FindString(after); got == "" || got != before {
		t.Errorf("the server was %s before, and then\n%s", before, after)
	}
	cancelled := frames(t, filepath.Join(c.cmd.Dir, "wire.log"), "s", "→", "notifications/cancelled")
	heard := model.read()
	if last := heard[len(heard)-1]; len(cancelled) != 1 || !strings.Contains(last, "told "+cancelled[0]) {
		t.Errorf("sent %q, the server heard %s", cancelled, last)
	}
	mustBeValid(t, model.last())
}

func TestCtrlCAtTheStartGoesOnWithoutTheServer(t *testing.T) {
	t.Parallel()
	c := startAgent(t, newFakeModel(t), []entry{plays("demo", "demo"), {name: "silent", fake: "silent", more: `"args":["--token","s3cr3t"]`}})
	start := ""
	for !strings.Contains(start, "[mcp] silent: waiting for ") { // a busy machine may make us wait for demo as well
		start += c.until("Ctrl-C goes on without it\n")
	}
	if !regexp.MustCompile(`\[mcp\] silent: waiting for .* --token \[REDACTED:token\], 60 s at most; Ctrl-C goes on without it\n`).MatchString(start) {
		t.Errorf("got %s", start)
	}
	c.interrupt()
	c.until("[mcp] demo: connected, 2 tools (2025-06-18)\n[mcp] silent: skipped\n")
	c.until("You › ")
	c.types("/call mcp_demo_dice")
	c.until("Roll: 5\nYou › ")
	c.stdin.Close()
	c.mustEnd(exitOK)
}

// Servers that end neither with their input nor at SIGTERM, and every way out there is: all at once, for each takes seconds.
func TestEveryWayOutLeavesNoProcess(t *testing.T) {
	t.Parallel()
	stubborn := []entry{plays("a", "stubborn"), {name: "b", fake: "stubborn"}}
	ways := []struct {
		args []string
		code int
		end  func(c *child)
	}{
		{nil, exitOK, func(c *child) { c.types("/exit") }},
		{nil, exitOK, func(c *child) { c.stdin.Close() }},
		{nil, exitInterrupted, func(c *child) { c.cmd.Process.Signal(syscall.SIGTERM) }},
		{nil, exitInterrupted, func(c *child) { c.until("You › "); c.interrupt() }},
		{[]string{"hello"}, exitOK, func(c *child) {}},
	}
	children := []*child{startAgent(t, nil, stubborn)} // which has no key
	for _, way := range ways {
		children = append(children, startAgent(t, newFakeModel(t), stubborn, way.args...))
	}
	for i, c := range children {
		c.until("[mcp] b: connected, 2 tools (2025-06-18)\n")
		if i > 0 {
			ways[i-1].end(c)
		}
	}
	children[0].mustEnd(exitFailure)
	for i, way := range ways {
		children[i+1].mustEnd(way.code)
	}
}

func TestNoGoroutineIsLeftByTheProgram(t *testing.T) {
	mark := setMark(t)
	inMCPFolder(t, nil, allowAll, plays("demo", "demo"), plays("f", "failing"), plays("dies", "die"),
		entry{name: "silent", fake: "silent", more: `"startTimeoutMs":200`})
	runMCP(t, "", "/help") // package os/signal starts a goroutine for good
	before := runtime.NumGoroutine()
	for _, task := range []string{"/call mcp_demo_dice {}", "/call mcp_f_crash {}", "/call mcp_f_refuses {}"} {
		runMCP(t, "", "-only", "demo,f", task)
	}
	runMCP(t, "", "/mcp")
	settled(t, before)
	if found := survivors(t, mark); found != "" {
		t.Errorf("left: %s", found)
	}
}

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// TestMain lets the test binary be two other programs as well: the mock
// itself, and a command that the mock runs.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "as-mockllm" {
		os.Args = append(os.Args[:1], os.Args[2:]...)
		main()
	}
	if len(os.Args) > 2 && os.Args[1] == "as-command" {
		os.Exit(command(os.Args[2]))
	}
	// Whoever starts the tests may ignore signals: nohup, or a shell's &. Children inherit that, but not that we catch them.
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
	os.Exit(m.Run())
}

// command is what the mock runs in these tests.
func command(what string) int {
	switch what {
	case "exit 7":
		return 7
	case "environment":
		for _, line := range os.Environ() {
			if strings.HasPrefix(line, "OPENAI_") {
				fmt.Println(line)
			}
		}
		resp, err := http.Get(os.Getenv("OPENAI_BASE_URL") + "/health")
		if err != nil {
			fmt.Println(err)
			return 1
		}
		defer resp.Body.Close()
		fmt.Println(resp.Status)
	case "read a line":
		var b [1]byte // not one byte more than the line
		for b[0] != '\n' {
			if _, err := os.Stdin.Read(b[:]); err != nil {
				return 1
			}
			os.Stdout.Write(b[:])
		}
		fmt.Fprintln(os.Stderr, "to stderr")
	case "count signals":
		signals := make(chan os.Signal, 10)
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		fmt.Println("ready")
		for s := range signals {
			fmt.Println(s)
			if s == syscall.SIGTERM {
				fmt.Println("cleaned up")
				return 9
			}
		}
	case "wait":
		fmt.Println("ready")
		io.Copy(io.Discard, os.Stdin)
	}
	return 0
}

// mockFor gives the mock as a process that runs such a command.
func mockFor(t *testing.T, what string, flags ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"as-mockllm"}, flags...)
	mock := exec.Command(self, append(args, self, "as-command", what)...)
	// The race detector delays each exit by a second unless it is told not to.
	mock.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	return mock
}

func TestTheExitCodeIsPassedOn(t *testing.T) {
	for what, want := range map[string]int{"exit 7": 7, "nothing": 0} {
		mock := mockFor(t, what)
		out, _ := mock.CombinedOutput()
		if got := mock.ProcessState.ExitCode(); got != want || len(out) > 0 {
			t.Errorf("%s: code %d, %q", what, got, out)
		}
	}
}

func TestTheCommandFindsTheMock(t *testing.T) {
	mock := mockFor(t, "environment", "-model", sloppyModel)
	mock.Env = append(mock.Env, "OPENAI_API_KEY=sk-secret", "OPENAI_MODEL=gpt", "OPENAI_BASE_URL=http://elsewhere")
	out, err := mock.CombinedOutput()
	got := strings.Split(string(out), "\n")
	if err != nil || len(got) != 5 {
		t.Fatalf("%v: %s", err, out)
	}
	for i, want := range []string{"OPENAI_BASE_URL=http://127.0.0.1:", "OPENAI_API_KEY=test-key", "OPENAI_MODEL=mock-sloppy", "200 OK"} {
		if !strings.HasPrefix(got[i], want) {
			t.Errorf("line %d is %s, want %s", i+1, got[i], want)
		}
	}
}

// The command reads one line from a file; what follows must still be there.
func TestInputAndOutputAreTheCommandsOwn(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := io.WriteString(w, "first\nsecond\n"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	var stdout, stderr bytes.Buffer
	mock := mockFor(t, "read a line")
	mock.Stdin, mock.Stdout, mock.Stderr = r, &stdout, &stderr
	if err := mock.Run(); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(r)
	if err != nil || string(rest) != "second\n" || stdout.String() != "first\n" || stderr.String() != "to stderr\n" {
		t.Errorf("left %q, stdout %q, stderr %q, %v", rest, stdout.String(), stderr.String(), err)
	}
}

func TestACommandThatCannotStart(t *testing.T) {
	for _, name := range []string{"no-such-command-anywhere", "./no/such/file", t.TempDir()} {
		var stderr bytes.Buffer
		code := run(t.Context(), []string{name, "-x"}, nil, io.Discard, &stderr)
		if code != 127 || !strings.HasPrefix(stderr.String(), "mockllm: cannot start the command: ") || strings.Count(stderr.String(), "\n") != 1 || strings.Count(stderr.String(), name) != 1 {
			t.Errorf("%s: code %d, %q", name, code, stderr.String())
		}
	}
}

// started starts the mock and waits for the command's first line. When the
// test ends, both are gone.
func started(t *testing.T, mock *exec.Cmd) *bufio.Reader {
	t.Helper()
	stdin, err := mock.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := mock.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := mock.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	t.Cleanup(func() {
		stdin.Close()
		mock.Process.Kill()
		mock.Wait()
	})
	if line, err := lines.ReadString('\n'); line != "ready\n" {
		t.Fatalf("got %q, %v", line, err)
	}
	return lines
}

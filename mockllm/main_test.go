package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// TestMain lets the test binary be two other programs as well: the mock
// itself, and a command that the mock runs.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "as-mockllm" {
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

// mock gives the mock as a process.
func mock(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for i, arg := range args {
		if arg == "as-command" {
			args = append(args[:i:i], append([]string{self}, args[i:]...)...)
		}
	}
	mock := exec.Command(self, append([]string{"as-mockllm"}, args...)...)
	// The race detector delays each exit by a second unless it is told not to.
	mock.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	return mock
}

// started starts the mock and gives the first line that it, or its command,
// writes, and the rest. When the test ends, both are gone.
func started(t *testing.T, mock *exec.Cmd) (first string, rest *bufio.Reader) {
	t.Helper()
	stdin, err1 := mock.StdinPipe()
	stdout, err2 := mock.StdoutPipe()
	if err := errors.Join(err1, err2, mock.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		mock.Process.Kill()
		mock.Wait()
	})
	rest = bufio.NewReader(stdout)
	first, err := rest.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return first, rest
}

func TestExitCodesAndMessages(t *testing.T) {
	folder := t.TempDir()
	tests := []struct {
		name string
		args []string
		code int
		says string // in one line, the only one
	}{
		{"the command's code", []string{"as-command", "exit 7"}, 7, ""},
		{"the command's success", []string{"as-command", "nothing"}, 0, ""},
		{"no such command", []string{"no-such-command-anywhere", "-x"}, 127, "mockllm: cannot start the command: "},
		{"a folder as command", []string{folder}, 127, "mockllm: cannot start the command: "},
		{"an unknown model", []string{"-model", "gpt-9", "true"}, 2, `mockllm: there is no model "gpt-9"; take one of ["mock" "mock-sloppy"]`},
		{"a folder as journal", []string{"-journal", folder, "true"}, 1, "mockllm: cannot open the journal: "},
		{"an address of another machine", []string{"-addr", "192.0.2.1:1"}, 1, "mockllm: cannot listen: "},
	}
	for _, test := range tests {
		mock := mock(t, test.args...)
		out, _ := mock.CombinedOutput()
		if code := mock.ProcessState.ExitCode(); code != test.code || !strings.HasPrefix(string(out), test.says) || strings.Count(string(out), "\n") != min(1, len(test.says)) {
			t.Errorf("%s: code %d, %q", test.name, code, out)
		}
	}
	mock := mock(t, "-nonsense")
	if out, _ := mock.CombinedOutput(); mock.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "-journal") {
		t.Errorf("an unknown flag: %s", out)
	}
}

func TestTheCommandFindsTheMock(t *testing.T) {
	mock := mock(t, "-model", "mock-sloppy", "as-command", "environment")
	mock.Env = append(mock.Env, "OPENAI_API_KEY=sk-secret", "OPENAI_MODEL=gpt", "OPENAI_BASE_URL=http://elsewhere", "PORT=nonsense")
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
	mock := mock(t, "as-command", "read a line")
	mock.Stdin, mock.Stdout, mock.Stderr = r, &stdout, &stderr
	if err := mock.Run(); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(r)
	if err != nil || string(rest) != "second\n" || stdout.String() != "first\n" || stderr.String() != "to stderr\n" {
		t.Errorf("left %q, stdout %q, stderr %q, %v", rest, stdout.String(), stderr.String(), err)
	}
}

func TestTheServerStartsAndStops(t *testing.T) {
	for _, test := range []struct {
		args      []string
		port, url string
	}{
		{[]string{"-addr", "127.0.0.1:0"}, "1", "http://127.0.0.1:"},
		{[]string{"-addr", ":0"}, "", "http://[::]:"},
		{nil, "0", "http://127.0.0.1:"},
	} {
		mock := mock(t, test.args...)
		mock.Env = append(mock.Env, "PORT="+test.port)
		line, _ := started(t, mock)
		url, isURL := strings.CutPrefix(line, "mock LLM listening on ")
		url, isKey := strings.CutSuffix(url, " (api key: test-key)\n")
		if !isURL || !isKey || !strings.HasPrefix(url, test.url) {
			t.Fatalf("got %q", line)
		}
		if got := ask(t, url, []string{`"messages":[{"role":"user","content":"hi"}]`}); *got.Content != noTool {
			t.Errorf("got %+v", got)
		}
		mock.Process.Signal(syscall.SIGTERM)
		if err := mock.Wait(); err != nil {
			t.Errorf("%s: stopped with %v", test.args, err)
		}
	}
}

func TestTheJournalKeepsEachBodyOnALine(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal")
	mock := mock(t, "-addr", "127.0.0.1:0", "-journal", name)
	line, _ := started(t, mock)
	url := strings.Fields(line)[4] + "/chat/completions"
	const want = `{"model":"mock","messages":[{"role":"user","content":"a\nb"}],"n":9007199254740993123}`
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			post(t, url, strings.ReplaceAll(want, ",", ",\n\t"))
			post(t, url, "{not JSON")
		})
	}
	all.Wait()
	kept, err := os.ReadFile(name)
	if err != nil || string(kept) != strings.Repeat(want+"\n", 20) {
		t.Errorf("%v, kept\n%s", err, kept)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read it: %v, %v", info, err)
	}
}

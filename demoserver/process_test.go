package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// process is the server as a child process.
type process struct {
	cmd            *exec.Cmd
	in             io.WriteCloser
	stdout, stderr *bufio.Reader
}

// spawn starts the test binary as the server. It is killed with the test, if it
// still runs then.
func spawn(t *testing.T, args ...string) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	// The race detector would hold up the end of every process for a second.
	cmd.Env = append(os.Environ(), "DEMOSERVER_CHILD=1", "GORACE=atexit_sleep_ms=0")
	in, errIn := cmd.StdinPipe()
	stdout, errOut := cmd.StdoutPipe()
	stderr, errErr := cmd.StderrPipe()
	for _, err := range []error{errIn, errOut, errErr, cmd.Start()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return &process{cmd, in, bufio.NewReader(stdout), bufio.NewReader(stderr)}
}

// line reads one line.
func line(t *testing.T, from *bufio.Reader) string {
	t.Helper()
	text, err := from.ReadString('\n')
	if err != nil {
		t.Fatalf("after %q: %v", text, err)
	}
	return strings.TrimSuffix(text, "\n")
}

// end reads both outputs to their end and compares them and the exit code.
func (p *process) end(t *testing.T, code int, stdout, stderr string) {
	t.Helper()
	out, _ := io.ReadAll(p.stdout)
	errs, _ := io.ReadAll(p.stderr)
	p.cmd.Wait()
	if got := p.cmd.ProcessState.ExitCode(); got != code || string(out) != stdout || string(errs) != stderr {
		t.Errorf("exit code %d, stdout %.300q, stderr %.300q\nwant %d, %q, %q", got, out, errs, code, stdout, stderr)
	}
}

const (
	ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"
	pong = `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n"
)

func TestProcessEndsWithItsInput(t *testing.T) {
	p := spawn(t, "-tools=flaky")
	io.WriteString(p.in, call1("slow_lookup", `{}`)+"\n"+ping)
	if got := line(t, p.stdout) + "\n"; got != pong {
		t.Errorf("got %s", got)
	}
	p.in.Close()
	p.end(t, 0, "", "") // how soon: TestEndOfInput
}

func TestCrashNow(t *testing.T) {
	p := spawn(t, "-tools=flaky")
	io.WriteString(p.in, call1("crash_now", `{}`)+"\n")
	p.end(t, 4, "", "demoserver: crash_now was called\n") // the input is still open
}

func TestDrills(t *testing.T) {
	flood := strings.Repeat("DEBUG nothing to report\n", 1<<15)
	tests := []struct {
		name           string
		code           int
		stdout, stderr string
	}{
		{"silent", 0, "", ""},
		{"die", 3, "", "demoserver: DEMO_TOKEN is not set\n"},
		{"noisy", 0, "demo server 1.0.0 is ready\nDEBUG sending 37 bytes\n" + pong + "DEBUG sending 37 bytes\n" + pong, ""},
		{"flood", 0, pong + pong, flood + flood},
		{"garbage", 0, `{"jsonrpc":"2.0","` + "\n" + `{"jsonrpc":"2.0","` + "\n", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := spawn(t, "-drill="+test.name)
			go func() { // beside the reading, as the flood demands
				io.WriteString(p.in, ping+ping)
				p.in.Close()
			}()
			errs := make(chan string, 1)
			go func() {
				all, _ := io.ReadAll(p.stderr)
				errs <- string(all)
			}()
			out, _ := io.ReadAll(p.stdout)
			p.stderr = bufio.NewReader(strings.NewReader(<-errs))
			p.stdout = bufio.NewReader(strings.NewReader(string(out)))
			p.end(t, test.code, test.stdout, test.stderr)
		})
	}
}

func TestDrillDeaf(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGTERM to send")
	}
	p := spawn(t, "-drill=deaf")
	io.WriteString(p.in, ping)
	if got := line(t, p.stdout) + "\n"; got != pong {
		t.Errorf("got %s", got)
	}
	p.in.Close()
	if got, want := line(t, p.stderr), "demoserver: ignoring the end of the input"; got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
	for range 2 {
		p.cmd.Process.Signal(syscall.SIGTERM)
		if got, want := line(t, p.stderr), "demoserver: ignoring SIGTERM"; got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
	p.cmd.Process.Kill()
	p.end(t, -1, "", "")
}

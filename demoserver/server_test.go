package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMain lets the test binary be the server, so that the tests see it as a client does: a process.
func TestMain(m *testing.M) {
	if os.Getenv("DEMOSERVER_CHILD") != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// process is a running server.
type process struct {
	t              *testing.T
	cmd            *exec.Cmd
	in             io.WriteCloser
	stdout, stderr *bufio.Reader
}

// start starts the server with these flags. It is killed with the test, if it still runs then.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
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
	return &process{t, cmd, in, bufio.NewReader(stdout), bufio.NewReader(stderr)}
}

// send writes lines, while the test goes on.
func (p *process) send(lines ...string) {
	go io.WriteString(p.in, strings.Join(lines, "\n")+"\n")
}

// line reads one line of an output.
func (p *process) line(from *bufio.Reader) string {
	p.t.Helper()
	line, err := from.ReadString('\n')
	if err != nil {
		p.t.Fatalf("after %.200q: %v", line, err)
	}
	return strings.TrimSuffix(line, "\n")
}

// want compares the next lines on stdout.
func (p *process) want(lines ...string) {
	p.t.Helper()
	for _, want := range lines {
		if got := p.line(p.stdout); got != want {
			p.t.Fatalf("got  %.300s\nwant %.300s", got, want)
		}
	}
}

// wait reads both outputs to their end, and compares them and the exit code.
func (p *process) wait(code int, stdout, stderr string) {
	p.t.Helper()
	errs := make(chan string, 1)
	go func() {
		all, _ := io.ReadAll(p.stderr)
		errs <- string(all)
	}()
	out, _ := io.ReadAll(p.stdout)
	all := <-errs
	p.cmd.Wait()
	if got := p.cmd.ProcessState.ExitCode(); got != code || string(out) != stdout || !strings.HasPrefix(all, stderr) || stderr == "" && all != "" {
		p.t.Errorf("exit code %d, stdout %.300q, stderr %.300q\nwant %d, %q, %.300q", got, out, all, code, stdout, stderr)
	}
}

// end closes the input, and expects that the server has nothing more to say, and exits with 0.
func (p *process) end() {
	p.t.Helper()
	p.in.Close()
	p.wait(0, "", "")
}

const ping, pong = `{"jsonrpc":"2.0","id":"p","method":"ping"}`, `{"jsonrpc":"2.0","id":"p","result":{}}`

// call makes a tools/call; meta is `"_meta":{…},` or empty.
func call(id int, name, arguments, meta string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{%s"name":"%s","arguments":%s}}`, id, meta, name, arguments)
}

// text makes the result of a call, failed that of one with isError.
func text(id int, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}]}}`, id, text)
}

func failed(id int, reason string) string {
	return strings.Replace(text(id, reason), `}]}}`, `}],"isError":true}}`, 1)
}

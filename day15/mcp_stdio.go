package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// launch says how a server is started.
type launch struct {
	command string            // a name that is looked up on PATH, or a path relative to our working directory
	args    []string          // as they are; no shell reads them
	env     map[string]string // added to our environment
	dir     string            // its working directory; "" is ours
}

const (
	stopGrace = 1500 * time.Millisecond // for ending by itself, and once more for ending after SIGTERM
	pipeGrace = 300 * time.Millisecond  // for the pipes of a server that has ended; what it left behind may hold them
	exitGrace = 700 * time.Millisecond  // for the exit of a server whose output has ended
)

// process is the transport to a server that runs as a child process: "The server reads JSON-RPC messages from its
// standard input and sends messages to its standard output."
type process struct {
	*stream
	cmd    *exec.Cmd
	stdout *os.File
	stderr *stderrTail

	exited   chan struct{} // closed by wait, when the child and its group are gone
	ended    chan struct{} // closed by run, when nothing of the process is left
	stopping sync.Once
}

// startProcess starts a server. onStderr is called with each line of its stderr. Every process that is started gets
// stopped: by close, or by itself when the connection fails. An error is a *connectionError.
func startProcess(l launch, p peer, onStderr func(line string)) (*process, error) {
	cmd, err := l.prepare()
	if err != nil {
		return nil, err
	}
	s := &process{
		cmd: cmd, stderr: &stderrTail{pass: onStderr, redact: p.redact},
		exited: make(chan struct{}), ended: make(chan struct{}),
	}
	cmd.Stderr = s.stderr
	cmd.WaitDelay = pipeGrace // else Wait lasts as long as anybody holds stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, l.failed(err)
	}
	// Not a StdoutPipe: Wait would close it, and with it the last answers of a server that ends.
	stdout, childEnd, err := os.Pipe()
	if err != nil {
		return nil, l.failed(err)
	}
	cmd.Stdout = childEnd
	err = cmd.Start()
	childEnd.Close()
	if err != nil {
		stdin.Close()
		stdout.Close()
		return nil, l.failed(err)
	}
	s.stdout = stdout
	s.stream = newStream(stdout, stdin, p, s.explain)
	go s.wait()
	go s.run()
	return s, nil
}

// prepare finds the command and checks what would only fail later, and less clearly.
func (l launch) prepare() (*exec.Cmd, error) {
	if info, err := os.Stat(l.dir); l.dir != "" && (err != nil || !info.IsDir()) {
		return nil, &connectionError{reason: fmt.Sprintf("there is no working directory %s", l.dir), err: err}
	}
	path, err := exec.LookPath(l.command)
	if err == nil {
		path, err = filepath.Abs(path) // a relative one would be looked for in dir
	}
	if err != nil {
		return nil, l.failed(err)
	}
	cmd := exec.Command(path, l.args...)
	cmd.Dir = l.dir
	cmd.Env = withoutKey(cmd.Environ())
	for name, value := range l.env {
		cmd.Env = append(cmd.Env, name+"="+value) // of two entries the last counts
	}
	ownGroup(cmd)
	return cmd, nil
}

// failed is why the server could not be started.
func (l launch) failed(err error) error {
	reason := fmt.Sprintf("cannot start %s: %v", l.command, err)
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		reason = fmt.Sprintf("command %q not found", l.command)
		if filepath.Base(l.command) == l.command {
			reason += " on PATH"
		}
		if first, rest, ok := strings.Cut(strings.TrimSpace(l.command), " "); ok {
			args, _ := json.Marshal(strings.Fields(rest)) // strings always have a JSON form
			reason += fmt.Sprintf(`; if the command is %q, move the rest to "args": %s`, first, args)
		}
	}
	return &connectionError{reason: reason, err: err}
}

// run is the goroutine that reads, until the server's output ends. A connection that failed leaves no server behind.
func (s *process) run() {
	defer close(s.ended)
	s.read()
	s.stdout.Close() // a server that still writes gets to know that nobody reads
	s.stopping.Do(s.stop)
}

// wait is the goroutine that waits for the child to end. What the child started and left behind ends with it; the
// deadline is for descendants that are out of reach and hold its stdout.
func (s *process) wait() {
	_ = s.cmd.Wait() // how it ended is in cmd.ProcessState
	signalGroup(s.cmd.Process, syscall.SIGKILL)
	s.stderr.flush()
	_ = s.stdout.SetReadDeadline(time.Now().Add(pipeGrace)) // fails if it is closed already
	close(s.exited)
}

// explain says why the pipes broke: where the server has ended, its exit status and its last words on stderr.
func (s *process) explain(err error) error {
	var failure *connectionError
	if errors.As(err, &failure) {
		return failure
	}
	select {
	case <-s.exited:
		reason := s.cmd.ProcessState.String()
		if last := s.stderr.last(); last != "" {
			reason += ": " + last
		}
		return &connectionError{reason: reason, err: err}
	case <-time.After(exitGrace):
		return &connectionError{reason: "it closed its stdin or stdout", err: err}
	}
}

// close stops the server and returns when it is gone, after 5 seconds at the latest.
func (s *process) close() error {
	s.stopping.Do(s.stop)
	<-s.ended
	return nil
}

// stop ends the child: "First, closing the input stream to the child process. Waiting for the server to exit, or sending
// SIGTERM if the server does not exit within a reasonable time. Sending SIGKILL if the server does not exit within a
// reasonable time after SIGTERM." The signals go to the whole group: npx and go run are not the server themselves.
func (s *process) stop() {
	_ = s.stream.close() // fails where stdin is closed already
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		select {
		case <-s.exited:
			return
		case <-time.After(stopGrace):
			signalGroup(s.cmd.Process, signal)
		}
	}
	select {
	case <-s.exited:
	case <-time.After(pipeGrace * 2): // a process that the system cannot end now
		s.stdout.Close()
	}
}

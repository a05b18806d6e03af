package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

const (
	stopGrace = 1500 * time.Millisecond // for ending by itself, and once more for ending after SIGTERM
	pipeGrace = 300 * time.Millisecond  // for the pipes of a server that has ended; what it left behind may hold them
	exitGrace = 700 * time.Millisecond  // for the exit of a server whose output has ended
)

// process is the transport to a server that runs as a child process: "The server reads JSON-RPC messages from its
// standard input and sends messages to its standard output."
type process struct {
	*stream
	cmd            *exec.Cmd
	stdin          *os.File // the end that the server reads from: what it has not read is found there in the end
	stdout, stderr io.ReadCloser
	tail           []string // the last lines of stderr
	state          *os.ProcessState
	quiet          chan struct{} // closed when stderr has ended, after tail is set
	exited         chan struct{} // closed when the child and its group are gone, after state is set
	gone           chan struct{} // closed when nothing of the process is left
}

// startProcess starts the server of an entry with a command. heard is called with each line of its stderr, and returns the last ones. Every process
// that is started gets stopped: by close, or by itself when the connection fails. An error is a *connectionError.
func startProcess(c *serverConfig, p peer, heard func(line string) (last []string)) (transport, error) {
	cmd := childOf(c)
	s := &process{cmd: cmd, quiet: make(chan struct{}), exited: make(chan struct{}), gone: make(chan struct{})}
	stdinRead, stdin, err1 := os.Pipe()
	stdout, err2 := cmd.StdoutPipe()
	stderr, err3 := cmd.StderrPipe()
	cmd.Stdin, s.stdin, s.stdout, s.stderr = stdinRead, stdinRead, stdout, stderr
	err := cmp.Or(err1, err2, err3) // the system has no more of them
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		stdinRead.Close()
		stdin.Close()
		return nil, notStarted(c, err)
	}
	s.stream = newStream(stdin, p, s.explain)
	go s.listen(heard)
	go s.wait()
	go s.run()
	return s, nil
}

// childOf is the command of an entry; where there is none, Start says so.
func childOf(c *serverConfig) *exec.Cmd {
	cmd := exec.Command(c.Command, c.Args...) // no shell reads the arguments
	for _, dir := range filepath.SplitList(c.Env["PATH"]) {
		if path, err := exec.LookPath(filepath.Join(dir, c.Command)); err == nil && filepath.Base(c.Command) == c.Command {
			cmd.Path, cmd.Err = path, nil
			break
		}
	}
	cmd.Path, _ = filepath.Abs(cmd.Path) // a relative one would be looked for in the server's directory
	cmd.Dir, cmd.Env = c.Dir, withoutKey(os.Environ())
	for name, value := range c.Env {
		cmd.Env = append(cmd.Env, name+"="+value) // of two entries the last counts
	}
	ownSession(cmd)
	return cmd
}

// notStarted is why a server could not be started. Some write a whole command line into command.
func notStarted(c *serverConfig, err error) error {
	hint := ""
	if _, gone := os.Stat(c.Dir); c.Dir != "" && gone != nil { // err would name the command
		err = gone
	} else if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("not found")
	}
	if first, rest, ok := strings.Cut(strings.TrimSpace(c.Command), " "); ok {
		args, _ := encode(strings.Fields(rest)) // strings always have a JSON form
		hint = fmt.Sprintf(`; if the command is %q, move the rest to "args": %s`, first, args)
	}
	return broken("cannot start %s: %v%s", c.Command, err, hint)
}

// run is the goroutine that reads, until the server's output ends. A connection that failed leaves no server behind.
func (s *process) run() {
	defer close(s.gone)
	s.read(s.stdout)
	s.stdout.Close() // a server that still writes gets to know that nobody reads
	s.stop()
	s.stdin.Close()
}

// listen is the goroutine that reads stderr line by line; it need not mean an error.
func (s *process) listen(heard func(line string) (last []string)) {
	defer close(s.quiet)
	for lines := bufio.NewReaderSize(s.stderr, 64<<10); ; { // a line that is longer comes in pieces
		text, _, err := lines.ReadLine()
		if err != nil {
			return
		}
		s.tail = heard(string(text))
	}
}

// wait is the goroutine that waits for the child's end; cmd.Wait would close the pipes, and lose the last answers. What the
// child left behind ends with it; descendants that are out of reach lose their pipes.
func (s *process) wait() {
	s.state, _ = s.cmd.Process.Wait() // it cannot fail: nobody else waits
	signalGroup(s.cmd.Process, syscall.SIGKILL)
	late := time.AfterFunc(pipeGrace, func() { s.stdout.Close(); s.stderr.Close() })
	defer late.Stop()
	<-s.quiet
	close(s.exited)
	<-s.gone
	s.stderr.Close()
}

// explain says why the output has ended: where the server has ended, how, and with which words on stderr.
func (s *process) explain() *connectionError {
	select {
	case <-s.exited:
	case <-time.After(exitGrace):
		return broken("it closed its stdout")
	}
	_ = s.w.Close() // or the end of what is unread would not come
	cause := broken("%s", s.state)
	cause.unread, _ = io.ReadAll(s.stdin)
	if s.state.Success() {
		cause.reason = "it ended by itself"
	}
	if line := telling(s.tail); line != "" {
		cause.reason += ": " + line
	}
	return cause
}

// stderrLines is how many lines of stderr are kept.
const stderrLines = 50

var (
	colour      = regexp.MustCompile(`\x1b(\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?)`)
	namesError  = regexp.MustCompile(`(?i)error|exception|panic|fatal|fail|cannot|can't|could not|unable|not found|no such|missing|denied|refused|invalid|must `)
	saysNothing = regexp.MustCompile(`^\s|^\W*$|^exit status \d+$|^Node\.js v|^npm (error|ERR!) (code|errno|syscall|A complete log)|^npm (error|ERR!) \d+$|^Traceback |^goroutine |^throw err`)
)

// telling is the line that says most of why a server has ended: the first that names an error, or else the last.
func telling(lines []string) (last string) {
	for _, line := range lines {
		if saysNothing.MatchString(line) {
			continue
		}
		if last = line; namesError.MatchString(line) {
			return line
		}
	}
	return last
}

// close implements transport.
func (s *process) close() {
	s.stop()
	<-s.gone
}

// stop ends the child: "First, closing the input stream to the child process. Waiting for the server to exit, or sending
// SIGTERM if the server does not exit within a reasonable time. Sending SIGKILL if the server does not exit within a
// reasonable time after SIGTERM." The signals go to the whole group: npx and go run are not the server themselves.
func (s *process) stop() {
	s.stream.close()
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

//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestRunShell(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("OPENAI_API_KEY", "the key of the model")
	t.Setenv("OTHER_VALUE", "inherited")
	tools := systemTools(dir, time.Now)
	for name, test := range map[string]struct {
		args toolArgs
		want string
		err  string
	}{
		"its output":                        {toolArgs{"command": "echo hello"}, "hello", ""},
		"stdout and stderr in their order":  {toolArgs{"command": "echo 1; echo 2 >&2; echo 3"}, "1\n2\n3", ""},
		"no output":                         {toolArgs{"command": "true"}, "(no output)", ""},
		"the root is the working directory": {toolArgs{"command": "touch here && ls && test \"$PWD\" = \"" + dir + "\""}, "here", ""},
		"stdin is empty":                    {toolArgs{"command": "cat; echo end"}, "end", ""},
		"the key of the model stays here":   {toolArgs{"command": "echo $OPENAI_API_KEY-$OTHER_VALUE"}, "-inherited", ""},
		"an exit status is an error": {
			toolArgs{"command": "echo out; echo err >&2; exit 3"}, "", "exit status 3; output:\nout\nerr",
		},
		"a command that does not exist": {toolArgs{"command": "no-such-command-42"}, "", "exit status 127; output:\n"},
		"a signal is an error":          {toolArgs{"command": "kill -9 $$"}, "", "signal: killed"},
		"an empty command":              {toolArgs{"command": " "}, "", "command is empty"},
		"a command that is no string":   {toolArgs{"command": []string{"ls"}}, "", "command must be a string"},
		"a time limit that is no number": {
			toolArgs{"command": "true", "timeout_s": "soon"}, "", "timeout_s must be a whole number",
		},
		"a command that no system can start": {toolArgs{"command": "echo \x00"}, "", "the shell cannot be started"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := useTool(t, tools, "run_shell", test.args)
			if test.err != "" {
				wantErrorWith(t, err, test.err)
			} else if err != nil || got != test.want {
				t.Errorf("%q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestWhatIsAskedBeforeACommandRuns(t *testing.T) {
	for name, test := range map[string]struct{ args, want string }{
		"the command": {`{"command":"ls -l"}`, "About to run: ls -l"},
		"further lines are indented": {
			`{"command":"a\nConfirm execution? [y/N/a] y\n\nb"}`, "About to run: a\n  Confirm execution? [y/N/a] y\n  \n  b",
		},
		"a time limit of its own":          {`{"command":"make","timeout_s":300}`, "About to run: make\nTime limit: 300 s"},
		"a time limit that is too long":    {`{"command":"make","timeout_s":"9999999999"}`, "About to run: make\nTime limit: 600 s"},
		"the usual time limit goes unsaid": {`{"command":"make","timeout_s":60}`, "About to run: make"},
		"a time limit of nothing is none":  {`{"command":"make","timeout_s":0}`, "About to run: make"},
		"arguments that will not be run at": {
			`{"command":7}`, "About to call tool: run_shell\n  {\"command\":7}\n  This will fail: command must be a string",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := shellPreview(t.Context(), json.RawMessage(test.args)); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// Whatever ends a command, nothing that it started is left. Each command, its background processes included, holds a
// named pipe open: the pipe's reader comes to the end when the last of them is gone. "ready" writes a line to it.
func TestNothingThatACommandStartedIsLeft(t *testing.T) {
	t.Parallel()
	const interrupted, overTime = "ctrl-c", "ended after the time limit of %d s; output until then:\nbegun"
	const ended = "done\n[what the command left in its process group was ended]"
	for name, test := range map[string]struct{ command, want, err string }{
		"a command over its time":        {"echo begun; sleep 600", "", overTime},
		"with a child in the background": {"sleep 600 & echo begun; ready; sleep 601", "", interrupted},
		"that is deaf to SIGTERM":        {"trap '' TERM; ready; sleep 600", "", interrupted},
		"with a deaf child":              {"(trap '' TERM; ready; sleep 600) & wait", "", interrupted},
		"that ends well at a SIGTERM":    {"trap 'exit 0' TERM; sleep 600 & ready; wait", "", interrupted},
		"one that only leaves a child":   {"sleep 600 & echo done", ended, ""},
		"one that leaves a silent child": {"sleep 600 >/dev/null 2>&1 & echo done", ended, ""},
		"one that leaves a deaf child":   {"nohup sleep 600 >/dev/null 2>&1 & echo done", ended, ""},
		"one that fails and leaves one":  {"sleep 600 & echo done; exit 4", "", "exit status 4; output:\n" + ended},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := func(limit int) (string, error) {
				dir := t.TempDir()
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				gone := watchPipe(t, filepath.Join(dir, "pipe"), func() { cancel(errors.New(interrupted)) })
				started := time.Now()
				got, err := shellTool(shell{dir, 100 * time.Millisecond}).Run(ctx, argsJSON(t, toolArgs{
					"command": "ready() { echo >&9; }; exec 9>pipe; " + test.command, "timeout_s": limit,
				}))
				if err := atTheEnd(filepath.Join(dir, "pipe"), gone); err != nil {
					t.Error(err)
				}
				if left := processesIn(t, dir); left != "" {
					t.Errorf("still there: %s", left)
				}
				if took := time.Since(started); took > time.Minute { // nobody has waited for the sleepers
					t.Errorf("it took %v", took)
				}
				return got, err
			}
			if test.err == overTime {
				limit, err := overItsTime(run)
				wantErrorWith(t, err, fmt.Sprintf(overTime, limit))
				return
			}
			if got, err := run(0); test.err != "" {
				wantErrorWith(t, err, test.err)
			} else if err != nil || got != test.want {
				t.Errorf("%q, %v; want %q", got, err, test.want)
			}
		})
	}
}

// overItsTime runs a command with a limit of a second. Where that went by before the command had printed anything, the
// machine stood still: then it gets longer. It returns the last limit, in seconds, and the error.
func overItsTime(run func(limit int) (string, error)) (limit int, err error) {
	for limit = 1; ; limit *= 4 {
		_, err = run(limit)
		if err == nil || !strings.HasSuffix(err.Error(), "output until then:\n(no output)") || limit > 10 {
			return limit, err
		}
	}
}

// A process that has left the group is not said to be ended.
func TestAProcessOutOfReachIsNotSaidToBeEnded(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("there is no setsid")
	}
	got, err := shellTool(shell{t.TempDir(), 100 * time.Millisecond}).Run(t.Context(), argsJSON(t, toolArgs{
		"command": "mkfifo pipe; setsid sh -c 'echo $$ >pipe; exec sleep 600' & cat pipe",
	}))
	pid, note, _ := strings.Cut(got, "\n")
	if n, err := strconv.Atoi(pid); err != nil || syscall.Kill(n, syscall.SIGKILL) != nil {
		t.Errorf("it is not there any more: %q, %v", pid, err)
	}
	if err != nil || !strings.HasSuffix(note, "may still be running]") {
		t.Errorf("%q, %v", got, err)
	}
}

// watchPipe makes a named pipe, calls ready when a first byte arrives in it, and reports on the channel when nobody
// holds its other end any more. The goroutine ends then.
func watchPipe(t *testing.T, name string, ready func()) <-chan error {
	t.Helper()
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
	gone := make(chan error, 1)
	go func() {
		pipe, err := os.Open(name)
		if err != nil {
			gone <- err
			return
		}
		defer pipe.Close()
		if n, _ := pipe.Read(make([]byte, 1)); n > 0 {
			ready()
		}
		_, err = io.Copy(io.Discard, pipe)
		gone <- err
	}()
	return gone
}

// atTheEnd waits for what watchPipe reports. A command that was ended before it came to open the pipe has left the reader
// waiting for somebody who does.
func atTheEnd(name string, gone <-chan error) error {
	for {
		select {
		case err := <-gone:
			return err
		case <-time.After(5 * time.Millisecond):
			if pipe, err := os.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil { // there is a reader
				pipe.Close()
			}
		}
	}
}

// processesIn lists the processes whose working directory is dir, on Linux; a zombie has none. One that was killed may
// still stand there for a moment.
func processesIn(t *testing.T, dir string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		return ""
	}
	var left []string
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if left = lookFor(t, dir); left == nil {
			break
		}
	}
	return strings.Join(left, ", ")
}

// lookFor is processesIn at this moment.
func lookFor(t *testing.T, dir string) (left []string) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil && pid != os.Getpid() {
			if cwd, _ := os.Readlink("/proc/" + entry.Name() + "/cwd"); cwd == dir {
				command, _ := os.ReadFile("/proc/" + entry.Name() + "/cmdline")
				left = append(left, fmt.Sprintf("%d %q", pid, command))
			}
		}
	}
	return left
}

func TestEndlessOutputIsBounded(t *testing.T) {
	tools := systemTools(t.TempDir(), time.Now)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	limit, err := overItsTime(func(limit int) (string, error) {
		return useTool(t, tools, "run_shell", toolArgs{"command": "echo first; yes", "timeout_s": limit})
	})
	runtime.ReadMemStats(&after)
	wantErrorWith(t, err, fmt.Sprintf("ended after the time limit of %d s; output until then:\nfirst\ny\ny\n", limit))
	wantErrorWith(t, err, "bytes of output are left out")
	if err == nil || len(err.Error()) > maxResult || !strings.HasSuffix(err.Error(), "\ny") {
		t.Errorf("the result has %d bytes", len(err.Error()))
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
		t.Errorf("it allocated %d bytes", used)
	}
}

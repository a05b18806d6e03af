//go:build unix

package main

import (
	"context"
	"io"
	"os"
	"syscall"
	"testing"
)

// ends reads what the command still says and gives the mock's exit code.
func ends(t *testing.T, what string, signals ...syscall.Signal) (output string, code int) {
	t.Helper()
	mock := mockFor(t, what)
	mock.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	lines := started(t, mock)
	for _, s := range signals {
		pid := mock.Process.Pid
		if s == syscall.SIGINT || s == syscall.SIGQUIT {
			pid = -pid // as the terminal does it: to the whole group
		}
		if err := syscall.Kill(pid, s); err != nil {
			t.Fatal(err)
		}
		if s == syscall.SIGINT || s == syscall.SIGHUP {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			output += line
		}
	}
	rest, err := io.ReadAll(lines) // ends when all who can write are gone
	if err != nil {
		t.Fatal(err)
	}
	mock.Wait()
	return output + string(rest), mock.ProcessState.ExitCode()
}

func TestSignalsReachTheCommandOnce(t *testing.T) {
	output, code := ends(t, "count signals", syscall.SIGINT, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	if want := "interrupt\nhangup\ninterrupt\nterminated\ncleaned up\n"; output != want || code != 9 {
		t.Errorf("code %d, got %q, want %q", code, output, want)
	}
}

func TestAKilledCommandGivesTheCodeOfAShell(t *testing.T) {
	for s, want := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGINT: 130} {
		mock := mockFor(t, "wait")
		mock.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		lines := started(t, mock)
		pid := mock.Process.Pid
		if s == syscall.SIGINT {
			pid = -pid
		}
		if err := syscall.Kill(pid, s); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(lines); err != nil {
			t.Fatal(err)
		}
		mock.Wait()
		if code := mock.ProcessState.ExitCode(); code != want {
			t.Errorf("%v: code %d, want %d", s, code, want)
		}
	}
}

func TestTheEndOfTheContextEndsTheCommand(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stdin, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	defer w.Close()
	ready, stdout := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		io.ReadFull(ready, make([]byte, len("ready\n")))
		cancel()
		io.Copy(io.Discard, ready)
	}()
	code := run(ctx, []string{self, "as-command", "wait"}, stdin, stdout, io.Discard)
	stdout.Close()
	if code != 143 {
		t.Errorf("code %d, want 143", code)
	}
}

//go:build unix

package main

import (
	"io"
	"syscall"
	"testing"
)

func TestSignalsReachTheCommandOnce(t *testing.T) {
	tests := []struct {
		name, command string
		signals       []syscall.Signal
		output        string
		code          int
	}{
		{"a command that cleans up", "count signals", []syscall.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM},
			"interrupt\nhangup\ninterrupt\nterminated\ncleaned up\n", 9},
		{"one that is terminated", "wait", []syscall.Signal{syscall.SIGTERM}, "", 143},
		{"one that is interrupted", "wait", []syscall.Signal{syscall.SIGINT}, "", 130},
	}
	for _, test := range tests {
		mock := mock(t, "as-command", test.command)
		mock.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		_, lines := started(t, mock)
		output := ""
		for i, s := range test.signals {
			pid := mock.Process.Pid
			if s == syscall.SIGINT {
				pid = -pid // as the terminal does it: to the whole group
			}
			if err := syscall.Kill(pid, s); err != nil {
				t.Fatal(err)
			}
			if i < len(test.signals)-1 {
				line, err := lines.ReadString('\n')
				if err != nil {
					t.Fatal(err)
				}
				output += line
			}
		}
		rest, err := io.ReadAll(lines) // ends when all who can write are gone
		mock.Wait()
		if code := mock.ProcessState.ExitCode(); err != nil || output+string(rest) != test.output || code != test.code {
			t.Errorf("%s: code %d, got %q, want %q, %v", test.name, code, output+string(rest), test.output, err)
		}
	}
}

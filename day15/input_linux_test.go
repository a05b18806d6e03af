package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// openTerminal returns both ends of a pseudo-terminal: what a person types goes into keys.
func openTerminal(t *testing.T) (keys, terminal *os.File) {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("there are no pseudo-terminals: ", err)
	}
	const peer = 0x5441 // TIOCGPTPEER
	var unlock int32
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, keys.Fd(), syscall.TIOCSPTLCK, uintptr(unsafe.Pointer(&unlock)))
	fd, _, peerErrno := syscall.Syscall(syscall.SYS_IOCTL, keys.Fd(), peer, syscall.O_RDWR|syscall.O_NOCTTY)
	if errno != 0 || peerErrno != 0 {
		t.Fatal(errno, peerErrno)
	}
	terminal = os.NewFile(fd, "terminal")
	t.Cleanup(func() { keys.Close(); terminal.Close() })
	return keys, terminal
}

func TestARealTerminal(t *testing.T) {
	keys, terminal := openTerminal(t)
	var stderr bytes.Buffer
	c := newConsole(terminal, terminal, &stderr)
	if !c.CanAsk(true) || newConsole(terminal, &stderr, &stderr).CanAsk(false) {
		t.Error("not taken for a terminal")
	}
	for _, step := range []struct {
		read        func(context.Context, string) (string, error)
		typed, want string
	}{
		{c.ReadLine, "Traceback\n  File \"a.py\"\n" + strings.Repeat("x", 5000) + "\n", "Traceback\n  File \"a.py\"\n" + strings.Repeat("x", 4095)},
		{c.Ask, "y\nrest\n", "y"},
		{c.ReadLine, "", "rest"},
	} {
		go keys.WriteString(step.typed)
		if got, err := step.read(t.Context(), "> "); err != nil || got != step.want {
			t.Errorf("read %q, error %v", got, err)
		}
	}
	if text := stderr.String(); !strings.HasPrefix(text, "(a line of 4095 bytes") || strings.Count(text, "\n") != 1 {
		t.Errorf("stderr %q", text)
	}
}

func TestAPipeInPlaceOfAFileIsNotWaitedFor(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f.json")
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readJSON(file); err == nil || !strings.Contains(err.Error(), "f.json is not a regular file") {
		t.Errorf("error %v", err)
	}
}

//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup starts cmd in a process group of its own: whatever it starts can be ended with it, and a Ctrl-C at the
// terminal does not reach it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// signalGroup sends a signal to the process group that ownGroup gave to p. A group that is gone is no error.
func signalGroup(p *os.Process, signal syscall.Signal) {
	_ = syscall.Kill(-p.Pid, signal)
}

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

// signalGroup sends a signal to the process group that ownGroup gave to p, and reports whether there was anybody in it.
func signalGroup(p *os.Process, signal syscall.Signal) bool {
	return syscall.Kill(-p.Pid, signal) == nil
}

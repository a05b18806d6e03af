//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// ownSession makes cmd start in a session and process group of its own, without a controlling terminal: it cannot ask
// there for a password, a Ctrl-C does not reach it, and whatever it starts can be ended with it.
func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// signalGroup sends a signal to the process group of p, which ownSession gave it, and reports whether anybody was in it.
func signalGroup(p *os.Process, signal syscall.Signal) bool {
	return syscall.Kill(-p.Pid, signal) == nil
}

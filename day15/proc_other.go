//go:build !unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// ownSession does nothing here: there are no process groups as on Unix.
func ownSession(cmd *exec.Cmd) {}

// signalGroup ends p alone, and reports whether it was there. A polite signal does not exist here: SIGTERM is left to
// the SIGKILL that follows it.
func signalGroup(p *os.Process, signal syscall.Signal) bool {
	return signal == syscall.SIGKILL && p.Kill() == nil
}

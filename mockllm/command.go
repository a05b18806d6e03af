package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// runCommand runs args with env (KEY=value) on top of our own environment and
// gives its exit code. Files are handed to the command as they are, and it stays
// in our process group, so that the terminal's Ctrl-C reaches it without our help.
func runCommand(ctx context.Context, args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(cmd.Environ(), env...) // of two values for one key the last counts
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr

	// These must not end us while the command runs. What is ignored (nohup) stays
	// ignored, for us and for the command.
	signals := make(chan os.Signal, 8)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		fmt.Fprintf(stderr, "mockllm: cannot start the command: %v\n", err)
		return 127
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for cancelled := ctx.Done(); ; {
		select {
		case err := <-ended:
			if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
				fmt.Fprintf(stderr, "mockllm: running %s: %v\n", args[0], err)
				return 1
			}
			return exitCode(cmd.ProcessState)
		case s := <-signals:
			if s != os.Interrupt && s != syscall.SIGQUIT { // the terminal sends these to the command too
				forward(cmd.Process, s)
			}
		case <-cancelled:
			cancelled = nil
			forward(cmd.Process, syscall.SIGTERM)
		}
	}
}

// forward passes a signal on; where signals cannot be sent (Windows) it ends
// the process. A process that is already gone needs neither.
func forward(p *os.Process, s os.Signal) {
	if err := p.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.Kill()
	}
}

// exitCode is a shell's view of how a process ended.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

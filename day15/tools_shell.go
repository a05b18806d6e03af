package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	shellLimit    = 60              // seconds that a command may run if nothing else is asked for
	maxShellLimit = 600             // seconds that it may run at most
	shellGrace    = 2 * time.Second // between SIGTERM and SIGKILL
)

const shellSchema = `{"type":"object","properties":{
	"command":{"type":"string","description":"The command line"},
	"timeout_s":{"type":"integer","description":"Time limit in seconds; 60 if absent, at most 600"}},"required":["command"]}`

type shellArgs struct {
	Command string      `json:"command"`
	Timeout wholeNumber `json:"timeout_s"`
}

// limit is how long the command may run, in seconds.
func (a shellArgs) limit() int {
	if a.Timeout <= 0 {
		return shellLimit
	}
	return min(int(a.Timeout), maxShellLimit)
}

// shell runs commands.
type shell struct {
	root  string        // the working directory
	grace time.Duration // between SIGTERM and SIGKILL
}

// shellTool is the tool run_shell.
func shellTool(s shell) Tool {
	return Tool{
		Name:        "run_shell",
		Description: "Run a shell command in the root folder and show what it prints.",
		Parameters:  json.RawMessage(shellSchema),
		Preview:     shellPreview,
		Run: func(ctx context.Context, args json.RawMessage) (string, error) {
			var a shellArgs
			if err := decodeArgs(args, &a); err != nil {
				return "", err
			}
			if strings.TrimSpace(a.Command) == "" {
				return "", errors.New("command is empty")
			}
			return s.run(ctx, a)
		},
	}
}

// shellPreview shows the command, whole. Its further lines are indented: none can look like a line of the question.
func shellPreview(_ context.Context, args json.RawMessage) string {
	var a shellArgs
	if err := decodeArgs(args, &a); err != nil {
		return failingPreview("run_shell", args, err)
	}
	text := "About to run: " + strings.ReplaceAll(a.Command, "\n", "\n  ")
	if a.limit() != shellLimit {
		text += fmt.Sprintf("\nTime limit: %d s", a.limit())
	}
	return text
}

// run runs one command in a process group of its own and returns its output. When the time is over or ctx ends, the
// group gets a SIGTERM; after s.grace os/exec closes the pipes, and SIGKILL ends whoever is left in the group. That goes
// for the background, too: a child that holds the output has s.grace to finish, any other is ended at once. One that has
// left the group (setsid) is out of reach, but does not keep the turn waiting.
func (s shell) run(ctx context.Context, a shellArgs) (string, error) {
	errLimit := fmt.Errorf("ended after the time limit of %d s", a.limit())
	ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(a.limit())*time.Second, errLimit)
	defer cancel()
	var output headTail
	cmd := s.command(ctx, a.Command)
	cmd.Stdout, cmd.Stderr = &output, &output // the same writer: one pipe, in the order of writing
	ownGroup(cmd)
	cmd.Cancel = func() error {
		signalGroup(cmd.Process, syscall.SIGTERM)
		return nil
	}
	cmd.WaitDelay = s.grace
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("the shell cannot be started: %w", err)
	}
	err := cmd.Wait()
	left := signalGroup(cmd.Process, syscall.SIGKILL)
	text := output.String()
	if ctx.Err() != nil && err != nil {
		return "", fmt.Errorf("%w; output until then:\n%s", context.Cause(ctx), text)
	}
	held := errors.Is(err, exec.ErrWaitDelay) // somebody still had the output open
	switch {
	case left:
		text += "\n[what the command left in its process group was ended]"
	case held:
		text += "\n[a process that the command started, and that left its process group, may still be running]"
	}
	if err != nil && !held {
		return "", fmt.Errorf("%w; output:\n%s", err, text)
	}
	return text, nil
}

// command prepares a command line for the system's shell: in the root folder, with an empty stdin, and without
// the key of the model's API.
func (s shell) command(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	if runtime.GOOS == "windows" {
		cmd = exec.CommandContext(ctx, "cmd", "/c", command)
	}
	cmd.Dir = s.root
	cmd.Env = withoutKey(cmd.Environ())
	return cmd
}

// withoutKey takes the key of the model's API out of an environment: it is ours, and nobody else's business.
func withoutKey(environ []string) []string {
	return slices.DeleteFunc(environ, func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return strings.EqualFold(name, "OPENAI_API_KEY")
	})
}

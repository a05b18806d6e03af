package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
	_ "time/tzdata" // time zones, also on a machine that has no table of them
)

const (
	shellLimit    = 60        // seconds that a command may run if nothing else is asked for
	maxShellLimit = 600       // seconds that it may run at most
	gitLimit      = 20        // seconds for one git command
	keptOutput    = 512 << 10 // bytes of a command's output
	noOutput      = "(no output)"
)

// systemTools returns get_current_time, run_shell and fetch. root is the working directory of commands, now the clock.
func systemTools(root string, now func() time.Time) []Tool {
	return []Tool{{
		Name:        "get_current_time",
		Description: "Tell the current date and time.",
		Parameters: json.RawMessage(`{"type":"object","properties":{
	"timezone":{"type":"string","description":"A time zone such as Asia/Shanghai or UTC; without it the local one"}}}`),
		Parallel: true,
		Policy:   Allow,
		Run: func(_ context.Context, args json.RawMessage) (string, error) {
			var a struct {
				Timezone string `json:"timezone"`
			}
			if err := decodeArgs(args, &a); err != nil {
				return "", err
			}
			zone, err := time.LoadLocation(cmp.Or(a.Timezone, "Local"))
			if err != nil {
				return "", fmt.Errorf("there is no time zone %q: use a name such as Asia/Shanghai, America/New_York or UTC", a.Timezone)
			}
			return now().In(zone).Format("Monday, 2006-01-02 15:04:05 -07:00") + " (" + zone.String() + ")", nil
		},
	}, shellTool(root), fetchTool()}
}

// shellTool is the tool run_shell. Models write bash, so bash it is where there is one, and the model is told.
func shellTool(root string) Tool {
	shell, option := "sh", "-c"
	if runtime.GOOS == "windows" {
		shell, option = "cmd", "/c"
	} else if _, err := exec.LookPath("bash"); err == nil {
		shell = "bash"
	}
	return Tool{
		Name:        "run_shell",
		Description: "Run a shell command in the root folder and show what it prints. The shell is " + shell + ".",
		Parameters: json.RawMessage(`{"type":"object","properties":{
	"command":{"type":"string","description":"The command line"},
	"timeout_s":{"type":"integer","description":"Time limit in seconds; 60 if absent, at most 600"}},"required":["command"]}`),
		Plan: func(_ context.Context, args json.RawMessage) (Plan, error) {
			var a struct {
				Command string  `json:"command"`
				Limit   float64 `json:"timeout_s"`
			}
			if err := decodeArgs(args, &a); err != nil {
				return Plan{}, err
			}
			limit := cmp.Or(min(a.Limit, maxShellLimit), shellLimit)
			command, heading, colon := strings.Trim(a.Command, "\n"), "About to run", ": "
			if lines := strings.Count(command, "\n"); lines > 0 { // any of them may be the one that decides
				heading, colon = fmt.Sprintf("About to run %d lines of %s", lines+1, shell), ":\n  "
			}
			if limit != shellLimit {
				heading += fmt.Sprintf(" (time limit: %v s)", limit)
			}
			return Plan{
				Preview: heading + colon + strings.ReplaceAll(command, "\n", "\n  "),
				Run: func(ctx context.Context) (string, error) {
					return runCommand(ctx, root, limit, withoutKey(os.Environ()), shell, option, a.Command)
				},
			}, nil
		},
	}
}

// gitDiff is the tool git_diff: the changes below root, a folder in a git repository.
func gitDiff(root string) Tool {
	return Tool{
		Name: "git_diff",
		Description: "Show the changes in the git repository as a unified diff: what is not staged yet, or what is staged. " +
			"Files that git does not know yet are not in it.",
		Parameters: json.RawMessage(`{"type":"object","properties":{
	"staged":{"type":"boolean","description":"true: the staged changes instead of the others"},
	"path":{"type":"string","description":"a file or folder to look at, relative to the root; default: all"}}}`),
		Parallel: true,
		Run: func(ctx context.Context, args json.RawMessage) (string, error) {
			var a struct {
				Staged bool   `json:"staged"`
				Path   string `json:"path"`
			}
			if err := decodeArgs(args, &a); err != nil {
				return "", err
			}
			return gitChanges(ctx, root, a.Staged, cmp.Or(a.Path, "."))
		},
	}
}

// gitChanges runs git diff in root. It runs no program that the repository names: no pager, external diff, text converter,
// filter, file monitor or hook. It neither looks into submodules, which name programs of their own, nor fetches what a
// partial clone lacks.
func gitChanges(ctx context.Context, root string, staged bool, path string) (string, error) {
	// Variables of git, as they are set inside a hook, would point to another repository, or to programs to run. Without
	// a protocol that is allowed, nothing is fetched.
	environ := append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") }),
		"LC_ALL=C", "GIT_ALLOW_PROTOCOL=")
	git := func(options []string, command string, args ...string) (string, error) {
		argv := strings.Fields("git -c core.fsmonitor= -c core.hooksPath=/dev/null -c core.quotePath=false -c core.safecrlf=false " +
			"--no-pager --literal-pathspecs -c filter.any.clean=")
		return runCommand(ctx, root, gitLimit, environ, slices.Concat(argv, options, strings.Fields(command), args)...)
	}
	keys, err := git(nil, `config --name-only --get-regexp ^filter\.`)
	var options []string
	for key := range strings.SplitSeq(keys, "\n") {
		// Where the output was cut, or where -c would cut the key at its first =, a filter would stay.
		if !strings.HasPrefix(key, "filter.") || strings.Contains(key, "=") {
			return "", cmp.Or(err, errors.New("the repository has filters that cannot be turned off: ask the user to run git diff"))
		}
		options = append(options, "-c", key+"=")
	}
	kind, command := "unstaged", "diff --no-ext-diff --no-textconv --no-color --relative --submodule=short --ignore-submodules=dirty"
	if staged {
		kind, command = "staged", command+" --cached"
	}
	text, err := git(options, command, "--", path)
	switch {
	case err != nil && strings.Contains(err.Error(), "ot a git repository"):
		err = errors.New("the root is not in a git repository")
	case text == noOutput:
		text = fmt.Sprintf("No %s changes in %s.", kind, path)
	}
	return text, err
}

// runCommand runs a program in root, in a session and process group of its own, with an empty stdin, for at most limit
// seconds, and returns what it printed, stdout and stderr in the order of writing; an error has it in its text. When the
// time is over or ctx ends, the group gets a SIGTERM, and a SIGKILL a second later. What a program leaves in its group is
// ended, too. A process that has left the group is out of reach, but keeps nobody waiting.
func runCommand(ctx context.Context, root string, limit float64, environ []string, argv ...string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(limit)*time.Second,
		fmt.Errorf("ended after the time limit of %v s", limit))
	defer cancel()
	var output headTail
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = root, append(environ, "GIT_TERMINAL_PROMPT=0")
	cmd.Stdout, cmd.Stderr = &output, &output // the same writer: one pipe, and one goroutine that reads it
	ownSession(cmd)
	cmd.Cancel = func() error {
		signalGroup(cmd.Process, syscall.SIGTERM)
		return nil
	}
	cmd.WaitDelay = time.Second // then os/exec kills the process and closes the pipe, whoever holds it
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("%s cannot be started: %w", argv[0], err)
	}
	err := cmd.Wait()
	left, held := signalGroup(cmd.Process, syscall.SIGKILL), errors.Is(err, exec.ErrWaitDelay)
	text := cmp.Or(strings.TrimRight(string(output.kept), "\n"), noOutput)
	if output.missing > 0 {
		text += fmt.Sprintf("\n[%d bytes of output in all: the middle was not kept]", len(output.kept)+output.missing)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return "", fmt.Errorf("%w; output until then:\n%s", context.Cause(ctx), text)
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

// withoutKey takes the key of the model's API out of an environment: it is ours, and nobody else's business.
func withoutKey(environ []string) []string {
	return slices.DeleteFunc(environ, func(v string) bool { return strings.HasPrefix(strings.ToUpper(v), "OPENAI_API_KEY=") })
}

// headTail is an io.Writer that keeps the beginning and the end of what is written, in bounded memory: far more than a
// result may have, so that the place where the middle is missing, which might split a secret, is never shown.
type headTail struct {
	kept    []byte
	missing int
}

// Write never fails.
func (h *headTail) Write(p []byte) (int, error) {
	h.kept = append(h.kept, p...)
	if extra := len(h.kept) - keptOutput; extra > keptOutput { // not at every write: moving the bytes costs
		h.kept = slices.Delete(h.kept, keptOutput/2, keptOutput/2+extra)
		h.missing += extra
	}
	return len(p), nil
}

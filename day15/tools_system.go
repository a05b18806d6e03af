package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
	_ "time/tzdata" // time zones, also on a machine that has no table of them
)

// keptOutput is how many bytes of the beginning of a command's output are kept, and of its end.
const keptOutput = 256 << 10

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
				Command string
				Limit   float64 `json:"timeout_s"`
			}
			err := decodeArgs(args, &a)
			limit := cmp.Or(min(a.Limit, 600), 60) // as the schema says
			command, heading := strings.Trim(a.Command, "\n"), "About to run"
			if lines := strings.Count(command, "\n"); lines > 0 { // any of them may be the one that decides
				heading, command = fmt.Sprintf("About to run %d lines of %s", lines+1, shell), "\n"+command
			}
			if limit != 60 {
				heading += fmt.Sprintf(" (time limit: %v s)", limit)
			}
			return Plan{
				Preview: heading + ": " + strings.ReplaceAll(command, "\n", "\n  "),
				Run: func(ctx context.Context) (string, error) {
					return runCommand(ctx, root, limit, withoutKey(os.Environ()), shell, option, a.Command)
				},
			}, err
		},
	}
}

// gitDiff is the tool git_diff: the changes below root, a folder in a git repository. It runs no program that the
// repository names: no pager, external diff, text converter, filter, file monitor or hook. It neither looks into
// submodules, which name programs of their own, nor fetches what a partial clone lacks.
func gitDiff(root string) Tool {
	run := func(ctx context.Context, args json.RawMessage) (string, error) {
		var a struct {
			Staged bool
			Path   string
		}
		if err := decodeArgs(args, &a); err != nil {
			return "", err
		}
		command := strings.Fields("git --no-pager --literal-pathspecs -c core.fsmonitor= -c core.hooksPath=/dev/null " +
			"-c core.quotePath=false -c core.safecrlf=false -c filter.any.clean=")
		// Variables of git, as they are set inside a hook, would point to another repository, or to programs to run. Without
		// a protocol that is allowed, nothing is fetched.
		environ := append(slices.DeleteFunc(os.Environ(), gitVariable.MatchString), "GIT_ALLOW_PROTOCOL=")
		git := func(args ...string) (string, error) {
			return runCommand(ctx, root, 20, environ, append(command, args...)...) // seconds
		}
		filters, err := git("config", "--name-only", "--get-regexp", `^filter\.`)
		for key := range strings.SplitSeq(filters, "\n") {
			// Where the output was cut, or where -c would cut the key at its first =, a filter would stay.
			if !strings.HasPrefix(key, "filter.") || strings.Contains(key, "=") {
				return "", cmp.Or(err, errors.New("the repository has filters that cannot be turned off: ask the user to run git diff"))
			}
			command = append(command, "-c", key+"=")
		}
		command = append(command, strings.Fields("diff --no-ext-diff --no-textconv --no-color --relative --submodule=short --ignore-submodules=dirty")...)
		if a.Staged {
			command = append(command, "--cached")
		}
		text, err := git("--", cmp.Or(a.Path, "."))
		if err != nil && strings.Contains(err.Error(), "--no-index") {
			err = errors.New("the root is not in a git repository")
		}
		return text, err
	}
	return Tool{
		Name: "git_diff",
		Description: "Show the changes in the git repository as a unified diff: what is not staged yet, or what is staged. " +
			"Files that git does not know yet are not in it.",
		Parameters: json.RawMessage(`{"type":"object","properties":{
	"staged":{"type":"boolean","description":"true: the staged changes instead of the others"},
	"path":{"type":"string","description":"a file or folder to look at, relative to the root; default: all"}}}`),
		Parallel: true,
		Run:      run,
	}
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
	err := cmd.Run()
	if cmd.Process == nil {
		return "", err // it cannot be started
	}
	text := cmp.Or(strings.TrimRight(string(output.kept), "\n"), "(no output)")
	if output.size > len(output.kept) {
		text += fmt.Sprintf("\n[%d bytes of output in all: the middle was not kept]", output.size)
	}
	if signalGroup(cmd.Process, syscall.SIGKILL) {
		text += "\n[what the command left in its process group was ended]"
	}
	switch {
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		return text, nil
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	}
	return "", fmt.Errorf("%w; output:\n%s", err, text)
}

// withoutKey takes the key of the model's API out of an environment: it is ours, and nobody else's business.
func withoutKey(environ []string) []string {
	return slices.DeleteFunc(environ, keyVariable.MatchString)
}

// The variables of git, and that of the key.
var (
	gitVariable = regexp.MustCompile(`(?i)^GIT_`)
	keyVariable = regexp.MustCompile(`(?i)^OPENAI_API_KEY=`)
)

// headTail is an io.Writer that keeps the beginning and the end of what is written, in bounded memory: far more than a
// result may have, so that the place where the middle is missing, which might split a secret, is never shown.
type headTail struct {
	kept []byte
	size int // of all that was written
}

// Write never fails.
func (h *headTail) Write(p []byte) (int, error) {
	h.kept, h.size = append(h.kept, p...), h.size+len(p)
	if len(h.kept) > 4*keptOutput { // not at every write: moving the bytes costs
		h.kept = slices.Delete(h.kept, keptOutput, len(h.kept)-keptOutput)
	}
	return len(p), nil
}

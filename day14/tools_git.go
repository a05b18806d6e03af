package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const gitLimit = 20 * time.Second // for one git command

// gitDiff is the tool that shows the changes below root, a folder in a git repository, as text. It changes no
// file, and runs no program that the repository names: no pager, external diff, text converter, filter, file monitor or
// hook. It neither looks into submodules, which name programs of their own, nor fetches what a partial clone lacks.
func gitDiff(root string) Tool {
	return Tool{
		Name: "git_diff",
		Description: "Show the changes in the git repository as a unified diff: what is not staged yet, or what is staged. " +
			"Files that git does not know yet are not in it.",
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"staged":{"type":"boolean","description":"true: the staged changes instead of the others"},` +
			`"path":{"type":"string","description":"a file or folder to look at, relative to the root; default: all"}}}`),
		Parallel: true,
		Run: func(ctx context.Context, args json.RawMessage) (string, error) {
			var in struct {
				Staged bool   `json:"staged"`
				Path   string `json:"path"`
			}
			if err := decodeArgs(args, &in); err != nil {
				return "", err
			}
			return gitChanges(ctx, root, in.Staged, in.Path)
		},
	}
}

// gitChanges returns the diff of path, relative to root; "" stands for all of root.
func gitChanges(ctx context.Context, root string, staged bool, path string) (string, error) {
	if path == "" {
		path = "." // root may lie deep in its repository: what is above is not ours to show
	}
	if !filepath.IsLocal(path) {
		return "", fmt.Errorf("git_diff: %s is outside the root; give a path relative to it", path)
	}
	args, err := withoutFilters(ctx, root)
	if err != nil {
		return "", err
	}
	args = append(args, "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--relative", "--submodule=short",
		"--ignore-submodules=dirty")
	kind := "unstaged"
	if staged {
		args, kind = append(args, "--cached"), "staged"
	}
	text, err := runGit(ctx, gitLimit, root, append(args, "--", filepath.ToSlash(path))...)
	if err == nil && text == "" {
		text = fmt.Sprintf("No %s changes in %s.", kind, path)
	}
	return text, err
}

// withoutFilters returns the options that turn off the filters of root's repository: commands through which git would
// read its files. It fails where a filter's name could hide one from the options.
func withoutFilters(ctx context.Context, root string) ([]string, error) {
	keys, err := runGit(ctx, gitLimit, root, "config", "--name-only", "--get-regexp", `^filter\.`)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return nil, nil // there are none
	}
	var options []string
	for key := range strings.Lines(keys) {
		key = strings.TrimSuffix(key, "\n")
		// Where the output was cut, or where -c would cut the key at its first =, a filter would stay.
		if !strings.HasPrefix(key, "filter.") || strings.Contains(key, "=") {
			return nil, errors.New("the repository has filters that cannot be turned off: ask the user to run git diff")
		}
		options = append(options, "-c", key+"=")
	}
	return options, err
}

// runGit runs one git command in root, for at most limit, and returns its output. It fails without git, outside a
// repository, and with what git says where git fails.
func runGit(ctx context.Context, limit time.Duration, root string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("git took longer than %v and was stopped", limit))
	defer cancel()
	// A literal pathspec is a path and nothing more: without the flag, ":/" would mean the top of the repository.
	common := []string{"-c", "core.fsmonitor=", "-c", "core.hooksPath=" + os.DevNull, "--no-pager", "--literal-pathspecs"}
	cmd := exec.CommandContext(ctx, "git", append(common, args...)...)
	cmd.Dir = root
	// Variables of git, as they are set inside a hook, would point to another repository, or to programs to run. Without
	// a protocol that is allowed, nothing is fetched.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	cmd.Env = append(cmd.Env, "LC_ALL=C", "GIT_ALLOW_PROTOCOL=")
	var out, problem headTail
	cmd.Stdout, cmd.Stderr = &out, &problem
	ownGroup(cmd)
	cmd.Cancel = func() error {
		signalGroup(cmd.Process, syscall.SIGKILL)
		return nil
	}
	cmd.WaitDelay = 2 * time.Second
	err := cmd.Run()
	said := problem.String()
	switch {
	case err == nil && out.size == 0:
		return "", nil
	case err == nil:
		return out.String(), nil
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("git is not installed, or not on the PATH")
	case strings.Contains(strings.ToLower(said), "not a git repository"):
		return "", errors.New("the root is not in a git repository")
	}
	return "", fmt.Errorf("git failed: %w: %s", err, preview(strings.TrimSpace(said), 500))
}

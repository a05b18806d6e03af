package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// gitRepository returns the root of a new repository with one commit: a.txt and sub/b.txt, "one" in each.
func gitRepository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	root := t.TempDir()
	writeFile(t, filepath.Join(root, "a.txt"), "one\n")
	writeFile(t, filepath.Join(root, "sub", "b.txt"), "one\n")
	gitRun(t, root, "init", "-q")
	gitRun(t, root, "add", ".")
	gitRun(t, root, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "first")
	return root
}

func gitRun(t *testing.T, root string, args ...string) {
	t.Helper()
	if _, err := runGit(t.Context(), time.Minute, root, args...); err != nil {
		t.Fatal(args, err)
	}
}

func TestGitDiff(t *testing.T) {
	const b = "--- a/sub/b.txt\n+++ b/sub/b.txt\n@@ -1 +1,2 @@\n one\n+two"
	tests := []struct {
		name, below, args string
		want, not         string
		err               string
	}{
		{name: "changes that are not staged", args: `{}`, want: b, not: "a.txt"},
		{name: "staged changes", args: `{"staged":true}`, want: "+++ b/a.txt", not: "b.txt"},
		{name: "one file", args: `{"path":"sub/b.txt"}`, want: b},
		{name: "a folder", args: `{"path":"sub"}`, want: b},
		{name: "no changes", args: `{"path":"a.txt"}`, want: "No unstaged changes in a.txt."},
		{name: "no staged changes", args: `{"staged":true,"path":"sub"}`, want: "No staged changes in sub."},
		{name: "a root deep in the repository shows nothing from above", below: "sub", args: `{"staged":true}`, want: "No staged changes in ."},
		{name: "paths are relative to such a root", below: "sub", args: `{}`, want: "+++ b/b.txt"},
		{name: "a path that is an option is a path", args: `{"path":"--output=x"}`, want: "No unstaged changes"},
		{name: "a path with git's magic is a path", below: "sub", args: `{"staged":true,"path":":/"}`, want: "No staged changes"},
		{name: "a path with wildcards is a path", args: `{"path":"sub/*.txt"}`, want: "No unstaged changes in sub/*.txt."},
		{name: "a path that leads out", args: `{"path":"sub/../../x"}`, err: "outside the root"},
		{name: "an absolute path", args: `{"path":"/etc/passwd"}`, err: "outside the root"},
		{name: "an argument of another type", args: `{"staged":"yes"}`, err: "staged must be true or false"},
	}
	root := gitRepository(t)
	writeFile(t, filepath.Join(root, "a.txt"), "one\nstaged\n")
	gitRun(t, root, "add", "a.txt")
	writeFile(t, filepath.Join(root, "sub", "b.txt"), "one\ntwo\n")
	writeFile(t, filepath.Join(root, "unknown.txt"), "not in it\n")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := gitDiff(filepath.Join(root, test.below)).Run(t.Context(), json.RawMessage(test.args))
			if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Fatalf("error %v, want %q", err, test.err)
			}
			if !strings.Contains(got, test.want) || test.not != "" && strings.Contains(got, test.not) ||
				strings.Contains(got, "unknown.txt") {
				t.Errorf("got\n%s\nwant %q, without %q", got, test.want, test.not)
			}
			if _, err := os.Stat(filepath.Join(root, "x")); err == nil {
				t.Error("a file was written")
			}
		})
	}
}

func TestGitDiffRunsNoProgramThatTheRepositoryNames(t *testing.T) {
	root := gitRepository(t)
	trap := filepath.Join(t.TempDir(), "trap")
	for _, key := range []string{"diff.external", "diff.t.textconv", "core.fsmonitor", "core.pager"} {
		gitRun(t, root, "config", key, "touch "+trap+"; true")
	}
	gitRun(t, root, "config", "color.ui", "always")
	hook := filepath.Join(root, ".git", "hooks", "post-index-change")
	writeFile(t, hook, "#!/bin/sh\ntouch "+trap+"\n")
	if err := os.Chmod(hook, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_EXTERNAL_DIFF", "touch "+trap+"; true")
	t.Setenv("GIT_DIR", t.TempDir())
	writeFile(t, filepath.Join(root, ".gitattributes"), "*.txt diff=t\n")
	writeFile(t, filepath.Join(root, "a.txt"), "two\n")
	if err := os.Chtimes(filepath.Join(root, "sub", "b.txt"), time.Time{}, time.Unix(1e9, 0)); err != nil {
		t.Fatal(err) // git diff writes the new time into the index, and then there is a hook
	}
	got, err := gitDiff(root).Run(t.Context(), json.RawMessage(`{}`))
	if err != nil || !strings.Contains(got, "-one\n+two") || strings.Contains(got, "\x1b") {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := os.Stat(trap); err == nil {
		t.Error("a configured program ran")
	}
}

func TestGitDiffRunsNoFilter(t *testing.T) {
	tests := []struct {
		name, filter string
		keys         []string
		err          string
	}{
		{"a clean filter", "f", []string{"clean"}, ""},
		{"one that must not fail", "f", []string{"clean", "smudge", "required=true"}, ""},
		{"a process", "f", []string{"process", "required=true"}, ""},
		{"with a capital and a dot in its name", "A.b", []string{"clean", "process"}, ""},
		{"with an equals sign in its name", "a=b", []string{"clean"}, "filters that cannot be turned off"},
		{"with too long a name", strings.Repeat("f", maxOutput), []string{"clean"}, "filters that cannot be turned off"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root, trap := gitRepository(t), filepath.Join(t.TempDir(), "trap")
			for _, key := range test.keys {
				key, value, _ := strings.Cut(key, "=")
				if value == "" {
					value = "touch " + trap + "; cat"
				}
				gitRun(t, root, "config", "filter."+test.filter+"."+key, value)
			}
			writeFile(t, filepath.Join(root, ".gitattributes"), "*.txt filter="+test.filter+"\n")
			writeFile(t, filepath.Join(root, "a.txt"), "two\n")
			got, err := gitDiff(root).Run(t.Context(), json.RawMessage(`{}`))
			if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("error %v, want %q", err, test.err)
			}
			if test.err == "" && !strings.Contains(got, "-one\n+two") {
				t.Errorf("got %q", got)
			}
			if _, err := os.Stat(trap); err == nil {
				t.Error("a filter ran")
			}
		})
	}
}

// A submodule has a configuration of its own, with programs of its own.
func TestGitDiffRunsNothingOfASubmodule(t *testing.T) {
	root, trap := gitRepository(t), filepath.Join(t.TempDir(), "trap")
	inner := filepath.Join(root, "inner")
	gitRun(t, root, "init", "-q", inner)
	for _, text := range []string{"one\n", "two\n"} {
		writeFile(t, filepath.Join(inner, "a.txt"), text)
		gitRun(t, inner, "add", ".")
		gitRun(t, inner, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", text)
		if text == "one\n" {
			gitRun(t, root, "add", "inner")
		}
	}
	gitRun(t, root, "config", "diff.submodule", "diff")
	gitRun(t, inner, "config", "diff.external", "touch "+trap+"; true")
	gitRun(t, inner, "config", "filter.f.clean", "touch "+trap+"; cat")
	writeFile(t, filepath.Join(inner, ".git", "info", "attributes"), "*.txt filter=f\n")
	writeFile(t, filepath.Join(inner, "a.txt"), "six\n") // the same size: git has to read it
	got, err := gitDiff(root).Run(t.Context(), json.RawMessage(`{}`))
	if err != nil || strings.Count(got, "Subproject commit") != 2 {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := os.Stat(trap); err == nil {
		t.Error("a program of the submodule ran")
	}
}

// A partial clone fetches what it lacks, by a command if its configuration says so.
func TestGitDiffFetchesNothing(t *testing.T) {
	root := gitRepository(t)
	trap := filepath.Join(t.TempDir(), "trap")
	for _, setting := range [][2]string{
		{"core.repositoryformatversion", "1"}, {"extensions.partialclone", "origin"}, {"remote.origin.promisor", "true"},
		{"remote.origin.url", "ext::touch " + trap}, {"protocol.ext.allow", "always"},
	} {
		gitRun(t, root, "config", setting[0], setting[1])
	}
	writeFile(t, filepath.Join(root, "a.txt"), "two\n")
	if err := os.RemoveAll(filepath.Join(root, ".git", "objects", "56")); err != nil { // what a.txt held
		t.Fatal(err)
	}
	got, err := gitDiff(root).Run(t.Context(), json.RawMessage(`{}`))
	if err == nil {
		t.Errorf("got %q", got)
	}
	if _, err := os.Stat(trap); err == nil {
		t.Error("a command of the configuration ran")
	}
}

func TestGitDiffThatCannotRun(t *testing.T) {
	t.Run("outside a repository", func(t *testing.T) {
		gitRepository(t) // skips without git
		t.Setenv("GIT_DIR", filepath.Join(gitRepository(t), ".git"))
		_, err := gitDiff(t.TempDir()).Run(t.Context(), json.RawMessage(`{}`))
		if err == nil || err.Error() != "the root is not in a git repository" {
			t.Errorf("error %v", err)
		}
	})
	t.Run("without git", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		_, err := gitDiff(t.TempDir()).Run(t.Context(), json.RawMessage(`{}`))
		if err == nil || err.Error() != "git is not installed, or not on the PATH" {
			t.Errorf("error %v", err)
		}
	})
	t.Run("over the time limit", func(t *testing.T) {
		root := gitRepository(t)
		_, err := runGit(t.Context(), time.Nanosecond, root, "status")
		if err == nil || err.Error() != "git took longer than 1ns and was stopped" {
			t.Errorf("error %v", err)
		}
	})
	t.Run("where git refuses", func(t *testing.T) {
		root := gitRepository(t)
		_, err := runGit(t.Context(), time.Minute, root, "diff", "no-such-revision", "--")
		if err == nil || !strings.Contains(err.Error(), "no-such-revision") || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want what git said, on one line", err)
		}
	})
}

func TestAnInterruptedGitLeavesNoProcess(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process groups, and no shell scripts")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	bin := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\n%s -test.run='^TestFakeGit$' & wait\n", os.Args[0])
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	t.Setenv("FAKE_ADDRESS", listener.Addr().String())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failed := make(chan error, 1)
	go func() { // ends with the call
		_, err := gitDiff(t.TempDir()).Run(ctx, json.RawMessage(`{}`))
		failed <- err
	}()
	child, err := listener.Accept() // the child of the fake git is there
	if err != nil {
		t.Fatal(err)
	}
	defer child.Close()
	cancel()
	if err := <-failed; err != context.Canceled {
		t.Errorf("error %v, want that of the context", err)
	}
	if err := child.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, child); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the child is still there: its connection has not ended")
	}
}

// TestFakeGit is a process that git has started: it holds a connection to the test until it is killed.
func TestFakeGit(t *testing.T) {
	address := os.Getenv("FAKE_ADDRESS")
	if address == "" {
		t.Skip("only as a child process")
	}
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, conn) // until the test is gone
}

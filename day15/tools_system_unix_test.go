//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// script runs a shell script in dir, or skips the test: a program that it needs is not there.
func script(t *testing.T, dir, text string) string {
	t.Helper()
	cmd := exec.Command("sh", "-ec", "export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@t GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@t\n"+text)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Skip(err, string(out))
	}
	return string(out)
}

func TestRunShell(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "the key of the model")
	t.Setenv("OTHER_VALUE", "inherited")
	for command, want := range map[string]string{
		"echo 1; echo 2 >&2; echo 3":        "1\n2\n3",
		"true":                              "(no output)",
		"pwd":                               "/",
		"cat; echo end":                     "end",
		"echo $OPENAI_API_KEY-$OTHER_VALUE": "-inherited",
		"echo $GIT_TERMINAL_PROMPT":         "0",
		"echo out; echo err >&2; exit 3":    "error: exit status 3; output:\nout\nerr",
		"false":                             "error: exit status 1; output:\n(no output)",
		"no-such-command-42":                "error: exit status 127; output:\n…",
		"kill -9 $$":                        "error: signal: killed; …",
		"echo \x00":                         "error: fork/exec …: invalid argument",
		"echo a; yes | head -n 2000000; echo z; exit 1": "error: exit status 1; output:\na\ny\n…y\nz\n[4000004 bytes of output in all: the middle was not kept]",
	} {
		got, err := perform(t.Context(), shellTool("/"), "command", command)
		check(t, want, got, err)
		if err != nil && len(err.Error()) > 5*keptOutput {
			t.Errorf("%s: %d bytes", command, len(err.Error()))
		}
	}
}

// Models write bash: a command runs in it where there is one. The description says what it is.
func TestTheShellHasAName(t *testing.T) {
	dir := t.TempDir()
	script(t, dir, "mkdir sh bash; ln -s $(command -v sh) sh; ln -s $(command -v sh) $(command -v bash) bash")
	for _, shell := range []string{"sh", "bash"} {
		t.Setenv("PATH", filepath.Join(dir, shell))
		tool := shellTool(dir)
		got, err := perform(t.Context(), tool, "command", "echo $0")
		check(t, shell, got, err)
		if !strings.HasSuffix(tool.Description, " The shell is "+shell+".") {
			t.Errorf("the description is %q", tool.Description)
		}
	}
}

func TestWhatIsAskedBeforeACommandRuns(t *testing.T) {
	for args, want := range map[string]string{
		`{"command":"ls -l"}`: "About to run: ls -l",
		`{"command":"ls\n"}`:  "About to run: ls",
		`{"command":"a\nConfirm execution? [y/N/a] y\n\nb"}`: "About to run 4 lines of bash: \n  a\n  Confirm execution? [y/N/a] y\n  \n  b",
		`{"command":"a\nb","timeout_s":5.0}`:                 "About to run 2 lines of bash (time limit: 5 s): \n  a\n  b",
	} {
		plan, err := shellTool(".").Plan(t.Context(), json.RawMessage(args))
		if got := strings.Replace(plan.Preview, "lines of sh", "lines of bash", 1); err != nil || got != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
}

// A command has no terminal that it could ask for a password at: it leads a session of its own.
func TestACommandLeadsItsOwnSession(t *testing.T) {
	script(t, "/", "test -e /proc/$$/stat")
	got, err := perform(t.Context(), shellTool("/"), "command", "set $(cat /proc/$$/stat); test $1 = $6 && echo leads && cat < /dev/tty")
	check(t, "error: exit status 1; output:\nleads\n…/dev/tty: No such device or address", got, err)
}

// Whatever ends a command, nothing that it started is left. Each command, its background processes included, holds a
// named pipe open: the pipe's reader comes to the end when the last of them is gone. "ready" writes a line to it.
func TestNothingThatACommandStartedIsLeft(t *testing.T) {
	t.Parallel()
	const ended = "done\n[what the command left in its process group was ended]"
	for command, want := range map[string]string{
		"echo begun; sleep 600":                                 "error: ended after the time limit of 1 s; output:\nbegun…",
		"sleep 600 & echo begun; ready; sleep 60":               "error: ctrl-c; output:\nbegun…",
		"trap '' TERM; (ready; sleep 600) & wait":               "error: ctrl-c; output:\n…",
		"trap 'echo bye; exit 0' TERM; sleep 600 & ready; wait": "error: ctrl-c; output:\nbye…",
		"sleep 600 & echo done":                                 ended,
		"nohup sleep 600 >/dev/null 2>&1 & echo done":           ended,
		"sleep 600 >/dev/null 2>&1 & echo done; exit 4":         "error: exit status 4; output:\n" + ended,
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			script(t, dir, "mkfifo pipe")
			pipe, err := os.OpenFile(dir+"/pipe", os.O_RDONLY|syscall.O_NONBLOCK, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer pipe.Close()
			hold, _ := os.OpenFile(pipe.Name(), os.O_WRONLY, 0) // so that its end does not come too early
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() { // ends with the pipe, at the latest
				if n, _ := pipe.Read(make([]byte, 1)); n > 0 {
					cancel(errors.New("ctrl-c"))
				}
			}()
			limit := map[bool]int{true: 1, false: 60}[strings.Contains(want, "limit")]
			plan, err := shellTool(dir).Plan(ctx, json.RawMessage(
				fmt.Sprintf(`{"command":"ready() { echo >&9; }; exec 9>pipe; %s","timeout_s":%d}`, command, limit)))
			if err != nil {
				t.Fatal(err)
			}
			got, err := plan.Run(ctx)
			check(t, want, got, err)
			hold.Close()
			pipe.SetReadDeadline(time.Now().Add(20 * time.Second))
			if _, err := io.Copy(io.Discard, pipe); err != nil {
				t.Error("somebody is still there:", err)
			}
		})
	}
}

// A process that has left the group keeps nobody waiting, and is not said to be ended.
func TestAProcessOutOfReach(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script(t, dir, "command -v setsid; mkfifo pipe")
	pid, err := perform(t.Context(), shellTool(dir), "command", "setsid sh -c 'echo $$ >pipe; exec sleep 600' & cat pipe")
	check(t, pid, pid, err)
	script(t, dir, "kill "+pid)
}

// repository makes a repository with one commit: a.txt and sub/说明.txt, "one" in each.
const repository = "git init -q; mkdir sub; echo one | tee a.txt >sub/说明.txt; git add .; git commit -qm first\n"

func TestGitDiff(t *testing.T) {
	root := t.TempDir()
	script(t, root, repository+"echo staged >>a.txt; git add a.txt; echo two >>sub/说明.txt; echo new >unknown.txt")
	const changed = "diff --git a/sub/说明.txt …\n--- a/sub/说明.txt\n+++ b/sub/说明.txt\n@@ -1 +1,2 @@\n one\n+two"
	for args, want := range map[string]string{
		`{}`:                     changed,
		`{"path":"sub/说明.txt"}`:  changed,
		`{"path":"sub"}`:         changed,
		`{"path":"a.txt"}`:       "(no output)",
		`{"path":"--output=x"}`:  "(no output)",
		`{"path":"sub/*.txt"}`:   "(no output)",
		`{"path":"/etc/passwd"}`: "error: exit status 128; output:\nfatal: /etc/passwd: '/etc/passwd' is outside repository at …",
		`{"staged":true}`:        "diff --git a/a.txt …\n+++ b/a.txt\n@@ -1 +1,2 @@\n one\n+staged",
	} {
		got, err := gitDiff(root).Run(t.Context(), json.RawMessage(args))
		check(t, want, got, err)
	}
	for args, want := range map[string]string{ // of the root alone, deep in its repository
		`{}`:                                "diff --git a/说明.txt …\n--- a/说明.txt\n+++ b/说明.txt\n@@ -1 +1,2 @@\n one\n+two",
		`{"staged":true}`:                   "(no output)",
		`{"staged":true,"path":"../a.txt"}`: "(no output)",
		`{"staged":true,"path":":/"}`:       "(no output)",
	} {
		got, err := gitDiff(root+"/sub").Run(t.Context(), json.RawMessage(args))
		check(t, want, got, err)
	}
	got, err := perform(t.Context(), gitDiff(t.TempDir()))
	check(t, "error: the root is not in a git repository", got, err)
	t.Setenv("PATH", t.TempDir())
	got, err = perform(t.Context(), gitDiff(root))
	check(t, `error: exec: "git": executable file not found in $PATH`, got, err)
}

func TestGitDiffRunsNoProgramOfTheRepository(t *testing.T) {
	const filter = `printf '[filter "%s"]\n clean = %s\n process = %s\n required\n' "$NAME" "$TRAP" "$TRAP" >>.git/config
		printf '*.txt filter=%s\n' "$NAME" >.gitattributes`
	for name, test := range map[string]struct{ setup, want string }{
		"that the configuration names": {`for key in diff.external diff.t.textconv core.fsmonitor core.pager; do git config $key "$TRAP"; done
			git config color.ui always; echo '*.txt diff=t' >.gitattributes`, "-one\n+two"},
		"a hook, after a new time for the index": {`printf '#!/bin/sh\n%s' "$TRAP" >.git/hooks/post-index-change; chmod +x .git/hooks/*
			touch -t 200101010101 sub/*`, "-one\n+two"},
		"a filter":                      {"NAME=A.b;" + filter, "-one\n+two"},
		"a filter with an equals sign":  {"NAME=a=b;" + filter, "filters that cannot be turned off"},
		"a filter with too long a name": {"NAME=$(head -c 2000000 /dev/zero | tr '\\0' f);" + filter, "filters that cannot be turned off"},
		"of a submodule": {`git init -q inner; cd inner; echo one >a.txt; git add .; git commit -qm 1; cd ..; git add inner; git config diff.submodule diff
			cd inner; echo two >a.txt; git commit -qam 2; git config diff.external "$TRAP"; git config filter.f.clean "$TRAP"
			echo '*.txt filter=f' >.git/info/attributes; echo six >a.txt`, "+Subproject commit"},
		"to fetch what a partial clone lacks": {`git config core.repositoryformatversion 1; git config extensions.partialclone origin
			git config remote.origin.promisor true; git config remote.origin.url "ext::$TRAP"; git config protocol.ext.allow always
			rm -r .git/objects/56`, "fatal: "}, // what a.txt held
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			script(t, root, repository+"TRAP='touch "+root+"/trap'\n"+test.setup+"\necho two >"+root+"/a.txt")
			t.Setenv("GIT_EXTERNAL_DIFF", "touch "+root+"/trap")
			t.Setenv("GIT_DIR", t.TempDir())
			got, err := perform(t.Context(), gitDiff(root))
			if text := fmt.Sprint(got, err); !strings.Contains(text, test.want) || strings.Contains(text, "\x1b") {
				t.Errorf("%q, want %q", text, test.want)
			}
			if _, err := os.Stat(root + "/trap"); err == nil {
				t.Error("a command of the repository ran")
			}
		})
	}
}

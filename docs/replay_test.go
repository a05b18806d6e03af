package docs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// reader is somebody who follows a text, on a machine of their own: a home folder with a fresh copy of the repository.
type reader struct {
	temp   string // all of it lies here
	folder string // the copy: home/geekagent
	env    []string
	wire   string        // where the next command logs its frames; "" for nowhere
	limit  time.Duration // for one block; only what hangs reaches it
	grace  time.Duration // for processes that are about to end when their command has ended
}

// goCommand stands for go on the reader's PATH. It answers as go run does, without compiling, and as go build does where a
// program is as it was when it was built. The real go gets its own home folder, for its caches.
const goCommand = `#!/bin/sh
case "$1 $2" in
"run ./day14" | "run ./day15" | "run ./demoserver" | "run ./mockllm")
	program='%[1]s'/$2
	[ $2 = ./day15 ] && wire=$WIRE
	shift 2
	"$program" ${wire:+-wire "$wire"} "$@" && exit
	echo "exit status $?" >&2
	exit 1 ;;
"build -o")
	to=$3
	shift 3
	case $to in */) mkdir -p "$to" ;; esac
	for package; do
		diff -rq '%[2]s'/"$package" "$package" >/dev/null 2>&1 && cp '%[1]s'/"$package" "$to" ||
			HOME='%[3]s' '%[4]s' build -o "$to" "$package" || exit
	done
	exit ;;
esac
HOME='%[3]s' exec '%[4]s' "$@"
`

// newReader sets a reader up with the programs in the folder built, and what a fresh clone would hold, as it is on disk now.
func newReader(t *testing.T, repo, built string) *reader {
	temp, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	realGo, err := exec.LookPath("go")
	must(t, err)
	r := &reader{temp: temp, folder: filepath.Join(temp, "home", "geekagent"), limit: time.Minute, grace: 10 * time.Second}
	must(t, os.MkdirAll(filepath.Join(r.folder, ".geekagent"), 0o755))
	must(t, os.WriteFile(filepath.Join(temp, "go"), fmt.Appendf(nil, goCommand, built, repo, os.Getenv("HOME"), realGo), 0o755))
	r.env = []string{
		"PATH=" + temp + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + filepath.Dir(r.folder), "TERM=dumb", "LC_ALL=C", "TZ=UTC",
		"GOCACHE=" + os.Getenv("GOCACHE"), "GOMODCACHE=" + os.Getenv("GOMODCACHE"), "GOPATH=" + os.Getenv("GOPATH"), "GOPROXY=off", "GOTOOLCHAIN=local",
	}
	clone := exec.Command("sh", "-c", `cp -R * "$0" && cp .geekagent/mcp.json "$0/.geekagent"`, r.folder) // .gitignore names the rest
	clone.Dir = repo
	must(t, clone.Run())
	return r
}

// replay runs the transcripts of a text in order. With fix, the text shows afterwards what the programs print now.
func (r *reader) replay(t *text, fix bool) {
	for i := range t.blocks {
		switch b := &t.blocks[i]; {
		case b.isReaders():
			path := filepath.Join(r.folder, b.file)
			err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(b.body), 0o644))
			if err != nil || !filepath.IsLocal(b.file) {
				t.fault(b.start-1, "the file cannot be written: %v", err)
			}
		case b.lang == "console":
			r.wire = ""
			if i+1 < len(t.blocks) && t.blocks[i+1].lang == "wire" {
				r.wire = filepath.Join(r.temp, "wire.log")
				os.Remove(r.wire) // of an earlier block
			}
			r.checkTranscript(t, b, fix)
		case b.lang == "wire" && i > 0:
			r.checkFrames(t, b, t.blocks[i-1], fix)
		}
	}
}

var (
	command   = regexp.MustCompile(`(?m)^\$ ((?:.*\\\n)*.*)\n`)
	prompt    = regexp.MustCompile(`(?m)(?:^You ›|\[y/N/a\])(?: (.*)|$)`)
	slowStart = regexp.MustCompile(`(?m)^\[mcp\] .+?: waiting for .* Ctrl-C goes on without it\n`)
	trailing  = regexp.MustCompile(`(?m) +$`)
)

// checkTranscript runs the commands of a block and compares what they print.
func (r *reader) checkTranscript(t *text, b *block, fix bool) {
	ctx, cancel := context.WithTimeout(context.Background(), r.limit)
	defer cancel()
	shown, now := b.body, ""
	starts := append(command.FindAllStringSubmatchIndex(shown, -1), []int{len(shown)})
	if starts[0][0] != 0 {
		t.fault(b.start, "a console block begins with a command, $ …, not with\n%s", shown)
		return
	}
	for n, at := range starts[:len(starts)-1] {
		screen, err := r.run(ctx, shown[at[2]:at[3]], shown[at[1]:starts[n+1][0]])
		if err != nil {
			t.fault(b.start, "%s: %v\n\t%s", shown[at[2]:at[3]], err, screen)
			r.endLeftovers()
			return
		}
		now += shown[at[0]:at[1]] + mask(*b, screen)
	}
	if left := r.endLeftovers(); left != nil {
		t.fault(b.start, "it left a process behind, %v; end it in the block", left)
	}
	if !slowStart.MatchString(shown) { // the machine decides whether there are any
		now = slowStart.ReplaceAllString(now, "")
	}
	switch {
	case now != shown && fix:
		b.body = now
	case now != shown:
		t.fault(b.start, "the programs print something else; if that is right, go test ./docs -run /%s -update:\n\ttext\t%s\n\tnow\t%s",
			t.name(), strings.ReplaceAll(shown, "\n", "\n\t\t"), strings.ReplaceAll(now, "\n", "\n\t\t"))
	}
}

// mask writes … for what the masks of a block match, or for their first group.
func mask(b block, text string) string {
	for _, expression := range b.notes["mask"] {
		re := regexp.MustCompile(expression)
		text = re.ReplaceAllStringFunc(text, func(match string) string {
			if at := re.FindStringSubmatchIndex(match); len(at) > 2 {
				return match[:at[2]] + "…" + match[at[3]:]
			}
			return "…"
		})
	}
	return text
}

// run gives a command to a shell, with what is typed at the prompts shown, and returns what the terminal shows.
func (r *reader) run(ctx context.Context, line, shown string) (string, error) {
	var typed []string
	for _, m := range prompt.FindAllStringSubmatch(shown, -1) {
		typed = append(typed, strings.TrimRight(m[1], " ")+"\n")
	}
	if n := len(typed); n > 0 && typed[n-1] == "\n" { // nothing after the last prompt: the end of input
		typed = typed[:n-1]
	}
	var out strings.Builder
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.Env = r.folder, append(r.env, "WIRE="+r.wire)
	if typed != nil { // nothing typed is no pipe: a terminal that nobody types at
		cmd.Stdin = strings.NewReader(strings.Join(typed, ""))
	}
	cmd.Stdout, cmd.Stderr = &out, &out // one pipe: in the order in which they are written
	cmd.WaitDelay = r.grace
	err := cmd.Run()
	if errors.As(err, new(*exec.ExitError)) {
		err = nil // what it printed says so
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("it was not done after %v; does it wait for input?", r.limit)
	}
	screen := strings.TrimRight(trailing.ReplaceAllString(out.String(), ""), "\n")
	if screen != "" {
		screen += "\n"
	}
	return screen, err
}

// endLeftovers ends the reader's processes that go on running and returns their command lines; without /proc it finds none.
func (r *reader) endLeftovers() (left []string) {
	for end := time.Now().Add(r.grace); ; time.Sleep(10 * time.Millisecond) {
		left = nil
		over := time.Now().After(end)
		folders, _ := filepath.Glob("/proc/[0-9]*")
		for _, folder := range folders {
			env, _ := os.ReadFile(filepath.Join(folder, "environ"))
			if !strings.Contains(string(env), r.temp) {
				continue
			}
			line, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
			left = append(left, strings.ReplaceAll(string(line), "\x00", " "))
			pid, _ := strconv.Atoi(filepath.Base(folder))
			if p, err := os.FindProcess(pid); err == nil && over {
				_ = p.Kill() // it may have ended by now
			}
		}
		if over || left == nil {
			return left
		}
	}
}

// checkFrames compares a block with the log that the console block before it left.
func (r *reader) checkFrames(t *text, b *block, before block, fix bool) {
	data, _ := os.ReadFile(r.wire)
	log := mask(before, string(data))
	pattern := strings.NewReplacer("…", ".*", "\n", "\n(?:.*\n)*").Replace(regexp.QuoteMeta("\n" + b.body))
	switch {
	case log == "":
		t.fault(b.start-1, "no frames were recorded: a wire block follows a console block that runs ./day15 with a server")
	case b.body == "" && fix:
		b.body = log
	case b.body == "" || !regexp.MustCompile(pattern).MatchString("\n"+log):
		t.fault(b.start, "the frames are not among the recorded ones, in this order; -update fills in an empty block:\n%s", log)
	}
}

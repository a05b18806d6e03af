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
	home string // the copy is home/geekagent
	env  []string
	wire string // where the next command logs its frames; "" for nowhere

	limit, grace time.Duration // for a block, and for processes that are about to end after it; only what hangs reaches them
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
	home, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	realGo, err := exec.LookPath("go")
	must(t, err)
	folder := filepath.Join(home, "geekagent", ".geekagent")
	must(t, os.MkdirAll(folder, 0o755))
	must(t, os.WriteFile(filepath.Join(home, "go"), fmt.Appendf(nil, goCommand, built, repo, os.Getenv("HOME"), realGo), 0o755))
	env := []string{
		"PATH=" + home + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + home, "TERM=dumb", "LC_ALL=C", "TZ=UTC",
		"GOCACHE=" + os.Getenv("GOCACHE"), "GOMODCACHE=" + os.Getenv("GOMODCACHE"), "GOPATH=" + os.Getenv("GOPATH"), "GOPROXY=off", "GOTOOLCHAIN=local",
	}
	clone := exec.Command("sh", "-c", `cp .geekagent/mcp.json "$0" && cp -R * "$0/.."`, folder) // .gitignore names the rest
	clone.Dir = repo
	must(t, clone.Run())
	return &reader{home: home, env: env, limit: time.Minute, grace: 10 * time.Second}
}

// replay runs the transcripts of a text in order. With fix, the text shows afterwards what the programs print now.
func (r *reader) replay(t *text, fix bool) {
	for i := range t.blocks {
		switch b := &t.blocks[i]; {
		case b.isReaders():
			path := filepath.Join(r.home, "geekagent", b.file)
			if !filepath.IsLocal(b.file) || os.MkdirAll(filepath.Dir(path), 0o755) != nil || os.WriteFile(path, []byte(b.body), 0o644) != nil {
				t.fault(b.start-1, "the file cannot be written")
			}
		case b.lang == "console":
			r.wire = ""
			if i+1 < len(t.blocks) && t.blocks[i+1].lang == "wire" {
				r.wire = filepath.Join(r.home, "wire.log")
				os.Remove(r.wire) // of an earlier block
			}
			r.checkTranscript(t, b, fix)
		case b.lang == "wire" && i > 0:
			r.checkFrames(t, b, t.blocks[i-1], fix)
		}
	}
}

var (
	command   = regexp.MustCompile(`^(.*\\\n)*.*`)
	prompt    = regexp.MustCompile(`(?m)(?:^You ›|\[y/N/a\])(?: (.*)|$)`)
	slowStart = regexp.MustCompile(`(?m)^\[mcp\] .+?: waiting for .* Ctrl-C goes on without it\n`)
	trailing  = regexp.MustCompile(`(?m) +$`)
)

// checkTranscript runs the commands of a block and compares what they print.
func (r *reader) checkTranscript(t *text, b *block, fix bool) {
	ctx, cancel := context.WithTimeout(context.Background(), r.limit)
	defer cancel()
	shown, now := b.body, ""
	parts := strings.Split("\n"+strings.TrimSuffix(shown, "\n"), "\n$ ")
	if parts[0] != "" {
		t.fault(b.start, "a console block begins with a command, $ …, not with%s", parts[0])
		return
	}
	for _, part := range parts[1:] {
		line := command.FindString(part)
		screen, err := r.run(ctx, line, part[len(line):])
		if err != nil {
			t.fault(b.start, "%s: %v\n\t%s", line, err, screen)
			r.endLeftovers()
			return
		}
		now += strings.TrimSuffix("$ "+line+"\n"+mask(*b, screen), "\n") + "\n"
	}
	if left := r.endLeftovers(); left != nil {
		t.fault(b.start, "it left a process behind, %v; end it in the block", left)
	}
	if !slowStart.MatchString(shown) { // the machine decides whether there are any
		now = slowStart.ReplaceAllString(now, "")
	}
	if fix {
		b.body = now
	} else if now != shown {
		t.fault(b.start, "the programs print something else; if that is right, go test ./docs -run /%s -update:\n\ttext\t%s\n\tnow\t%s",
			t.name(), strings.ReplaceAll(shown, "\n", "\n\t\t"), strings.ReplaceAll(now, "\n", "\n\t\t"))
	}
}

// mask writes … for what the masks of a block match, or for their first group.
func mask(b block, text string) string {
	for _, expression := range b.notes["mask"] {
		re := regexp.MustCompile(expression)
		text = re.ReplaceAllStringFunc(text, func(match string) string {
			at := append(re.FindStringSubmatchIndex(match)[2:], 0, len(match))
			return match[:at[0]] + "…" + match[at[1]:]
		})
	}
	return text
}

// run gives a command to a shell, with what is typed at the prompts shown, and returns what the terminal shows.
func (r *reader) run(ctx context.Context, line, shown string) (string, error) {
	typed := ""
	for _, m := range prompt.FindAllStringSubmatch(shown, -1) {
		typed += strings.TrimRight(m[1], " ") + "\n"
	}
	if strings.HasSuffix("\n"+typed, "\n\n") { // nothing after the last prompt: the end of input
		typed = typed[:len(typed)-1]
	}
	var out strings.Builder
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.Env = filepath.Join(r.home, "geekagent"), append(r.env, "WIRE="+r.wire)
	if typed != "" { // nothing typed is no pipe: a terminal that nobody types at
		cmd.Stdin = strings.NewReader(typed)
	}
	cmd.Stdout, cmd.Stderr = &out, &out // one pipe: in the order in which they are written
	cmd.WaitDelay = r.grace
	err := cmd.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("it was not done after %v; does it wait for input?", r.limit)
	} else if errors.As(err, new(*exec.ExitError)) {
		err = nil // what it printed says so
	}
	return strings.TrimRight(trailing.ReplaceAllString(out.String(), ""), "\n"), err
}

// endLeftovers ends the reader's processes that go on running and returns their command lines; without /proc it finds none.
func (r *reader) endLeftovers() (left []string) {
	for end := time.Now().Add(r.grace); ; time.Sleep(10 * time.Millisecond) {
		left = nil
		over := time.Now().After(end)
		folders, _ := filepath.Glob("/proc/[0-9]*")
		for _, folder := range folders {
			if env, _ := os.ReadFile(folder + "/environ"); !strings.Contains(string(env), r.home) {
				continue
			}
			line, _ := os.ReadFile(folder + "/cmdline")
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
	if b.body == "" && fix {
		b.body = log
	} else if b.body == "" || !regexp.MustCompile(pattern).MatchString("\n"+log) {
		t.fault(b.start, "the frames are not among those of ./day15 in the block before, in this order; -update fills in an empty block:\n%s", log)
	}
}

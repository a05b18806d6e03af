package docs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
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

// build compiles the programs once and returns the folder they are in.
func build(t *testing.T, repo string) string {
	dir := t.TempDir()
	cmd := exec.Command("go", "build", "-ldflags=-w", "-o", dir, "./day14", "./day15", "./demoserver", "./mockllm")
	cmd.Dir = repo
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return dir
}

// goCommand stands for go on the reader's PATH. It answers as go run does, without compiling, and as go build does where a
// program is as it was when it was built.
const goCommand = `#!/bin/sh
bin=${0%%/*}
case "$1 $2" in
"run ./day14" | "run ./day15" | "run ./demoserver" | "run ./mockllm")
	program=${2#./}
	shift 2
	if [ "$program" = day15 ] && [ -n "$WIRE" ]; then set -- -wire "$WIRE" "$@"; fi
	"$bin/$program" "$@"
	code=$?
	[ $code = 0 ] && exit
	echo "exit status $code" >&2
	exit 1 ;;
"build -o")
	to=$3
	shift 3
	case $to in */) mkdir -p "$to" ;; esac
	for package; do
		if diff -rq '%[2]s'/"$package" "$package" >/dev/null 2>&1; then
			cp "$bin/$package" "$to" || exit
		else
			'%[1]s' build -o "$to" "$package" || exit
		fi
	done
	exit ;;
esac
exec '%[1]s' "$@"
`

// goEnvironment is where the real go is, and the variables that it needs in another home folder.
var goEnvironment = sync.OnceValues(func() (string, []string) {
	path, _ := exec.LookPath("go") // go test has set it
	out, _ := exec.Command(path, "env", "GOCACHE", "GOMODCACHE").Output()
	lines := append(strings.Split(string(out), "\n"), "")
	return path, []string{"GOCACHE=" + lines[0], "GOMODCACHE=" + lines[1], "GOPROXY=off", "GOTOOLCHAIN=local", "GOFLAGS=-ldflags=-w"}
})

// newReader sets a reader up with the programs in the folder built, and what a fresh clone would hold, as it is on disk now.
func newReader(t *testing.T, repo, built string) *reader {
	temp, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	repo, err = filepath.Abs(repo)
	must(t, err)
	r := &reader{temp: temp, folder: filepath.Join(temp, "home", "geekagent"), limit: time.Minute, grace: 10 * time.Second}
	bin := filepath.Join(temp, "bin")
	must(t, os.MkdirAll(bin, 0o755))
	must(t, os.MkdirAll(filepath.Join(r.folder, ".geekagent"), 0o755))
	for _, program := range programs { // a name of their own shows whose process it is
		must(t, os.Symlink(filepath.Join(built, program), filepath.Join(bin, program)))
	}
	realGo, env := goEnvironment()
	must(t, os.WriteFile(filepath.Join(bin, "go"), fmt.Appendf(nil, goCommand, realGo, repo), 0o755))
	r.env = append(slices.Clone(env), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+filepath.Dir(r.folder),
		"TERM=dumb", "LC_ALL=C", "TZ=UTC")
	copies := exec.Command("sh", "-c", `cp -R * "$0" && cp .geekagent/mcp.json "$0/.geekagent"`, r.folder) // .gitignore names the rest
	copies.Dir = repo
	must(t, copies.Run())
	return r
}

// replay runs the transcripts of a text in order. With fix, the text shows afterwards what the programs print now.
func (r *reader) replay(t *text, fix bool) {
	for i := range t.blocks {
		switch b := &t.blocks[i]; {
		case b.isReaders():
			path := filepath.Join(r.folder, b.file)
			err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(strings.Join(b.body, "\n")+"\n"), 0o644))
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
	slowStart = regexp.MustCompile(`(?m)^(\[mcp\] .+?: waiting for ).* Ctrl-C goes on without it\n?`)
	trailing  = regexp.MustCompile(`(?m) +$`)
)

// checkTranscript runs the commands of a block and compares what they print.
func (r *reader) checkTranscript(t *text, b *block, fix bool) {
	ctx, cancel := context.WithTimeout(context.Background(), r.limit)
	defer cancel()
	shown, now, screens := strings.Join(b.body, "\n")+"\n", "", ""
	starts := append(command.FindAllStringSubmatchIndex(shown, -1), []int{len(shown)})
	if starts[0][0] != 0 {
		t.fault(b.start, "a console block begins with a command, $ …, not with %s", b.body[0])
		return
	}
	for n, at := range starts[:len(starts)-1] {
		screen, err := r.run(ctx, shown[at[2]:at[3]], shown[at[1]:starts[n+1][0]])
		now, screens = now+shown[at[0]:at[1]]+mask(*b, screen), screens+screen
		if err != nil {
			t.fault(b.start, "%s: %v\n\t%s", shown[at[2]:at[3]], err, screen)
			break
		}
	}
	if left := r.endLeftovers(); left != nil {
		t.fault(b.start, "it left a process behind, %v; end it in the block", left)
	}
	now = slowStart.ReplaceAllStringFunc(now, func(slow string) string { // the machine decides whether it is there
		if strings.Contains(shown, slowStart.FindStringSubmatch(slow)[1]) {
			return slow
		}
		return ""
	})
	for _, expression := range b.note("mask") {
		if !regexp.MustCompile(expression).MatchString(screens) {
			t.fault(b.start-1, "the mask %s matches nothing", expression)
		}
	}
	switch {
	case strings.Contains(now, r.temp):
		t.fault(b.start, "the output shows the machine's own folders; show it otherwise, or mask them:\n\t%s", now)
	case now != shown && fix:
		b.body = strings.Split(strings.TrimSuffix(now, "\n"), "\n")
	case now != shown:
		t.fault(b.start, "the programs print something else; if that is right, go test ./docs -run /%s -update:\n\ttext\t%s\n\tnow\t%s",
			t.name(), strings.ReplaceAll(shown, "\n", "\n\t\t"), strings.ReplaceAll(now, "\n", "\n\t\t"))
	}
}

// mask writes … for what the masks of a block match, or for their first group.
func mask(b block, text string) string {
	for _, expression := range b.note("mask") {
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
		running := map[int]string{}
		files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, file := range files {
			line, _ := os.ReadFile(file)
			env, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "environ"))
			if pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file))); len(line) > 0 && strings.Contains(string(line)+string(env), r.temp) {
				running[pid] = strings.ReplaceAll(string(line), "\x00", " ")
			}
		}
		if len(running) > 0 && time.Now().Before(end) {
			continue
		}
		for pid, line := range running {
			left = append(left, line)
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Kill() // it may have ended by now
			}
		}
		return left
	}
}

// checkFrames compares a block with the log that the console block before it left.
func (r *reader) checkFrames(t *text, b *block, before block, fix bool) {
	data, _ := os.ReadFile(r.wire)
	log := strings.Split(strings.TrimSpace(mask(before, string(data))), "\n")
	if len(data) == 0 {
		t.fault(b.start-1, "no frames were recorded: a wire block follows a console block that runs ./day15 with a server")
		return
	}
	if len(b.body) == 0 && fix {
		b.body = log
	} else if len(b.body) == 0 {
		t.fault(b.start, "no frames are shown; -update fills them in")
	}
	rest := log
	for _, frame := range b.body {
		pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(frame), "…", ".*") + "$")
		at := slices.IndexFunc(rest, pattern.MatchString)
		if at < 0 {
			t.fault(b.start, "this frame is not among the recorded ones, or not in this order: %s\n\t%s", frame, strings.Join(log, "\n\t"))
			return
		}
		rest = rest[at+1:]
	}
}

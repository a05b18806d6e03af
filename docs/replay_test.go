package docs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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

// build compiles the programs once and returns the folder they are in.
func build(t *testing.T, repo string) string {
	dir := t.TempDir()
	cmd := exec.Command("go", "build", "-o", dir, "./day14", "./day15", "./demoserver", "./mockllm")
	cmd.Dir = repo
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return dir
}

// goCommand stands for go on the reader's PATH. It answers as go run does, without compiling.
const goCommand = `#!/bin/sh
case "$1 $2" in
"run ./day14" | "run ./day15" | "run ./demoserver" | "run ./mockllm")
	program=${2#./}
	shift 2
	if [ "$program" = day15 ] && [ -n "$WIRE" ]; then set -- -wire "$WIRE" "$@"; fi
	"${0%%/*}/$program" "$@"
	code=$?
	[ $code = 0 ] && exit
	echo "exit status $code" >&2
	exit 1 ;;
esac
exec '%s' "$@"
`

// newReader sets a reader up with the programs in the folder built.
func newReader(t *testing.T, repo, built string) *reader {
	temp, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	r := &reader{temp: temp, folder: filepath.Join(temp, "home", "geekagent"), limit: time.Minute, grace: 10 * time.Second}
	bin := filepath.Join(temp, "bin")
	must(t, os.MkdirAll(bin, 0o755))
	for _, program := range programs { // a name of their own shows whose process it is
		must(t, os.Symlink(filepath.Join(built, program), filepath.Join(bin, program)))
	}
	realGo, err := exec.LookPath("go")
	must(t, err)
	must(t, os.WriteFile(filepath.Join(bin, "go"), fmt.Appendf(nil, goCommand, realGo), 0o755))
	must(t, copyRepository(repo, r.folder))
	caches, err := exec.Command(realGo, "env", "GOCACHE", "GOMODCACHE").Output()
	must(t, err)
	cache := append(strings.Split(string(caches), "\n"), "")
	r.env = []string{
		"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + filepath.Dir(r.folder),
		"GOCACHE=" + cache[0], "GOMODCACHE=" + cache[1], "GOPROXY=off", "GOTOOLCHAIN=local", "TERM=dumb", "LC_ALL=C", "TZ=UTC",
	}
	return r
}

// copyRepository copies what a fresh clone would hold, as it is on disk now.
func copyRepository(repo, folder string) error {
	return fs.WalkDir(os.DirFS(repo), ".", func(path string, d fs.DirEntry, err error) error {
		own := strings.HasPrefix(path, ".geekagent/") && path != ".geekagent/mcp.json" // .gitignore names them
		switch to := filepath.Join(folder, path); {
		case err != nil:
			return err
		case d.IsDir() && (path == ".git" || own):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(to, 0o755)
		case own || !d.Type().IsRegular():
			return nil
		default:
			data, err := os.ReadFile(filepath.Join(repo, path))
			return errors.Join(err, os.WriteFile(to, data, 0o644))
		}
	})
}

// replay runs the transcripts of a text in order. With fix, the text shows afterwards what the programs print now.
func (r *reader) replay(t *text, fix bool) {
	for i := range t.blocks {
		switch b := t.blocks[i]; {
		case b.isReaders():
			path := filepath.Join(r.folder, b.file)
			err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(strings.Join(t.body(b), "\n")+"\n"), 0o644))
			if err != nil || !filepath.IsLocal(b.file) {
				t.fault(b.start-1, "the file cannot be written: %v", err)
			}
		case b.lang == "console":
			r.wire = ""
			if i+1 < len(t.blocks) && t.blocks[i+1].lang == "wire" {
				r.wire = filepath.Join(r.temp, "wire.log")
				os.Remove(r.wire) // of an earlier block
			}
			r.checkTranscript(t, i, fix)
		case b.lang == "wire":
			r.checkFrames(t, i, fix)
		}
	}
}

var (
	prompt    = regexp.MustCompile(`(?:^You ›|\[y/N/a\])(?: (.*)|$)`)
	slowStart = regexp.MustCompile(`(?m)^(\[mcp\] .+?: waiting for ).* Ctrl-C goes on without it\n?`)
)

// checkTranscript runs the commands of block i and compares what they print.
func (r *reader) checkTranscript(t *text, i int, fix bool) {
	b := t.blocks[i]
	ctx, cancel := context.WithTimeout(context.Background(), r.limit)
	defer cancel()
	shown, now := t.body(b), []string{}
	masks := map[string]bool{}
	for rest := shown; len(rest) > 0; {
		end := 1 // of the command, which may go on after a backslash, and what is shown of it
		for end < len(rest) && (strings.HasSuffix(rest[end-1], `\`) && end < 3 || !strings.HasPrefix(rest[end], "$ ")) {
			end++
		}
		line, isCommand := strings.CutPrefix(rest[0], "$ ")
		lines := 1
		for strings.HasSuffix(line, `\`) && lines < end {
			line, lines = line+"\n"+rest[lines], lines+1
		}
		var typed []string
		for _, line := range rest[lines:end] {
			if m := prompt.FindStringSubmatch(line); m != nil {
				typed = append(typed, strings.TrimRight(m[1], " ")+"\n")
			}
		}
		if n := len(typed); n > 0 && typed[n-1] == "\n" { // nothing after the last prompt: the end of input
			typed = typed[:n-1]
		}
		screen, err := r.run(ctx, line, strings.Join(typed, ""))
		if err != nil || !isCommand {
			t.fault(b.start, "%s: %v (a console block begins with a command, $ …)\n\t%s", rest[0], err, screen)
			return
		}
		screen = slowStart.ReplaceAllStringFunc(screen, func(slow string) string { // the machine decides whether it is there
			if strings.Contains(strings.Join(shown, "\n"), slowStart.FindStringSubmatch(slow)[1]) {
				return slow
			}
			return ""
		})
		now = append(now, rest[:lines]...)
		screen = regexp.MustCompile(` +(\n|$)`).ReplaceAllString(strings.TrimRight(mask(b, screen, masks), " \n"), "$1")
		if screen != "" {
			now = append(now, strings.Split(screen, "\n")...)
		}
		rest = rest[end:]
	}
	for _, m := range b.note("mask") {
		if !masks[m] {
			t.fault(b.start-1, "the mask %s matches nothing", m)
		}
	}
	switch text := strings.Join(now, "\n"); {
	case strings.Contains(text, r.temp):
		t.fault(b.start, "the output shows the machine's own folders; show it otherwise, or mask them:\n\t%s", text)
	case !slices.Equal(now, shown) && fix:
		t.replace(i, now)
	case !slices.Equal(now, shown):
		t.fault(b.start, "the programs print something else; if that is right, go test ./docs -run /%s -update:\n\ttext\t%s\n\tnow\t%s",
			t.name(), strings.Join(shown, "\n\t\t"), strings.Join(now, "\n\t\t"))
	}
}

// mask writes … for what the masks of a block match, or for their first group, and keeps which of them matched.
func mask(b block, text string, matched map[string]bool) string {
	for _, m := range b.note("mask") {
		text = regexp.MustCompile(m).ReplaceAllStringFunc(text, func(match string) string {
			matched[m] = true
			if at := regexp.MustCompile(m).FindStringSubmatchIndex(match); len(at) > 2 {
				return match[:at[2]] + "…" + match[at[3]:]
			}
			return "…"
		})
	}
	return text
}

// run gives a line to a shell, as the reader would, and returns what the terminal shows. It fails if the time is over,
// or if a process is left, which it ends.
func (r *reader) run(ctx context.Context, line, stdin string) (string, error) {
	var screen strings.Builder
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.Env = r.folder, append(r.env, "WIRE="+r.wire)
	if stdin != "" { // nothing typed is no pipe: a terminal that nobody types at
		cmd.Stdin = strings.NewReader(stdin)
	}
	cmd.Stdout, cmd.Stderr = &screen, &screen // one pipe: in the order in which they are written
	cmd.WaitDelay = r.grace
	err := cmd.Run()
	left := r.endLeftovers()
	switch {
	case ctx.Err() != nil:
		return screen.String(), fmt.Errorf("it was not done after %v; does it wait for input?", r.limit)
	case errors.Is(err, exec.ErrWaitDelay) || left != nil:
		return screen.String(), fmt.Errorf("it left a process behind %v; end it in the block", left)
	case errors.As(err, new(*exec.ExitError)):
		return screen.String(), nil // what it printed says so
	}
	return screen.String(), err
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
		if len(running) == 0 || time.Now().After(end) {
			for pid, line := range running {
				left = append(left, line)
				if p, err := os.FindProcess(pid); err == nil {
					_ = p.Kill() // it may have ended by now
				}
			}
			return left
		}
	}
}

// checkFrames compares block i with the log that the console block before it left.
func (r *reader) checkFrames(t *text, i int, fix bool) {
	b := t.blocks[i]
	data, _ := os.ReadFile(r.wire)
	log := strings.Split(strings.TrimSpace(mask(t.blocks[i-1], string(data), map[string]bool{})), "\n")
	if len(data) == 0 {
		t.fault(b.start-1, "no frames were recorded: a wire block follows a console block that runs ./day15 with a server")
		return
	}
	now, rest, same := slices.Clone(t.body(b)), log, true
	for n, frame := range now {
		pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(frame), "…", ".*") + "$")
		if at := slices.IndexFunc(rest, pattern.MatchString); at >= 0 {
			rest = rest[at+1:]
			continue
		}
		same = false
		head := frame[:min(len(frame), 60)] // the one that begins alike
		if at := slices.IndexFunc(rest, func(line string) bool { return strings.HasPrefix(line, head) }); at >= 0 {
			now[n], rest = rest[at], rest[at+1:]
		}
	}
	switch {
	case len(now) == 0 && fix:
		t.replace(i, log)
	case same && len(now) > 0:
	case fix:
		t.replace(i, now)
	default:
		t.fault(b.start, "the frames are not among the recorded ones, in this order; -update takes them anew:\n\t%s", strings.Join(log, "\n\t"))
	}
}

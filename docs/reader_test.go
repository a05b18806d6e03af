package docs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// reader is somebody who follows a text, on a machine of their own: a home folder with a fresh copy of the repository in it.
type reader struct {
	temp   string // all of it lies here
	folder string // the copy: home/geekagent
	env    []string
	wire   string        // where the next command logs its frames; "" for nowhere
	limit  time.Duration // for one block
	grace  time.Duration // for processes that are about to end when their command has ended
}

// build compiles the programs once and returns the folder they are in.
func build(t *testing.T, repo string) string {
	dir := t.TempDir()
	cmd := exec.Command("go", "build", "-o", dir)
	for _, program := range programs {
		cmd.Args = append(cmd.Args, "./"+program)
	}
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

// goCaches are the folders GOCACHE and GOMODCACHE: the real go command works in another home folder too.
var goCaches = sync.OnceValues(func() ([]string, error) {
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	return append(strings.Split(string(out), "\n"), "", ""), err
})

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
	caches, err := goCaches()
	must(t, err)
	r.env = []string{
		"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + filepath.Dir(r.folder),
		"GOCACHE=" + caches[0], "GOMODCACHE=" + caches[1], "GOPROXY=off", "GOTOOLCHAIN=local",
		"TERM=dumb", "LC_ALL=C", "TZ=UTC", "DOCS_REPLAY=1",
	}
	return r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// copyRepository copies what a fresh clone would hold, as it is on disk now.
func copyRepository(repo, folder string) error {
	return fs.WalkDir(os.DirFS(repo), ".", func(path string, d fs.DirEntry, err error) error {
		to := filepath.Join(folder, path)
		switch own := strings.HasPrefix(path, ".geekagent/"); {
		case err != nil:
			return err
		case path == ".git" && d.IsDir():
			return fs.SkipDir
		case d.IsDir() && own: // .gitignore names them
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(to, 0o755)
		case own && path != ".geekagent/mcp.json", !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(filepath.Join(repo, path))
		if err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o644)
	})
}

// write writes a file that the text shows.
func (r *reader) write(file string, body []string) error {
	if !filepath.IsLocal(file) {
		return fmt.Errorf("%s is not below the repository's folder", file)
	}
	path := filepath.Join(r.folder, file)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strings.Join(body, "\n")+"\n"), 0o644)
}

// endLeftovers ends the reader's processes that go on running and returns their command lines. One that was killed may
// still stand there for a moment.
func (r *reader) endLeftovers() (left []string) {
	mark := filepath.Join(r.temp, "bin")
	marked := processes(mark)
	for end := time.Now().Add(r.grace); len(marked) > 0 && time.Now().Before(end); marked = processes(mark) {
		time.Sleep(20 * time.Millisecond)
	}
	for pid, line := range marked {
		left = append(left, line)
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it may have ended by now
		}
	}
	return left
}

// processes returns the command lines of the processes with mark in their command line or in their environment; without
// /proc (macOS), in what ps tells of the command line alone.
func processes(mark string) map[int]string {
	marked := map[int]string{}
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is a good one
	for _, file := range files {
		line, err1 := os.ReadFile(file)
		env, err2 := os.ReadFile(filepath.Join(filepath.Dir(file), "environ"))
		pid, err3 := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if errors.Join(err1, err2, err3) == nil && strings.Contains(string(line)+string(env), mark) {
			marked[pid] = strings.ReplaceAll(string(line), "\x00", " ")
		}
	}
	if files != nil {
		return marked
	}
	out, _ := exec.Command("ps", "-A", "-o", "pid=,args=").Output() // without ps, nothing is found
	for line := range strings.Lines(string(out)) {
		pid, args, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.Atoi(pid); err == nil && strings.Contains(args, mark) {
			marked[n] = args
		}
	}
	return marked
}

package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// filesBelow lists the files of a folder with their content.
func filesBelow(t *testing.T, dir string) string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		lines = append(lines, filepath.ToSlash(name)+"="+string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "")
}

// No tool leaves the root: every tool is tried with every way out.
func TestNoPathLeavesTheRoot(t *testing.T) {
	dir, tools := fileTree(t, map[string]string{"sub/in.txt": "in\n"})
	outside := filepath.Join(filepath.Dir(dir), "outside")
	symlinkOrSkip(t, "../outside", filepath.Join(dir, "rel"))
	for name, folder := range map[string]string{
		"dots":                                   "../outside",
		"an absolute path":                       outside,
		"an absolute path that begins like root": dir + "/../outside",
		"a relative symbolic link":               "rel",
		"a symbolic link by its absolute path":   filepath.Join(dir, "rel"),
	} {
		secret := folder + "/secret.txt"
		for tool, a := range map[string]toolArgs{
			"ls":     {"path": folder},
			"read":   {"path": secret},
			"glob":   {"pattern": folder + "/*"},
			"search": {"path": folder, "pattern": "secret"},
			"write":  {"path": secret, "content": "overwritten"},
			"patch":  {"path": secret, "old": "secret", "new": "overwritten"},
		} {
			if got, err := useTool(t, tools, tool, a); err == nil {
				t.Errorf("%s got out by %s: %q", tool, name, got)
			}
		}
		if _, err := useTool(t, tools, "write", toolArgs{"path": folder + "/new/x", "content": ""}); err == nil {
			t.Errorf("a folder was made by %s", name)
		}
	}
	if left := filesBelow(t, outside); left != "secret.txt=secret\n" {
		t.Errorf("outside is now %q", left)
	}
}

// While the tools work, a folder turns into a symbolic link to another one, and back.
func TestAFolderSwappedForALinkDoesNotLeadElsewhere(t *testing.T) {
	dir, tools := fileTree(t, map[string]string{".geekagent/secret.txt": "secret\n"})
	swap, outside, home := filepath.Join(dir, "swap"), filepath.Join(filepath.Dir(dir), "outside"), filepath.Join(dir, ".geekagent")
	symlinkOrSkip(t, outside, swap)
	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() { // ends with stop; a step that fails is a swap less
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
				os.RemoveAll(swap)
				os.Mkdir(swap, 0o755)
				os.WriteFile(filepath.Join(swap, "secret.txt"), []byte("public\n"), 0o644)
				os.RemoveAll(swap)
				os.Symlink([]string{outside, home}[n%2], swap)
			}
		}
	})
	for range 100 {
		for tool, a := range map[string]toolArgs{
			"ls": {"path": "swap"}, "read": {"path": "swap/x"}, "search": {"pattern": "^secret", "path": "swap/x"},
			"write": {"path": "swap/x", "content": "x"}, "patch": {"path": "swap/secret.txt", "old": "c", "new": "x"},
		} {
			_, _ = useTool(t, tools, tool, a) // fails or not, as it happens
		}
	}
	close(stop)
	swapping.Wait()
	for _, folder := range []string{outside, home} {
		if left := filesBelow(t, folder); left != "secret.txt=secret\n" {
			t.Errorf("%s is now %q", folder, left)
		}
	}
}

// A named pipe without a writer would keep whoever opens it waiting for ever.
func TestANamedPipeIsNoFile(t *testing.T) {
	dir, tools := fileTree(t, map[string]string{"file": "text"})
	if err := exec.Command("mkfifo", filepath.Join(dir, "pipe")).Run(); err != nil {
		t.Skip(err)
	}
	const what = "it is a device or a pipe, not a file"
	for _, test := range []struct {
		tool string
		args toolArgs
		want string
	}{
		{"read", toolArgs{"path": "pipe"}, "pipe: " + what},
		{"ls", toolArgs{"path": "pipe"}, "pipe: " + what},
		{"write", toolArgs{"path": "pipe", "content": "x"}, "pipe: " + what},
		{"patch", toolArgs{"path": "pipe", "old": "x", "new": "y"}, "pipe: " + what},
		{"write", toolArgs{"path": "pipe/x", "content": "x"}, "pipe/x: not a directory"},
		{"glob", toolArgs{"pattern": "pipe/*"}, "no file matches pipe/* (** stands for any folders: **/*.go)"},
		{"search", toolArgs{"pattern": "x", "path": "pipe"}, "no line matches x\n[1 not searched: " + what + "; name one as path to try it]"},
		{"search", toolArgs{"pattern": "text"}, "file:1: text"},
	} {
		got, err := useTool(t, tools, test.tool, test.args)
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s %v: %q", test.tool, test.args, got)
		}
	}
}

func TestAPathMayBeginWithAnyNameOfTheRoot(t *testing.T) {
	dir, _ := fileTree(t, map[string]string{"x": "found"})
	alias := filepath.Join(t.TempDir(), "alias")
	symlinkOrSkip(t, dir, alias)
	root, err := os.OpenRoot(alias)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, folder := range []string{alias, dir, ".", "a/.."} {
		if got, err := useTool(t, fileTools(root, ""), "read", toolArgs{"path": folder + "/x"}); got != "found" {
			t.Errorf("%s: %q, %v", folder, got, err)
		}
	}
}

// What .gitignore names is left out, and the note says how to get there.
func TestGitignore(t *testing.T) {
	hit := "hit\n"
	_, tools := fileTree(t, map[string]string{
		".gitignore": "# a comment\r\n\n*.log\n!keep.log\n/dist/\nbuild/*\nsub/deep/\n**/gen\nouter/**\n[Tt]mp?\n",
		"a":          hit, "x.log": hit, "keep.log": hit, "sub/y.log": hit, "dist/d": hit, "sub/dist/d": hit, "build/b": hit,
		"sub/deep/e": hit, "sub/gen/g": hit, "outer/o": hit, "Tmp1/t": hit, "node_modules/n": hit,
		"sub/.gitignore": "!y.log\nlocal", "sub/local/l": hit, "local/l": hit,
		"venv/.gitignore": "*", "venv/v": hit, "file/dist": hit,
	})
	const in = "a|file/dist|keep.log|local/l|sub/dist/d|sub/y.log"
	for name, test := range map[string]struct{ path, want, note string }{
		"the root":                        {"", in, "[10 left out by .gitignore, such as Tmp1, build/b, dist, outer, sub/deep: name one to look into it]"},
		"a folder, under the rules above": {"sub", "sub/dist/d|sub/y.log", "[3 left out by .gitignore, such as sub/deep, sub/gen, sub/local: name one to look into it]"},
		"a folder left out, by name":      {"dist", "dist/d", ""},
		"a folder with all left out":      {"build", "build/b", ""},
		"one that leaves itself out":      {"venv", "venv/.gitignore|venv/v", ""},
		"one in a folder":                 {"sub/gen", "sub/gen/g", ""},
		"a file left out, by name":        {"x.log", "x.log", ""},
		"node_modules, by name":           {"node_modules", "node_modules/n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := useTool(t, tools, "search", toolArgs{"pattern": `hit|^\*$`, "path": test.path})
			lines := strings.NewReplacer(":1: hit", "", ":1: *", "", "\n", "|").Replace(got)
			if want := strings.TrimSuffix(test.want+"|"+test.note, "|"); err != nil || lines != want {
				t.Errorf("%q, %v, want %q", lines, err, want)
			}
		})
	}
	for pattern, want := range map[string]string{
		"*":           ".gitignore\na\nbuild/\nfile/\nkeep.log\nlocal/\nsub/\nvenv/\n[10 left",
		"dist/*":      "dist/d",
		"dist/d":      "dist/d",
		"sub/**/g":    "no file matches sub/**/g (** stands for any folders: **/*.go)\n[3 left out",
		".gitignore":  ".gitignore",
		"sub/gen/**":  "sub/gen/g",
		"{dist,sub}*": "sub/\n[10 left out",
	} {
		if got, err := useTool(t, tools, "glob", toolArgs{"pattern": pattern}); err != nil || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, %v, want %q", pattern, got, err, want)
		}
	}
}

func TestAWalkEndsWithItsContext(t *testing.T) {
	_, tools := fileTree(t, map[string]string{"x": ""})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tool := range []string{"glob", "search"} {
		if _, err := findTool(t, tools, tool).Run(ctx, argsJSON(t, toolArgs{"pattern": "x*"})); !errors.Is(err, context.Canceled) {
			t.Errorf("%s cannot be interrupted: %v", tool, err)
		}
	}
}

func TestEncodings(t *testing.T) {
	const mark = "\xef\xbb\xbf"
	for name, test := range map[string]struct{ data, read, hit string }{
		"UTF-8":              {"é 1\n", "é 1\n", "f:1: é 1"},
		"with a mark":        {mark + "é 1", "é 1\n[it begins with a byte order mark]", "f:1: é 1"},
		"UTF-16":             {"\xff\xfe\xe9\x00\x20\x00\x31\x00\n\x00", "é 1\n[it is UTF-16]", "f:1: é 1"},
		"UTF-16, big-endian": {"\xfe\xff\x00\xe9\x00\x20\x00\x31", "é 1\n[it is UTF-16]", "f:1: é 1"},
		"half a UTF-16 unit": {"\xff\xfe1\x00\x31", "1\n[it is UTF-16]", "f:1: 1"},
		"Latin-1":            {"\xe9 1\n", "\xe9 1\n[it is not UTF-8]", "f:1: \xe9 1"},
		"a binary file":      {"1\x00", "f: it is a binary file, not text", "no line matches ^.*1\n[1 not searched: it is a binary file, not text; name one as path to try it]"},
		"a PDF":              {"%PDF-1.7\n", "f: it is a binary file, not text", "no line matches ^.*1\n[1 not searched: it is a binary file, not text; name one as path to try it]"},
		"a late NUL":         {strings.Repeat("1", 9000) + "\n\x00", strings.Repeat("1", 9000) + "\n\x00", "f:1: …"},
	} {
		t.Run(name, func(t *testing.T) {
			_, tools := fileTree(t, map[string]string{"f": test.data})
			got, err := useTool(t, tools, "read", toolArgs{"path": "f"})
			if err != nil {
				got = err.Error()
			}
			if got != test.read {
				t.Errorf("read: %q, want %q", got, test.read)
			}
			if got, err := useTool(t, tools, "search", toolArgs{"pattern": "^.*1"}); err != nil || !strings.HasPrefix(got, test.hit) {
				t.Errorf("search: %q, %v, want %q", got, err, test.hit)
			}
		})
	}
}

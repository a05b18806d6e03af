package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// filesBelow lists the files of a folder with their content.
func filesBelow(dir string) (list string) {
	fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			data, _ := os.ReadFile(dir + "/" + name)
			list += name + "=" + string(data)
		}
		return err
	})
	return list
}

// No tool leaves the root: every tool is tried with every way out.
func TestNoPathLeavesTheRoot(t *testing.T) {
	dir, tools := fileTree(t, map[string]string{"sub/in.txt": "in\n", "rel": "→ ../outside"})
	outside := strings.TrimSuffix(dir, "root") + "outside"
	for _, out := range []string{"../outside", "sub/../../outside", outside, dir + "/../outside", "rel", dir + "/rel"} {
		for _, call := range []string{
			`ls {"path":"OUT"}`, `read {"path":"OUT/secret.txt"}`, `glob {"pattern":"OUT/*"}`, `search {"path":"OUT","pattern":"secret"}`,
			`write {"path":"OUT/secret.txt","content":"x"}`, `write {"path":"OUT/new/x","content":"x"}`,
			`patch {"path":"OUT/secret.txt","old":"secret","new":"x"}`,
		} {
			call = strings.ReplaceAll(call, "OUT", out)
			if got := callTool(t, tools, call); !strings.HasPrefix(got, "error: ") {
				t.Errorf("%s got out: %q", call, got)
			}
		}
	}
	if left := filesBelow(outside); left != "secret.txt=secret\n" {
		t.Errorf("outside is now %q", left)
	}
}

// While the tools work, a folder turns into a symbolic link to another one, and back.
func TestAFolderSwappedForALinkDoesNotLeadElsewhere(t *testing.T) {
	dir, tools := fileTree(t, map[string]string{".geekagent/secret.txt": "secret\n", "swap": "→ sub"})
	swap, others := dir+"/swap", []string{dir + "/../outside", dir + "/.geekagent"}
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
				os.WriteFile(swap+"/secret.txt", []byte("public\n"), 0o644)
				os.RemoveAll(swap)
				os.Symlink(others[n%2], swap)
			}
		}
	})
	for range 100 {
		for _, call := range []string{`ls {"path":"swap"}`, `search {"path":"swap/x","pattern":"x"}`,
			`write {"path":"swap/x","content":"x"}`, `patch {"path":"swap/secret.txt","old":"c","new":"x"}`} {
			callTool(t, tools, call) // fails or not, as it happens
		}
	}
	close(stop)
	swapping.Wait()
	for _, folder := range others {
		if left := filesBelow(folder); left != "secret.txt=secret\n" {
			t.Errorf("%s is now %q", folder, left)
		}
	}
}

// A named pipe without a writer would keep whoever opens it waiting for ever.
func TestANamedPipeIsNoFile(t *testing.T) {
	dir, tools := fileTree(t, map[string]string{"file": "text"})
	if err := exec.Command("mkfifo", dir+"/pipe").Run(); err != nil {
		t.Skip(err)
	}
	const refused = "error: pipe: it is a device or a pipe, not a file"
	wantCalls(t, tools, map[string]string{
		`read {"path":"pipe"}`:                     refused,
		`ls {"path":"pipe"}`:                       refused,
		`write {"path":"pipe","content":"x"}`:      refused,
		`patch {"path":"pipe","old":"x","new":""}`: refused,
		`glob {"pattern":"pipe/*"}`:                refused,
		`search {"pattern":"x","path":"pipe"}`:     refused,
		`search {"pattern":"text"}`:                "file:1: text",
		`write {"path":"pipe/x","content":"x"}`:    "error: pipe/x: not a directory",
	})
}

func TestAPathMayBeginWithAnyNameOfTheRoot(t *testing.T) {
	dir, _ := fileTree(t, map[string]string{"x": "found", "alias": "→ ."})
	root, err := os.OpenRoot(dir + "/alias")
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, name := range []string{dir + "/alias/x", dir + "/x", "x", "a/../x"} {
		wantCalls(t, fileTools(root, ""), map[string]string{`read {"path":"` + name + `"}`: "found"})
	}
}

// What .gitignore names is left out, and the note says how to get there.
func TestGitignore(t *testing.T) {
	hit := "hit\n"
	_, tools := fileTree(t, map[string]string{
		".gitignore": "# a comment\r\n\n*.log\n!keep.log\n/dist/\nbuild/*\nsub/deep/\n**/gen\nouter/**\n[Tt]mp?\n",
		"a":          hit, "x.log": hit, "keep.log": hit, "sub/y.log": hit, "dist/d": hit, "sub/dist/d": hit, "build/b": hit,
		"sub/deep/e": hit, "sub/gen/g": hit, "outer/o": hit, "Tmp1/t": hit, "node_modules/n": hit, ".git/x": hit,
		"sub/.gitignore": "!y.log\nlocal", "sub/local/l": hit, "local/l": hit,
		"venv/.gitignore": "*", "venv/v": hit, "file/dist": hit,
	})
	const ask = ": name one to look into it]"
	wantCalls(t, tools, map[string]string{
		`search {"pattern":"hit"}`: "a:1: hit\nfile/dist:1: hit\nkeep.log:1: hit\nlocal/l:1: hit\nsub/dist/d:1: hit\nsub/y.log:1: hit\n" +
			"[10 left out by .gitignore, such as Tmp1, build/b, dist, outer, sub/deep" + ask,
		`search {"pattern":"hit","path":"sub"}`: "sub/dist/d:1: hit\nsub/y.log:1: hit\n" +
			"[3 left out by .gitignore, such as sub/deep, sub/gen, sub/local" + ask,
		`search {"pattern":"hit","path":"dist"}`:         "dist/d:1: hit", // what is left out can be named
		`search {"pattern":"hit","path":"build"}`:        "build/b:1: hit",
		`search {"pattern":"hit","path":"venv"}`:         "venv/v:1: hit",
		`search {"pattern":"hit","path":"sub/gen"}`:      "sub/gen/g:1: hit",
		`search {"pattern":"hit","path":"x.log"}`:        "x.log:1: hit",
		`search {"pattern":"hit","path":"node_modules"}`: "node_modules/n:1: hit",
		`glob {"pattern":"*"}`:                           ".gitignore\na\nbuild/\nfile/\nkeep.log\nlocal/\nsub/\nvenv/\n[10 left…",
		`glob {"pattern":"dist/*"}`:                      "dist/d",
		`glob {"pattern":"dist/d"}`:                      "dist/d",
		`glob {"pattern":"sub/**/g"}`:                    "no file matches sub/**/g (** stands for any folders: **/*.go)\n[3 left…",
	})
}

func TestAWalkEndsWithItsContext(t *testing.T) {
	_, tools := fileTree(t, map[string]string{"x": ""})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, call := range []string{`glob {"pattern":"x*"}`, `search {"pattern":"x"}`} {
		plan, _ := planned(t, tools, call)
		if _, err := plan.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s cannot be interrupted: %v", call, err)
		}
	}
}

func TestEncodings(t *testing.T) {
	const binary, utf16 = "it is a binary file, not text", "it is UTF-16 text: convert it to UTF-8 first"
	_, tools := fileTree(t, map[string]string{"utf8": "é 1\n", "mark": "\ufeffé 1", "latin1": "\xe9 1\n", "late": strings.Repeat("1\n", 5000) + "\x00",
		"le": "\xff\xfe1\x00", "be": "\xfe\xff\x001", "nul": "1\x00", "pdf": "%PDF-1.7\n"})
	wantCalls(t, tools, map[string]string{
		`read {"path":"utf8"}`:   "é 1\n",
		`read {"path":"mark"}`:   "é 1\n[it begins with a byte order mark]",
		`read {"path":"latin1"}`: "\xe9 1\n[it is not UTF-8]",
		`read {"path":"late"}`:   "1\n1\n…",
		`read {"path":"le"}`:     "error: le: " + utf16,
		`read {"path":"be"}`:     "error: be: " + utf16,
		`read {"path":"nul"}`:    "error: nul: " + binary,
		`read {"path":"pdf"}`:    "error: pdf: " + binary,
		`search {"pattern":"^. 1"}`: "latin1:1: \xe9 1\nmark:1: é 1\nutf8:1: é 1\n" +
			"[4 not searched, such as be: " + utf16 + ", le: " + utf16 + ", nul: " + binary + ", pdf: " + binary + "]",
	})
}

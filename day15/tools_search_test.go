package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestGlob(t *testing.T) {
	dir, tools := fileTree(t, map[string]string{
		"main.go": "", "a,b.txt": "", "notes.md": "", "sub/x.go": "", "sub/deep/y.go": "", "sub/deep/z[1].txt": "",
		".git/config.go": "", "node_modules/m/index.go": "", ".geekagent/skills/s.go": "", ".github/ci.yml": "",
	})
	symlinkOrSkip(t, "..", filepath.Join(dir, "sub", "up"))
	for name, test := range map[string]struct{ pattern, want string }{
		"a star stays in one folder":                {"*.go", "main.go"},
		"two stars are any folders, none included":  {"**/*.go", "main.go\nsub/deep/y.go\nsub/x.go"},
		"two stars below a folder":                  {"sub/**", "sub/deep/\nsub/deep/y.go\nsub/deep/z[1].txt\nsub/up\nsub/x.go"},
		"two stars in the middle":                   {"sub/**/y.go", "sub/deep/y.go"},
		"a dot and slash before it":                 {"./sub/*.go", "sub/x.go"},
		"an absolute pattern":                       {filepath.Join(dir, "sub") + "/*.go", "sub/x.go"},
		"a question mark":                           {"sub/?.go", "sub/x.go"},
		"a class":                                   {"**/[x-y].go", "sub/deep/y.go\nsub/x.go"},
		"a class turned round":                      {"**/[!x].go", "sub/deep/y.go"},
		"alternatives":                              {"*.{go,md}", "main.go\nnotes.md"},
		"a comma outside of braces is a comma":      {"a,b.*", "a,b.txt"},
		"a folder that begins with a dot":           {".github/*", ".github/ci.yml"},
		"folders have a slash":                      {"su*", "sub/"},
		"what is left out stays out by name":        {".git/*", "no file matches .git/* (** stands for any folders: **/*.go)"},
		"a dot is a dot":                            {"mainxgo", "no file matches mainxgo (** stands for any folders: **/*.go)"},
		"symbolic links of folders lead to nothing": {"**/up/*", "no file matches **/up/* (** stands for any folders: **/*.go)"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := useTool(t, tools, "glob", toolArgs{"pattern": test.pattern})
			if err != nil || got != test.want {
				t.Errorf("%q, %v; want %q", got, err, test.want)
			}
		})
	}
	for _, pattern := range []string{"[a", "{a", "a}", "{a,b}[", "[z-a]"} {
		_, err := useTool(t, tools, "glob", toolArgs{"pattern": pattern})
		wantErrorWith(t, err, "the pattern has a bracket without its partner, or a class like [z-a]: "+pattern)
	}
}

func TestSearch(t *testing.T) {
	dir, tools := fileTree(t, map[string]string{
		"a.go":            "package a\r\nfunc Foo() {}\r\n",
		"b/b.txt":         "nothing\nfoo bar\n// func Foo",
		"bin":             "func Foo\x00",
		"big":             "func Foo\n" + strings.Repeat("x", maxSearchedFile),
		"min.js":          strings.Repeat("a", 5000) + "needle" + strings.Repeat("z", 5000),
		".git/x":          "func Foo",
		"node_modules/x":  "func Foo",
		".geekagent/talk": "func Foo",
	})
	symlinkOrSkip(t, ".", filepath.Join(dir, "b", "circle"))
	symlinkOrSkip(t, "../a.go", filepath.Join(dir, "b", "again"))
	for name, test := range map[string]struct{ pattern, path, want, err string }{
		"lines with path and number, each file once": {"func Foo", "", "a.go:2: func Foo() {}\nb/b.txt:3: // func Foo", ""},
		"a regular expression":                       {`(?i)^foo\s`, ".", "b/b.txt:2: foo bar", ""},
		"the end of a line with CRLF":                {`\{\}$`, ".", "a.go:2: func Foo() {}", ""},
		"one folder":                                 {"Foo", "b", "b/b.txt:3: // func Foo", ""},
		"one file":                                   {"Foo", "./a.go", "a.go:2: func Foo() {}", ""},
		"a folder that is left out can be named":     {"Foo", ".geekagent", ".geekagent/talk:1: func Foo", ""},
		"no hits":                                    {"nowhere to be found", "", "no line matches nowhere to be found", ""},
		"a binary file alone is an error":            {"Foo", "bin", "", "bin: it is a binary file"},
		"a large file alone is an error":             {"Foo", "big", "", "big has more than 1048576 bytes"},
		"a missing folder is an error":               {"Foo", "nowhere", "", "nowhere: file does not exist"},
		"a bad pattern is an error":                  {"(", "", "", "not a valid regular expression"},
		"of a long line the part with the match": {
			"needle", "min.js", "min.js:1: …" + strings.Repeat("a", 100) + "needle" + strings.Repeat("z", 194) + "…", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := useTool(t, tools, "search", toolArgs{"pattern": test.pattern, "path": test.path})
			if test.err != "" {
				wantErrorWith(t, err, test.err)
			} else if err != nil || got != test.want {
				t.Errorf("%q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestGlobAndSearchStopAtTheirLimits(t *testing.T) {
	tree := map[string]string{}
	for i := range maxGlobHits + 5 {
		tree[fmt.Sprintf("f%03d", i)] = "hit\nhit\n"
	}
	_, tools := fileTree(t, tree)
	got, err := useTool(t, tools, "glob", toolArgs{"pattern": "*"})
	if err != nil || strings.Count(got, "\n") != maxGlobHits || !strings.Contains(got, "[stopped at 200 hits") {
		t.Errorf("glob: %d lines, %v", strings.Count(got, "\n"), err)
	}
	got, err = useTool(t, tools, "search", toolArgs{"pattern": "hit"})
	if err != nil || strings.Count(got, "\n") != maxSearchHits || !strings.Contains(got, "[stopped at 100 hits") {
		t.Errorf("search: %d lines, %v", strings.Count(got, "\n"), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := findTool(t, tools, "search").Run(ctx, argsJSON(t, toolArgs{"pattern": "x"})); !errors.Is(err, context.Canceled) {
		t.Errorf("a search cannot be interrupted: %v", err)
	}
}

// While the tools work, a folder turns into a symbolic link that leads out, and back.
func TestAFolderSwappedForALinkDoesNotLeadOut(t *testing.T) {
	dir, tools := fileTree(t, nil)
	swap, outside := filepath.Join(dir, "swap"), filepath.Join(filepath.Dir(dir), "outside")
	symlinkOrSkip(t, outside, swap)
	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() { // ends with stop; a step that fails is a swap less
		for {
			select {
			case <-stop:
				return
			default:
				os.RemoveAll(swap)
				os.Mkdir(swap, 0o755)
				os.WriteFile(filepath.Join(swap, "in.txt"), nil, 0o644)
				os.RemoveAll(swap)
				os.Symlink(outside, swap)
			}
		}
	})
	for range 100 {
		for tool, a := range map[string]toolArgs{
			"ls": {"path": "swap"}, "read": {"path": "swap/secret.txt"}, "search": {"pattern": "^secret", "path": "swap"},
			"glob": {"pattern": "swap/secret.txt"}, "write": {"path": "swap/sub/x", "content": "x"},
			"patch": {"path": "swap/secret.txt", "old": "secret", "new": "x"},
		} {
			got, err := useTool(t, tools, tool, a)
			if strings.HasPrefix(got, "no ") {
				continue // the pattern itself is in the answer
			}
			if strings.Contains(got, "secret") {
				t.Errorf("%s got out: %q, %v", tool, got, err)
			}
		}
	}
	close(stop)
	swapping.Wait()
	if left := filesBelow(t, outside); left != "secret.txt=secret\n" {
		t.Errorf("outside is now %q", left)
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
		t.Errorf("outside has now %v, %v", entries, err)
	}
}

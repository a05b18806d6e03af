package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestLs(t *testing.T) {
	dir, tools := fileTree(t, map[string]string{"b.txt": "four", "a/x.go": "x", "empty/": ""})
	symlinkOrSkip(t, "b.txt", filepath.Join(dir, "c"))
	for name, test := range map[string]struct{ path, want, err string }{
		"the top folder without a path":  {"", "a/\nb.txt  4 bytes\nc  (symbolic link)\nempty/", ""},
		"the top folder as .":            {".", "a/\nb.txt  4 bytes\nc  (symbolic link)\nempty/", ""},
		"a folder":                       {"a", "x.go  1 bytes", ""},
		"a folder with a dot and slash":  {"./a/", "x.go  1 bytes", ""},
		"a folder by its absolute path":  {filepath.Join(dir, "a"), "x.go  1 bytes", ""},
		"an empty folder":                {"empty", "(the folder is empty)", ""},
		"a file is an error":             {"b.txt", "", "b.txt is a file: use read"},
		"a missing folder is an error":   {"nowhere", "", "nowhere: file does not exist"},
		"the system's top folder is not": {"/", "", "outside the root folder"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := useTool(t, tools, "ls", toolArgs{"path": test.path})
			if test.err != "" {
				wantErrorWith(t, err, test.err)
			} else if err != nil || got != test.want {
				t.Errorf("%q, %v; want %q", got, err, test.want)
			}
		})
	}
}

// No tool leaves the root: every tool is tried with every way out.
func TestNoPathLeavesTheRoot(t *testing.T) {
	dir, tools := fileTree(t, map[string]string{"sub/in.txt": "in\n"})
	outside := filepath.Join(filepath.Dir(dir), "outside")
	symlinkOrSkip(t, outside, filepath.Join(dir, "abs"))
	symlinkOrSkip(t, "../outside", filepath.Join(dir, "rel"))
	symlinkOrSkip(t, "../../outside/secret.txt", filepath.Join(dir, "sub", "file"))
	for name, folder := range map[string]string{
		"dots":                                   "../outside",
		"dots after a folder":                    "sub/../../outside",
		"an absolute path":                       outside,
		"an absolute path that begins like root": dir + "/../outside",
		"an absolute symbolic link":              "abs",
		"a relative symbolic link":               "rel",
		"a symbolic link by its absolute path":   filepath.Join(dir, "rel"),
	} {
		secret := folder + "/secret.txt"
		for tool, a := range map[string]toolArgs{
			"ls":     {"path": folder},
			"read":   {"path": secret},
			"search": {"path": folder, "pattern": "secret"},
			"write":  {"path": secret, "content": "overwritten"},
			"patch":  {"path": secret, "old": "secret", "new": "overwritten"},
		} {
			t.Run(tool+" by "+name, func(t *testing.T) {
				if got, err := useTool(t, tools, tool, a); err == nil || strings.Contains(got, "secret") {
					t.Errorf("it got out: %q, %v", got, err)
				}
				if preview := findTool(t, tools, tool).Preview; preview != nil {
					if text := preview(t.Context(), argsJSON(t, a)); !strings.Contains(text, "This will fail") {
						t.Errorf("the preview shows %q", text)
					}
				}
			})
		}
		t.Run("a new folder by "+name, func(t *testing.T) {
			if _, err := useTool(t, tools, "write", toolArgs{"path": folder + "/new/x", "content": ""}); err == nil {
				t.Error("it was written")
			}
		})
	}
	for _, pattern := range []string{"../outside/*", outside + "/*", "rel/*", "abs/**", "**/secret.txt"} {
		got, err := useTool(t, tools, "glob", toolArgs{"pattern": pattern})
		if strings.Contains(got, "secret.txt\n") || strings.HasSuffix(got, "/secret.txt") {
			t.Errorf("glob %s: %q, %v", pattern, got, err)
		}
	}
	if _, err := useTool(t, tools, "read", toolArgs{"path": "sub/file"}); err == nil {
		t.Error("a file's symbolic link leads out")
	}
	if left := filesBelow(t, outside); left != "secret.txt=secret\n" {
		t.Errorf("outside is now %q", left)
	}
}

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

func TestRead(t *testing.T) {
	long := strings.Repeat("é", 40<<10)
	dir, tools := fileTree(t, map[string]string{
		"five":   "1\n2\n3\n4\n5\n",
		"no-end": "1\n2",
		"crlf":   "1\r\n2\r\n",
		"empty":  "",
		"binary": "PK\x03\x04\x00\x00",
		"a.pdf":  "%PDF-1.7\n%\xe2\xe3",
		"long":   long + "\nnext\n",
		"wide":   strings.Repeat(strings.Repeat("x", 999)+"\n", 100),
		"sub/x":  "x",
	})
	symlinkOrSkip(t, "five", filepath.Join(dir, "link"))
	for name, test := range map[string]struct {
		args toolArgs
		want string
		err  string
	}{
		"a whole file":                    {toolArgs{"path": "five"}, "1\n2\n3\n4\n5\n", ""},
		"a file by its absolute path":     {toolArgs{"path": filepath.Join(dir, "five")}, "1\n2\n3\n4\n5\n", ""},
		"a file through a symbolic link":  {toolArgs{"path": "link"}, "1\n2\n3\n4\n5\n", ""},
		"a last line without a line feed": {toolArgs{"path": "no-end"}, "1\n2", ""},
		"line ends stay as they are":      {toolArgs{"path": "crlf"}, "1\r\n2\r\n", ""},
		"some lines, and what is left": {
			toolArgs{"path": "five", "offset": 2, "limit": 2}, "2\n3\n[lines 2 to 3; 4 bytes are left: go on with offset 4]", "",
		},
		"the lines up to the end": {toolArgs{"path": "five", "offset": 4, "limit": 2}, "4\n5\n", ""},
		"numbers as strings":      {toolArgs{"path": "five", "offset": "5", "limit": "1"}, "5\n", ""},
		"an offset of 0 is the beginning": {
			toolArgs{"path": "five", "offset": 0, "limit": 1}, "1\n[lines 1 to 1; 8 bytes are left: go on with offset 2]", "",
		},
		"an offset behind the end": {
			toolArgs{"path": "five", "offset": 6}, "", "offset 6 is behind the end: the file has 5 lines",
		},
		"the same without a last line feed": {toolArgs{"path": "no-end", "offset": 3}, "", "the file has 2 lines"},
		"an empty file":                     {toolArgs{"path": "empty"}, "(the file is empty)", ""},
		"a binary file is refused":          {toolArgs{"path": "binary"}, "", "binary: it is a binary file, not text"},
		"a PDF is refused":                  {toolArgs{"path": "a.pdf"}, "", "it is a binary file"},
		"a folder is refused":               {toolArgs{"path": "sub"}, "", "sub is a folder: use ls"},
		"a missing file is named":           {toolArgs{"path": "no.txt"}, "", "no.txt: file does not exist"},
		"a missing path is named":           {toolArgs{"path": ""}, "", "path is empty"},
		"a line too long is cut": {
			toolArgs{"path": "long"}, strings.Repeat("é", 15<<10) + "\n[line 1 is cut; 51206 bytes are left: line 2 has offset 2]", "",
		},
		"and the next line can be read":      {toolArgs{"path": "long", "offset": 2}, "next\n", ""},
		"a path of a wrong type is told so":  {toolArgs{"path": 7}, "", "path must be a string"},
		"a limit of a wrong type is told so": {toolArgs{"path": "five", "limit": "many"}, "", "limit must be a whole number"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := useTool(t, tools, "read", test.args)
			if test.err != "" {
				wantErrorWith(t, err, test.err)
			} else if err != nil || got != test.want {
				t.Errorf("%.200q, %v; want %.200q", got, err, test.want)
			}
		})
	}
	t.Run("a large file is read in parts that lose nothing", func(t *testing.T) {
		var all strings.Builder
		for offset := 1; offset <= 100; {
			got, err := useTool(t, tools, "read", toolArgs{"path": "wide", "offset": offset})
			if err != nil || len(got) > maxResult {
				t.Fatalf("offset %d: %d bytes, %v", offset, len(got), err)
			}
			text, note, _ := strings.Cut(got, "[")
			if offset += strings.Count(text, "\n"); offset <= 100 && note == "" {
				t.Fatal("it does not say what is left")
			}
			all.WriteString(text)
		}
		if data, _ := os.ReadFile(filepath.Join(dir, "wide")); all.String() != string(data) {
			t.Error("the parts are not the file")
		}
	})
}

func TestReadOfAHugeFileTakesLittleMemory(t *testing.T) {
	dir, tools := fileTree(t, map[string]string{"huge.log": strings.Repeat("a line of the log\n", 4000)})
	if err := os.Truncate(filepath.Join(dir, "huge.log"), 8<<30); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := useTool(t, tools, "read", toolArgs{"path": "huge.log", "offset": 1000, "limit": 2})
	runtime.ReadMemStats(&after)
	if err != nil || !strings.HasPrefix(got, "a line of the log\na line of the log\n[lines 1000 to 1001; ") {
		t.Errorf("%q, %v", got, err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("it allocated %d bytes", used)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = findTool(t, tools, "read").Run(ctx, argsJSON(t, toolArgs{"path": "huge.log", "offset": 1 << 30}))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a read that takes long cannot be interrupted: %v", err)
	}
}

func TestAPathOfTheRootsOtherName(t *testing.T) {
	dir, _ := fileTree(t, map[string]string{"x": "found"})
	alias := filepath.Join(t.TempDir(), "alias")
	symlinkOrSkip(t, dir, alias)
	root, err := os.OpenRoot(alias)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, path := range []string{filepath.Join(alias, "x"), filepath.Join(dir, "x")} {
		if got, err := useTool(t, fileTools(root, "nowhere"), "read", toolArgs{"path": path}); err != nil || got != "found" {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
}

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestLs(t *testing.T) {
	dir, tools := fileTree(t, map[string]string{"b.txt": "four", "a/x.go": "x", "empty/": ""})
	symlinkOrSkip(t, "b.txt", filepath.Join(dir, "c"))
	for name, test := range map[string]struct{ path, want, err string }{
		"the top folder without a path":  {"", "a/\nb.txt  4 bytes\nc  (symbolic link)\nempty/", ""},
		"a folder with a dot and slash":  {"./a/", "x.go  1 bytes", ""},
		"a folder by its absolute path":  {filepath.Join(dir, "a"), "x.go  1 bytes", ""},
		"an empty folder":                {"empty", "(the folder is empty)", ""},
		"a file is an error":             {"b.txt", "", "b.txt: not a directory"},
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

func TestRead(t *testing.T) {
	dir, tools := fileTree(t, map[string]string{
		"five": "1\n2\n3\n4\n5\n", "no-end": "1\n2", "crlf": "1\r\n2\r\n", "empty": "", "sub/x": "x",
		"long": "a" + strings.Repeat("é", 20<<10) + "\nnext\n",
	})
	symlinkOrSkip(t, "five", filepath.Join(dir, "link"))
	for name, test := range map[string]struct {
		args      toolArgs
		want, err string
	}{
		"a whole file":                      {toolArgs{"path": "five"}, "1\n2\n3\n4\n5\n", ""},
		"a file through a symbolic link":    {toolArgs{"path": "link"}, "1\n2\n3\n4\n5\n", ""},
		"a last line without a line feed":   {toolArgs{"path": "no-end"}, "1\n2", ""},
		"line ends stay as they are":        {toolArgs{"path": "crlf"}, "1\r\n2\r\n", ""},
		"an empty file":                     {toolArgs{"path": "empty"}, "(the file is empty)", ""},
		"the lines up to the end":           {toolArgs{"path": "five", "offset": 4, "limit": 2}, "4\n5\n", ""},
		"some lines, and what is left":      {toolArgs{"path": "five", "offset": 2, "limit": 2}, "2\n3\n[lines 2 to 3; 4 bytes are left: go on with from_byte 6]", ""},
		"from where they end":               {toolArgs{"path": "five", "from_byte": 6, "limit": 1}, "4\n[lines 4 to 4; 2 bytes are left: go on with from_byte 8]", ""},
		"an offset of 0 is the beginning":   {toolArgs{"path": "five", "offset": 0, "limit": -1}, "1\n2\n3\n4\n5\n", ""},
		"an offset behind the end":          {toolArgs{"path": "five", "offset": 6}, "", "that is behind the end: the file has 5 lines"},
		"the same without a last line feed": {toolArgs{"path": "no-end", "offset": 1e9}, "", "the file has 2 lines"},
		"bytes behind the end":              {toolArgs{"path": "five", "from_byte": 1e18}, "", "that is behind the end"},
		"the end of a long line":            {toolArgs{"path": "long", "from_byte": 40959}, "é\nnext\n", ""},
		"the line after a long one":         {toolArgs{"path": "long", "offset": 2}, "next\n", ""},
		"a long line is cut between characters": {
			toolArgs{"path": "long"}, "a" + strings.Repeat("é", 15<<10-1) + "\n[lines 1 to 1; 10248 bytes are left: go on with from_byte 30719]", "",
		},
		"a folder is refused":       {toolArgs{"path": "sub"}, "", "sub: it is a folder"},
		"a missing file is named":   {toolArgs{"path": "no.txt"}, "", "no.txt: file does not exist"},
		"a missing path is told so": {toolArgs{"path": ""}, "", "path is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := useTool(t, tools, "read", test.args)
			if test.err != "" {
				wantErrorWith(t, err, test.err)
			} else if err != nil || got != test.want {
				t.Errorf("%.200q … %.100q, %v; want %.200q", got, got[max(0, len(got)-100):], err, test.want)
			}
		})
	}
}

// A large file is read in parts that lose nothing, also one of a single line.
func TestTheNoteOfReadLeadsThroughTheFile(t *testing.T) {
	for name, text := range map[string]string{
		"lines":    strings.Repeat(strings.Repeat("é", 499)+"\n", 100),
		"one line": strings.Repeat("{é}", 40<<10),
		"Latin-1":  strings.Repeat("\xe9\xfc", 40<<10),
	} {
		_, tools := fileTree(t, map[string]string{"f": text})
		var all strings.Builder
		for next := 0; next >= 0; {
			got, err := useTool(t, tools, "read", toolArgs{"path": "f", "from_byte": next})
			if err != nil || len(got) > maxResult {
				t.Fatalf("%s: %d bytes, %v", name, len(got), err)
			}
			got = strings.TrimSuffix(got, "\n[it is not UTF-8]")
			note := regexp.MustCompile(`\n\[lines .* from_byte (\d+)\]$`).FindStringSubmatch(got)
			if next = -1; note != nil {
				next, _ = strconv.Atoi(note[1])
				got = strings.TrimSuffix(got, note[0])
			}
			if all.WriteString(got); name == "lines" && note != nil {
				all.WriteString("\n")
			}
			if all.Len() > len(text) {
				t.Fatalf("%s: the parts do not end", name)
			}
		}
		if all.String() != text {
			t.Errorf("%s: the parts are not the file", name)
		}
	}
}

func TestGlob(t *testing.T) {
	dir, tools := fileTree(t, map[string]string{
		"main.go": "", "a,b.txt": "", "notes.md": "", "sub/x.go": "", "sub/deep/y.go": "", "sub/deep/z[1].txt": "",
		".git/config.go": "", "node_modules/m/index.go": "", ".geekagent/skills/s.go": "", ".github/ci.yml": "",
		"app/[id]/page.tsx": "", "app/[user-id]/page.tsx": "",
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
		"a path with brackets in its names":         {"app/[id]/page.tsx", "app/[id]/page.tsx"},
		"one that is no valid class":                {"app/[user-id]/page.tsx", "app/[user-id]/page.tsx"},
		"what is left out is found by its folder":   {"node_modules/*/*.go", "node_modules/m/index.go"},
		"a dot is a dot":                            {"mainxgo", "no file matches mainxgo (** stands for any folders: **/*.go)"},
		"symbolic links of folders lead to nothing": {"**/up/*", "no file matches **/up/* (** stands for any folders: **/*.go)"},
		"a bracket without its partner":             {"[a", "the pattern has a bracket without its partner, or a class like [z-a]: [a"},
		"a class that runs backwards":               {"[z-a]", "the pattern has a bracket without its partner, or a class like [z-a]: [z-a]"},
		"a missing folder":                          {"nowhere/*", "nowhere: file does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := useTool(t, tools, "glob", toolArgs{"pattern": test.pattern})
			if err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("%q; want %q", got, test.want)
			}
		})
	}
}

func TestSearch(t *testing.T) {
	dir, tools := fileTree(t, map[string]string{
		"a.go":            "package a\r\nfunc Foo() {}\r\n",
		"b/b.txt":         "nothing\nfoo bar\n// func Foo",
		"bin":             "func Foo\x00",
		"big":             "func Big\n" + strings.Repeat("x", maxSearched),
		"b/min.js":        "\n" + strings.Repeat("a", 5000) + "needle" + strings.Repeat("z", 5000),
		"[id]/x":          "in brackets",
		".git/x":          "func Foo",
		".geekagent/talk": "func Foo",
	})
	symlinkOrSkip(t, ".", filepath.Join(dir, "b", "circle"))
	symlinkOrSkip(t, "../a.go", filepath.Join(dir, "b", "again"))
	const skipped = "\n[1 not searched: it has more than 1048576 bytes; name one as path to try it]" +
		"\n[1 not searched: it is a binary file, not text; name one as path to try it]"
	for name, test := range map[string]struct{ pattern, path, want string }{
		"lines with path and number, each file once": {"func Foo", "", "a.go:2: func Foo() {}\nb/b.txt:3: // func Foo" + skipped},
		"no hits":                                {"to be found", "", "no line matches to be found" + skipped},
		"a regular expression":                   {`(?i)^foo\s`, "b", "b/b.txt:2: foo bar"},
		"the end of a line with CRLF":            {`\{\}$`, "a.go", "a.go:2: func Foo() {}"},
		"one file":                               {"Foo", "./a.go", "a.go:2: func Foo() {}"},
		"one file through a symbolic link":       {"Foo", "b/again", "b/again:2: func Foo() {}"},
		"a large file that is named":             {"Big", "big", "big:1: func Big"},
		"a folder with brackets in its name":     {"in", "[id]", "[id]/x:1: in brackets"},
		"a folder that is left out can be named": {"Foo", ".geekagent", ".geekagent/talk:1: func Foo"},
		"a missing folder is an error":           {"Foo", "nowhere", "nowhere: file does not exist"},
		"a bad pattern is an error":              {"(", "", "pattern is not a valid regular expression: error parsing regexp: missing closing ): `(`"},
		"of a long line the part with the match": {
			"needle", "b", "b/min.js:2: …" + strings.Repeat("a", 100) + "needle" + strings.Repeat("z", 194) + "… [read from_byte 4901]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := useTool(t, tools, "search", toolArgs{"pattern": test.pattern, "path": test.path})
			if err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("%q; want %q", got, test.want)
			}
		})
	}
	if got, err := useTool(t, tools, "read", toolArgs{"path": "b/min.js", "from_byte": 4901, "limit": 1}); err != nil || !strings.HasPrefix(got, strings.Repeat("a", 100)+"needlez") {
		t.Errorf("what the hit says leads to %.200q, %v", got, err)
	}
}

func TestGlobAndSearchStopAtTheirLimits(t *testing.T) {
	tree := map[string]string{}
	for i := range maxGlobHits + 5 {
		tree[fmt.Sprintf("%03d%s", i, strings.Repeat("f", 200))] = "hit\nhit" + strings.Repeat("t", 250) + "\n"
	}
	_, tools := fileTree(t, tree)
	for _, test := range []struct{ tool, pattern, stop string }{
		{"glob", "*", "[stopped at 132 hits"}, {"search", "hit$", "[stopped at 100 hits"}, {"search", "t", "[stopped at 81 hits"},
	} {
		got, err := useTool(t, tools, test.tool, toolArgs{"pattern": test.pattern})
		if err != nil || !strings.Contains(got, test.stop) || len(got) > maxResult {
			t.Errorf("%s: %d bytes, %v, …%s", test.tool, len(got), err, got[len(got)-80:])
		}
	}
}

// BenchmarkSearch searches 11,000 files; the other benchmark does the least that this can take.
func BenchmarkSearch(b *testing.B) {
	dir := b.TempDir()
	text := []byte(strings.Repeat("def load(name):\n    return os.path.join(name, \"settings\")\n\n", 80))
	for i := range 11000 {
		name := filepath.Join(dir, fmt.Sprintf("src%02d/pkg%02d/file%d.py", i%20, i%50, i))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, text, 0o644)); err != nil {
			b.Fatal(err)
		}
	}
	rules := []byte(strings.Repeat("*.pyc\n__pycache__/\ndist/\n/build\n.venv/\n*.log\n", 5))
	root, err := os.OpenRoot(dir)
	if err != nil || os.WriteFile(filepath.Join(dir, ".gitignore"), rules, 0o644) != nil {
		b.Fatal(err)
	}
	defer root.Close()
	for _, pattern := range []string{"not there", `\bnot\s+there\b`} {
		b.Run("tool "+pattern, func(b *testing.B) {
			for b.Loop() {
				if _, err := newFiles(root, ".geekagent").search(b.Context(), fileArgs{Pattern: pattern}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("match "+pattern, func(b *testing.B) {
			re := regexp.MustCompile(pattern)
			for b.Loop() {
				filepath.WalkDir(dir, func(name string, _ os.DirEntry, _ error) error {
					data, _ := os.ReadFile(name) // fails for a folder
					re.Match(data)
					return nil
				})
			}
		})
	}
}

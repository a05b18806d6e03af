package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestLs(t *testing.T) {
	dir, tools := fileTree(t, map[string]string{"b.txt": "four", "a/x.go": "x", "c": "→ b.txt"})
	wantCalls(t, tools, map[string]string{
		`ls {}`:                       "a/\nb.txt  4 bytes\nc  (symbolic link)",
		`ls {"path":"./a/"}`:          "x.go  1 bytes",
		`ls {"path":"` + dir + `/a"}`: "x.go  1 bytes",
		`ls {"path":"b.txt"}`:         "error: b.txt: not a directory",
		`ls {"path":"nowhere"}`:       "error: nowhere: file does not exist",
		`ls {"path":"/"}`:             "error: / is outside the root folder…",
		`ls {"path":"~"}`:             "error: " + filepath.ToSlash(os.Getenv("HOME")) + " is outside the root folder…",
	})
	_, empty := fileTree(t, nil)
	wantCalls(t, empty, map[string]string{`ls {}`: "(the folder is empty)"})
}

func TestRead(t *testing.T) {
	_, tools := fileTree(t, map[string]string{
		"five": "1\n2\n3\n4\n5\n", "crlf": "1\r\n2", "empty": "", "sub/x": "x", "link": "→ five",
		"long": "a" + strings.Repeat("é", 20<<10) + "\nnext\n",
	})
	wantCalls(t, tools, map[string]string{
		`read {"path":"five"}`:                         "1\n2\n3\n4\n5\n",
		`read {"path":"link"}`:                         "1\n2\n3\n4\n5\n",
		`read {"path":"crlf"}`:                         "1\r\n2", // line ends stay as they are
		`read {"path":"empty"}`:                        "(the file is empty)",
		`read {"path":"five","offset":4,"limit":2}`:    "4\n5\n",
		`read {"path":"five","offset":2,"limit":2}`:    "2\n3\n[4 bytes are left: go on with from_byte 6]",
		`read {"path":"five","from_byte":6,"limit":1}`: "4\n[2 bytes are left: go on with from_byte 8]",
		`read {"path":"five","offset":0,"limit":-1}`:   "1\n2\n3\n4\n5\n",
		`read {"path":"five","offset":6}`:              "error: that is behind the end: the file has 5 lines",
		`read {"path":"crlf","offset":1e9}`:            "error: that is behind the end: the file has 2 lines",
		`read {"path":"five","from_byte":1000000000}`:  "error: that is behind the end: the file has 5 lines",
		`read {"path":"long","from_byte":40959}`:       "é\nnext\n",
		`read {"path":"long","offset":2}`:              "next\n",
		`read {"path":"long"}`:                         "a" + strings.Repeat("é", 15<<10-1) + "\n[10248 bytes are left: go on with from_byte 30719]",
		`read {"path":"sub"}`:                          "error: sub: it is a folder",
		`read {"path":"no.txt"}`:                       "error: no.txt: file does not exist",
		`read {"path":""}`:                             "error: path is empty",
	})
}

// A large file is read in parts that lose nothing, also one of a single line.
func TestTheNoteOfReadLeadsThroughTheFile(t *testing.T) {
	for name, text := range map[string]string{
		"lines":    strings.Repeat(strings.Repeat("é", 499)+"\n", 100),
		"one line": strings.Repeat("{é}", 40<<10),
		"Latin-1":  strings.Repeat("\xe9\xfc", 40<<10),
	} {
		_, tools := fileTree(t, map[string]string{"f": text})
		all, next := "", "0"
		for part := 0; next != "" && part < 10; part++ {
			got := strings.TrimSuffix(callTool(t, tools, `read {"path":"f","from_byte":`+next+`}`), "\n[it is not UTF-8]")
			note := regexp.MustCompile(`\n\[\d+ bytes are left: go on with from_byte (\d+)\]$|$`).FindStringSubmatch(got)
			all, next = all+strings.TrimSuffix(got, note[0]), note[1]
			if next != "" && name == "lines" {
				all += "\n"
			}
		}
		if all != text {
			t.Errorf("%s: the parts are not the file", name)
		}
	}
}

func TestGlob(t *testing.T) {
	dir, tools := fileTree(t, map[string]string{
		"main.go": "", "a,b.txt": "", "notes.md": "", "sub/x.go": "", "sub/deep/y.go": "", "sub/deep/z[1].txt": "", "sub/up": "→ ..",
		".git/config.go": "", "node_modules/m/index.go": "", ".geekagent/skills/s.go": "", ".github/ci.yml": "",
		"app/[id]/page.tsx": "", "app/[user-id]/page.tsx": "",
	})
	const none = " (** stands for any folders: **/*.go)"
	wantCalls(t, tools, map[string]string{
		`glob {"pattern":"*.go"}`:                 "main.go",
		`glob {"pattern":"**/*.go"}`:              "main.go\nsub/deep/y.go\nsub/x.go",
		`glob {"pattern":"sub/**"}`:               "sub/deep/\nsub/deep/y.go\nsub/deep/z[1].txt\nsub/up\nsub/x.go",
		`glob {"pattern":"sub/**/y.go"}`:          "sub/deep/y.go",
		`glob {"pattern":"./sub/*.go"}`:           "sub/x.go",
		`glob {"pattern":"` + dir + `/sub/*.go"}`: "sub/x.go",
		`glob {"pattern":"sub/?.go"}`:             "sub/x.go",
		`glob {"pattern":"*.{go,md}"}`:            "main.go\nnotes.md",
		`glob {"pattern":"a,b.*"}`:                "a,b.txt",
		`glob {"pattern":".github/*"}`:            ".github/ci.yml",
		`glob {"pattern":"app/[id]/page.tsx"}`:    "app/[id]/page.tsx", // brackets are brackets
		`glob {"pattern":"app/[user-id]/*.tsx"}`:  "app/[user-id]/page.tsx",
		`glob {"pattern":"node_modules/*/*.go"}`:  "node_modules/m/index.go",
		`glob {"pattern":"mainxgo"}`:              "no file matches mainxgo" + none,
		`glob {"pattern":"**/up/*"}`:              "no file matches **/up/*" + none, // symbolic links are not followed
		`glob {"pattern":"{a"}`:                   "error: the pattern has a brace without its partner: {a",
		`glob {"pattern":"nowhere/*"}`:            "error: nowhere: file does not exist",
	})
}

func TestSearch(t *testing.T) {
	_, tools := fileTree(t, map[string]string{
		"a.go": "package a\r\nfunc Foo() {}\r\n", "b/b.txt": "nothing\nfoo bar\n// func Foo", "bin": "func Foo\x00",
		"big": "func Big\n" + strings.Repeat("x", maxFile), "b/min.js": "\n" + strings.Repeat("a", 5000) + "needle" + strings.Repeat("z", 5000),
		"[id]/x": "in brackets", ".git/x": "func Foo", ".geekagent/talk": "func Foo", "b/circle": "→ .", "b/again": "→ ../a.go",
	})
	const skipped = "\n[2 not searched, such as big: it has more than 33554432 bytes, bin: it is a binary file, not text]"
	as := strings.Repeat("a", 83)
	wantCalls(t, tools, map[string]string{
		`search {"pattern":"func Foo"}`:                "a.go:2: func Foo() {}\nb/b.txt:3: // func Foo" + skipped,
		`search {"pattern":"not there"}`:               "no line matches not there" + skipped,
		`search {"pattern":"(?i)^foo\\s","path":"b"}`:  "b/b.txt:2: foo bar",
		`search {"pattern":"\\{\\}$","path":"./a.go"}`: "a.go:2: func Foo() {}", // the CR is no part of the line
		`search {"pattern":"Foo","path":"b/again"}`:    "b/again:2: func Foo() {}",
		`search {"pattern":"in","path":"[id]"}`:        "[id]/x:1: in brackets",
		`search {"pattern":"Foo","path":".geekagent"}`: ".geekagent/talk:1: func Foo",
		`search {"pattern":"Foo","path":"nowhere"}`:    "error: nowhere: file does not exist",
		`search {"pattern":"("}`:                       "error: pattern is not a valid regular expression: error parsing regexp: missing closing ): `(`",
		`search {"pattern":"needle","path":"b"}`:       "b/min.js:2: …" + as + "needle" + strings.Repeat("z", 161) + "… [read from_byte 4918]",
		`read {"path":"b/min.js","from_byte":4918}`:    as + "needlez…",
	})
}

func TestGlobAndSearchStopAtTheirLimits(t *testing.T) {
	tree := map[string]string{}
	for i := range maxGlobHits + 5 {
		tree[fmt.Sprintf("%03d", i)] = "hit\nhit" + strings.Repeat("t", 350) + "\n"
	}
	_, tools := fileTree(t, tree)
	for call, stop := range map[string]string{
		`glob {"pattern":"*"}`: "[stopped at 200 hits", `search {"pattern":"hit$"}`: "[stopped at 100 hits",
	} {
		if got := callTool(t, tools, call); !strings.Contains(got, stop) {
			t.Errorf("%s: %s", call, got)
		}
	}
}

// BenchmarkSearch searches 11,000 files; match does the least that this can take.
func BenchmarkSearch(b *testing.B) {
	dir, text := b.TempDir(), strings.Repeat("def load(name):\n    return os.path.join(name, \"settings\")\n\n", 80)
	for i := range 11000 {
		writeFile(b, filepath.Join(dir, fmt.Sprintf("src%02d/pkg%02d/file%d.py", i%20, i%50, i)), text)
	}
	writeFile(b, filepath.Join(dir, ".gitignore"), strings.Repeat("*.pyc\n__pycache__/\ndist/\n/build\n.venv/\n*.log\n", 5))
	root, err := os.OpenRoot(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	b.Run("tool", func(b *testing.B) {
		for b.Loop() {
			newFiles(root, ".geekagent").search(b.Context(), fileArgs{Pattern: "not there"})
		}
	})
	b.Run("match", func(b *testing.B) {
		re := regexp.MustCompile("not there")
		for b.Loop() {
			filepath.WalkDir(dir, func(name string, _ os.DirEntry, _ error) error {
				data, _ := os.ReadFile(name) // fails for a folder
				re.Match(data)
				return nil
			})
		}
	})
}

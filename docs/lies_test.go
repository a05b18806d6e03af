package docs

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// trueText keeps every convention.
const trueText = "# The `day` and its *Frames*\n\n## 一次调用：帧\n\n## A b\n\n## A b\n" + `
[here](#the-day-and-its-frames) [帧](#一次调用帧) [second](day15.md#a-b-1) [code](../../day15/mcp_new.go)
` + "`day14/`, `mcp_new.go`, `day15/mcp_*.go`, `main.go`, `mcp_new.go:stream.call`, `mcp_new.go:limit`" + `
<!-- count: lines day15/mcp_new.go -->12 lines, <!-- count: files new -->1 file, +<!-- count: added main.go -->1,
−<!-- count: removed -->1, <!-- count: const day15/mcp_new.go:limit -->7, <!-- count: shown is (\d+) -->42
~~~go day15/mcp_new.go
// stream is one.
type stream struct{}

// call calls.
func (s *stream) call() {
	// …
	s.call()
}
~~~
~~~diff main.go
@@
 package main
 
-const title = "Day 14"
+const title = "Day 15"
~~~
` + "`drills/a.json`" + `
~~~json drills/a.json
{"a": 1}
~~~
<!-- mask: [0-9]+ms -->
~~~console
$ go run ./day15 -x
You › hello there
hello there -x
The answer is 42
exit status 3
$ cat drills/a.json \
  | tr a-z A-Z; printf 'took 17ms\n'
{"A": 1}
took …
~~~
~~~wire
demo → {"id":1,…}
demo ← {"id":1,"result":{}}
~~~
`

// fixture is the repository that it is true of.
var fixture = fstest.MapFS{
	"day14/main.go":       {Data: []byte("package main\n\nconst title = \"Day 14\"\n\nfunc main() {}\n")},
	"day15/main.go":       {Data: []byte("package main\n\nconst title = \"Day 15\"\n\nfunc main() {}\n")},
	"day15/mcp_new.go":    {Data: []byte("package main\n\nconst limit = 7\n\n// stream is one.\ntype stream struct{}\n\n// call calls.\nfunc (s *stream) call() {\n\tprintln()\n\ts.call()\n}\n")},
	"docs/day15.md":       {Data: []byte(trueText)},
	".geekagent/mcp.json": {Data: []byte("{}")},
	"built/day15": {Mode: 0o755, Data: []byte(`#!/bin/sh
[ "$1" = -wire ] && printf 'demo → {"id":1,"method":"a"}\ndemo ← {"id":1,"result":{}}\n' >"$2" && shift 2
printf 'You › '; read -r l; echo "$l"
echo '[mcp] slow: waiting for it; Ctrl-C goes on without it'
echo "$l $*"; echo 'The answer is 42'
[ "$l" = leave ] && { sleep 90 & } >/dev/null 2>&1
[ "$l" = wait ] && sleep 90
exit 3
`)},
}

// judge checks a text as the Chinese one of a repository with a true English twin.
func judge(t *testing.T, told string, fix bool) *text {
	repo := t.TempDir()
	must(t, os.CopyFS(repo, fixture))
	must(t, os.MkdirAll(repo+"/docs/zh", 0o755))
	must(t, os.WriteFile(repo+"/docs/zh/day15.md", []byte(told), 0o644))
	text, err := readText(repo, "docs/zh/day15.md")
	must(t, err)
	r := newReader(t, repo, repo+"/built")
	r.limit, r.grace = 3*time.Second, time.Second
	check(text, r, fix)
	return text
}

// lies are what is told in place of a piece of trueText, and what is said of that; mendable is what -update corrects.
var (
	lies = [][4]string{
		{"nothing is wrong", "", "", ""},
		{"a slow start may be shown", "hello there -x\n", "[mcp] slow: waiting for it; Ctrl-C goes on without it\nhello there -x\n", ""},
		{"a slow start is made up", "hello there -x\n", "[mcp] fast: waiting for it; Ctrl-C goes on without it\nhello there -x\n", "print something else"},
		{"a comment in the code is reworded", "// call calls.", "// call does it.", "not a part of day15/mcp_new.go: // call does it."},
		{"a file is gone", "~~~go day15/mcp_new.go", "~~~go day15/mcp_old.go", "there is no file"},
		{"code has no file", "~~~go day15/mcp_new.go", "~~~go", "without a file"},
		{"a part of a function is left out without a mark", "\t// …\n", "", "not a part of"},
		{"a block ends in the middle", "\t// …\n\ts.call()\n}\n", "", "whole declarations"},
		{"a fence is indented", "~~~json", " ~~~json", "first column"},
		{"a line of the diff is another one", `+const title = "Day 15"`, `+const title = "Day 16"`, "do not make day15/main.go"},
		{"the context of a hunk is another one", " package main", " package other", "a hunk is not a part of"},
		{"a file of the reader says something else", `{"a": 1}`, `{"a": 2}`, "print something else"},
		{"a file of the reader has no caption", "`drills/a.json`\n", "", "does not name its file"},
		{"what is typed is something else", "hello there\nhello", "bye\nhello", "print something else"},
		{"a command waits for ever", "You › hello there", "You › wait", "not done after"},
		{"a command leaves a process", "You › hello there", "You › leave", "left a process"},
		{"a transcript has no command", "$ go run ./day15 -x\n", "", "begins with a command"},
		{"a frame is another one", `"result":{}`, `"result":[]`, "not among those"},
		{"a count of no kind", "count: files", "count: guessed", "no such count"},
		{"a number that nobody counts", "-->12 lines", "-->12 lines, 3 files", "nobody checks"},
		{"an anchor", "#a-b-1", "#a-b-2", "no such heading"},
		{"a Chinese anchor", "(#一次调用帧)", "(#一次调用：帧)", "no such heading"},
		{"a link", "day15/mcp_new.go)", "day15/mcp_old.go)", "leads nowhere"},
		{"a path in backticks", "`day15/mcp_*.go`", "`day15/npc_*.go`", "no such file"},
		{"a file in backticks", "`main.go`", "`mian.go`", "no such file"},
		{"a function", "stream.call`", "stream.cal`", "declares no such thing"},
		{"code is translated", "// call calls.", "// call 调用。", "not the block of docs/day15.md"},
		{"the last block is missing", "~~~wire", "~~~text", "not the block of docs/day15.md"},
	}
	mendable = [][4]string{
		{"output is another one", "is 42\nexit", "is 43\nexit", "print something else"},
		{"a number of lines", "-->12 lines", "-->8 lines", "is 12 now"},
		{"a number of a transcript", "-->42", "-->41", "is 42 now"},
		{"a number of the diff", "main.go -->1", "main.go -->2", "is 1 now"},
		{"a constant", "-->7", "-->77", "is 7 now"},
	}
)

func TestEveryLieIsFound(t *testing.T) {
	t.Parallel()
	for _, lie := range slices.Concat(lies, mendable) {
		t.Run(lie[0], func(t *testing.T) {
			t.Parallel()
			faults := strings.Join(judge(t, strings.Replace(trueText, lie[1], lie[2], 1), false).faults, "\n")
			if !strings.Contains(faults, lie[3]) || lie[3] == "" && faults != "" {
				t.Errorf("no fault says %q; they are\n%s", lie[3], faults)
			}
		})
	}
}

func TestUpdateMends(t *testing.T) {
	t.Parallel()
	told := trueText
	for _, lie := range mendable {
		told = strings.Replace(told, lie[1], lie[2], 1)
	}
	if now := judge(t, told, true).source(); now != trueText {
		t.Errorf("-update makes of it\n%s", now)
	}
}

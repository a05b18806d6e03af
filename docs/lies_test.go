package docs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// trueText keeps every convention; each lie below changes one piece of it.
const trueText = "# The `day` and its *Frames*\n\n## 一次调用：帧\n\n## A b\n\n## A b\n" + `
[here](#the-day-and-its-frames) [帧](#一次调用帧) [second](day15.md#a-b-1) [code](../day15/mcp_new.go)
` + "`mcp_new.go`, `day15/mcp_*.go`, `main.go`, `mcp_new.go:stream.call`, `mcp_new_test.go:TestCalls/a late reply`, `go run ./day15`" + `

<!-- count: lines day15/mcp_new.go -->9 lines, <!-- count: files new -->1 file, <!-- count: longest day15 -->9,
+<!-- count: added main.go -->1 −<!-- count: removed -->1 in <!-- count: changed -->1 file,
<!-- count: const day15/mcp_new.go:limit -->7, <!-- count: shown is (\d+) -->42, <!-- count: given -->500 tokens

~~~go day15/mcp_new.go
package main

const limit = 7

// stream is one.
type stream struct{}
~~~
~~~go
// day15/mcp_new.go
// call calls.
func (s *stream) call() {}
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
demo → {
  "id": 1,
  "method": "a \" b"
}
demo ← {"id":1,…}
~~~
`

var fixture = map[string]string{
	"day14/main.go":          "package main\n\nconst title = \"Day 14\"\n\nfunc main() {}\n",
	"day15/main.go":          "package main\n\nconst title = \"Day 15\"\n\nfunc main() {}\n",
	"day15/mcp_new.go":       "package main\n\nconst limit = 7\n\n// stream is one.\ntype stream struct{}\n\n// call calls.\nfunc (s *stream) call() {}\n",
	"day15/mcp_new_test.go":  "package main\n\nfunc TestCalls() { println(\"a late reply\") }\n",
	"built/day15":            "#!/bin/sh\n[ \"$1\" = -wire ] && printf 'demo → {\"id\":1,\"method\":\"a \\\\\" b\"}\\ndemo ← {\"id\":1,\"result\":{}}\\n' >\"$2\" && shift 2\nprintf 'You › '; read -r l; echo \"$l\"; echo '[mcp] slow: waiting for it; Ctrl-C goes on without it'; echo \"$l $*\"; echo 'The answer is 42'\n[ \"$l\" = leave ] && { sleep 30; true; } >/dev/null 2>&1 &\n[ \"$l\" = wait ] && sleep 30\nexit 3\n",
	"docs/day15.md":          trueText,
	".geekagent/secret.json": "{}",
}

// lay lays the files out as a repository.
func lay(t *testing.T, files map[string]string) string {
	repo := t.TempDir()
	for name, content := range files {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(repo, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(repo, name), []byte(strings.ReplaceAll(content, "~~~", "```")), 0o755))
	}
	return repo
}

// allFaults runs every check of one text.
func allFaults(t *testing.T, repo, path string, fix bool) (*text, []string) {
	diff, err := dayDiff(repo)
	must(t, err)
	doc, _ := readText(repo, path)
	r := newReader(t, repo, filepath.Join(repo, "built"))
	r.limit = 20 * time.Second
	switch lines := strings.Join(doc.lines, "\n"); {
	case strings.Contains(lines, "You › wait"):
		r.limit, r.grace = 100*time.Millisecond, 100*time.Millisecond
	case strings.Contains(lines, "You › leave"):
		r.grace = 100 * time.Millisecond
	}
	faults := slices.Concat(checkCode(doc, fix), checkHunks(doc), checkDiff(doc, diff), r.replay(doc, fix), checkNumbers(doc, diff, fix),
		checkLinks(doc), checkPaths(doc), checkCaptions(doc), checkDeclarations(doc), checkTour(doc, newFiles(repo)))
	for _, file := range newFiles(repo) {
		faults = append(faults, checkComplete([]*text{doc}, repo, file)...)
	}
	return doc, faults
}

func TestEveryLieIsFound(t *testing.T) {
	for _, lie := range []struct {
		name, truth, lie, want string
		mended                 bool // by -update
	}{
		{"nothing is wrong", "", "", "", false},
		{"a comment in the code is reworded", "// call calls.", "// call does it.", "closest at line 8", false},
		{"a line of code has drifted", "const limit = 7", "const limit = 8", "they part at line 3", true},
		{"the last line of a block is another one", "type stream struct{}", "type stream struct{int}", "they part at line 6", false},
		{"a file is gone", "~~~go day15/mcp_new.go", "~~~go day15/mcp_old.go", "there is no file day15/mcp_old.go", false},
		{"code has no file", "// day15/mcp_new.go\n", "", "without a file", false},
		{"part of a new file is not shown", "~~~go\n// day15/mcp_new.go\n// call calls.\nfunc (s *stream) call() {}\n~~~\n", "", "lines 8 to 9 of day15/mcp_new.go", false},
		{"a fence is indented", "~~~json", " ~~~json", "first column", false},
		{"a + line is another one", `+const title = "Day 15"`, `+const title = "Day 16"`, "not the difference between the days", false},
		{"a line of the diff is left out", "-const title = \"Day 14\"\n", "", "not the difference between the days", false},
		{"the context of a hunk is another one", " package main", " package other", "a hunk is not a part of", false},
		{"a diff shows a file that does not differ", "~~~diff main.go", "~~~diff mcp_new.go", "the days do not differ", false},
		{"output is another one", "is 42\nexit", "is 43\nexit", "now   The answer is 42", true},
		{"output is left out", "hello there -x\n", "", "now   hello there -x", true},
		{"a slow start may be shown", "hello there -x\n", "[mcp] slow: waiting for it; Ctrl-C goes on without it\nhello there -x\n", "", false},
		{"a slow start is shown otherwise", "hello there -x\n", "[mcp] slow: waiting for me; Ctrl-C goes on without it\nhello there -x\n", "now   [mcp] slow: waiting for it", false},
		{"a slow start is made up", "hello there -x\n", "[mcp] fast: waiting for it; Ctrl-C goes on without it\nhello there -x\n", "text  [mcp] fast", true},
		{"an exit code is left out", "exit status 3\n", "", "now   exit status 3", true},
		{"output is made up", "took …\n", "took …\nmore\n", "text  more", true},
		{"a file of the reader says something else", `{"a": 1}`, `{"a": 2}`, `now   {"A": 2}`, false},
		{"a file of the reader has no caption", "\n`drills/a.json`\n", "", "does not name its file", false},
		{"what is typed is something else", "hello there\nhello", "bye\nhello", "now   bye -x", false},
		{"a mask is missing", "<!-- mask: [0-9]+ms -->", "", "now   took 17ms", false},
		{"a mask matches nothing", "[0-9]+ms", "[0-9]+km", "matches nothing", false},
		{"a command shows the machine's folders", "cat drills/a.json \\\n", "pwd; cat drills/a.json \\\n", "own folders", false},
		{"a command waits for ever", "You › hello there", "You › wait", "not done after", false},
		{"a command leaves a process", "You › hello there", "You › leave", "left a process", false},
		{"a block is not run", "~~~console", "~~~console no-replay", "no such block is allowed", false},
		{"a transcript has no command", "$ go run ./day15 -x\n", "", "begins with a command", false},
		{"a frame is another one", `"id": 1,`, `"id": 2,`, "frame 1 is not among", false},
		{"frames are in another order", "demo ← {\"id\":1,…}\n", "demo ← {\"id\":1,…}\ndemo → {\"id\":1,…}\n", "frame 3 is not among", false},
		{"frames without a transcript", "~~~wire", "~~~wire\n~~~\n~~~wire", "is empty", false},
		{"a number of lines", "-->9 lines", "-->8 lines", "is 9 now", true},
		{"a number of a transcript", "-->42", "-->41", "is 42 now", true},
		{"a number of the diff", "main.go -->1", "main.go -->2", "is 1 now", true},
		{"a constant", "-->7", "-->77", "is 7 now", true},
		{"a number that nobody computes", "<!-- count: given -->500", "500", "nobody checks", false},
		{"a count of no kind", "count: changed", "count: guessed", "no such count", false},
		{"an anchor", "#a-b-1", "#a-b-2", "no such heading", false},
		{"a Chinese anchor", "(#一次调用帧)", "(#一次调用：帧)", "no such heading", false},
		{"a link", "(../day15/mcp_new.go)", "(../day15/mcp_old.go)", "leads nowhere", false},
		{"a path in backticks", "`day15/mcp_*.go`", "`day15/npc_*.go`", "no such file", false},
		{"a file in backticks", "`main.go`", "`mian.go`", "no such file", false},
		{"a program", "`go run ./day15`", "`go run ./day16`", "no package main", false},
		{"a function", "stream.call`", "stream.cal`", "closest: stream.call", false},
		{"a test", "a late reply`", "a later reply`", `closest: "a late reply"`, false},
	} {
		t.Run(lie.name, func(t *testing.T) {
			t.Parallel()
			repo := lay(t, fixture)
			file := filepath.Join(repo, "docs/day15.md")
			told := strings.Replace(trueText, lie.truth, lie.lie, 1)
			if lie.want != "" && told == trueText {
				t.Fatal("this changes nothing")
			}
			must(t, os.WriteFile(file, []byte(strings.ReplaceAll(told, "~~~", "```")), 0o644))
			if _, faults := allFaults(t, repo, "docs/day15.md", false); !found(faults, lie.want) {
				t.Errorf("no fault says %q; they are\n%s", lie.want, strings.Join(faults, "\n"))
			}
			if !lie.mended {
				return
			}
			mended, faults := allFaults(t, repo, "docs/day15.md", true)
			if now := strings.Join(mended.lines, "\n"); now != strings.ReplaceAll(trueText, "~~~", "```") {
				t.Errorf("-update makes of it\n%s\n%s", now, strings.Join(faults, "\n"))
			}
		})
	}
}

func found(faults []string, want string) bool {
	if want == "" {
		return len(faults) == 0
	}
	return slices.ContainsFunc(faults, func(fault string) bool { return strings.Contains(fault, want) })
}

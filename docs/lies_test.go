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
` + "`mcp_new.go`, `day15/mcp_*.go`, `main.go`, `mcp_new.go:stream.call`, `mcp_new.go:limit`" + `

<!-- count: lines day15/mcp_new.go -->12 lines, <!-- count: files new -->1 file,
+<!-- count: added main.go -->1 −<!-- count: removed -->1,
<!-- count: const day15/mcp_new.go:limit -->7, <!-- count: shown is (\d+) -->42, <!-- count: given -->500 tokens

~~~go day15/mcp_new.go
const limit = 7

// stream is one.
type stream struct{}
~~~
~~~go day15/mcp_new.go
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

var fixture = map[string]string{
	"day14/main.go":          "package main\n\nconst title = \"Day 14\"\n\nfunc main() {}\n",
	"day15/main.go":          "package main\n\nconst title = \"Day 15\"\n\nfunc main() {}\n",
	"day15/mcp_new.go":       "package main\n\nconst limit = 7\n\n// stream is one.\ntype stream struct{}\n\n// call calls.\nfunc (s *stream) call() {\n\tprintln()\n\ts.call()\n}\n",
	"built/day15":            "#!/bin/sh\n[ \"$1\" = -wire ] && printf 'demo → {\"id\":1,\"method\":\"a\"}\\ndemo ← {\"id\":1,\"result\":{}}\\n' >\"$2\" && shift 2\nprintf 'You › '; read -r l; echo \"$l\"; echo '[mcp] slow: waiting for it; Ctrl-C goes on without it'; echo \"$l $*\"; echo 'The answer is 42'\n[ \"$l\" = leave ] && { sleep 30; true; } >/dev/null 2>&1 &\n[ \"$l\" = wait ] && sleep 30\nexit 3\n",
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

// judge runs every check on the text of a repository.
func judge(t *testing.T, repo string, fix bool) *text {
	doc, err := readText(repo, "docs/day15.md")
	must(t, err)
	diff, err := dayDiff(repo)
	must(t, err)
	checkCode(doc, fix)
	checkDiff(doc, diff)
	r := newReader(t, repo, filepath.Join(repo, "built"))
	if lines := strings.Join(doc.lines, "\n"); strings.Contains(lines, "› wait") || strings.Contains(lines, "› leave") {
		r.limit, r.grace = 500*time.Millisecond, 100*time.Millisecond
	}
	r.replay(doc, fix)
	checkNumbers(doc, diff, fix)
	checkNames(doc)
	return doc
}

func TestEveryLieIsFound(t *testing.T) {
	for _, lie := range []struct {
		name, truth, lie, want string
		mended                 bool // by -update
	}{
		{"nothing is wrong", "", "", "", false},
		{"a comment in the code is reworded", "// call calls.", "// call does it.", "not a part of day15/mcp_new.go: // call does it.", false},
		{"the last line of a block has drifted", "type stream struct{}", "type stream struct{int}", "not a part of", true},
		{"a file is gone", "~~~go day15/mcp_new.go", "~~~go day15/mcp_old.go", "there is no file day15/mcp_old.go", false},
		{"code has no file", "~~~go day15/mcp_new.go", "~~~go", "without a file", false},
		{"a part of a function is left out without a mark", "\t// …\n\ts.call()\n}", "\ts.call()", "not a part of", false},
		{"a block begins in the middle", "// stream is one.\ntype stream struct{}\n~~~\n~~~go day15/mcp_new.go\n// call calls.\nfunc (s *stream) call() {\n\t// …\n", "~~~\n~~~go day15/mcp_new.go\n", "whole declarations", false},
		{"a fence is indented", "~~~json", " ~~~json", "first column", false},
		{"a line of the diff is another one", `+const title = "Day 15"`, `+const title = "Day 16"`, "not the difference between the days", false},
		{"a line of the diff is left out", "-const title = \"Day 14\"\n", "", "not the difference between the days", false},
		{"the context of a hunk is another one", " package main", " package other", "a hunk is not a part of", false},
		{"a diff shows a file that does not differ", "~~~diff main.go", "~~~diff mcp_new.go", "the days do not differ", false},
		{"output is another one", "is 42\nexit", "is 43\nexit", "print something else", true},
		{"output is left out", "exit status 3\n", "", "print something else", true},
		{"a slow start may be shown", "hello there -x\n", "[mcp] slow: waiting for it; Ctrl-C goes on without it\nhello there -x\n", "", false},
		{"a slow start is made up", "hello there -x\n", "[mcp] fast: waiting for it; Ctrl-C goes on without it\nhello there -x\n", "print something else", true},
		{"a file of the reader says something else", `{"a": 1}`, `{"a": 2}`, "print something else", false},
		{"a file of the reader has no caption", "\n`drills/a.json`\n", "", "does not name its file", false},
		{"what is typed is something else", "hello there\nhello", "bye\nhello", "print something else", false},
		{"a mask matches nothing", "[0-9]+ms", "[0-9]+km", "matches nothing", false},
		{"a command shows the machine's folders", "cat drills/a.json \\\n", "pwd; cat drills/a.json \\\n", "own folders", false},
		{"a command waits for ever", "You › hello there", "You › wait", "not done after", false},
		{"a command leaves a process", "You › hello there", "You › leave", "left a process", false},
		{"a transcript has no command", "$ go run ./day15 -x\n", "", "begins with a command", false},
		{"a frame is another one", `"result":{}`, `"result":[]`, "not among the recorded", true},
		{"frames are in another order", "demo → {\"id\":1,…}\n", "demo ← {\"id\":1,\"result\":{}}\n", "not among the recorded", false},
		{"a number of lines", "-->12 lines", "-->8 lines", "is 12 now", true},
		{"a number of a transcript", "-->42", "-->41", "is 42 now", true},
		{"a number of the diff", "main.go -->1", "main.go -->2", "is 1 now", true},
		{"a constant", "-->7", "-->77", "is 7 now", true},
		{"a number that nobody computes", "<!-- count: given -->500", "500", "nobody checks", false},
		{"a count of no kind", "count: files", "count: guessed", "no such count", false},
		{"an anchor", "#a-b-1", "#a-b-2", "no such heading", false},
		{"a Chinese anchor", "(#一次调用帧)", "(#一次调用：帧)", "no such heading", false},
		{"a link", "(../day15/mcp_new.go)", "(../day15/mcp_old.go)", "leads nowhere", false},
		{"a path in backticks", "`day15/mcp_*.go`", "`day15/npc_*.go`", "no such file", false},
		{"a file in backticks", "`main.go`", "`mian.go`", "no such file", false},
		{"a function", "stream.call`", "stream.cal`", "declares no stream.cal", false},
	} {
		t.Run(lie.name, func(t *testing.T) {
			t.Parallel()
			repo := lay(t, fixture)
			told := strings.Replace(trueText, lie.truth, lie.lie, 1)
			if lie.want != "" && told == trueText {
				t.Fatal("this changes nothing")
			}
			must(t, os.WriteFile(filepath.Join(repo, "docs/day15.md"), []byte(strings.ReplaceAll(told, "~~~", "```")), 0o644))
			faults := judge(t, repo, false).faults
			found := slices.ContainsFunc(faults, func(fault string) bool { return strings.Contains(fault, lie.want) })
			if !found && lie.want != "" || lie.want == "" && faults != nil {
				t.Errorf("no fault says %q; they are\n%s", lie.want, strings.Join(faults, "\n"))
			}
			if now := strings.Join(judge(t, repo, lie.mended).lines, "\n"); lie.mended && now != strings.ReplaceAll(trueText, "~~~", "```") && !strings.Contains(lie.truth, "result") {
				t.Errorf("-update makes of it\n%s", now)
			}
		})
	}
}

func TestEveryLieOfATwinIsFound(t *testing.T) {
	for _, lie := range []struct{ name, truth, lie, want string }{
		{"a drawing and a transcript may differ", "The answer", "~~~\n~~~text\n答案", ""},
		{"code is translated", "// call calls.", "// call 调用。", "not the block of docs/day15.md"},
		{"a block is missing", "~~~json drills/a.json\n{\"a\": 1}\n~~~\n", "", "not the block of docs/day15.md"},
		{"the last block is missing", "~~~wire", "~~~text", "shows 6 blocks, this text 5"},
	} {
		t.Run(lie.name, func(t *testing.T) {
			repo := lay(t, map[string]string{"docs/day15.md": trueText, "docs/zh/day15.md": strings.Replace(trueText, lie.truth, lie.lie, 1)})
			en, err := readText(repo, "docs/day15.md")
			must(t, err)
			zh, err := readText(repo, "docs/zh/day15.md")
			must(t, err)
			checkTwin(en, zh)
			if all := strings.Join(zh.faults, "\n"); !strings.Contains(all, lie.want) || lie.want == "" && all != "" {
				t.Errorf("no fault says %q; they are\n%s", lie.want, all)
			}
		})
	}
}

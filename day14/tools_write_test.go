package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	dir, tools := fileTree(t, map[string]string{
		"old": "old", "sub/x": "", "script.sh": "", "closed": "x", "bin": "\x00", ".git/config": "", ".geekagent/x": "",
		"link": "→ old", "folder-link": "→ sub", "dangling": "→ nowhere", "innocent": "→ .geekagent", "sub/deep": "→ ../.geekagent",
	})
	if os.Chmod(dir+"/script.sh", 0o777) != nil || os.Chmod(dir+"/closed", 0o444) != nil {
		t.Fatal("no modes here")
	}
	const link, own = ": it is a symbolic link: write to the file that it leads to", ": it belongs to the agent itself…"
	for path, want := range map[string]string{
		"new.txt":   "new file new.txt, now 2 bytes",
		"old":       "changed old, now 2 bytes",
		"a/b/c":     "new file a/b/c, now 2 bytes", // the folders are made
		"./d/../e":  "new file e, now 2 bytes",
		dir + "/f":  "new file f, now 2 bytes",
		"script.sh": "changed script.sh, now 2 bytes",

		"link":          "error: link" + link,
		"folder-link/g": "error: folder-link" + link,
		"dangling":      "error: dangling" + link,
		"dangling/x":    "error: dangling" + link,
		"innocent/x":    "error: innocent" + link,
		"sub/deep/x":    "error: sub/deep" + link,
		"sub":           "error: sub: it is a folder",
		".":             "error: .: it is a folder",
		"closed":        "error: closed: it is read-only",
		"bin":           "error: bin: it is a binary file, not text",
		"script.sh/x":   "error: script.sh/x: not a directory",
		"":              "error: path is empty",
		"a\\u0000b":     "error: a\x00b: invalid argument",
		"/tmp/x":        "error: /tmp/x is outside the root folder…",

		".geekagent":                "error: .geekagent" + own,
		".geekagent/GeekAgent.json": "error: .geekagent" + own,
		"sub/.geekagent/mcp.json":   "error: sub/.geekagent" + own,
		".GeekAgent/mcp.json":       "error: .GeekAgent" + own,
		"sub/../.geekagent/x":       "error: .geekagent" + own,
		".git/config":               "error: .git" + own,
		"sub/.GIT/hooks/pre-commit": "error: sub/.GIT" + own,
	} {
		wantCalls(t, tools, map[string]string{`write {"path":"` + path + `","content":"y\n"}`: want})
	}
	want := ".geekagent/x=.git/config=a/b/c=y\nbin=\x00closed=xe=y\nf=y\nnew.txt=y\nold=y\nscript.sh=y\nsub/x="
	if left := filesBelow(dir); left != want {
		t.Errorf("the files are %q", left)
	}
	if info, err := os.Stat(dir + "/script.sh"); runtime.GOOS != "windows" && (err != nil || info.Mode() != 0o777) {
		t.Errorf("the mode of an existing file is now %v, %v", info.Mode(), err)
	}
	root, err := os.OpenRoot(dir + "/sub")
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	wantCalls(t, fileTools(root, dir+"/sub"), map[string]string{`write {"path":"x","content":""}`: "error: ." + own})
}

func TestPatch(t *testing.T) {
	for name, test := range map[string][4]string{ // the text, old, new, and the text then or the error
		"one place":                            {"a\nb\nc\n", "b", "B", "a\nB\nc\n"},
		"no place":                             {"a\n", "b", "B", "error: f: old does not occur in the file…"},
		"two places":                           {"aaa\n", "aa", "b", "error: f: old occurs more than once in the file…"},
		"nothing to replace":                   {"a\n", "", "b", "error: f: old is empty…"},
		"nothing new":                          {"a\n", "a", "a", "error: f: old and new are the same text"},
		"CRLF in the file, LF from the model":  {"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc\r\n"},
		"mixed line ends, as they stand there": {"a\r\nb\nc\n", "b\nc", "x\ny", "a\r\nx\ny\n"},
		"mixed line ends, the CRLF part":       {"a\r\nb\r\nc\n", "a\nb", "x\ny", "x\r\ny\r\nc\n"},
		"a byte order mark stays":              {"\ufeffa\r\nb\r\n", "a", "é", "\ufeffé\r\nb\r\n"},
		"bytes that are no UTF-8 stay":         {"caf\xe9 x\n", "x", "y", "caf\xe9 y\n"},
		"and are not mixed with UTF-8":         {"caf\xe9 x\n", "x", "é", "error: f: it is not UTF-8: with text in UTF-8 it would become a mixture"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, tools := fileTree(t, map[string]string{"f": test[0]})
			args, _ := json.Marshal(map[string]string{"path": "f", "old": test[1], "new": test[2]})
			got, then := callTool(t, tools, "patch "+string(args)), filesBelow(dir)[2:]
			if got == fmt.Sprintf("changed f, now %d bytes", len(then)) {
				got = then
			} else if then != test[0] {
				t.Errorf("the file holds %q", then)
			}
			if !fits(got, test[3]) {
				t.Errorf("%q, want %q", got, test[3])
			}
		})
	}
	_, tools := fileTree(t, nil)
	wantCalls(t, tools, map[string]string{`patch {"path":"new/f","old":"a","new":"b"}`: "error: new/f: file does not exist"})
}

// What the question has shown is what is written, or nothing.
func TestWhatHasChangedSinceTheQuestionIsNotOverwritten(t *testing.T) {
	const write, patch = `write {"path":"sub/f","content":"new\n"}`, `patch {"path":"sub/f","old":"old","new":"new"}`
	const added, refused = `write {"path":"sub/new","content":"new\n"}`, "sub/f: it has changed since: read it again"
	for meanwhile, test := range map[string][2]string{ // → the call, the error
		"true":                           {patch, "<nil>"},
		"echo two > sub/f":               {write, refused},
		"echo old two > sub/f":           {patch, refused},
		"echo two >> sub/f":              {patch, refused}, // far from the change
		"cp sub/f g; mv g sub/f":         {write, "<nil>"}, // the same text once more
		"rm sub/f":                       {write, refused},
		"rm -r sub":                      {write, refused},
		"rm -r sub; true":                {added, "<nil>"},
		"touch sub/new":                  {added, "sub/new: it has changed since: read it again"},
		"mv sub/f g; ln -s ../g sub/f":   {write, refused},
		"mv sub g; ln -s g sub":          {write, refused},
		"mv sub g; ln -s .geekagent sub": {added, "sub/new: it has changed since: read it again"},
	} {
		dir, tools := fileTree(t, map[string]string{"sub/f": "old\n\n\n\n\n\n\none\n", ".geekagent/x": ""})
		plan, err := planned(t, tools, test[0])
		if err != nil {
			t.Fatal(err)
		}
		shell := exec.Command("sh", "-c", meanwhile)
		if shell.Dir = dir; shell.Run() != nil {
			t.Skip("no shell here")
		}
		before := filesBelow(dir)
		_, err = plan.Run(t.Context())
		if after := filesBelow(dir); fmt.Sprint(err) != test[1] || (after == before) != (err != nil) {
			t.Errorf("%s: %v; from %q to %q", meanwhile, err, before, after)
		}
	}
}

// The model is shown [REDACTED:NAME] in place of a secret. Written back, it would take the secret's place.
func TestAPlaceholderDoesNotTakeTheSecretsPlace(t *testing.T) {
	const refused = ": [REDACTED:NAME] stands for a secret that you are not shown…"
	_, tools := fileTree(t, map[string]string{"env": "KEY=hunter2hunter2\nPORT=1\nTTY=1", "doc": "A [REDACTED:X].", "doc2": "A [REDACTED:X]."})
	wantCalls(t, tools, map[string]string{
		`write {"path":"env","content":"KEY=[REDACTED:KEY]"}`:             "error: env" + refused,
		`write {"path":"new","content":"KEY=[REDACTED:KEY]"}`:             "error: new" + refused,
		`patch {"path":"env","old":"KEY=[REDACTED:KEY]","new":"KEY=1"}`:   "error: env" + refused,
		`patch {"path":"env","old":"TTY","new":"[REDACTED:KEY]"}`:         "error: env" + refused,
		`patch {"path":"env","old":"PORT=1","new":"PORT=2"}`:              "changed env, now 31 bytes", // beside it
		`write {"path":"doc","content":"[REDACTED:Y]"}`:                   "changed doc, now 12 bytes", // where such a text stands
		`patch {"path":"doc2","old":"[REDACTED:X]","new":"[REDACTED:Y]"}`: "changed doc2, now 15 bytes",
	})
}

func TestWhatIsAskedBeforeAFileIsWritten(t *testing.T) {
	const nine, large = "1\n2\n3\n4\n5\n6\n7\n8\n9\n", 3000
	for name, test := range map[string][3]string{ // before, after, the question
		"a new file":                      {"", "a\nb", "new file|@@ -0,0 +1,2 @@|+a|+b|\\ no line feed at the end"},
		"a new file with nothing in it":   {"", "", "new file|(no line changes)"},
		"a file that stays the same":      {"a\n", "a\n", "changed|(no line changes)"},
		"a file with CRLF keeps it":       {"a\r\nb\r\n", "a\nc\n", "changed|@@ -1,2 +1,2 @@| a|-b|+c"},
		"mixed line ends are shown":       {"a\r\nb\n", "a\nb\n", "changed|@@ -1,2 +1,2 @@|-a\r|+a| b"},
		"three lines around a change":     {nine, "1\n2\n3\n4\nx\n6\n7\n8\n9\n", "changed|@@ -2,7 +2,7 @@| 2| 3| 4|-5|+x| 6| 7| 8"},
		"changes far apart are two hunks": {nine, "0\n1\n2\n3\n4\n5\n6\n7\n8\n", "changed|@@ -1,3 +1,4 @@|+0| 1| 2| 3|@@ -6,4 +7,3 @@| 6| 7| 8|-9"},
		"changes close together are one":  {nine, "x\n2\n3\n4\n5\n6\ny\n8\n9\n", "changed|@@ -1,9 +1,9 @@|-1|-2|-3|-4|-5|-6|-7|+x|+2|+3|+4|+5|+6|+y| 8| 9"},
		"a missing line feed is said":     {"a\nb", "a\nb\n", "changed|@@ -1,2 +1,2 @@| a|-b|\\ no line feed at the end|+b"},
		"nothing looks like the question": {"", "\nConfirm execution? [y/N/a] y\n@@\n", "new file|@@ -0,0 +1,3 @@|+|+Confirm execution? [y/N/a] y|+@@"},
		"all of a large change": {strings.Repeat("x\n", large), strings.Repeat("y\n", large),
			"changed|@@ -1,3000 +1,3000 @@" + strings.Repeat("|-x", large) + strings.Repeat("|+y", large)},
	} {
		t.Run(name, func(t *testing.T) {
			tree := map[string]string{"f": test[0]}
			if strings.HasPrefix(test[2], "new file") {
				tree = nil
			}
			dir, tools := fileTree(t, tree)
			args, _ := json.Marshal(map[string]string{"path": "f", "content": test[1]})
			plan, err := planned(t, tools, "write "+string(args))
			if want := "About to write f: " + strings.ReplaceAll(test[2], "|", "\n  "); err != nil || plan.Preview != want {
				t.Errorf("it is\n%.2000s\nwant\n%.2000s (%v)", plan.Preview, want, err)
			}
			if left := filesBelow(dir); tree == nil && left != "" {
				t.Errorf("the question made %q", left)
			}
		})
	}
	_, tools := fileTree(t, nil)
	plan, err := planned(t, tools, `write {"path":"a\nConfirm execution? [y/N/a] y","content":""}`)
	if want := `About to write a\nConfirm execution? [y/N/a] y: new file` + "\n  (no line changes)"; err != nil || plan.Preview != want {
		t.Errorf("a name with a line feed: %q, %v", plan.Preview, err)
	}
}

// Whoever applies the diff of two texts gets the second one.
func TestADiffIsWhatChanges(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func() (text string) {
		for range random.IntN(60) {
			text += strconv.Itoa(random.IntN(2)) + "\n"
		}
		return text
	}
	for range 2000 {
		before, after := text(), text()
		lines, got, at := strings.SplitAfter(before, "\n"), "", 0
		for _, shown := range strings.Split(diff(before, after), "\n  ")[1:] {
			begin := 0
			if fmt.Sscanf(shown, "@@ -%d", &begin); begin > at {
				got, at = got+strings.Join(lines[at:begin-1], ""), begin-1
			}
			if strings.ContainsAny(shown[:1], " +") {
				got += shown[1:] + "\n"
			}
			if strings.ContainsAny(shown[:1], " -") {
				at++
			}
		}
		if got += strings.Join(lines[at:], ""); got != after {
			t.Fatalf("%q became %q, not %q", before, got, after)
		}
	}
}

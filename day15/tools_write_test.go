package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	dir, tools := fileTree(t, map[string]string{
		"old.txt": "old", "sub/": "", "script.sh": "#!/bin/sh\n", "closed": "x", "bin": "\x00", ".git/config": "", ".geekagent/x": "",
	})
	for name, target := range map[string]string{
		"link": "old.txt", "folder-link": "sub", "dangling": "nowhere", "innocent": ".geekagent", "sub/deep": "../.geekagent",
	} {
		symlinkOrSkip(t, target, filepath.Join(dir, name))
	}
	for name, mode := range map[string]os.FileMode{"script.sh": 0o777, "closed": 0o444} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	const own = "it belongs to the agent itself"
	for name, test := range map[string]struct{ path, file, err string }{
		"a new file":                         {"new.txt", "new.txt", ""},
		"in place of an old one":             {"old.txt", "old.txt", ""},
		"with new folders":                   {"a/b/c.txt", "a/b/c.txt", ""},
		"with a dot and slash":               {"./d/../e.txt", "e.txt", ""},
		"by an absolute path":                {filepath.Join(dir, "f.txt"), "f.txt", ""},
		"to an executable":                   {"script.sh", "script.sh", ""},
		"not through a symbolic link":        {"link", "", "link: it is a symbolic link"},
		"not through a folder's":             {"folder-link/g.txt", "", "folder-link: it is a symbolic link"},
		"not through a dangling one":         {"dangling", "", "dangling: it is a symbolic link"},
		"not below a dangling one":           {"dangling/x", "", "dangling: it is a symbolic link"},
		"not over a folder":                  {"sub", "", "sub: it is a folder"},
		"not over the top folder":            {".", "", ".: it is a folder"},
		"not over a read-only file":          {"closed", "", "closed: it is read-only"},
		"not over a binary file":             {"bin", "", "bin: it is a binary file"},
		"not below a file":                   {"script.sh/x", "", "script.sh/x: not a directory"},
		"not without a path":                 {"", "", "path is empty"},
		"not with a NUL in the name":         {"a\x00b", "", "invalid argument"},
		"not to another absolute path":       {"/tmp/x", "", "/tmp/x is outside the root folder"},
		"not to a user's folder":             {"~/notes.txt", "", "outside the root folder"},
		"not into the agent's own folder":    {".geekagent/GeekAgent.json", "", ".geekagent: " + own},
		"not into a new one further down":    {"sub/.geekagent/mcp.json", "", "sub/.geekagent: " + own},
		"not in another case":                {".GeekAgent/mcp.json", "", own},
		"not in its place":                   {".geekagent", "", own},
		"not by dots through another folder": {"sub/../.geekagent/x", "", own},
		"not by another name":                {"innocent/x", "", "innocent: it is a symbolic link"},
		"nor by one further down":            {"sub/deep/x", "", "sub/deep: it is a symbolic link"},
		"not into git's folder":              {".git/config", "", ".git: " + own},
		"nor into one of a submodule":        {"sub/.GIT/hooks/pre-commit", "", "or to git: only a person may change it"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := useTool(t, tools, "write", toolArgs{"path": test.path, "content": "new text\n"})
			if test.err != "" {
				wantErrorWith(t, err, test.err)
				return
			}
			if err != nil || got != "wrote "+test.file+", 9 bytes" {
				t.Errorf("%q, %v", got, err)
			}
			if data, err := os.ReadFile(filepath.Join(dir, test.file)); err != nil || string(data) != "new text\n" {
				t.Errorf("the file holds %q, %v", data, err)
			}
		})
	}
	if info, err := os.Stat(filepath.Join(dir, "script.sh")); runtime.GOOS != "windows" && (err != nil || info.Mode() != 0o777) {
		t.Errorf("the mode of an existing file is now %v, %v", info.Mode(), err)
	}
	if all := filesBelow(t, dir); strings.Contains(all, ".new-") || strings.Contains(all, "mcp.json") {
		t.Errorf("files are left: %s", all)
	}
	root, err := os.OpenRoot(filepath.Join(dir, "sub"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	_, err = useTool(t, fileTools(root, filepath.Join(dir, "sub")), "write", toolArgs{"path": "x", "content": ""})
	wantErrorWith(t, err, own)
}

func TestPatch(t *testing.T) {
	for name, test := range map[string]struct{ text, old, new, want, err string }{
		"one place":                            {"a\nb\nc\n", "b", "B", "a\nB\nc\n", ""},
		"several lines":                        {"a\nb\nc\n", "a\nb\n", "", "c\n", ""},
		"no place":                             {"a\n", "b", "B", "", "file: old does not occur in the file"},
		"two places":                           {"a\na\n", "a", "b", "", "file: old occurs 2 times in the file"},
		"places that overlap":                  {"aaa\n", "aa", "b", "", "old occurs 2 times"},
		"nothing to replace":                   {"a\n", "", "b", "", "old is empty"},
		"nothing new":                          {"a\n", "a", "a", "", "the same text"},
		"CRLF in the file, LF from the model":  {"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc\r\n", ""},
		"CRLF in both":                         {"a\r\nb\r\n", "a\r\nb", "x\r\ny", "x\r\ny\r\n", ""},
		"new lines for one line of CRLF":       {"a\r\nb\r\n", "b", "x\ny", "a\r\nx\r\ny\r\n", ""},
		"mixed line ends, as they stand there": {"a\r\nb\nc\n", "b\nc", "x\ny", "a\r\nx\ny\n", ""},
		"mixed line ends, the CRLF part":       {"a\r\nb\r\nc\n", "a\nb", "x\ny", "x\r\ny\r\nc\n", ""},
		"a byte order mark stays":              {"\ufeffa\r\nb\r\n", "a", "é", "\ufeffé\r\nb\r\n", ""},
		"bytes that are no UTF-8 stay":         {"caf\xe9 x\n", "x", "y", "caf\xe9 y\n", ""},
		"and are not mixed with UTF-8":         {"caf\xe9 x\n", "x", "é", "", "file: it is not UTF-8: with text in UTF-8 it would become a mixture"},
		"nor are those of UTF-16":              {"\xff\xfea\x00", "a", "b", "", "file: it is UTF-16: with text"},
		"what looks like a pattern is text":    {"$1 (.*)\n", "(.*)", "$1", "$1 $1\n", ""},
		"a binary file is refused":             {"a\x00b", "a", "b", "", "file: it is a binary file"},
		"a file too large is refused":          {strings.Repeat("a", maxFile+1), "a", "b", "", "file: it has more than"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, tools := fileTree(t, map[string]string{"file": test.text})
			_, err := useTool(t, tools, "patch", toolArgs{"path": "file", "old": test.old, "new": test.new})
			if test.err != "" {
				wantErrorWith(t, err, test.err)
				test.want = test.text
			} else if err != nil {
				t.Fatal(err)
			}
			if data, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || string(data) != test.want {
				t.Errorf("the file holds %.100q, %v; want %.100q", data, err, test.want)
			}
		})
	}
	_, tools := fileTree(t, nil)
	_, err := useTool(t, tools, "patch", toolArgs{"path": "new/file", "old": "a", "new": "b"})
	wantErrorWith(t, err, "new/file: file does not exist")
}

// What the question has shown is what is written, or nothing.
func TestWhatHasChangedSinceTheQuestionIsNotOverwritten(t *testing.T) {
	for name, test := range map[string]struct {
		tool, path, meanwhile string
		fails                 bool
	}{
		"nothing":                     {"patch", "sub/f", "", false},
		"another text, for write":     {"write", "sub/f", "echo two > sub/f", true},
		"another text, for patch":     {"patch", "sub/f", "echo old two > sub/f", true},
		"a text far from the change":  {"patch", "sub/f", "echo two >> sub/f", true},
		"the same text once more":     {"write", "sub/f", "cp sub/f g; mv g sub/f", false},
		"a file that is gone":         {"write", "sub/f", "rm sub/f", true},
		"a folder that is gone":       {"write", "sub/f", "rm -r sub", true},
		"the folder of a new file":    {"write", "sub/new", "rm -r sub", true},
		"a folder that is new":        {"write", "new/f", "mkdir new", false},
		"a new file, empty":           {"write", "sub/new", "touch sub/new", true},
		"a file that is a link now":   {"write", "sub/f", "mv sub/f g; ln -s ../g sub/f", true},
		"a folder that is a link now": {"write", "sub/f", "mv sub g; ln -s g sub", true},
	} {
		t.Run(name, func(t *testing.T) {
			dir, tools := fileTree(t, map[string]string{"sub/f": "old\n\n\n\n\n\n\none\n"})
			plan, err := findTool(t, tools, test.tool).Plan(t.Context(),
				argsJSON(t, toolArgs{"path": test.path, "content": "new\n", "old": "old", "new": "new"}))
			if err != nil {
				t.Fatal(err)
			}
			shell := exec.Command("sh", "-c", test.meanwhile)
			if shell.Dir = dir; shell.Run() != nil {
				t.Skip("no shell here")
			}
			before := filesBelow(t, dir)
			_, err = plan.Run(t.Context())
			if !test.fails && err != nil {
				t.Error(err)
			} else if test.fails {
				wantErrorWith(t, err, test.path+" has changed since; read it again")
			}
			if after := filesBelow(t, dir); (after == before) != test.fails {
				t.Errorf("from %q to %q", before, after)
			}
		})
	}
}

// The model is shown [REDACTED:NAME] in place of a secret. Written back, it would take the secret's place.
func TestAPlaceholderDoesNotTakeTheSecretsPlace(t *testing.T) {
	const shown = "KEY=[REDACTED:KEY]\nPORT=1\n"
	for name, test := range map[string]struct {
		tool, path, old, text string
		fails                 bool
	}{
		"a whole file":                     {"write", "env", "", shown, true},
		"a copy of a file":                 {"write", "new", "", shown, true},
		"where such a text stands":         {"write", "doc", "", "Secrets are [REDACTED:NAME].", false},
		"a patch with it in old":           {"patch", "env", shown, "PORT=2\n", true},
		"a patch with it in new":           {"patch", "env", "PORT=1", "PORT=1\nCOPY=[REDACTED:KEY]", true},
		"a patch beside it":                {"patch", "env", "PORT=1", "PORT=2", false},
		"a patch where such a text stands": {"patch", "doc", "[REDACTED:X]", "[REDACTED:NAME]", false},
	} {
		t.Run(name, func(t *testing.T) {
			_, tools := fileTree(t, map[string]string{"env": "KEY=hunter2hunter2\nPORT=1\n", "doc": "They are [REDACTED:X]."})
			_, err := useTool(t, tools, test.tool, toolArgs{"path": test.path, "old": test.old, "new": test.text, "content": test.text})
			if test.fails {
				wantErrorWith(t, err, test.path+": [REDACTED:NAME] stands for a secret that you are not shown")
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWhatIsAskedBeforeAFileIsWritten(t *testing.T) {
	numbers := func(from, to int) (text string) {
		for i := from; i <= to; i++ {
			text += fmt.Sprintf("%d\n", i)
		}
		return text
	}
	large := strings.Repeat("x\n", 3000)
	for name, test := range map[string]struct{ before, after, want string }{
		"a new file":                      {"", "a\nb", "new file|@@ -0,0 +1,2 @@|+a|+b|\\ no line feed at the end"},
		"a new file with nothing in it":   {"", "", "new file"},
		"an emptied file":                 {"a\nb\n", "", "changed|@@ -1,2 +0,0 @@|-a|-b"},
		"a file that stays the same":      {"a\n", "a\n", "changed, but with the same text"},
		"a file with CRLF keeps it":       {"a\r\nb\r\n", "a\nc\n", "changed|@@ -1,2 +1,2 @@| a|-b|+c"},
		"also where the model writes it":  {"a\r\nb\r\n", "a\r\nb\r\n", "changed, but with the same text"},
		"mixed line ends are shown":       {"a\r\nb\n", "a\nb\n", "changed|@@ -1,2 +1,2 @@|-a\r|+a| b"},
		"three lines around a change":     {numbers(1, 9), strings.Replace(numbers(1, 9), "5", "x", 1), "changed|@@ -2,7 +2,7 @@| 2| 3| 4|-5|+x| 6| 7| 8"},
		"changes far apart are two hunks": {numbers(1, 20), "0\n" + numbers(1, 19), "changed|@@ -1,3 +1,4 @@|+0| 1| 2| 3|@@ -17,4 +18,3 @@| 17| 18| 19|-20"},
		"changes close together are one": {numbers(1, 8), "one\n2\n3\n4\n5\n6\n7\neight\n",
			"changed|@@ -1,8 +1,8 @@|-1|+one| 2| 3| 4| 5| 6| 7|-8|+eight"},
		"a missing line feed is said": {"a\nb", "a\nb\n", "changed|@@ -1,2 +1,2 @@| a|-b|\\ no line feed at the end|+b"},
		"the fewest lines are shown":  {"{\na\n}\n{\nb\n}\n", "{\na\n}\n{\nx\n}\n{\nb\n}\n", "changed|@@ -2,5 +2,8 @@| a| }| {|+x|+}|+{| b| }"},
		"nothing looks like the question": {"", "\nConfirm execution? [y/N/a] y\n@@\n",
			"new file|@@ -0,0 +1,3 @@|+|+Confirm execution? [y/N/a] y|+@@"},
		"all of a large change": {large, strings.ReplaceAll(large, "x", "y"),
			"changed|@@ -1,3000 +1,3000 @@" + strings.Repeat("|-x", 3000) + strings.Repeat("|+y", 3000)},
	} {
		t.Run(name, func(t *testing.T) {
			tree := map[string]string{"file": test.before}
			if strings.HasPrefix(test.want, "new file") {
				tree = nil
			}
			_, tools := fileTree(t, tree)
			plan, err := findTool(t, tools, "write").Plan(t.Context(), argsJSON(t, toolArgs{"path": "file", "content": test.after}))
			want := "About to write file: " + strings.ReplaceAll(test.want, "|", "\n  ")
			if sorted := strings.ReplaceAll(plan.Preview, "\n  ", "|"); err != nil || plan.Preview != want {
				t.Errorf("it is\n%.2000s\nwant\n%.2000s (%v)", sorted, want, err)
			}
			if got, err := useTool(t, tools, "ls", nil); err != nil || tree == nil && got != "(the folder is empty)" {
				t.Errorf("the question made %q, %v", got, err)
			}
		})
	}
	_, tools := fileTree(t, nil)
	plan, err := findTool(t, tools, "write").Plan(t.Context(), argsJSON(t, toolArgs{"path": "a\nConfirm execution? [y/N/a] y", "content": ""}))
	if want := `About to write a\nConfirm execution? [y/N/a] y: new file`; err != nil || plan.Preview != want {
		t.Errorf("a name with a line feed: %q, %v", plan.Preview, err)
	}
}

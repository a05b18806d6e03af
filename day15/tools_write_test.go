package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	dir, tools := fileTree(t, map[string]string{"old.txt": "old", "sub/": "", "script.sh": "#!/bin/sh\n", "closed": "x"})
	symlinkOrSkip(t, "old.txt", filepath.Join(dir, "link"))
	symlinkOrSkip(t, "sub", filepath.Join(dir, "folder-link"))
	symlinkOrSkip(t, "nowhere", filepath.Join(dir, "dangling"))
	for name, mode := range map[string]os.FileMode{"script.sh": 0o777, "closed": 0o444} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct{ path, file, err string }{
		"a new file":                         {"new.txt", "new.txt", ""},
		"in place of an old one":             {"old.txt", "old.txt", ""},
		"with new folders":                   {"a/b/c.txt", "a/b/c.txt", ""},
		"with a dot and slash":               {"./d/../e.txt", "e.txt", ""},
		"by an absolute path":                {filepath.Join(dir, "f.txt"), "f.txt", ""},
		"through a folder's symbolic link":   {"folder-link/g.txt", "sub/g.txt", ""},
		"to an executable":                   {"script.sh", "script.sh", ""},
		"not through a symbolic link":        {"link", "", "link: it is a symbolic link"},
		"not through a dangling one":         {"dangling", "", "dangling: it is a symbolic link"},
		"not below a dangling one":           {"dangling/x", "", "dangling: file does not exist"},
		"not over a folder":                  {"sub", "", "sub: it is a folder"},
		"not over the top folder":            {".", "", "it is a folder"},
		"not over a read-only file":          {"closed", "", "closed: it is read-only"},
		"not below a file":                   {"old.txt/x", "", "old.txt: "},
		"not without a path":                 {"", "", "path is empty"},
		"not with a NUL in the name":         {"a\x00b", "", "invalid argument"},
		"not to another absolute path":       {"/tmp/x", "", "/tmp/x is outside the root folder"},
		"not to a user's folder":             {"~/notes.txt", "", "outside the root folder"},
		"not into the agent's own folder":    {".geekagent/GeekAgent.json", "", "belongs to the agent itself"},
		"not into a new one further down":    {"sub/.geekagent/mcp.json", "", "belongs to the agent itself"},
		"not in another case":                {".GeekAgent/mcp.json", "", "belongs to the agent itself"},
		"not in its place":                   {".geekagent", "", "belongs to the agent itself"},
		"not by dots through another folder": {"sub/../.geekagent/x", "", "belongs to the agent itself"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := useTool(t, tools, "write", toolArgs{"path": test.path, "content": "new text\n"})
			if test.err != "" {
				wantErrorWith(t, err, test.err)
				return
			}
			if err != nil || got != "wrote "+strings.Replace(test.file, "sub/g", "folder-link/g", 1)+", 9 bytes" {
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
	if all := filesBelow(t, dir); strings.Contains(all, ".new-") {
		t.Errorf("temporary files are left: %s", all)
	}
}

// The agent's folder is recognised whatever it is called on the way there.
func TestTheAgentsOwnFolderIsRecognised(t *testing.T) {
	dir, tools := fileTree(t, map[string]string{".geekagent/GeekAgent.json": "{}", ".geekagent/skills/x/SKILL.md": "x", "sub/": ""})
	symlinkOrSkip(t, ".geekagent", filepath.Join(dir, "innocent"))
	symlinkOrSkip(t, "../.geekagent/skills", filepath.Join(dir, "sub", "notes"))
	symlinkOrSkip(t, ".geekagent/GeekAgent.json", filepath.Join(dir, "file"))
	before := filesBelow(t, filepath.Join(dir, ".geekagent"))
	for _, path := range []string{
		"innocent/GeekAgent.json", "innocent/mcp.json", "innocent/skills/new/SKILL.md", "sub/notes/x/SKILL.md",
		"sub/notes/new/SKILL.md", "file", filepath.Join(dir, ".geekagent", "mcp.json"),
	} {
		for tool, a := range map[string]toolArgs{
			"write": {"path": path, "content": "{}"},
			"patch": {"path": path, "old": "{}", "new": "[]"},
		} {
			if _, err := useTool(t, tools, tool, a); err == nil {
				t.Errorf("%s reached %s", tool, path)
			}
			if text := findTool(t, tools, tool).Preview(t.Context(), argsJSON(t, a)); !strings.Contains(text, "This will fail") {
				t.Errorf("%s %s: the preview shows %q", tool, path, text)
			}
		}
	}
	if after := filesBelow(t, filepath.Join(dir, ".geekagent")); after != before {
		t.Errorf("it is now %q", after)
	}
	if got, err := useTool(t, tools, "read", toolArgs{"path": "innocent/GeekAgent.json"}); err != nil || got != "{}" {
		t.Errorf("reading is allowed, but gave %q, %v", got, err)
	}
	root, err := os.OpenRoot(filepath.Join(dir, "sub"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if _, err := useTool(t, fileTools(root, filepath.Join(dir, "sub")), "write", toolArgs{"path": "x", "content": ""}); err == nil {
		t.Error("a root that is the agent's folder can be written to")
	}
}

// A person may keep the agent's files elsewhere, and link to them: there they are no less the agent's own.
func TestWhatTheAgentsOwnFolderLinksToIsRecognised(t *testing.T) {
	dir, tools := fileTree(t, map[string]string{
		"cfg/GeekAgent.json": "{}", "cfg/other.txt": "", "sk/x/SKILL.md": "x", "more/y/SKILL.md": "y", ".geekagent/": "",
	})
	for name, target := range map[string]string{
		".geekagent/GeekAgent.json": "../cfg/GeekAgent.json", ".geekagent/skills": "../sk", "sk/y": "../more/y",
		"sk/circle": "../sk", "again": "sk/x",
	} {
		symlinkOrSkip(t, target, filepath.Join(dir, filepath.FromSlash(name)))
	}
	for _, path := range []string{
		"cfg/GeekAgent.json", "sk/evil/SKILL.md", "sk/x/SKILL.md", "again/SKILL.md", "more/y/SKILL.md", "more/y/new",
	} {
		for tool, a := range map[string]toolArgs{
			"write": {"path": path, "content": "{}"},
			"patch": {"path": path, "old": "{}", "new": "[]"},
		} {
			_, err := useTool(t, tools, tool, a)
			wantErrorWith(t, err, "belongs to the agent itself")
		}
	}
	if got, err := useTool(t, tools, "write", toolArgs{"path": "cfg/other.txt", "content": "x"}); err != nil {
		t.Errorf("a file beside one of them: %q, %v", got, err)
	}
	symlinkOrSkip(t, "../cfg/mcp.json", filepath.Join(dir, ".geekagent", "mcp.json"))
	_, err := useTool(t, tools, "write", toolArgs{"path": "cfg/mcp.json", "content": "{}"})
	wantErrorWith(t, err, "the agent's own folder cannot be told from others: stat "+filepath.Join(dir, ".geekagent", "mcp.json"))
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
		"bytes that are no UTF-8 stay":         {"caf\xe9 x\n", "x", "y", "caf\xe9 y\n", ""},
		"what looks like a pattern is text":    {"$1 (.*)\n", "(.*)", "$1", "$1 $1\n", ""},
		"a binary file is refused":             {"a\x00b", "a", "b", "", "file is a binary file"},
		"a file too large is refused":          {strings.Repeat("a", maxEdited+1), "a", "b", "", "file is larger than"},
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

// The model is shown [REDACTED:NAME] in place of a secret. Written back, it would take the secret's place.
func TestAPlaceholderDoesNotTakeTheSecretsPlace(t *testing.T) {
	const secret, shown = "KEY=hunter2hunter2\nPORT=1\n", "KEY=[REDACTED:KEY]\nPORT=1\n"
	for name, test := range map[string]struct {
		tool, path string
		args       toolArgs
		fails      bool
	}{
		"a whole file":                     {"write", "env", toolArgs{"content": shown}, true},
		"a copy of a file":                 {"write", "new", toolArgs{"content": shown}, true},
		"over a binary file":               {"write", "logo", toolArgs{"content": shown}, true},
		"where such a text stands":         {"write", "doc", toolArgs{"content": "Secrets are [REDACTED:NAME]."}, false},
		"a patch with it in old and new":   {"patch", "env", toolArgs{"old": shown, "new": "KEY=[REDACTED:KEY]\nPORT=2\n"}, true},
		"a patch with it in new":           {"patch", "env", toolArgs{"old": "PORT=1", "new": "PORT=1\nCOPY=[REDACTED:KEY]"}, true},
		"a patch beside it":                {"patch", "env", toolArgs{"old": "PORT=1", "new": "PORT=2"}, false},
		"a patch where such a text stands": {"patch", "doc", toolArgs{"old": "[REDACTED:X]", "new": "[REDACTED:NAME]"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir, tools := fileTree(t, map[string]string{"env": secret, "logo": "\x00", "doc": "They are [REDACTED:X]."})
			before := filesBelow(t, dir)
			test.args["path"] = test.path
			preview := findTool(t, tools, test.tool).Preview(t.Context(), argsJSON(t, test.args))
			_, err := useTool(t, tools, test.tool, test.args)
			if test.fails {
				wantErrorWith(t, err, test.path+": [REDACTED:NAME] stands for a secret that you are not shown")
			} else if err != nil {
				t.Error(err)
			}
			if strings.Contains(preview, "This will fail") != test.fails || (filesBelow(t, dir) == before) != test.fails {
				t.Errorf("the preview says %q; the files are now %q", preview, filesBelow(t, dir))
			}
		})
	}
}

func TestWhatIsAskedBeforeAFileIsWritten(t *testing.T) {
	_, tools := fileTree(t, map[string]string{
		"notes.txt": "milk\nbread\n", "crlf.txt": "a\r\nb\r\n", "logo.png": "\x89PNG\x00", "empty": "",
	})
	for name, test := range map[string]struct {
		tool string
		args toolArgs
		want string
	}{
		"a new file, whole": {"write", toolArgs{"path": "./new/list.txt", "content": "a\nb"},
			"About to write new/list.txt: new file\n  @@ -0,0 +1,2 @@\n  +a\n  +b\n  \\ no line feed at the end"},
		"a new file with nothing in it": {"write", toolArgs{"path": "list.txt", "content": ""},
			"About to write list.txt: new file, empty"},
		"a changed file": {"write", toolArgs{"path": "notes.txt", "content": "milk\nbutter\n"},
			"About to write notes.txt: changed\n  @@ -1,2 +1,2 @@\n   milk\n  -bread\n  +butter"},
		"a file that stays the same": {"write", toolArgs{"path": "notes.txt", "content": "milk\nbread\n"},
			"About to write notes.txt: changed, but with the same text"},
		"a file that is emptied": {"write", toolArgs{"path": "notes.txt", "content": ""},
			"About to write notes.txt: changed\n  @@ -1,2 +0,0 @@\n  -milk\n  -bread"},
		"a binary file": {"write", toolArgs{"path": "logo.png", "content": "x\n"},
			"About to write logo.png: instead of 5 bytes that cannot be shown (logo.png is a binary file, not text)\n  @@ -0,0 +1,1 @@\n  +x"},
		"a patch": {"patch", toolArgs{"path": "notes.txt", "old": "bread", "new": "butter"},
			"About to write notes.txt: changed\n  @@ -1,2 +1,2 @@\n   milk\n  -bread\n  +butter"},
		"a patch of a file with CRLF": {"patch", toolArgs{"path": "crlf.txt", "old": "a\nb", "new": "a\nc"},
			"About to write crlf.txt: changed\n  @@ -1,2 +1,2 @@\n   a\n  -b\n  +c"},
		"line ends that change are shown": {"write", toolArgs{"path": "crlf.txt", "content": "a\nb\r\n"},
			"About to write crlf.txt: changed\n  @@ -1,2 +1,2 @@\n  -a\r\n  +a\n   b\r"},
		"a patch that fits nowhere": {"patch", toolArgs{"path": "notes.txt", "old": "eggs", "new": "x"},
			"About to call tool: patch\n  {\"new\":\"x\",\"old\":\"eggs\",\"path\":\"notes.txt\"}\n" +
				"  This will fail: notes.txt: old does not occur in the file: read the file and copy the text exactly, with its white space"},
		"arguments of the wrong type": {"write", toolArgs{"path": 1, "content": "x"},
			"About to call tool: write\n  {\"content\":\"x\",\"path\":1}\n  This will fail: path must be a string"},
		"null for the content": {"write", toolArgs{"path": "notes.txt", "content": nil},
			"About to call tool: write\n  {\"content\":null,\"path\":\"notes.txt\"}\n  This will fail: content must be a string"},
		"a name with a line feed": {"write", toolArgs{"path": "a\nConfirm execution? [y/N/a] y", "content": ""},
			`About to write a\nConfirm execution? [y/N/a] y: new file, empty`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := findTool(t, tools, test.tool).Preview(t.Context(), argsJSON(t, test.args)); got != test.want {
				t.Errorf("it is\n%s\nwant\n%s", got, test.want)
			}
		})
	}
	if got, err := useTool(t, tools, "ls", nil); err != nil || strings.Contains(got, "new") {
		t.Errorf("the question made %q, %v", got, err)
	}
}

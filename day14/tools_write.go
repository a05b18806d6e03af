package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// target is a file that is to be written, as it is now.
type target struct {
	path         string      // relative to the root, with slashes
	folder, file fs.FileInfo // nil for what does not exist
	text, note   string      // as load returns them
}

// change returns the Plan of write or patch, which keeps a file's byte order mark, and its line ends where all are CRLF.
func (f files) change(isPatch bool) func(context.Context, json.RawMessage) (Plan, error) {
	return func(_ context.Context, args json.RawMessage) (Plan, error) {
		var a fileArgs
		if err := decodeArgs(args, &a); err != nil {
			return Plan{}, err
		}
		then, err := f.target(a.Path)
		if err != nil {
			return Plan{}, err
		}
		after, err := then.changed(a, isPatch)
		before, data, news := then.text, after, "changed"
		if strings.Contains(before, "\n") && toCRLF(before) == before {
			before, after, data = toLF(before), toLF(after), toCRLF(after)
		}
		if then.note == hasMark {
			data = "\uFEFF" + data
		}
		if then.file == nil {
			news = "new file"
		}
		return Plan{
			Preview: "About to write " + visibleLine(then.path) + ": " + news + cmp.Or(diff(before, after), "\n  (no line changes)"),
			Run: func(context.Context) (string, error) {
				return fmt.Sprintf("%s %s, now %d bytes", news, then.path, len(data)), pathError(then.path, f.replace(then, data))
			},
		}, pathError(then.path, err)
	}
}

// changed returns the text after a call of write or patch. It fails where the file's encoding, or a secret in it, would
// be lost.
func (t target) changed(a fileArgs, isPatch bool) (string, error) {
	given := a.Content + a.Old + a.New
	switch {
	case t.note == isNotUTF8 && len(given) != utf8.RuneCountInString(given):
		return "", errors.New(isNotUTF8 + ": with text in UTF-8 it would become a mixture")
	case strings.Contains(given, "[REDACTED:") && !strings.Contains(t.text, "[REDACTED:"):
		return "", errors.New("[REDACTED:NAME] stands for a secret that you are not shown, and must not be written: " +
			"change only the lines beside it, with patch, or leave this to the user")
	case isPatch && t.file == nil:
		return "", fs.ErrNotExist
	case isPatch:
		return replaceOnce(t.text, a.Old, a.New)
	}
	return a.Content, nil
}

// target takes a look at each step of a path. It fails outside the root, where the agent and git keep their own files,
// behind symbolic links, which would hide what is written, and for anything but a text file that can be written.
func (f files) target(name string) (t target, err error) {
	t.path, err = f.local(name)
	home, _ := os.Stat(f.home) // nil if there is none
	step := ""
	for _, part := range strings.Split("./"+t.path, "/") {
		if err != nil {
			return t, err
		}
		step = path.Join(step, part)
		t.folder = t.file
		t.file, err = f.root.Lstat(step)
		switch {
		case strings.EqualFold(part, ".git"), strings.EqualFold(part, filepath.Base(f.home)), os.SameFile(t.file, home):
			err = errors.New("it belongs to the agent itself (permissions, servers, skills) or to git: only a person may change it")
		case errors.Is(err, fs.ErrNotExist):
			err = nil
		case err != nil:
		case t.file.Mode()&fs.ModeSymlink != 0:
			err = errors.New("it is a symbolic link: write to the file that it leads to")
		case t.file.Mode()&0o200 == 0 && !t.file.IsDir():
			err = errors.New("it is read-only")
		}
		err = pathError(step, err)
	}
	if err == nil && t.file != nil {
		t.text, t.note, err = f.load(t.path, maxFile)
	}
	return t, err
}

// replace writes a file that is still as it was then: a new one, which is then renamed, so that whoever reads meanwhile
// finds the old text or the new one, whole. The mode of an existing file is kept.
func (f files) replace(then target, data string) error {
	if err := f.root.MkdirAll(path.Dir(then.path), 0o755); err != nil {
		return err
	}
	// The folder is held open: what is renamed or linked after the checks does not lead the file elsewhere.
	folder, err := f.root.OpenRoot(path.Dir(then.path))
	if err != nil {
		return err
	}
	defer folder.Close()
	opened, _ := folder.Stat(".")
	now, err := f.target(then.path)
	if err != nil || now.text != then.text || now.note != then.note || (now.file == nil) != (then.file == nil) || !os.SameFile(opened, now.folder) {
		return errors.New("it has changed since: read it again")
	}
	temp, mode := ".new-"+rand.Text(), fs.FileMode(0o644)
	defer folder.Remove(temp) // fails after the rename, as it should
	if now.file != nil {
		mode = now.file.Mode().Perm()
	}
	err = folder.WriteFile(temp, []byte(data), mode)
	if err == nil && now.file != nil {
		err = folder.Chmod(temp, mode) // what the umask took away
	}
	if err == nil {
		err = folder.Rename(temp, path.Base(then.path))
	}
	return err
}

// replaceOnce replaces old, which must occur exactly once, by new. Models write lines that end in LF: where old does not
// occur like that, they stand for CRLF.
func replaceOnce(text, old, new string) (string, error) {
	if !strings.Contains(text, old) {
		old, new = toCRLF(old), toCRLF(new)
	}
	switch at := strings.Index(text, old); {
	case old == "":
		return "", errors.New("old is empty: it must be the text to replace (write replaces a whole file)")
	case old == new:
		return "", errors.New("old and new are the same text")
	case at < 0:
		return "", errors.New("old does not occur in the file: read the file and copy the text exactly, with its white space")
	case at != strings.LastIndex(text, old): // also where they overlap
		return "", errors.New("old occurs more than once in the file: add lines before or after it until it is found once")
	}
	return strings.Replace(text, old, new, 1), nil
}

func toLF(text string) string   { return strings.ReplaceAll(text, "\r\n", "\n") }
func toCRLF(text string) string { return strings.ReplaceAll(toLF(text), "\n", "\r\n") }

// diff shows how the text before becomes after, in the unified format: all changes, with three lines around them. Each
// line is indented by two spaces, so that nothing in a file can look like a line of the question below it.
func diff(before, after string) string {
	a, b := slices.Collect(strings.Lines(before)), slices.Collect(strings.Lines(after))
	var text strings.Builder
	for i, j := 0, 0; i < len(a) || j < len(b); i, j = i+1, j+1 {
		if i < len(a) && j < len(b) && a[i] == b[j] {
			continue
		}
		removed, added := difference(a[i:], b[j:])
		above, below := min(3, i), min(3, len(a)-i-removed)
		old, new := above+removed+below, above+added+below
		fmt.Fprintf(&text, "\n  @@ -%d,%d +%d,%d @@", i-above+min(1, old), old, j-above+min(1, new), new)
		for part, lines := range [][]string{a[i-above : i], a[i : i+removed], b[j : j+added], a[i+removed:][:below]} { // kept, removed, added, kept
			for _, line := range lines {
				line, whole := strings.CutSuffix(line, "\n")
				if fmt.Fprintf(&text, "\n  %c%s", " -+ "[part], line); !whole {
					text.WriteString("\n  \\ no line feed at the end")
				}
			}
		}
		i, j = i+removed, j+added
	}
	return text.String()
}

// difference returns how many lines of a and of b stand before the nearest place from which on six lines of both are the
// same, or all that are left. Where that is 1,000 lines away, it is all lines.
func difference(a, b []string) (removed, added int) {
	for far := range 1000 {
		for i := max(0, far-len(b)); i <= min(far, len(a)); i++ {
			x, y := a[i:], b[far-i:]
			if slices.Equal(x[:min(6, len(x))], y[:min(6, len(y))]) {
				return i, far - i
			}
		}
	}
	return len(a), len(b)
}

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

// change returns the Plan of write or patch. What it plans does nothing that the question did not show.
func (f files) change(isPatch bool) func(context.Context, json.RawMessage) (Plan, error) {
	return func(_ context.Context, args json.RawMessage) (Plan, error) {
		var a fileArgs
		if err := decodeArgs(args, &a); err != nil {
			return Plan{}, err
		}
		then, err := f.draft(a, isPatch)
		return Plan{Preview: then.preview, Run: func(context.Context) (string, error) {
			if err := f.root.MkdirAll(path.Dir(then.path), 0o755); err != nil {
				return "", pathError(then.path, err)
			}
			// The folder is held open: what is renamed or linked after the checks does not lead the file elsewhere.
			folder, err := f.root.OpenRoot(path.Dir(then.path))
			if err != nil {
				return "", pathError(then.path, err)
			}
			defer folder.Close()
			opened, _ := folder.Stat(".")
			now, err := f.draft(a, isPatch)
			if err != nil || now.before != then.before || now.preview != then.preview || !os.SameFile(opened, now.folder) {
				return "", fmt.Errorf("%s has changed since; read it again", then.path)
			}
			return now.result, pathError(now.path, now.replace(folder))
		}}, err
	}
}

// draft is what a call of write or patch would do now.
type draft struct {
	path            string      // relative to the root, with slashes
	folder, file    fs.FileInfo // nil for what does not exist
	before, note    string      // as load returns them for the file
	text            string      // the new one
	preview, result string      // what a person and the model get to read
}

// draft makes a draft. The file keeps its byte order mark, and its line ends where all are CRLF. It fails where the
// file's encoding, or a secret in it, would be lost.
func (f files) draft(a fileArgs, isPatch bool) (d draft, err error) {
	if d, err = f.target(a.Path); err != nil {
		return d, err
	}
	before, after, given, news := d.before, a.Content, a.Content+a.Old+a.New, "changed"
	switch {
	case d.note == isNotUTF8 && len(given) != utf8.RuneCountInString(given):
		err = errors.New(isNotUTF8 + ": with text in UTF-8 it would become a mixture")
	case strings.Contains(given, "[REDACTED:") && !strings.Contains(before, "[REDACTED:"):
		err = errors.New("[REDACTED:NAME] stands for a secret that you are not shown, and must not be written: " +
			"change only the lines beside it, with patch, or leave this to the user")
	case isPatch && d.file == nil:
		err = fs.ErrNotExist
	case isPatch:
		after, err = replaceOnce(before, a.Old, a.New)
	case d.file == nil:
		news = "new file"
	}
	d.text = after
	if strings.Contains(before, "\n") && toCRLF(before) == before {
		before, after, d.text = toLF(before), toLF(after), toCRLF(after)
	}
	if d.note == hasMark {
		d.text = "\uFEFF" + d.text
	}
	d.preview = "About to write " + visibleLine(d.path) + ": " + news + cmp.Or(diff(before, after), "\n  (no line changes)")
	d.result = fmt.Sprintf("%s %s, now %d bytes", news, d.path, len(d.text))
	return d, pathError(d.path, err)
}

// target begins a draft with a look at each step of a path. It fails outside the root, where the agent and git keep their
// own files, behind symbolic links, which would hide what is written, and for anything but a text file that can be written.
func (f files) target(name string) (d draft, err error) {
	d.path, err = f.local(name)
	home, _ := os.Stat(f.home) // nil if there is none
	step := ""
	for _, part := range strings.Split("./"+d.path, "/") {
		if err != nil {
			return d, err
		}
		step = path.Join(step, part)
		d.folder = d.file
		d.file, err = f.root.Lstat(step)
		switch {
		case strings.EqualFold(part, ".git"), strings.EqualFold(part, filepath.Base(f.home)), os.SameFile(d.file, home):
			err = errors.New("it belongs to the agent itself (permissions, servers, skills) or to git: only a person may change it")
		case errors.Is(err, fs.ErrNotExist):
			err = nil
		case err != nil:
		case d.file.Mode()&fs.ModeSymlink != 0:
			err = errors.New("it is a symbolic link: write to the file that it leads to")
		case d.file.Mode()&0o200 == 0 && !d.file.IsDir():
			err = errors.New("it is read-only")
		}
		err = pathError(step, err)
	}
	if err == nil && d.file != nil {
		d.before, d.note, err = f.load(d.path, maxFile)
	}
	return d, err
}

// replace writes the file into its folder: a new one, which is then renamed, so that whoever reads meanwhile finds the
// old text or the new one, whole. The mode of an existing file is kept.
func (d draft) replace(folder *os.Root) error {
	temp, mode := ".new-"+rand.Text(), fs.FileMode(0o644)
	defer folder.Remove(temp) // fails after the rename, as it should
	if d.file != nil {
		mode = d.file.Mode().Perm()
	}
	err := folder.WriteFile(temp, []byte(d.text), mode)
	if err == nil && d.file != nil {
		err = folder.Chmod(temp, mode) // what the umask took away
	}
	if err == nil {
		err = folder.Rename(temp, path.Base(d.path))
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
	show := func(sign string, lines []string) {
		for _, line := range lines {
			line, whole := strings.CutSuffix(line, "\n")
			if text.WriteString("\n  " + sign + line); !whole {
				text.WriteString("\n  \\ no line feed at the end")
			}
		}
	}
	for i, j := 0, 0; i < len(a) || j < len(b); i, j = i+1, j+1 {
		if i < len(a) && j < len(b) && a[i] == b[j] {
			continue
		}
		removed, added := difference(a[i:], b[j:])
		above, below := min(3, i), min(3, len(a)-i-removed)
		old, new := above+removed+below, above+added+below
		fmt.Fprintf(&text, "\n  @@ -%d,%d +%d,%d @@", i-above+min(1, old), old, j-above+min(1, new), new)
		show(" ", a[i-above:i])
		show("-", a[i:i+removed])
		show("+", b[j:j+added])
		i, j = i+removed, j+added
		show(" ", a[i:i+below])
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

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"
)

// files is the file tools' one way into the file system. Everything goes through an os.Root: no path, absolute, dotted
// or symbolic, leaves it, not even where a folder becomes a symbolic link in the middle of a call.
type files struct {
	root  *os.Root
	names []string // of the root: a path may begin with any of them
	home  string   // the agent's own folder, which the model may read but not change
}

// newFiles returns the way into root. home is the agent's folder (.geekagent), which need not exist nor lie in root.
func newFiles(root *os.Root, home string) files {
	real, _ := filepath.EvalSymlinks(root.Name()) // "" does no harm
	return files{root, []string{".", root.Name(), real}, home}
}

// local turns a path as models write it into one relative to the root, with slashes. It fails where the path is empty or
// leads out; symbolic links are left to the os.Root.
func (f files) local(path string) (string, error) {
	if path == "" {
		return "", errors.New("path is empty")
	}
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(path+"/", "~/") {
		path = home + path[1:]
	}
	for _, root := range f.names {
		if name, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(name) {
			return filepath.ToSlash(name), nil
		}
	}
	return "", fmt.Errorf("%s is outside the root folder: paths are relative to it, such as \".\" or \"notes.txt\"", path)
}

// open opens a file or folder for reading. It fails outside the root, and for devices and pipes: O_NONBLOCK, since
// opening a named pipe would wait for a writer.
func (f files) open(path string) (file *os.File, info fs.FileInfo, err error) {
	name, err := f.local(path)
	if err != nil {
		return nil, nil, err
	}
	if file, err = f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
		info, err = file.Stat()
	}
	if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		err = errors.New("it is a device or a pipe, not a file")
	}
	if err != nil {
		file.Close() // does nothing where there is no file
	}
	return file, info, pathError(path, err)
}

// load returns what decodeText makes of a file. It fails for a folder, and for more than limit bytes.
func (f files) load(path string, limit int64) (text, note string, err error) {
	file, info, err := f.open(path)
	if err != nil {
		return "", "", err
	}
	defer file.Close()
	data := make([]byte, min(info.Size(), limit+1))
	if info.IsDir() {
		err = errors.New("it is a folder")
	} else if len(data) > int(limit) {
		err = fmt.Errorf("it has more than %d bytes", limit)
	} else if _, err = io.ReadFull(file, data); err == nil {
		text, note, err = decodeText(data)
	}
	return text, note, pathError(path, err)
}

// pathError is err, about a path, in words for the model: its innermost cause, without names of system calls.
func pathError(path string, err error) error {
	if err == nil {
		return nil
	}
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		err = cause
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fs.ErrNotExist
	}
	return fmt.Errorf("%s: %w", path, err)
}

// walk calls visit for all files and folders below a path, sorted by name, until it returns false, or for the path alone if
// that is a file. Names are relative to the root, with slashes. It leaves out .git, node_modules, the agent's own folder and
// what .gitignore files name, unless it is the path itself, and what cannot be read; it follows no symbolic links. note
// tells the model what .gitignore files left out. It fails where the path cannot be read, and with ctx.
func (f files) walk(ctx context.Context, start string, visit func(name string, entry fs.DirEntry) bool) (note string, err error) {
	file, info, err := f.open(start)
	if err != nil {
		return "", err
	}
	defer file.Close()
	start, _ = f.local(start) // open has seen that it works
	if !info.IsDir() {
		visit(start, fs.FileInfoToDirEntry(info))
		return "", nil
	}
	var ignored []string
	var below func(folder string, rules []ignoreRule) (goOn bool)
	below = func(folder string, rules []ignoreRule) bool {
		entries, _ := fs.ReadDir(f.root.FS(), folder) // a folder that is gone, or closed to us, does not spoil the rest
		for _, entry := range entries {
			name, isFolder := path.Join(folder, entry.Name()), entry.IsDir()
			switch {
			case ctx.Err() != nil:
				return false
			case isFolder && slices.Contains([]string{".git", "node_modules", filepath.Base(f.home)}, strings.ToLower(entry.Name())):
			case isIgnored(rules, name, isFolder):
				ignored = append(ignored, name)
			case !visit(name, entry), isFolder && !below(name, f.ignoreFile(name, rules)):
				return false
			}
		}
		return true
	}
	rules := f.ignoreFile(".", nil)
	if start != "." {
		rules = f.ignoreFile(start, rules)
		if isIgnored(rules, start, true) || isIgnored(rules, start+"/\x00", false) {
			rules = nil // they leave out the folder itself, or all that is in it: it was named all the same
		}
	}
	below(start, rules)
	return leftOut("\n[%d left out by .gitignore, such as %s: name one to look into it]", ignored), ctx.Err()
}

// leftOut returns a note for the model about files, five of which it names, or "".
func leftOut(format string, files []string) string {
	if len(files) == 0 {
		return ""
	}
	return fmt.Sprintf(format, len(files), strings.Join(files[:min(len(files), 5)], ", "))
}

// ignoreRule is a line of a .gitignore file, for names in any folder, or for paths from the root, which begin with "/".
type ignoreRule struct {
	glob              string
	keep, onlyFolders bool
}

// ignoreFile adds the lines of a folder's .gitignore file, globs of path.Match with ** at either end, to the rules from above.
func (f files) ignoreFile(folder string, above []ignoreRule) []ignoreRule {
	rules := slices.Clip(above)
	text, _, _ := f.load(path.Join(folder, ".gitignore"), maxFile)
	for line := range strings.Lines(text) {
		glob, keep := strings.CutPrefix(strings.TrimRight(line, " \r\n"), "!")
		glob, onlyFolders := strings.CutSuffix(strings.TrimPrefix(glob, "**/"), "/")
		if strings.Contains(glob, "/") {
			glob = path.Join("/", folder, strings.TrimSuffix(glob, "/**"))
		}
		rules = append(rules, ignoreRule{glob, keep, onlyFolders})
	}
	return rules
}

// isIgnored reports whether the last of the rules for a name does not keep it.
func isIgnored(rules []ignoreRule, name string, isFolder bool) (ignored bool) {
	for _, rule := range rules {
		subject := path.Base(name)
		if strings.HasPrefix(rule.glob, "/") {
			subject = "/" + name
		}
		if matched, _ := path.Match(rule.glob, subject); matched && (isFolder || !rule.onlyFolders) {
			ignored = !rule.keep
		}
	}
	return ignored
}

// globRegexp turns a glob into a regular expression: * and ? stay within a name, ** stands for any folders, {go,md} for
// one of several; brackets are part of a name. Matching takes linear time. It fails on a brace without its partner.
func globRegexp(glob string) (*regexp.Regexp, error) {
	expression := strings.NewReplacer(`\*\*/`, `(?:.*/)?`, `\*\*`, `.+`, `\*`, `[^/]*`, `\?`, `[^/]`).Replace(regexp.QuoteMeta(glob))
	if strings.Contains(glob, "{") {
		expression = strings.NewReplacer(`\{`, `(?:`, ",", "|", `\}`, ")").Replace(expression)
	}
	re, err := regexp.Compile(`\A` + expression + `\z`)
	if err != nil {
		err = errors.New("the pattern has a brace without its partner: " + glob)
	}
	return re, err
}

// What decodeText notes about a text.
const hasMark, isNotUTF8 = "it begins with a byte order mark", "it is not UTF-8"

// decodeText returns the bytes of a file as text, without a byte order mark. note is hasMark, isNotUTF8 or "". It fails for
// UTF-16 and for binary data: a NUL near the beginning gives nearly every such format away.
func decodeText(data []byte) (text, note string, err error) {
	text, marked := strings.CutPrefix(string(data), "\uFEFF")
	switch {
	case strings.HasPrefix(text, "\xff\xfe"), strings.HasPrefix(text, "\xfe\xff"):
		return "", "", errors.New("it is UTF-16 text: convert it to UTF-8 first")
	case strings.Contains(text[:min(len(text), 8<<10)], "\x00"), strings.HasPrefix(text, "%PDF-"):
		return "", "", errors.New("it is a binary file, not text")
	case !utf8.ValidString(text):
		note = isNotUTF8
	case marked:
		note = hasMark
	}
	return text, note, nil
}

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

const (
	maxRead       = 30 << 10 // bytes of text in one result: less than maxResult, so that nothing is cut in the middle
	maxGlobHits   = 200      // paths, as the tool's description says
	maxSearchHits = 100      // lines, as the tool's description says
	maxSearchLine = 300      // bytes of a line that are shown
	maxSearched   = 1 << 20  // bytes of a file that is searched without being named
	maxFile       = 32 << 20 // bytes of a file that is read or changed, or searched by its name
)

// fileArgs are the arguments of all file tools together; each tool's schema says which ones it takes.
type fileArgs struct {
	Path, Pattern, Content, Old, New string
	Offset, Limit                    float64
	FromByte                         float64 `json:"from_byte"`
}

// fileTools returns ls, read, glob, search, write and patch for the files below root, which the caller closes after the
// last call. home is the path of the agent's folder.
func fileTools(root *os.Root, home string) []Tool {
	f := newFiles(root, home)
	tool := func(name, description, schema string, run func(context.Context, fileArgs) (string, error)) Tool {
		return Tool{Name: name, Description: description, Parameters: json.RawMessage(schema), Parallel: true, Policy: Allow,
			Run: func(ctx context.Context, args json.RawMessage) (string, error) {
				var a fileArgs
				if err := decodeArgs(args, &a); err != nil {
					return "", err
				}
				return run(ctx, a)
			}}
	}
	return []Tool{
		tool("ls", "List the files of a folder.", `{"type":"object","properties":{
			"path":{"type":"string","description":"The folder; without it the top folder"}}}`, f.ls),
		tool("read", "Read a text file, or some lines of it.", `{"type":"object","properties":{
			"path":{"type":"string","description":"The file"},
			"offset":{"type":"integer","description":"Number of the first line to read, counted from 1"},
			"limit":{"type":"integer","description":"Number of lines to read"},
			"from_byte":{"type":"integer","description":"Number of bytes to skip first"}},"required":["path"]}`, f.read),
		tool("glob", "Find files by name. Shows at most 200.", `{"type":"object","properties":{
			"pattern":{"type":"string","description":"A path with * for any name and ** for any folders: **/*.go"}},"required":["pattern"]}`, f.glob),
		tool("search", "Search the files for a regular expression. Shows at most 100 lines.", `{"type":"object","properties":{
			"pattern":{"type":"string","description":"A regular expression, looked for in each line"},
			"path":{"type":"string","description":"The file or folder to search; without it the top folder"}},"required":["pattern"]}`, f.search),
		{Name: "write", Description: "Write a whole file: a new one, or in place of the old one.", Plan: f.change(false),
			Parameters: json.RawMessage(`{"type":"object","properties":{
			"path":{"type":"string","description":"The file; missing folders are made"},
			"content":{"type":"string","description":"The whole new text of the file"}},"required":["path","content"]}`)},
		{Name: "patch", Description: "Change a file: replace one piece of its text by another.", Plan: f.change(true),
			Parameters: json.RawMessage(`{"type":"object","properties":{
			"path":{"type":"string","description":"The file"},
			"old":{"type":"string","description":"The text to replace, as it stands in the file, exactly once"},
			"new":{"type":"string","description":"The text that takes its place"}},"required":["path","old","new"]}`)},
	}
}

// ls lists a folder, sorted by name, with the size of each file in bytes.
func (f files) ls(_ context.Context, a fileArgs) (string, error) {
	folder, _, err := f.open(cmp.Or(a.Path, "."))
	if err != nil {
		return "", err
	}
	defer folder.Close()
	var lines []string
	infos, err := folder.Readdir(-1)
	for _, info := range infos {
		line := info.Name()
		switch mode := info.Mode(); {
		case mode.IsDir():
			line += "/"
		case mode.IsRegular():
			line += fmt.Sprintf("  %d bytes", info.Size())
		case mode&fs.ModeSymlink != 0:
			line += "  (symbolic link)"
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return cmp.Or(strings.Join(lines, "\n"), "(the folder is empty)"), pathError(a.Path, err)
}

// read returns the text of a file, or the lines that are asked for, at most maxRead bytes, and says what is left.
func (f files) read(_ context.Context, a fileArgs) (string, error) {
	text, note, err := f.load(a.Path, maxFile)
	if err != nil {
		return "", err
	}
	rest := text[min(max(0, int(a.FromByte)), len(text)):]
	for line := 1; line < int(a.Offset) && rest != ""; line++ {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	part, lines, notes := "", 0, ""
	for line := range strings.Lines(rest) {
		if lines++; len(part)+len(line) > maxRead || a.Limit > 0 && lines > int(a.Limit) {
			break
		}
		part += line
	}
	if part == "" { // a line that is too long: its beginning
		part = rest[:min(len(rest), maxRead)]
		if note != isNotUTF8 {
			part = strings.ToValidUTF8(part, "") // without half a character at the end
		}
	}
	switch left := len(rest) - len(part); {
	case text == "":
		return "(the file is empty)", nil
	case rest == "":
		return "", fmt.Errorf("that is behind the end: the file has %d lines", len(slices.Collect(strings.Lines(text))))
	case left > 0:
		first := strings.Count(text[:len(text)-len(rest)], "\n") + 1
		last := first + strings.Count(strings.TrimSuffix(part, "\n"), "\n")
		notes = fmt.Sprintf("\n[lines %d to %d; %d bytes are left: go on with from_byte %d]", first, last, left, len(text)-left)
	}
	if note != "" {
		notes += "\n[" + note + "]"
	}
	if notes != "" {
		part = strings.TrimSuffix(part, "\n") + notes
	}
	return part, nil
}

// glob returns the paths that match a pattern, or the one that is spelled like it.
func (f files) glob(ctx context.Context, a fileArgs) (string, error) {
	pattern, err := f.local(a.Pattern)
	if err != nil {
		return "", err
	}
	if _, err := f.root.Lstat(pattern); err == nil {
		return pattern, nil
	}
	re, err := globRegexp(pattern)
	if err != nil {
		return "", err
	}
	start := path.Dir(pattern[:strings.IndexAny(pattern+"*", "*?[{")] + "x") // the folders before the first wildcard
	none := fmt.Sprintf("no file matches %s (** stands for any folders: **/*.go)", a.Pattern)
	return f.collect(ctx, start, none, maxGlobHits, func(name string, entry fs.DirEntry) []string {
		if !re.MatchString(name) {
			return nil
		} else if entry.IsDir() {
			name += "/"
		}
		return []string{name}
	})
}

// search returns the lines that match a regular expression, each with its path and number, and says what it has skipped.
func (f files) search(ctx context.Context, a fileArgs) (string, error) {
	re, err := regexp.Compile(a.Pattern)
	if err != nil {
		return "", fmt.Errorf("pattern is not a valid regular expression: %w", err)
	}
	start, err := f.local(cmp.Or(a.Path, "."))
	if err != nil {
		return "", err
	}
	skipped := map[string]int{} // files, by reason
	list, err := f.collect(ctx, start, "no line matches "+a.Pattern, maxSearchHits, func(name string, entry fs.DirEntry) []string {
		limit := int64(maxSearched)
		if name == start {
			limit = maxFile
		} else if !entry.Type().IsRegular() {
			return nil
		}
		text, _, err := f.load(name, limit)
		if err != nil {
			skipped[errors.Unwrap(err).Error()]++
		}
		return matches(re, name, text)
	})
	for _, reason := range slices.Sorted(maps.Keys(skipped)) {
		list += fmt.Sprintf("\n[%d not searched: %s; name one as path to try it]", skipped[reason], reason)
	}
	return list, err
}

// matches returns the lines of a file's text that match, of long ones the part with the match.
func matches(re *regexp.Regexp, name, text string) (lines []string) {
	position, number := 0, 0
	if prefix, _ := re.LiteralPrefix(); !strings.Contains(text, prefix) {
		return nil // which saves most files the look at each line
	}
	for line := range strings.Lines(text) {
		number++
		shown := strings.TrimRight(line, "\r\n")
		if match := re.FindStringIndex(shown); match != nil && len(lines) < maxSearchHits {
			if from := max(0, min(match[0]-maxSearchLine/3, len(shown)-maxSearchLine)); len(shown) > maxSearchLine {
				shown = strings.ToValidUTF8(shown[from:from+maxSearchLine], "")
				shown = fmt.Sprintf("…%s… [read from_byte %d]", shown, position+from)
			}
			lines = append(lines, fmt.Sprintf("%s:%d: %s", name, number, shown))
		}
		position += len(line)
	}
	return lines
}

// collect lists what find returns for the files and folders below start, up to most lines and about maxRead bytes; none
// stands for an empty list.
func (f files) collect(ctx context.Context, start, none string, most int, find func(string, fs.DirEntry) []string) (string, error) {
	list, count := "", 0
	isFull := func() bool { return count == most || len(list) > maxRead-maxRead/8 }
	note, err := f.walk(ctx, start, func(name string, entry fs.DirEntry) bool {
		for _, line := range find(name, entry) {
			if !isFull() {
				list, count = list+line+"\n", count+1
			}
		}
		return !isFull()
	})
	if isFull() {
		note = fmt.Sprintf("\n[stopped at %d hits; a narrower pattern or path shows others]", count) + note
	}
	return cmp.Or(strings.TrimSuffix(list, "\n"), none) + note, err
}

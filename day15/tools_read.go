package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
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
	maxSearchLine = 250      // bytes of a line that are shown
	maxFile       = 32 << 20 // bytes of a file that is read, searched or changed
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
		lines = append(lines, info.Name()+map[fs.FileMode]string{
			0:              fmt.Sprintf("  %d bytes", info.Size()),
			fs.ModeDir:     "/",
			fs.ModeSymlink: "  (symbolic link)",
		}[info.Mode().Type()])
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
	rest := afterLines(text[min(max(0, int(a.FromByte)), len(text)):], a.Offset-1)
	part := rest
	if a.Limit > 0 {
		part = rest[:len(rest)-len(afterLines(rest, a.Limit))]
	}
	if len(part) > maxRead {
		part = part[:maxRead]
		if end := strings.LastIndex(part, "\n") + 1; end > 0 {
			part = part[:end]
		} else if note != isNotUTF8 {
			part = strings.ToValidUTF8(part, "") // without half a character at the end
		}
	}
	notes := ""
	switch left := len(rest) - len(part); {
	case text == "":
		return "(the file is empty)", nil
	case rest == "":
		return "", fmt.Errorf("that is behind the end: the file has %d lines", len(slices.Collect(strings.Lines(text))))
	case left > 0:
		notes = fmt.Sprintf("\n[%d bytes are left: go on with from_byte %d]", left, len(text)-left)
	}
	if note != "" {
		notes += "\n[" + note + "]"
	}
	if notes != "" {
		part = strings.TrimSuffix(part, "\n") + notes
	}
	return part, nil
}

// afterLines returns what follows the first lines of a text.
func afterLines(text string, count float64) string {
	for ; count > 0 && text != ""; count-- {
		_, text, _ = strings.Cut(text, "\n")
	}
	return text
}

// glob returns the paths that match a pattern.
func (f files) glob(ctx context.Context, a fileArgs) (string, error) {
	pattern, err := f.local(a.Pattern)
	if err != nil {
		return "", err
	}
	re, err := globRegexp(pattern)
	if err != nil {
		return "", err
	}
	start := path.Dir(pattern[:strings.IndexAny(pattern+"*", "*?{")] + "x") // the folders before the first wildcard
	var hits []string
	note, err := f.walk(ctx, start, func(name string, entry fs.DirEntry) bool {
		shown := name
		if entry.IsDir() {
			shown += "/"
		}
		if re.MatchString(name) {
			hits = append(hits, shown)
		}
		return len(hits) < maxGlobHits
	})
	return listed(hits, maxGlobHits, "no file matches "+a.Pattern+" (** stands for any folders: **/*.go)") + note, err
}

// search returns the lines that match a regular expression, each with its path and number, and says what it has skipped.
func (f files) search(ctx context.Context, a fileArgs) (string, error) {
	re, err := regexp.Compile(a.Pattern)
	if err != nil {
		return "", fmt.Errorf("pattern is not a valid regular expression: %w", err)
	}
	var hits, skipped []string
	note, err := f.walk(ctx, cmp.Or(a.Path, "."), func(name string, entry fs.DirEntry) bool {
		if entry.Type().IsRegular() {
			text, _, err := f.load(name, maxFile)
			if err != nil {
				skipped = append(skipped, err.Error())
			}
			hits = append(hits, matches(re, name, text)...)
		}
		return len(hits) < maxSearchHits
	})
	return listed(hits, maxSearchHits, "no line matches "+a.Pattern) + note + leftOut("\n[%d not searched, such as %s]", skipped), err
}

// matches returns the lines of a file's text that match, of long ones the part with the match.
func matches(re *regexp.Regexp, name, text string) (lines []string) {
	if prefix, _ := re.LiteralPrefix(); !strings.Contains(text, prefix) {
		return nil // which saves most files the look at each line
	}
	position, number := 0, 0
	for line := range strings.Lines(text) {
		number++
		shown := strings.TrimRight(line, "\r\n")
		if match := re.FindStringIndex(shown); match != nil && len(lines) < maxSearchHits {
			if len(shown) > maxSearchLine {
				from := max(0, match[0]-maxSearchLine/3)
				shown = strings.ToValidUTF8(shown[from:min(from+maxSearchLine, len(shown))], "")
				shown = fmt.Sprintf("…%s… [read from_byte %d]", shown, position+from)
			}
			lines = append(lines, fmt.Sprintf("%s:%d: %s", name, number, shown))
		}
		position += len(line)
	}
	return lines
}

// listed returns the first hits, up to most, as the model gets them; none stands for an empty list.
func listed(hits []string, most int, none string) string {
	if len(hits) < most {
		return cmp.Or(strings.Join(hits, "\n"), none)
	}
	return fmt.Sprintf("%s\n[stopped at %d hits; a narrower pattern or path shows others]", strings.Join(hits[:most], "\n"), most)
}

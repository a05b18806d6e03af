package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
)

// Where glob and search stop. Whoever needs more than that asks more precisely.
const (
	maxGlobHits     = 200     // paths
	maxSearchHits   = 100     // lines
	maxSearchedFile = 1 << 20 // bytes; larger files are left out
	maxSearchLine   = 300     // bytes of a line that are shown
)

// glob returns the paths that match a pattern, at most maxGlobHits.
func (f files) glob(ctx context.Context, args json.RawMessage) (string, error) {
	a := struct {
		Pattern string `json:"pattern"`
	}{}
	if err := decodeArgs(args, &a); err != nil {
		return "", err
	}
	pattern, err := f.local(a.Pattern)
	if err != nil {
		return "", err
	}
	glob, err := globRegexp(filepath.ToSlash(pattern))
	if err != nil {
		return "", err
	}
	var hits []string
	err = f.walk(ctx, ".", func(name string, entry fs.DirEntry) bool {
		if glob.MatchString(name) {
			if entry.IsDir() {
				name += "/"
			}
			hits = append(hits, name)
		}
		return len(hits) < maxGlobHits
	})
	if err != nil {
		return "", err
	}
	if len(hits) == 0 {
		return fmt.Sprintf("no file matches %s (** stands for any folders: **/*.go)", a.Pattern), nil
	}
	return hitList(hits, maxGlobHits), nil
}

// search returns the lines that match a regular expression, at most maxSearchHits, each with its path and number.
func (f files) search(ctx context.Context, args json.RawMessage) (string, error) {
	a := struct {
		Pattern string `json:"pattern"`
		Path    string `json:"path"`
	}{Path: "."}
	if err := decodeArgs(args, &a); err != nil {
		return "", err
	}
	if a.Path == "" {
		a.Path = "."
	}
	re, err := regexp.Compile(a.Pattern)
	if err != nil {
		return "", fmt.Errorf("pattern is not a valid regular expression: %w", err)
	}
	hits, err := f.searchIn(ctx, re, a.Path)
	if err != nil {
		return "", err
	}
	if len(hits) == 0 {
		return "no line matches " + a.Pattern, nil
	}
	return hitList(hits, maxSearchHits), nil
}

// searchIn searches one file or all files of a folder. Of the files of a folder, those that are binary, too large or
// unreadable are left out in silence; a single file that is one of these is an error.
func (f files) searchIn(ctx context.Context, re *regexp.Regexp, path string) ([]string, error) {
	start, err := f.local(path)
	if err != nil {
		return nil, err
	}
	info, err := f.root.Stat(start)
	if err != nil {
		return nil, pathError(path, err)
	}
	if !info.IsDir() {
		return f.searchFile(re, start, maxSearchHits)
	}
	var hits []string
	err = f.walk(ctx, start, func(name string, entry fs.DirEntry) bool {
		if entry.Type().IsRegular() {
			found, _ := f.searchFile(re, name, maxSearchHits-len(hits)) // left out in silence
			hits = append(hits, found...)
		}
		return len(hits) < maxSearchHits
	})
	if err != nil {
		return nil, pathError(path, err)
	}
	return hits, nil
}

// searchFile returns up to limit matching lines as "path:line: text".
func (f files) searchFile(re *regexp.Regexp, name string, limit int) ([]string, error) {
	file, info, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info.Size() > maxSearchedFile {
		return nil, fmt.Errorf("%s has more than %d bytes: it is not searched", name, maxSearchedFile)
	}
	data, err := io.ReadAll(io.LimitReader(file, maxSearchedFile))
	if err == nil && isBinary(data) {
		err = errors.New("it is a binary file, not text")
	}
	if err != nil {
		return nil, pathError(name, err)
	}
	var hits []string
	number := 0
	for line := range bytes.Lines(data) {
		number++
		line = bytes.TrimRight(line, "\r\n")
		if match := re.FindIndex(line); match != nil && len(hits) < limit {
			hits = append(hits, fmt.Sprintf("%s:%d: %s", filepath.ToSlash(name), number, around(line, match[0])))
		}
	}
	return hits, nil
}

// around is a line, or of a long line the part with the match, which begins at the byte at.
func around(line []byte, at int) string {
	if len(line) <= maxSearchLine {
		return string(line)
	}
	from := max(0, min(at-maxSearchLine/3, len(line)-maxSearchLine))
	return "…" + strings.ToValidUTF8(string(line[from:from+maxSearchLine]), "") + "…"
}

func hitList(hits []string, most int) string {
	text := strings.Join(hits, "\n")
	if len(hits) == most {
		text += fmt.Sprintf("\n[stopped at %d hits; a narrower pattern or path shows others]", most)
	}
	return text
}

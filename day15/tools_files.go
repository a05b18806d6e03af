package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// files is the one way of the file tools into the file system. Everything goes through an os.Root: no path, absolute,
// dotted or symbolic, leaves it, not even where a folder becomes a symbolic link in the middle of a call.
type files struct {
	root *os.Root
	real string // the root's path without symbolic links
	own  string // the agent's own folder, which the model may read but not change
}

// newFiles returns the way into root. own is the path of the agent's folder (.geekagent), which need not exist and need
// not lie in root.
func newFiles(root *os.Root, own string) files {
	f := files{root: root, real: root.Name(), own: own}
	if real, err := filepath.EvalSymlinks(root.Name()); err == nil {
		f.real = real
	}
	return f
}

const (
	lsSchema = `{"type":"object","properties":{
		"path":{"type":"string","description":"The folder; without it the top folder"}}}`
	readSchema = `{"type":"object","properties":{
		"path":{"type":"string","description":"The file"},
		"offset":{"type":"integer","description":"Number of the first line to read, counted from 1"},
		"limit":{"type":"integer","description":"Number of lines to read"}},"required":["path"]}`
	globSchema = `{"type":"object","properties":{
		"pattern":{"type":"string","description":"A path with * for any name and ** for any folders: **/*.go"}},"required":["pattern"]}`
	searchSchema = `{"type":"object","properties":{
		"pattern":{"type":"string","description":"A regular expression, looked for in each line"},
		"path":{"type":"string","description":"The file or folder to search; without it the top folder"}},"required":["pattern"]}`
	writeSchema = `{"type":"object","properties":{
		"path":{"type":"string","description":"The file; missing folders are made"},
		"content":{"type":"string","description":"The whole new text of the file"}},"required":["path","content"]}`
	patchSchema = `{"type":"object","properties":{
		"path":{"type":"string","description":"The file"},
		"old":{"type":"string","description":"The text to replace, as it stands in the file, exactly once"},
		"new":{"type":"string","description":"The text that takes its place"}},"required":["path","old","new"]}`
)

// fileTools returns ls, read, glob, search, write and patch for the files below root, which the caller closes after the
// last call. own is the path of the agent's folder.
func fileTools(root *os.Root, own string) []Tool {
	f := newFiles(root, own)
	reader := func(name, description, schema string, run func(context.Context, json.RawMessage) (string, error)) Tool {
		return Tool{Name: name, Description: description, Parameters: json.RawMessage(schema),
			Run: run, Parallel: true, Policy: Allow}
	}
	return []Tool{
		reader("ls", "List the files of a folder.", lsSchema, f.ls),
		reader("read", "Read a text file, or some lines of it.", readSchema, f.read),
		reader("glob", fmt.Sprintf("Find files by name. Shows at most %d.", maxGlobHits), globSchema, f.glob),
		reader("search", fmt.Sprintf("Search the files for a regular expression. Shows at most %d lines.", maxSearchHits),
			searchSchema, f.search),
		{Name: "write", Description: "Write a whole file: a new one, or in place of the old one.",
			Parameters: json.RawMessage(writeSchema), Run: f.write, Preview: f.writePreview},
		{Name: "patch", Description: "Change a file: replace one piece of its text by another.",
			Parameters: json.RawMessage(patchSchema), Run: f.patch, Preview: f.patchPreview},
	}
}

// local turns a path as models write it into one relative to the root, in the system's spelling. It fails where the
// path is empty or leads out; symbolic links are left to the os.Root.
func (f files) local(path string) (string, error) {
	if path == "" {
		return "", errors.New("path is empty")
	}
	if home, err := os.UserHomeDir(); err == nil && (path == "~" || strings.HasPrefix(path, "~/")) {
		path = home + path[1:]
	}
	if name := filepath.Clean(path); filepath.IsLocal(name) {
		return name, nil
	}
	for _, root := range []string{f.root.Name(), f.real} {
		full := path
		if !filepath.IsAbs(full) {
			full = filepath.Join(root, full)
		}
		if name, err := filepath.Rel(root, full); err == nil && filepath.IsLocal(name) {
			return name, nil
		}
	}
	return "", fmt.Errorf("%s is outside the root folder: paths are relative to it, such as \".\" or \"notes.txt\"", path)
}

// open opens a file or folder for reading. O_NONBLOCK: opening a named pipe must not wait for its writer.
func (f files) open(path string) (*os.File, fs.FileInfo, error) {
	name, err := f.local(path)
	if err != nil {
		return nil, nil, err
	}
	file, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, pathError(path, err)
	}
	info, err := file.Stat()
	if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		err = errors.New("it is a device or a pipe, not a file")
	}
	if err != nil {
		file.Close()
		return nil, nil, pathError(path, err)
	}
	return file, info, nil
}

// pathError is an error about a path in words for the model: its innermost cause, without names of system calls.
func pathError(path string, err error) error {
	path = filepath.ToSlash(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	for cause := errors.Unwrap(err); cause != nil; cause = errors.Unwrap(err) {
		err = cause
	}
	return fmt.Errorf("%s: %w", path, err)
}

// ls lists a folder, sorted by name, with the size of each file in bytes.
func (f files) ls(_ context.Context, args json.RawMessage) (string, error) {
	a := struct {
		Path string `json:"path"`
	}{}
	if err := decodeArgs(args, &a); err != nil {
		return "", err
	}
	if a.Path == "" {
		a.Path = "."
	}
	folder, info, err := f.open(a.Path)
	if err != nil {
		return "", err
	}
	defer folder.Close()
	if !info.IsDir() {
		return "", fmt.Errorf("%s is a file: use read", a.Path)
	}
	entries, err := folder.ReadDir(-1)
	if err != nil {
		return "", pathError(a.Path, err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	var lines []string
	for _, entry := range entries {
		lines = append(lines, lsLine(entry))
	}
	if len(lines) == 0 {
		return "(the folder is empty)", nil
	}
	return strings.Join(lines, "\n"), nil
}

func lsLine(entry fs.DirEntry) string {
	info, err := entry.Info()
	switch {
	case entry.IsDir():
		return entry.Name() + "/"
	case entry.Type()&fs.ModeSymlink != 0:
		return entry.Name() + "  (symbolic link)"
	case err != nil || !info.Mode().IsRegular():
		return entry.Name()
	}
	return fmt.Sprintf("%s  %d bytes", entry.Name(), info.Size())
}

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// folder opens the folder dir, a local path, for writing into it, and makes what is missing if it may. It fails where
// dir, under any name, is one of own: there a model could widen its own permissions.
func (f files) folder(dir string, own []fs.FileInfo, makeFolders bool) (*os.Root, error) {
	folder, err := f.otherFolder(".", own, false)
	step := "."
	for _, part := range strings.Split(dir, string(filepath.Separator)) {
		if err != nil {
			return nil, err
		}
		folder.Close()
		step = filepath.Join(step, part)
		folder, err = f.otherFolder(step, own, makeFolders)
	}
	return folder, err
}

// otherFolder opens a folder, unless it is one of own. The check is made on the open folder: it holds for whatever is
// written there, even if the path leads elsewhere a moment later.
func (f files) otherFolder(path string, own []fs.FileInfo, makeFolder bool) (*os.Root, error) {
	info, err := f.root.Stat(path)
	if makeFolder && errors.Is(err, fs.ErrNotExist) {
		if err = f.root.Mkdir(path, 0o755); errors.Is(err, fs.ErrExist) {
			err = nil // somebody was faster, or it is a symbolic link that leads nowhere: then OpenRoot fails
		}
	} else if err == nil && !info.IsDir() {
		err = errors.New("it is no folder") // OpenRoot would wait at a named pipe
	}
	if err != nil {
		return nil, pathError(path, err)
	}
	folder, err := f.root.OpenRoot(path)
	if err != nil {
		return nil, pathError(path, err)
	}
	info, err = folder.Stat(".")
	switch {
	case err != nil:
		err = pathError(path, err)
	case isOneOf(own, info):
		err = errOwn(path)
	default:
		return folder, nil
	}
	folder.Close()
	return nil, err
}

// ownPlaces returns what a model must not write to: the agent's folder, all folders in it, and the files and folders
// to which symbolic links in it lead. They can be recognised under any name: through another link, or spelled otherwise
// where the file system ignores case. It fails where a link leads nowhere: whoever wrote there would fill it.
func (f files) ownPlaces() ([]fs.FileInfo, error) {
	if _, err := os.Lstat(f.own); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	own, err := addPlaces(nil, f.own)
	if err != nil {
		return nil, fmt.Errorf("the agent's own folder cannot be told from others: %w", err)
	}
	return own, nil
}

// addPlaces adds to own what lies at path: a file, or a folder with what is below it. What is there already is not
// looked at again, so that links never go in circles.
func addPlaces(own []fs.FileInfo, path string) ([]fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil || isOneOf(own, info) {
		return own, err
	}
	own = append(own, info)
	if !info.IsDir() {
		return own, nil
	}
	entries, err := os.ReadDir(path)
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			continue // its folder is enough
		}
		if own, err = addPlaces(own, filepath.Join(path, entry.Name())); err != nil {
			break
		}
	}
	return own, err
}

// isOneOf reports whether info is the file or folder of one of own, under whatever name.
func isOneOf(own []fs.FileInfo, info fs.FileInfo) bool {
	return slices.ContainsFunc(own, func(o fs.FileInfo) bool { return os.SameFile(o, info) })
}

// ownName reports whether a folder of this name is taken for the agent's own, also where it does not exist yet, or
// belongs to another project.
func (f files) ownName(name string) bool { return strings.EqualFold(name, filepath.Base(f.own)) }

// errOwn says, to the model, why nothing is written to path.
func errOwn(path string) error {
	return fmt.Errorf("%s belongs to the agent itself (permissions, servers, skills): only a person may change it", path)
}

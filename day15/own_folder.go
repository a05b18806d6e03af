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
// dir, under any name, is the agent's own folder or lies in it: there a model could widen its own permissions.
func (f files) folder(dir string, makeFolders bool) (*os.Root, error) {
	own, err := f.ownFolders()
	if err != nil {
		return nil, fmt.Errorf("the agent's own folder cannot be told from others: %w", err)
	}
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
	case slices.ContainsFunc(own, func(o fs.FileInfo) bool { return os.SameFile(o, info) }):
		err = errOwn(path)
	default:
		return folder, nil
	}
	folder.Close()
	return nil, err
}

// ownFolders returns the agent's folder and all folders in it as they can be recognised under any name: through a
// symbolic link, or spelled otherwise where the file system ignores case.
func (f files) ownFolders() ([]fs.FileInfo, error) {
	var own []fs.FileInfo
	err := fs.WalkDir(os.DirFS(f.own), ".", func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			var info fs.FileInfo
			if info, err = entry.Info(); err == nil {
				own = append(own, info)
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // there is no such folder yet
		}
		return err
	})
	return own, err
}

// ownName reports whether a folder of this name is taken for the agent's own, also where it does not exist yet, or
// belongs to another project.
func (f files) ownName(name string) bool { return strings.EqualFold(name, filepath.Base(f.own)) }

func errOwn(path string) error {
	return fmt.Errorf("%s belongs to the agent itself (permissions, servers, skills): only a person may change it", path)
}

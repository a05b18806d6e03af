package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// maxEdited is the size, in bytes, up to which the text of an existing file is compared and patched.
const maxEdited = 8 << 20

// target is a file that is to be written. Its folder is held open: whatever is renamed or linked meanwhile, the file
// is written into the folder that was checked.
type target struct {
	path   string      // for messages
	folder *os.Root    // nil if it does not exist
	name   string      // in folder
	info   fs.FileInfo // nil if the file does not exist
}

// target checks where path leads, and makes missing folders if it may. It fails outside the root, where the agent's own
// files are, and where there is something other than a file that can be written; a symbolic link counts as such,
// since it would hide from a person what is written. The caller closes the target.
func (f files) target(path string, makeFolders bool) (target, error) {
	t := target{path: path}
	local, err := f.local(path)
	if err != nil {
		return t, err
	}
	t.path, t.name = filepath.ToSlash(local), filepath.Base(local)
	if slices.ContainsFunc(strings.Split(t.path, "/"), f.ownName) {
		return t, errOwn(path)
	}
	own, err := f.ownPlaces()
	if err != nil {
		return t, err
	}
	t.folder, err = f.folder(filepath.Dir(local), own, makeFolders)
	if errors.Is(err, fs.ErrNotExist) && !makeFolders {
		return t, nil
	} else if err != nil {
		return t, err
	}
	t.info, err = t.folder.Lstat(t.name)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err == nil {
		err = writable(t.info)
	}
	switch {
	case err != nil:
		err = pathError(path, err)
	case isOneOf(own, t.info):
		err = errOwn(path)
	default:
		return t, nil
	}
	t.close()
	return t, err
}

// writable fails for what is no file that can be written.
func writable(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errors.New("it is a folder")
	case info.Mode()&fs.ModeSymlink != 0:
		return errors.New("it is a symbolic link: write to the file that it leads to")
	case !info.Mode().IsRegular():
		return errors.New("it is a device or a pipe, not a file")
	case info.Mode()&0o200 == 0:
		return errors.New("it is read-only")
	}
	return nil
}

// close closes the folder.
func (t target) close() {
	if t.folder != nil {
		t.folder.Close()
	}
}

// read returns the file's text. It fails with fs.ErrNotExist if there is no file, and where it is binary or too large.
func (t target) read() (string, error) {
	if t.info == nil {
		return "", pathError(t.path, fs.ErrNotExist)
	}
	file, err := t.folder.OpenFile(t.name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", pathError(t.path, err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxEdited+1))
	switch {
	case err != nil:
		return "", pathError(t.path, err)
	case len(data) > maxEdited:
		return "", fmt.Errorf("%s is larger than %d bytes", t.path, maxEdited)
	case isBinary(data):
		return "", fmt.Errorf("%s is a binary file, not text", t.path)
	}
	return string(data), nil
}

// placeholder begins what the model is shown in place of a secret: see Redactor.
const placeholder = "[REDACTED:"

// keepsSecrets fails where text has a placeholder and the file, whose text is before, has none: where the file holds the
// secret itself, it would be lost.
func keepsSecrets(before, text string) error {
	if strings.Contains(text, placeholder) && !strings.Contains(before, placeholder) {
		return errors.New(placeholder + "NAME] stands for a secret that you are not shown, and must not be written: " +
			"change only the lines beside it, with patch, or leave this to the user")
	}
	return nil
}

// replace writes the file: a new one, which is then renamed. Whoever reads meanwhile finds the old text or the new
// one, whole. The mode of an existing file is kept.
func (t target) replace(content string) error {
	mode := fs.FileMode(0o644)
	if t.info != nil {
		mode = t.info.Mode().Perm()
	}
	temp := ".new-" + rand.Text()
	file, err := t.folder.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return pathError(t.path, err)
	}
	defer t.folder.Remove(temp) // fails after the rename, as it should
	_, err = io.WriteString(file, content)
	if err == nil && t.info != nil {
		err = file.Chmod(mode) // what the umask took away
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = t.folder.Rename(temp, t.name)
	}
	if err != nil {
		return pathError(t.path, err)
	}
	return nil
}

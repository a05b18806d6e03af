package main

import (
	"os"
	"path/filepath"
)

// replaceFile writes a file of the agent's own, readable for its owner alone, and its folder if need be. It writes a
// new file and renames it: whoever reads meanwhile, or comes after a crash, finds the old text or the new one, whole.
func replaceFile(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // fails after the rename, as it should
	_, err = temp.Write(data)
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(temp.Name(), name)
}

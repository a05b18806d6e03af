//go:build unix

package main

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A named pipe without a writer would keep whoever opens it waiting for ever.
func TestANamedPipeIsNoFile(t *testing.T) {
	dir, tools := fileTree(t, map[string]string{"file": "text"})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Skip(err)
	}
	for tool, a := range map[string]toolArgs{
		"read":   {"path": "pipe"},
		"ls":     {"path": "pipe"},
		"search": {"path": "pipe", "pattern": "x"},
		"write":  {"path": "pipe", "content": "x"},
		"patch":  {"path": "pipe", "old": "x", "new": "y"},
	} {
		_, err := useTool(t, tools, tool, a)
		wantErrorWith(t, err, "pipe: it is a device or a pipe, not a file")
	}
	_, err := useTool(t, tools, "write", toolArgs{"path": "pipe/x", "content": "x"})
	wantErrorWith(t, err, "pipe: it is no folder")
	if got, err := useTool(t, tools, "search", toolArgs{"pattern": "text"}); err != nil || got != "file:1: text" {
		t.Errorf("a search beside it gives %q, %v", got, err)
	}
	if got, err := useTool(t, tools, "ls", nil); err != nil || got != "file  4 bytes\npipe" {
		t.Errorf("ls gives %q, %v", got, err)
	}
}

package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// notebook keeps notes in memory. Its methods are the tools save_note, read_note
// and list_notes; calls may run side by side.
type notebook struct {
	mu       sync.Mutex // guards contents
	contents map[string]string
}

// save keeps content under title, in place of an older note, and says so.
func (n *notebook) save(_ context.Context, c call) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.contents[c.text("title")] = c.text("content")
	return fmt.Sprintf("Saved note %q", c.text("title")), nil
}

// read gives the content of the note under title. It fails if there is none.
func (n *notebook) read(_ context.Context, c call) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	content, ok := n.contents[c.text("title")]
	if !ok {
		return "", fmt.Errorf("there is no note called %q", c.text("title"))
	}
	return content, nil
}

// list gives all titles, sorted, one a line.
func (n *notebook) list(context.Context, call) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.contents) == 0 {
		return "There are no notes", nil
	}
	return strings.Join(slices.Sorted(maps.Keys(n.contents)), "\n"), nil
}

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// notebook keeps the notes of the tools save_note, read_note and list_notes, in
// memory. Calls may run side by side.
type notebook struct {
	mu       sync.Mutex // guards contents
	contents map[string]string
}

// save keeps a note, in place of an older one with the same title, and says so.
func (n *notebook) save(title, content string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.contents[title] = content
	return fmt.Sprintf("Saved note %q", title)
}

// read gives a note's content. It fails if there is none with that title.
func (n *notebook) read(title string) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	content, ok := n.contents[title]
	if !ok {
		return "", fmt.Errorf("there is no note called %q", title)
	}
	return content, nil
}

// list gives all titles, sorted, one a line.
func (n *notebook) list() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.contents) == 0 {
		return "There are no notes"
	}
	return strings.Join(slices.Sorted(maps.Keys(n.contents)), "\n")
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// maxKnowledge is how much text the knowledge base holds, in bytes. All of it is read at the start, and is written
// anew with each addition.
const maxKnowledge = 8 << 20

// Document is a text in the knowledge base.
type Document struct {
	Title  string `json:"title"`
	Source string `json:"source"` // a path relative to the root, with slashes, or a URL
	Added  string `json:"added"`  // RFC 3339, UTC
	Text   string `json:"text"`
}

// Hit is a passage that was found.
type Hit struct {
	Title   string
	Source  string
	Passage int // its number in the document, from 1
	Text    string
	Score   float64
}

// Fetch reads a web page as plain text. An empty title stands for none.
type Fetch func(ctx context.Context, url string) (title, text string, err error)

// Knowledge is the knowledge base: documents in a file, cut into passages that are found by their words. It is safe
// for concurrent use.
type Knowledge struct {
	file  string
	files files // where files are added from
	fetch Fetch

	mu        sync.Mutex // guards what follows, and the file
	documents []Document // never changed in place: a search goes on with the list it began with
	index     *wordIndex // of all passages; nil until the first search after a change
}

// knowledgeFile is the file's content.
type knowledgeFile struct {
	Documents []Document `json:"documents"`
}

// loadKnowledge reads the file; a missing one stands for an empty knowledge base. Whatever is wrong in it is an error
// with file, line and column. Files are added from root, web pages through fetch. The folder of the file is the agent's
// own. The caller closes root after the last call.
func loadKnowledge(file string, root *os.Root, fetch Fetch) (*Knowledge, error) {
	k := &Knowledge{file: file, files: newFiles(root, filepath.Dir(file)), fetch: fetch}
	var err error
	k.documents, err = k.read()
	return k, err
}

func (k *Knowledge) read() ([]Document, error) {
	var stored knowledgeFile
	if err := loadJSON(k.file, &stored); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot read the knowledge base: %w", err)
	}
	return stored.Documents, nil
}

// Add adds a file, the text files of a folder, or a web page (http, https), and saves them. What came from the same
// source before is replaced, for a folder everything below it. It fails, and changes nothing, for a source outside the
// root, without text or not readable, when the knowledge base would hold more than maxKnowledge, and with the context.
func (k *Knowledge) Add(ctx context.Context, source string) (Added, error) {
	added, err := k.collect(ctx, strings.TrimSpace(source))
	if err != nil {
		return Added{}, fmt.Errorf("cannot add %w", pathError(source, err))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	// The file is read again: what another agent has added meanwhile stays, unless both add in the same moment, and a
	// file that a person has broken is not overwritten.
	documents, err := k.read()
	if err != nil {
		return Added{}, err
	}
	documents = append(slices.DeleteFunc(documents, added.replaces), added.Documents...)
	if size := textSize(documents); size > maxKnowledge {
		return Added{}, fmt.Errorf("cannot add %s: the knowledge base would hold %d bytes of text, %d at most; "+
			"add less, or take documents out of %s", source, size, maxKnowledge, k.file)
	}
	if err := saveJSON(k.file, knowledgeFile{documents}); err != nil {
		return Added{}, fmt.Errorf("cannot save the knowledge base: %w", err)
	}
	k.documents, k.index = documents, nil
	return added, nil
}

func textSize(documents []Document) int {
	size := 0
	for _, d := range documents {
		size += len(d.Text)
	}
	return size
}

// Search returns the passages that match the query best, the best first, at most limit; none if no word of the query
// occurs. The same query on the same documents always has the same answer.
func (k *Knowledge) Search(query string, limit int) []Hit {
	k.mu.Lock()
	if k.index == nil {
		var passages []Hit
		for _, d := range k.documents {
			for i, text := range chunks(d.Text) {
				passages = append(passages, Hit{Title: d.Title, Source: d.Source, Passage: i + 1, Text: text})
			}
		}
		k.index = newIndex(passages)
	}
	index := k.index
	k.mu.Unlock()
	return index.search(query, limit)
}

// Documents returns the documents in the order in which they were added. The slice must not be changed.
func (k *Knowledge) Documents() []Document {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.documents
}

// Len returns the number of documents.
func (k *Knowledge) Len() int { return len(k.Documents()) }

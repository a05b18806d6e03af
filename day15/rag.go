package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// The most text, in bytes, that the knowledge base holds, and that one of its documents has.
const (
	maxKnowledge = 8 << 20
	maxDocument  = 1 << 20
)

// Document is a text in the knowledge base.
type Document struct {
	Title  string `json:"title"`
	Source string `json:"source"` // a path relative to the root, with slashes, or a URL
	Added  string `json:"added"`  // RFC 3339, UTC
	Text   string `json:"text"`
}

// Fetch reads a web page as plain text. An empty title stands for none.
type Fetch func(ctx context.Context, url string) (title, text string, err error)

// Knowledge is the knowledge base: documents in a file. Only searches may run at the same time.
type Knowledge struct {
	Stored []Document `json:"documents"` // as in the file, in the order in which they were added
	file   string
	files  files // where files are added from
	fetch  Fetch
}

// loadKnowledge reads the file; a missing one stands for an empty knowledge base. Whatever is wrong in it is an error
// with file, line and column. Files are added from root, web pages through fetch. The folder of the file is the agent's
// own. The caller closes root after the last call.
func loadKnowledge(file string, root *os.Root, fetch Fetch) (*Knowledge, error) {
	k := &Knowledge{file: file, files: newFiles(root, filepath.Dir(file)), fetch: fetch}
	return k, k.load()
}

// load reads the file again. Where that fails, the documents stay what they were.
func (k *Knowledge) load() error {
	var file Knowledge
	if err := loadJSON(k.file, &file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	k.Stored = file.Stored
	return nil
}

// Documents returns the documents, which must not be changed.
func (k *Knowledge) Documents() []Document { return k.Stored }

// Len returns the number of documents.
func (k *Knowledge) Len() int { return len(k.Stored) }

// Add adds a file, the text files of a folder, or a web page (http, https), and returns what to tell about it. What came
// from the same source before is replaced, for a folder all that is below it. It fails, and changes nothing, for a source
// outside the root, without text or not readable, where there would be more than maxKnowledge, and with the context.
func (k *Knowledge) Add(ctx context.Context, source string) (report string, err error) {
	name, added, report, err := k.read(ctx, source)
	if err == nil {
		err = k.load() // what another agent has added meanwhile stays
	}
	if err != nil {
		return "", err
	}
	k.Stored = append(slices.DeleteFunc(k.Stored, func(d Document) bool {
		below := name == "." || strings.HasPrefix(d.Source, name+"/")
		return d.Source == name || below && !isPage(d.Source)
	}), added...)
	size := 0
	for _, d := range k.Stored {
		size += len(d.Text)
	}
	if size > maxKnowledge {
		err = fmt.Errorf("cannot add %s: the knowledge base would hold more than %d bytes of text; "+
			"add less, or take documents out of %s", source, maxKnowledge, k.file)
	} else {
		err = saveJSON(k.file, k)
	}
	return report, errors.Join(err, k.load())
}

func isPage(source string) bool { return strings.Contains(source, "://") }

// read returns the name of a source, as in Document.Source, its documents, and what to tell when they are added.
func (k *Knowledge) read(ctx context.Context, source string) (name string, found []Document, report string, err error) {
	name, _ = k.files.local(source) // where this fails, document does too
	if name = filepath.ToSlash(name); isPage(source) {
		name, _, _ = strings.Cut(source, "#") // a place in the page, not another page
	}
	size, skipped := 0, 0
	note, err := k.files.walk(ctx, name, func(file string, entry fs.DirEntry) bool {
		d, err := k.document(ctx, file)
		switch {
		case file == name || !entry.Type().IsRegular():
		case err != nil:
			skipped++
		default:
			found, size = append(found, d), size+len(d.Text)
		}
		return size <= maxKnowledge
	})
	if found == nil && skipped == 0 { // it is not a folder, or an empty one
		d, err := k.document(ctx, source)
		if err != nil {
			err = fmt.Errorf("cannot add %w", pathError(source, err))
		}
		d.Source = name
		return name, []Document{d}, fmt.Sprintf("Added %q from %s: %d characters.", d.Title, name, utf8.RuneCountInString(d.Text)), err
	}
	report = fmt.Sprintf("Added %s from %s", plural(len(found), "file"), name)
	if skipped > 0 {
		report += fmt.Sprintf("; %d skipped (binary, not UTF-8, empty, over 1 MiB, or not readable)", skipped)
	}
	return name, found, report + "." + note, err
}

// document reads a file or a web page: of HTML what a person reads.
func (k *Knowledge) document(ctx context.Context, source string) (_ Document, err error) {
	title, text, kind := "", "", strings.ToLower(path.Ext(source))
	if isPage(source) {
		title, text, err = k.fetch(ctx, source)
		kind = ".md" // as far as headings go
	} else {
		text, _, err = k.files.load(source, maxDocument)
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	switch kind {
	case ".html", ".htm":
		page, pageErr := decodePage("", []byte(text))
		title, err = heading(page), cmp.Or(err, pageErr)
		_, text = pageText(page)
	case ".md", ".markdown":
		title = cmp.Or(title, heading(text))
	}
	text = strings.TrimSpace(text)
	if err == nil && (text == "" || !utf8.ValidString(text)) {
		err = errors.New("there is no text in it, or not in UTF-8")
	}
	title = preview(strings.Join(strings.Fields(cmp.Or(title, path.Base(source))), " "), 100)
	return Document{title, source, time.Now().UTC().Format(time.RFC3339), text}, err
}

// Tools returns rag_add, which asks a person, since what it reads comes back in later conversations, and rag_search.
func (k *Knowledge) Tools() []Tool {
	return []Tool{{
		Name: "rag_add",
		Description: "Add a file, the text files of a folder, or a web page to the knowledge base. " +
			"What came from the same source before is replaced.",
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"source":{"type":"string","description":"a path inside the root, or an http or https URL"}},"required":["source"]}`),
		Plan: k.planAdd,
	}, {
		Name: "rag_search",
		Description: "Search the knowledge base: documents and web pages that were added to it. " +
			"Returns passages with their title, number and source; name them in the answer.",
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"query":{"type":"string","description":"words that the passage contains, in the language of the documents"},` +
			`"limit":{"type":"integer","minimum":1,"maximum":20,"description":"number of passages; default 5"}},"required":["query"]}`),
		Run: k.runSearch, Parallel: true, Policy: Allow,
	}}
}

func (k *Knowledge) planAdd(ctx context.Context, args json.RawMessage) (Plan, error) {
	var in struct{ Source string }
	err := decodeArgs(args, &in)
	if err == nil && isPage(in.Source) {
		_, err = parseAddress(in.Source)
	} else if err == nil {
		_, _, _, err = k.read(ctx, in.Source)
	}
	return Plan{
		Preview: "About to add to the knowledge base: " + visibleLine(in.Source),
		Caution: addressCaution(in.Source),
		Run:     func(ctx context.Context) (string, error) { return k.Add(ctx, in.Source) },
	}, err
}

func (k *Knowledge) runSearch(_ context.Context, args json.RawMessage) (string, error) {
	in := struct {
		Query string
		Limit float64
	}{Limit: 5}
	err := decodeArgs(args, &in)
	var found []string
	for i, hit := range k.Search(in.Query, int(min(max(in.Limit, 1), 20))) { // what is found has to fit into one result
		found = append(found, fmt.Sprintf("[%d] %s, passage %d (%s)\n%s", i+1, hit.Title, hit.Passage, hit.Source, hit.Text))
	}
	if found == nil {
		return fmt.Sprintf("Nothing found: no passage in the knowledge base (%d documents) has a word of %q.", k.Len(), in.Query), err
	}
	return strings.Join(found, "\n\n"), err
}

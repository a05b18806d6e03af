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
	"regexp"
	"slices"
	"strconv"
	"strings"
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
	Text   string `json:"text"`
}

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
	k := &Knowledge{nil, file, newFiles(root, filepath.Dir(file)), fetch}
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
	var found []Document
	var skipped []error
	name, size := "", 0
	read := func(name string, entry fs.DirEntry) bool {
		if entry == nil || entry.Type().IsRegular() {
			d, err := k.document(ctx, name)
			if err == nil {
				found, size = append(found, d), size+len(d.Text)
			} else {
				skipped = append(skipped, err)
			}
		}
		return size <= maxKnowledge
	}
	if isPage(source) {
		name, _, _ = strings.Cut(source, "#") // a place in the page, not another page
		read(name, nil)
	} else if name, err = k.files.local(source); err == nil {
		report, err = k.files.walk(ctx, name, read)
	}
	if err == nil && found == nil {
		err = cmp.Or(append(skipped, errors.New("it is a folder without files"))...)
	}
	if err != nil {
		return "", fmt.Errorf("cannot add %w", pathError(source, err))
	}
	what := plural(len(found), "file")
	if len(found) == 1 {
		what = strconv.Quote(found[0].Title)
	}
	if skipped != nil {
		report = fmt.Sprintf("\n[%d skipped, such as %v]", len(skipped), skipped[0]) + report
	}
	return fmt.Sprintf("Added %s from %s.%s", what, name, report), k.replace(name, found)
}

// replace puts documents in the place of those of a source: the one of that name, and the files below it.
func (k *Knowledge) replace(source string, documents []Document) error {
	if err := k.load(); err != nil { // what another agent has added meanwhile stays
		return err
	}
	stored := slices.DeleteFunc(slices.Clone(k.Stored), func(d Document) bool {
		below := source == "." || strings.HasPrefix(d.Source, source+"/")
		return d.Source == source || below && !isPage(d.Source)
	})
	stored = append(stored, documents...)
	size := 0
	for _, d := range stored {
		size += len(d.Text)
	}
	if size > maxKnowledge {
		return fmt.Errorf("cannot add %s: the knowledge base would hold more than %d bytes of text; "+
			"add less, or take documents out of %s", source, maxKnowledge, k.file)
	}
	err := saveJSON(k.file, Knowledge{Stored: stored})
	if err == nil {
		k.Stored = stored
	}
	return err
}

// markup matches the sources whose headings give them a title.
var markup = regexp.MustCompile(`(?i)://|\.(?:md|markdown|html?)$`)

// document reads a file or a web page: of HTML what a person reads.
func (k *Knowledge) document(ctx context.Context, source string) (d Document, err error) {
	text, title := "", path.Base(source)
	if isPage(source) {
		text, err = k.fetch(ctx, source)
	} else if text, _, err = k.files.load(source, maxDocument); err == nil {
		text, err = decodePage(path.Ext(source), []byte(text))
	}
	if text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")); err == nil && (text == "" || !utf8.ValidString(text)) {
		err = errors.New("there is no text in it, or not in UTF-8")
	}
	if markup.MatchString(source) {
		title = cmp.Or(heading(text), title)
	}
	return Document{preview(title, 100), source, text}, pathError(source, err)
}

// Tools returns rag_add, which asks a person, since what it reads comes back in later conversations, and rag_search.
func (k *Knowledge) Tools() []Tool {
	return []Tool{{
		Name: "rag_add",
		Description: "Add a file, the text files of a folder, or a web page to the knowledge base. " +
			"What came from the same source before is replaced.",
		Parameters: json.RawMessage(`{"type":"object","properties":{
	"source":{"type":"string","description":"a path inside the root, or an http or https URL"}},"required":["source"]}`),
		Plan: planReading("About to add to the knowledge base: ", k.check, k.Add),
	}, {
		Name: "rag_search",
		Description: "Search the knowledge base: documents and web pages that were added to it. " +
			"Returns passages with their title, number and source; name them in the answer.",
		Parameters: json.RawMessage(`{"type":"object","properties":{
	"query":{"type":"string","description":"words that the passage contains, in the language of the documents"},
	"limit":{"type":"integer","minimum":1,"maximum":20,"description":"number of passages; default 5"}},"required":["query"]}`),
		Run: k.runSearch, Parallel: true, Policy: Allow,
	}}
}

// check fails for a source that is neither an address of the web nor a file or folder.
func (k *Knowledge) check(source string) error {
	if isPage(source) {
		return isAddress(source)
	}
	file, _, err := k.files.open(source)
	file.Close()
	return err
}

func (k *Knowledge) runSearch(_ context.Context, args json.RawMessage) (string, error) {
	in := struct {
		Query string
		Limit float64
	}{Limit: 5}
	err := decodeArgs(args, &in)
	text := ""
	for i, hit := range k.Search(in.Query, int(min(max(in.Limit, 1), 20))) { // what is found has to fit into one result
		text += fmt.Sprintf("[%d] %s, passage %d (%s)\n%s\n\n", i+1, hit.Title, hit.Passage, hit.Source, hit.Text)
	}
	if text == "" {
		text = fmt.Sprintf("Nothing found: no passage in the knowledge base (%d documents) has a word of %q.", k.Len(), in.Query)
	}
	return strings.TrimSpace(text), err
}

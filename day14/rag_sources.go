package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// maxDocument is the size, in bytes, of the largest file or page that is added.
const maxDocument = 1 << 20

// errNoText is why a file is no document: binary, empty, or too large to be something that a person wrote.
var errNoText = errors.New("it is no text file of at most 1 MiB")

// Added says what an Add has added.
type Added struct {
	Source    string // as Document.Source; a folder's path for its files
	Folder    bool
	Documents []Document
	Skipped   int // files in the folder that are no documents
}

// String is the report for the person and the model.
func (a Added) String() string {
	if !a.Folder {
		d := a.Documents[0]
		return fmt.Sprintf("Added %q from %s: %d characters.", d.Title, d.Source, len([]rune(d.Text)))
	}
	text := fmt.Sprintf("Added %s from %s", plural(len(a.Documents), "file"), a.Source)
	if a.Skipped > 0 {
		text += fmt.Sprintf("; %d skipped (binary, empty, over 1 MiB, or not readable)", a.Skipped)
	}
	return text + "."
}

// replaces reports whether a document comes from the source that was added.
func (a Added) replaces(d Document) bool {
	below := a.Source == "." && !strings.Contains(d.Source, "://") || strings.HasPrefix(d.Source, a.Source+"/")
	return d.Source == a.Source || a.Folder && below
}

// collect reads what a source stands for.
func (k *Knowledge) collect(ctx context.Context, source string) (Added, error) {
	if strings.Contains(source, "://") {
		return k.page(ctx, source)
	}
	name, err := k.files.local(source)
	if err != nil {
		return Added{}, err
	}
	name = filepath.ToSlash(name)
	info, err := k.files.root.Stat(name)
	if err != nil {
		return Added{}, err
	}
	if info.IsDir() {
		return k.folder(ctx, name)
	}
	document, err := k.document(name)
	return Added{Source: name, Documents: []Document{document}}, err
}

// folder reads the files below a folder.
func (k *Knowledge) folder(ctx context.Context, folder string) (Added, error) {
	added := Added{Source: folder, Folder: true}
	size := 0
	err := k.files.walk(ctx, folder, func(name string, entry fs.DirEntry) bool {
		if !entry.Type().IsRegular() {
			return true
		}
		document, err := k.document(name)
		if err != nil {
			added.Skipped++
			return true
		}
		added.Documents = append(added.Documents, document)
		size += len(document.Text)
		return size <= maxKnowledge
	})
	switch {
	case err != nil:
	case size > maxKnowledge:
		err = fmt.Errorf("the files in it hold more than %d bytes of text", maxKnowledge)
	case len(added.Documents) == 0:
		err = fmt.Errorf("there is no text file in it (%d others)", added.Skipped)
	}
	return added, err
}

// document reads one file. It fails with errNoText for what is no text.
func (k *Knowledge) document(name string) (Document, error) {
	file, _, err := k.files.open(name)
	if err != nil {
		return Document{}, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxDocument+1))
	if err != nil {
		return Document{}, err
	}
	if len(data) > maxDocument || isBinary(data) {
		return Document{}, errNoText
	}
	title, text := fileText(name, string(data))
	return newDocument(cmp.Or(title, path.Base(name)), name, text)
}

// page reads a web page.
func (k *Knowledge) page(ctx context.Context, source string) (Added, error) {
	u, err := parseAddress(source)
	if err != nil {
		return Added{}, err
	}
	u.Fragment = "" // a place in the page, not another page
	address := u.String()
	title, text, err := k.fetch(ctx, address)
	if err == nil && len(text) > maxDocument {
		err = errNoText
	}
	if err != nil {
		return Added{}, err
	}
	document, err := newDocument(cmp.Or(oneLine(title), heading(text), address), address, text)
	return Added{Source: address, Documents: []Document{document}}, err
}

// newDocument tidies a text up. It fails with errNoText where nothing is left.
func newDocument(title, source, text string) (Document, error) {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\r\n", "\n"), "\uFFFD")
	text = strings.TrimSpace(strings.TrimPrefix(text, "\uFEFF"))
	if text == "" {
		return Document{}, errNoText
	}
	return Document{Title: title, Source: source, Added: time.Now().UTC().Format(time.RFC3339), Text: text}, nil
}

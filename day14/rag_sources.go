package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
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
	if scheme, _, ok := strings.Cut(source, "://"); ok {
		if scheme = strings.ToLower(scheme); scheme != "http" && scheme != "https" {
			return Added{}, errors.New("expected a file or folder inside the root, or an http or https URL")
		}
		return k.page(ctx, source)
	}
	name := filepath.Clean(source)
	if filepath.IsAbs(name) {
		name, _ = filepath.Rel(k.root.Name(), name) // "" where there is no way, and so not local
	}
	if source == "" || !filepath.IsLocal(name) {
		return Added{}, fmt.Errorf("it is outside the root, %s", k.root.Name())
	}
	name = filepath.ToSlash(name)
	info, err := k.root.Stat(name)
	if err != nil {
		return Added{}, err
	}
	if info.IsDir() {
		return k.folder(ctx, name)
	}
	document, err := k.document(name)
	return Added{Source: document.Source, Documents: []Document{document}}, err
}

// folder reads the files below a folder. Symbolic links are not followed: the walk has an end, and no file comes twice.
func (k *Knowledge) folder(ctx context.Context, folder string) (Added, error) {
	added := Added{Source: folder, Folder: true}
	size := 0
	err := fs.WalkDir(k.root.FS(), folder, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && name == folder:
			return err
		case err == nil && entry.IsDir():
			switch entry.Name() {
			case ".git", "node_modules", ".geekagent": // the last one holds the knowledge base itself
				return fs.SkipDir
			}
			return nil
		case err == nil && !entry.Type().IsRegular():
			return nil
		}
		document, err := k.document(name)
		if err != nil {
			added.Skipped++
			return nil
		}
		added.Documents = append(added.Documents, document)
		if size += len(document.Text); size > maxKnowledge {
			return fmt.Errorf("the files in it hold more than %d bytes of text", maxKnowledge)
		}
		return nil
	})
	if err == nil && len(added.Documents) == 0 {
		err = fmt.Errorf("there is no text file in it (%d others)", added.Skipped)
	}
	return added, err
}

// document reads one file. It fails with errNoText for what is no text.
func (k *Knowledge) document(name string) (Document, error) {
	if info, err := k.root.Stat(name); err != nil {
		return Document{}, err
	} else if !info.Mode().IsRegular() { // to open a named pipe would wait for its other end
		return Document{}, errNoText
	}
	file, err := k.root.Open(name)
	if err != nil {
		return Document{}, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxDocument+1))
	if err != nil {
		return Document{}, err
	}
	if len(data) > maxDocument || bytes.IndexByte(data, 0) >= 0 {
		return Document{}, errNoText
	}
	return newDocument(cmp.Or(fileTitle(name, string(data)), path.Base(name)), name, string(data))
}

// page reads a web page.
func (k *Knowledge) page(ctx context.Context, source string) (Added, error) {
	u, err := url.Parse(source)
	if err != nil {
		return Added{}, errors.New("it is no valid URL")
	}
	u.Fragment = "" // a place in the page, not another page
	title, text, err := k.fetch(ctx, u.String())
	if err == nil && len(text) > maxDocument {
		err = errNoText
	}
	if err != nil {
		return Added{}, err
	}
	shown := u.Redacted() // a password is needed to fetch, not to tell sources apart
	document, err := newDocument(cmp.Or(oneLine(title), heading(text), shown), shown, text)
	return Added{Source: shown, Documents: []Document{document}}, err
}

func newDocument(title, source, text string) (Document, error) {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\r\n", "\n"), "\uFFFD")
	text = strings.TrimSpace(strings.TrimPrefix(text, "\uFEFF"))
	if text == "" {
		return Document{}, errNoText
	}
	return Document{Title: title, Source: source, Added: time.Now().UTC().Format(time.RFC3339), Text: text}, nil
}

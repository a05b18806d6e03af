package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

func decodeWriteArgs(args json.RawMessage) (path, content string, err error) {
	a := struct {
		Path    string  `json:"path"`
		Content *string `json:"content"` // nil where the model wrote null: that must not empty a file
	}{}
	if err := decodeArgs(args, &a); err != nil {
		return "", "", err
	}
	if a.Content == nil {
		return "", "", errors.New("content must be a string")
	}
	return a.Path, *a.Content, nil
}

// write is the tool write.
func (f files) write(_ context.Context, args json.RawMessage) (string, error) {
	path, content, err := decodeWriteArgs(args)
	if err != nil {
		return "", err
	}
	t, err := f.target(path, true)
	if err != nil {
		return "", err
	}
	defer t.close()
	before, _ := t.read() // "" where the file is new, or is no text
	if err := keepsSecrets(before, content); err != nil {
		return "", pathError(path, err)
	}
	if err := t.replace(content); err != nil {
		return "", err
	}
	return fmt.Sprintf("wrote %s, %d bytes", t.path, len(content)), nil
}

// patch is the tool patch.
func (f files) patch(_ context.Context, args json.RawMessage) (string, error) {
	t, _, after, err := f.patched(args)
	if err != nil {
		return "", err
	}
	defer t.close()
	if err := t.replace(after); err != nil {
		return "", err
	}
	return fmt.Sprintf("changed %s, now %d bytes", t.path, len(after)), nil
}

// patched returns the file that a patch is meant for, and its text before and after. The caller closes the target.
func (f files) patched(args json.RawMessage) (t target, before, after string, err error) {
	a := struct {
		Path string `json:"path"`
		Old  string `json:"old"`
		New  string `json:"new"`
	}{}
	if err := decodeArgs(args, &a); err != nil {
		return t, "", "", err
	}
	if t, err = f.target(a.Path, false); err != nil {
		return t, "", "", err
	}
	if before, err = t.read(); err == nil {
		if err = keepsSecrets(before, a.Old+"\n"+a.New); err == nil {
			after, err = replaceOnce(before, a.Old, a.New)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", t.path, err)
		}
	}
	if err != nil {
		t.close()
	}
	return t, before, after, err
}

// replaceOnce replaces old, which must occur exactly once, by new. Models write lines that end in LF: in a text with
// CRLF these stand for its own line ends, and these are kept.
func replaceOnce(text, old, new string) (string, error) {
	if onlyCRLF(text) || strings.Contains(text, "\r\n") && !strings.Contains(text, old) {
		old, new = toCRLF(old), toCRLF(new)
	}
	switch n := occurrences(text, old); {
	case old == "":
		return "", errors.New("old is empty: it must be the text to replace (write replaces a whole file)")
	case old == new:
		return "", errors.New("old and new are the same text")
	case n == 0:
		return "", errors.New("old does not occur in the file: read the file and copy the text exactly, with its white space")
	case n > 1:
		return "", fmt.Errorf("old occurs %d times in the file: add lines before or after it until it occurs once", n)
	}
	return strings.Replace(text, old, new, 1), nil
}

// occurrences counts like strings.Count, but also those that overlap: "aa" occurs twice in "aaa".
func occurrences(text, part string) int {
	n := 0
	for part != "" {
		i := strings.Index(text, part)
		if i < 0 {
			break
		}
		n++
		text = text[i+1:]
	}
	return n
}

// onlyCRLF reports whether text has line ends, and all of them are CRLF.
func onlyCRLF(text string) bool {
	n := strings.Count(text, "\n")
	return n > 0 && n == strings.Count(text, "\r\n")
}

func toLF(text string) string   { return strings.ReplaceAll(text, "\r\n", "\n") }
func toCRLF(text string) string { return strings.ReplaceAll(toLF(text), "\n", "\r\n") }

// writePreview shows what a call of write would change, as a diff.
func (f files) writePreview(_ context.Context, args json.RawMessage) string {
	path, content, err := decodeWriteArgs(args)
	if err != nil {
		return failingPreview("write", args, err)
	}
	t, err := f.target(path, false)
	if err != nil {
		return failingPreview("write", args, err)
	}
	defer t.close()
	heading := "About to write " + visibleLine(t.path) + ": "
	before, err := t.read()
	if err := keepsSecrets(before, content); err != nil {
		return failingPreview("write", args, pathError(path, err))
	}
	switch {
	case t.info == nil:
		return heading + "new file" + changes("", content)
	case err != nil:
		return fmt.Sprintf("%sinstead of %d bytes that cannot be shown (%s)%s",
			heading, t.info.Size(), visibleLine(err.Error()), changes("", content))
	}
	return heading + "changed" + changes(before, content)
}

// patchPreview shows what a call of patch would change, as a diff.
func (f files) patchPreview(_ context.Context, args json.RawMessage) string {
	t, before, after, err := f.patched(args)
	if err != nil {
		return failingPreview("patch", args, err)
	}
	defer t.close()
	return "About to write " + visibleLine(t.path) + ": changed" + changes(before, after)
}

// failingPreview shows a call that cannot succeed as it came, and says why: a question is asked all the same.
func failingPreview(tool string, args json.RawMessage, err error) string {
	return defaultPreview(tool, args) + "\n  This will fail: " + visibleLine(err.Error())
}

// changes is the diff below a heading. Where all line ends are CRLF, before and after, they are no news.
func changes(before, after string) string {
	if onlyCRLF(before) && onlyCRLF(after) {
		before, after = toLF(before), toLF(after)
	}
	switch {
	case before != after:
		return "\n" + diff(before, after)
	case after == "":
		return ", empty"
	}
	return ", but with the same text"
}

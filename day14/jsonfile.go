package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// jsonFile reads a configuration file strictly and gives every mistake its place: file, line and column.
// encoding/json alone would let a repeated key win in silence, and would name no place.
type jsonFile struct {
	name string // for messages
	data []byte
	dec  *json.Decoder
	pos  int64 // where the key or value that was read last begins, in bytes
}

// readJSON reads a configuration file for the methods below. A missing file is an fs.ErrNotExist. Only a regular file is
// opened: a pipe in its place would be waited for.
func readJSON(file string) (*jsonFile, error) {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return openJSON(file, data)
}

// openJSON takes a file's name and its bytes; a byte order mark at the beginning is skipped. It fails where the text
// is not JSON in UTF-8, so that the methods below only meet the mistakes that are left: wrong types, wrong keys.
func openJSON(name string, data []byte) (*jsonFile, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	f := &jsonFile{name, data, json.NewDecoder(bytes.NewReader(data)), 0}
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(data, new(json.RawMessage)); {
	case len(bytes.TrimSpace(data)) == 0:
		return nil, f.errorf("the file is empty; expected an object, at least {}")
	case !utf8.Valid(data):
		f.pos = int64(bytes.IndexRune(data, utf8.RuneError))
		return nil, f.errorf("the file is not UTF-8; save it as UTF-8")
	case errors.As(err, &syntax):
		f.pos = syntax.Offset - 1
		return nil, f.errorf("%v (JSON has no comments, and no comma before a closing bracket)", err)
	}
	return f, nil
}

// Object reads an object and calls member for each key, in order; member must read the value, with Object or Value.
// path names the object in messages. It fails where the value is no object or a key stands there twice.
func (f *jsonFile) Object(path string, member func(key string) error) error {
	if f.token() != json.Delim('{') {
		return f.errorf("%s must be an object, {…}", path)
	}
	seen := map[string]bool{}
	for f.dec.More() {
		key := f.token().(string) // what the decoder yields before a colon is a string
		if seen[key] {
			return f.errorf("%q stands twice in %s", key, path)
		}
		seen[key] = true
		if err := member(key); err != nil {
			return err
		}
	}
	f.token() // the closing brace
	return nil
}

// Value decodes the next value into v, a pointer; path names it in messages. null is refused: it is what a template
// leaves behind where a value was forgotten.
func (f *jsonFile) Value(path string, v any) error {
	f.skip()
	if f.dec.Decode(v) != nil || f.data[f.pos] == 'n' {
		return f.errorf("%s must be %s", path, kindNames.Replace(fmt.Sprintf("%T", v)))
	}
	return nil
}

// kindNames says what a person has to write for the type of a pointer.
var kindNames = strings.NewReplacer("*string", `a string, "…"`, "*bool", "true or false", "*int64", "a whole number",
	"*[]string", `a list of strings, ["…"]`, "*map[string]string", `an object of strings, {"…": "…"}`)

// errorf is an error at the key or value that was read last.
func (f *jsonFile) errorf(format string, args ...any) error {
	lines := strings.Split(string(f.data[:f.pos]), "\n")
	column := utf8.RuneCountInString(lines[len(lines)-1]) + 1
	return fmt.Errorf("%s:%d:%d: %s", f.name, len(lines), column, fmt.Sprintf(format, args...))
}

// token reads one token. It cannot fail: openJSON has seen the whole text.
func (f *jsonFile) token() json.Token {
	f.skip()
	token, _ := f.dec.Token()
	return token
}

// skip moves pos to where the next key or value begins.
func (f *jsonFile) skip() {
	rest := bytes.TrimLeft(f.data[f.dec.InputOffset():], " \t\r\n,:")
	f.pos = int64(len(f.data) - len(rest))
}

// loadJSON reads a file that saveJSON wrote into v, a pointer. It fails as readJSON does, and where a value has another
// type than v.
func loadJSON(file string, v any) error {
	f, err := readJSON(file)
	if err != nil {
		return err
	}
	var mismatch *json.UnmarshalTypeError
	if err = json.Unmarshal(f.data, v); errors.As(err, &mismatch) {
		f.pos = mismatch.Offset - 1
		return f.errorf("%s cannot be a JSON %s", cmp.Or(mismatch.Field, "the file"), mismatch.Value)
	}
	return err
}

// saveJSON writes v into the file, indented, for loadJSON to read.
func saveJSON(file string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(file, append(data, '\n'))
}

// replaceFile writes a file of the agent's own, or the one that a link there leads to, readable for its owner alone, and
// its folder if need be. It writes a new file and renames it: whoever reads meanwhile, or comes after a crash, finds the
// old text or the new one, whole.
func replaceFile(name string, data []byte) error {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // fails after the rename, as it should
	_, err = temp.Write(data)
	if err := cmp.Or(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), name)
}

// quoted is text as JSON.
func quoted(text string) string {
	b, _ := json.Marshal(text) // a string always has a JSON form
	return string(b)
}

// compact puts JSON on one line; what is not JSON stays as it is.
func compact(text json.RawMessage) string {
	var b bytes.Buffer
	_ = json.Compact(&b, text) // writes nothing if it fails
	return cmp.Or(b.String(), string(text))
}

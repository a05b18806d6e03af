package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// jsonFile reads a configuration file strictly and gives every mistake its place: file, line and column.
// encoding/json alone would let a repeated key win in silence, and would name no place.
type jsonFile struct {
	name string // for messages
	data []byte
	dec  *json.Decoder
	pos  int64 // where the key or value that was read last begins, in bytes
}

// openJSON takes a file's name and its bytes; a byte order mark at the beginning is skipped. It fails where the text
// is no JSON, so that the methods below only meet the mistakes that are left: wrong types, wrong keys.
func openJSON(name string, data []byte) (*jsonFile, error) {
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	f := &jsonFile{name: name, data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, f.errorf("the file is empty; expected an object, at least {}")
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(data, new(json.RawMessage)); errors.As(err, &syntax) {
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
	var raw json.RawMessage
	if err := f.dec.Decode(&raw); err != nil {
		return f.errorf("%s: %v", path, err)
	}
	if err := json.Unmarshal(raw, v); err != nil || string(raw) == "null" {
		return f.errorf("%s must be %s", path, jsonKind(reflect.TypeOf(v).Elem()))
	}
	return nil
}

// errorf is an error at the key or value that was read last.
func (f *jsonFile) errorf(format string, args ...any) error {
	before := f.data[:min(int(f.pos), len(f.data))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:]))) + 1
	return fmt.Errorf("%s:%d:%d: %s", f.name, line, column, fmt.Sprintf(format, args...))
}

// token reads one token. It cannot fail: openJSON has seen the whole text.
func (f *jsonFile) token() json.Token {
	f.skip()
	token, _ := f.dec.Token()
	return token
}

// skip moves pos to where the next key or value begins.
func (f *jsonFile) skip() {
	f.pos = f.dec.InputOffset()
	for int(f.pos) < len(f.data) && bytes.IndexByte([]byte(" \t\r\n,:"), f.data[f.pos]) >= 0 {
		f.pos++
	}
}

// jsonKind is what a person has to write for a Go type.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return `a string, "…"`
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Slice:
		return "a list of strings, [\"…\"]"
	}
	return "an object of strings, {\"…\": \"…\"}"
}

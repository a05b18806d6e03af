package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMistakesInAConfigurationFile(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "1:1: the file is empty",
		"\n \n":                          "1:1: the file is empty",
		"{ // note\n}":                   "1:3: invalid character '/'",
		"{\"s\": \"..\" /* x */}":        "1:12: invalid character '/'",
		"{\n  \"o\": {\"s\": \"a\",}\n}": "2:18: invalid character '}'",
		"{\"o\": {":                      "1:7: unexpected end of JSON input",
		"{}\n{}":                         "2:1: invalid character '{'",
		"[]":                             "1:1: the file must be an object",
		"null":                           "1:1: the file must be an object",
		"{\"s\": \"..\",\n \"t\": {}}":   `2:2: unknown key "t"`,
		`{"o": {}, "o": {}}`:             `1:11: "o" stands twice in the file`,
		`{"o": {"s": "", "s": ""}}`:      `1:17: "s" stands twice in o`,
		`{"o": []}`:                      "1:7: o must be an object",
		`{"o": {"s": true}}`:             `1:13: s must be a string, "…"`,
		`{"s": null}`:                    `1:7: s must be a string, "…"`,
		`{"s": "读取", "b": "yes"}`:        "1:18: b must be true or false",
		`{"i": 1.5}`:                     "1:7: i must be a whole number",
		`{"l": ["a", 1]}`:                `1:7: l must be a list of strings, ["…"]`,
		`{"m": []}`:                      `1:7: m must be an object of strings, {"…": "…"}`,
		"\xff\xfe{\x00}\x00":             "1:1: the file is not UTF-8; save it as UTF-8",
		"{\n\"s\": \"p\xe4th\"}":         "2:8: the file is not UTF-8",
		"\xef\xbb\xbf{\"s\": \"a\", \"b\": true, \"i\": 1, \"l\": [], \"m\": {}, \"o\": {\"s\": \"\"}}": "",
	} {
		f, err := openJSON("f.json", []byte(text))
		if err == nil {
			err = readMember(f, "the file")
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), "f.json:"+want)) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// readMember reads an object whose members are named by their types.
func readMember(f *jsonFile, path string) error {
	return f.Object(path, func(key string) error {
		v := map[string]any{"s": new(string), "b": new(bool), "i": new(int64), "l": new([]string), "m": new(map[string]string)}[key]
		switch {
		case key == "o":
			return readMember(f, key)
		case v == nil:
			return f.errorf("unknown key %q", key)
		}
		return f.Value(key, v)
	})
}

func TestFilesOfOurOwn(t *testing.T) {
	t.Chdir(t.TempDir())
	const file = "new/f.json"
	if err := loadJSON(file, new(any)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	for _, wrote := range []string{"a text that is longer", "short"} {
		var read string
		if err := errors.Join(saveJSON(file, wrote), loadJSON(file, &read)); err != nil || read != wrote {
			t.Errorf("read %q, error %v", read, err)
		}
	}
	if err := replaceFile("new", nil); err == nil {
		t.Error("a folder was replaced")
	}
	left, _ := filepath.Glob("*/.n*")
	hidden, _ := filepath.Glob(".n*")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || len(left)+len(hidden) > 0 {
		t.Errorf("mode %v, left behind %q, error %v", info.Mode(), left, err)
	}
	if err := loadJSON(file, new(struct{})); err == nil || !strings.HasPrefix(err.Error(), file+":1:7: the file cannot be a JSON string") {
		t.Errorf("error %v", err)
	}
}

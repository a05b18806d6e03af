package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
)

// loadJSON reads a file that replaceFile wrote into v, a pointer. A missing file is an fs.ErrNotExist; whatever is
// wrong in the file is an error with file, line and column.
func loadJSON(file string, v any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	f, err := openJSON(file, data)
	if err != nil {
		return err
	}
	var mismatch *json.UnmarshalTypeError
	if err := json.Unmarshal(f.data, v); errors.As(err, &mismatch) {
		f.pos = mismatch.Offset - 1
		return f.errorf("%s cannot be a JSON %s", cmp.Or(mismatch.Field, "the file"), mismatch.Value)
	} else if err != nil {
		return f.errorf("%v", err)
	}
	return nil
}

// saveJSON writes v into the file, indented, for loadJSON to read.
func saveJSON(file string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(file, append(data, '\n'))
}

package main

import (
	"bytes"
	"encoding/json"
	"os"
)

// journal keeps request bodies, one line of JSON each. Headers, and with them
// the key, never get here. A nil journal keeps nothing.
type journal struct {
	file *os.File
}

// openJournal opens the file of that name for appending, for its owner's eyes
// only, as prompts may be private. No name gives a nil journal.
func openJournal(name string) (*journal, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return &journal{file: file}, nil
}

// record adds one body, on one line but otherwise as it came. A body that is
// not JSON cannot be a line of JSON and is left out. Lines do not mix: each is
// one write, and a file takes one at a time.
func (j *journal) record(body []byte) error {
	if j == nil {
		return nil
	}
	var line bytes.Buffer
	if json.Compact(&line, body) != nil {
		return nil
	}
	line.WriteByte('\n')
	_, err := j.file.Write(line.Bytes())
	return err
}

// close ends the journal; nothing is buffered that could be lost.
func (j *journal) close() {
	if j != nil {
		j.file.Close()
	}
}

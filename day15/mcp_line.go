package main

import (
	"bufio"
	"bytes"
	"fmt"
	"unicode/utf8"
)

// maxLine is the longest message that is read, in bytes: a server that never ends its line must not eat the memory.
const maxLine = 64 << 20

// readLine returns the next line without its end, as bytes of its own. "JSON-RPC messages MUST be UTF-8 encoded"; what
// is not becomes U+FFFD, for a model's API would refuse it. A line over maxLine is a *connectionError. The last line
// may lack its line feed: it comes together with the reader's error.
func readLine(r *bufio.Reader) ([]byte, error) {
	part, err := r.ReadSlice('\n')
	line := bytes.Clone(part)
	if err == bufio.ErrBufferFull {
		line, err = readLong(r, line)
	}
	if !utf8.Valid(line) {
		line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
	}
	return bytes.TrimSpace(line), err // space around JSON means nothing, and some servers end their lines in \r\n
}

// readLong reads the rest of a line that is longer than the reader's buffer. It keeps the pieces and joins them once: a
// slice that grows would be copied, and allocated, several times over.
func readLong(r *bufio.Reader, first []byte) ([]byte, error) {
	pieces, size := [][]byte{first}, len(first)
	for {
		part, err := r.ReadSlice('\n')
		pieces, size = append(pieces, bytes.Clone(part)), size+len(part)
		if size > maxLine {
			return nil, &connectionError{reason: fmt.Sprintf("it sent a line of more than %d MiB", maxLine>>20)}
		}
		if err != bufio.ErrBufferFull {
			return bytes.Join(pieces, nil), err
		}
	}
}

package main

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxOutput is how much of a command's output is kept, in bytes: half from its beginning, half from its end. Together
// with the note between them it is less than maxResult.
const maxOutput = 30 << 10

// headTail is an io.Writer that keeps the beginning and the end of what is written, in bounded memory. It is not safe
// for concurrent use; os/exec writes from one goroutine.
type headTail struct {
	head, tail []byte
	size       int64
}

// Write never fails.
func (h *headTail) Write(p []byte) (int, error) {
	h.size += int64(len(p))
	n := min(len(p), maxOutput/2-len(h.head))
	h.head = append(h.head, p[:n]...)
	h.tail = append(h.tail, p[n:]...)
	if len(h.tail) > 4*maxOutput { // not at every write: moving the bytes costs
		h.tail = append(h.tail[:0], h.tail[len(h.tail)-maxOutput/2:]...)
	}
	return len(p), nil
}

// String returns everything but line feeds at the end, or the head and the tail, cut between characters, with a note of
// what is missing.
func (h *headTail) String() string {
	switch {
	case h.size == 0:
		return "(no output)"
	case h.size <= maxOutput:
		return strings.TrimRight(string(h.head)+string(h.tail), "\n")
	}
	head, tail := wholeRunes(h.head), h.tail[len(h.tail)-maxOutput/2:]
	for i := 0; i < utf8.UTFMax && !utf8.RuneStart(tail[0]); i++ {
		tail = tail[1:]
	}
	missing := h.size - int64(len(head)+len(tail))
	return fmt.Sprintf("%s\n[… %d bytes of output are left out …]\n%s", head, missing, bytes.TrimRight(tail, "\n"))
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"unicode/utf8"
)

const (
	maxRead  = 30 << 10 // bytes of a file in one result of read: less than maxResult, so that nothing is cut in the middle
	sniffLen = 8 << 10  // bytes looked at to tell text from other files
)

// isBinary reports whether a file that begins with head is no text. A NUL gives nearly every binary format away.
func isBinary(head []byte) bool {
	head = head[:min(len(head), sniffLen)]
	return bytes.IndexByte(head, 0) >= 0 || bytes.HasPrefix(head, []byte("%PDF-"))
}

// read returns the text of a file, or the lines that are asked for.
func (f files) read(ctx context.Context, args json.RawMessage) (string, error) {
	a := struct {
		Path   string      `json:"path"`
		Offset wholeNumber `json:"offset"`
		Limit  wholeNumber `json:"limit"`
	}{}
	if err := decodeArgs(args, &a); err != nil {
		return "", err
	}
	file, info, err := f.open(a.Path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	if info.IsDir() {
		return "", fmt.Errorf("%s is a folder: use ls", a.Path)
	}
	if a.Limit <= 0 {
		a.Limit = math.MaxInt
	}
	text, err := readLines(ctx, file, info.Size(), max(int(a.Offset), 1), int(a.Limit))
	if err != nil {
		return "", pathError(a.Path, err)
	}
	return text, nil
}

// readLines returns up to limit lines from line first on, at most maxRead bytes, and says what is left. It holds one
// buffer of the file in memory, however large the file is.
func readLines(ctx context.Context, file *os.File, size int64, first, limit int) (string, error) {
	in := bufio.NewReaderSize(file, 2*maxRead)
	head, err := in.Peek(sniffLen)
	switch {
	case err != nil && err != io.EOF:
		return "", err
	case len(head) == 0:
		return "(the file is empty)", nil
	case isBinary(head):
		return "", errors.New("it is a binary file, not text")
	}
	lines, before, err := skipLines(ctx, in, first-1)
	if err != nil {
		return "", err
	}
	text, taken, err := takeLines(in, limit)
	if err != nil {
		return "", err
	}
	left := size - before - int64(len(text))
	switch last := first + taken - 1; {
	case taken == 0:
		return "", fmt.Errorf("offset %d is behind the end: the file has %d lines", first, lines)
	case left <= 0:
		return text, nil
	case !strings.HasSuffix(text, "\n"):
		return fmt.Sprintf("%s\n[line %d is cut; %d bytes are left: line %d has offset %d]", text, first, left, first+1, first+1), nil
	default:
		return fmt.Sprintf("%s[lines %d to %d; %d bytes are left: go on with offset %d]", text, first, last, left, last+1), nil
	}
}

// skipLines reads over n lines, or to the end, and returns how many lines and bytes these were.
func skipLines(ctx context.Context, in *bufio.Reader, n int) (lines int, size int64, err error) {
	for lines < n && ctx.Err() == nil {
		part, err := in.ReadSlice('\n')
		size += int64(len(part))
		if err == nil || err == io.EOF && len(part) > 0 {
			lines++
		}
		if err == io.EOF {
			return lines, size, nil
		} else if err != nil && err != bufio.ErrBufferFull {
			return lines, size, err
		}
	}
	return lines, size, ctx.Err()
}

// takeLines reads up to n lines that have room in maxRead bytes; of a first line that has none, its beginning.
func takeLines(in *bufio.Reader, n int) (text string, lines int, err error) {
	var b strings.Builder
	for lines < n {
		line, err := in.ReadSlice('\n')
		if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			return "", 0, err
		}
		if len(line) > maxRead-b.Len() {
			if lines == 0 {
				return wholeRunes(line[:maxRead]), 1, nil
			}
			break
		}
		if len(line) > 0 {
			lines++
		}
		b.Write(line)
		if err == io.EOF {
			break
		}
	}
	return b.String(), lines, nil
}

// wholeRunes returns text without the piece of a character that a cut may have left at its end.
func wholeRunes(text []byte) string {
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if tail := text[len(text)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				text = text[:len(text)-i]
			}
			break
		}
	}
	return string(text)
}

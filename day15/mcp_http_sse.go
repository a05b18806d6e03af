package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// eventReader reads server-sent events (HTML Living Standard, "Server-sent events"): the form in which a server sends
// several messages as the answer to one HTTP request.
//
//	id: 7
//	retry: 500
//	data: {"jsonrpc":"2.0","id":2,
//	data:  "result":{}}
//	                                   an empty line ends the event
//
// It belongs to one goroutine.
type eventReader struct {
	lastID string        // of the last whole event that had one; "" if none did
	retry  time.Duration // how long the server wants us to wait before we ask for the rest of a broken stream

	r     *bufio.Reader
	begun bool // the first line was read
	cr    bool // the last line ended in a carriage return: a line feed that follows still belongs to it
}

// newEventReader reads the events of a body.
func newEventReader(r io.Reader) *eventReader {
	return &eventReader{r: bufio.NewReaderSize(r, 64<<10), retry: time.Second}
}

// goOn reads what follows in another body.
func (e *eventReader) goOn(r io.Reader) *eventReader {
	next := newEventReader(r)
	next.lastID, next.retry = e.lastID, e.retry
	return next
}

// next returns the data of the next event that has any, its lines joined by line feeds, as bytes of its own. The name
// of an event means nothing in MCP. At the end it fails with the reader's error, with a *connectionError where an event
// is longer than maxLine. A last event may lack its empty line; whether its ID is to be trusted nobody knows.
func (e *eventReader) next() ([]byte, error) {
	var data []byte
	id := e.lastID
	for {
		line, err := e.line()
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "data":
			if data != nil {
				value = append(append(data, '\n'), value...)
			}
			data = value
		case "id":
			if bytes.IndexByte(value, 0) < 0 {
				id = string(value)
			}
		case "retry":
			if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
				e.retry = time.Duration(ms) * time.Millisecond
			}
		}
		switch ended := len(line) == 0 && err == nil; {
		case len(data) > maxLine:
			return nil, tooLong()
		case ended || err == io.EOF:
			if ended {
				e.lastID = id
			}
			if message := oneMessage(data); len(message) > 0 {
				return message, nil
			}
			if err != nil {
				return nil, err
			}
			data = nil // an event that only brings an ID, or the time to wait
		case err != nil:
			return nil, err
		}
	}
}

// line returns the next line without its end, which is LF, CRLF or CR. After a CR it does not wait for the byte that
// would tell: it may be long in coming.
func (e *eventReader) line() ([]byte, error) {
	var line []byte
	for {
		if _, err := e.r.Peek(1); err != nil {
			return line, err
		}
		part, _ := e.r.Peek(e.r.Buffered()) // what is buffered is there
		if e.cr && part[0] == '\n' {
			part = part[1:]
			_, _ = e.r.Discard(1) // likewise
		}
		e.cr = false
		end := lineEnd(part)
		if end < 0 {
			if cap(line) < len(line)+len(part) {
				line = slices.Grow(line, len(line)+len(part)) // append would copy a long line many times over
			}
			line = append(line, part...)
			_, _ = e.r.Discard(len(part))
			if len(line) > maxLine {
				return nil, tooLong()
			}
			continue
		}
		line = append(line, part[:end]...)
		e.cr = part[end] == '\r'
		_, _ = e.r.Discard(end + 1)
		if !e.begun {
			line = bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF"))
		}
		e.begun = true
		return line, nil
	}
}

// lineEnd is the index of the first LF or CR, -1 if there is none.
func lineEnd(text []byte) int {
	lf := bytes.IndexByte(text, '\n')
	if lf >= 0 {
		text = text[:lf]
	}
	if cr := bytes.IndexByte(text, '\r'); cr >= 0 {
		return cr
	}
	return lf
}

// oneMessage makes bytes that came over HTTP what readLine makes of a line: valid UTF-8 without space around it.
func oneMessage(text []byte) []byte {
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	}
	return bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF")))
}

// tooLong is the error for a message of more than maxLine bytes.
func tooLong() error {
	return &connectionError{reason: fmt.Sprintf("it sent a message of more than %d MiB", maxLine>>20)}
}

package main

import (
	"bytes"
	"encoding/json"
	"strings"
)

// members calls member for each member of a JSON object, in order, with the value as raw as it is: encoding/json reads
// everything twice at least, and a tool's result may have megabytes. It returns false where text is no object, or is cut
// off. What the values hold is not checked: encoding/json does that where they are decoded. A key is compared as it is
// written; no key that we look for needs an escape.
func members(text []byte, member func(key string, value json.RawMessage)) bool {
	s := &scanner{text: text}
	if s.next() != '{' {
		return false
	}
	s.pos++
	for s.next() != '}' {
		if s.next() != '"' {
			return false
		}
		key := s.value()
		if len(key) < 2 || s.next() != ':' {
			return false
		}
		s.pos++
		value := s.value()
		if len(value) == 0 {
			return false
		}
		member(string(key[1:len(key)-1]), value)
		switch s.next() {
		case ',':
			s.pos++
		case '}':
		default:
			return false
		}
	}
	s.pos++
	return s.next() == 0 && s.pos == len(text)
}

// scanner finds where JSON values end.
type scanner struct {
	text []byte
	pos  int
}

// next skips white space and returns the byte at pos, 0 at the end.
func (s *scanner) next() byte {
	for ; s.pos < len(s.text); s.pos++ {
		switch c := s.text[s.pos]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// value skips one value and returns its bytes, none if it is cut off.
func (s *scanner) value() []byte {
	first := s.next()
	start := s.pos
	switch first {
	case '"':
		s.string()
	case '{', '[':
		s.nested()
	default: // a number, true, false, null
		for s.pos < len(s.text) && strings.IndexByte(",:]}\" \t\r\n", s.text[s.pos]) < 0 {
			s.pos++
		}
	}
	return s.text[start:s.pos]
}

// nested skips an object or an array. It counts brackets: however deep a server nests, no stack grows.
func (s *scanner) nested() {
	start := s.pos
	for depth := 0; s.pos < len(s.text); {
		switch s.text[s.pos] {
		case '"':
			s.string()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		s.pos++
		if depth == 0 {
			return
		}
	}
	s.text = s.text[:start] // cut off
	s.pos = start
}

// string skips a string. It leaps from quote to quote, since most of a large result is one long string.
func (s *scanner) string() {
	start := s.pos
	for end := start + 1; ; end++ {
		quote := bytes.IndexByte(s.text[end:], '"')
		if quote < 0 {
			break
		}
		end += quote
		backslashes := 0
		for s.text[end-1-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			s.pos = end + 1
			return
		}
	}
	s.text = s.text[:start] // cut off
	s.pos = start
}

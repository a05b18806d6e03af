package main

import (
	"fmt"
	"math"
	"path"
	"regexp"
	"strings"
	"time"
	"unicode"
)

// text reads a string and replaces its references.
func (e *serverEntry) text(path string, v *string) error {
	var written string
	if err := e.Value(path, &written); err != nil {
		return err
	}
	return e.expanded(path, written, v)
}

func (e *serverEntry) expanded(path, written string, v *string) error {
	text, err := expand(written, func(name string) (string, bool) {
		value, ok := e.lookup(name)
		if sensitive(name) {
			e.config.hidden = append(e.config.hidden, secret{name, value})
		}
		return value, ok
	})
	if err != nil {
		return e.errorf("%s: %v", path, err)
	}
	if strings.ContainsRune(text, 0) {
		return e.errorf("%s contains a NUL character", path)
	}
	*v = text
	return nil
}

// list reads a list of strings. A null in it would be an empty string to encoding/json.
func (e *serverEntry) list(path string) ([]string, error) {
	var items []*string
	if err := e.Value(path, &items); err != nil {
		return nil, err
	}
	texts := make([]string, len(items))
	for i, item := range items {
		if item == nil {
			return nil, e.errorf(`%s[%d] must be a string, "…"`, path, i)
		}
		texts[i] = *item
	}
	return texts, nil
}

// args reads the arguments of a command, as they are written and with their references replaced.
func (e *serverEntry) args(path string) (err error) {
	c := e.config
	if c.written, err = e.list(path); err != nil {
		return err
	}
	c.Args = make([]string, len(c.written))
	for i, arg := range c.written {
		if err := e.expanded(fmt.Sprintf("%s[%d]", path, i), arg, &c.Args[i]); err != nil {
			return err
		}
	}
	return nil
}

// globs reads patterns of tool names. It fails on one that path.Match does not take.
func (e *serverEntry) globs(member string) (err error) {
	if e.config.Tools, err = e.list(member); err != nil {
		return err
	}
	for _, glob := range e.config.Tools {
		if _, err := path.Match(glob, ""); err != nil {
			return e.errorf("%s: %q is no valid pattern", member, glob)
		}
	}
	return nil
}

var (
	variableName = regexp.MustCompile(`^[^=\x00]+$`)
	headerName   = regexp.MustCompile("^[-!#$%&'*+.^_`|~0-9A-Za-z]+$") // RFC 9110, section 5.1: a token
)

// pairs reads an object of strings whose keys must look like name. A value of a header has no control characters:
// net/http would refuse it, at the first request.
func (e *serverEntry) pairs(path string, pairs map[string]string, name *regexp.Regexp) error {
	return e.Object(path, func(key string) error {
		if !name.MatchString(key) {
			return e.errorf("%s: %q is no valid name", path, key)
		}
		for other := range pairs {
			if name == headerName && strings.EqualFold(other, key) {
				return e.errorf("%s: %s and %s are the same header", path, other, key)
			}
		}
		var value string
		if err := e.text(path+"."+key, &value); err != nil {
			return err
		}
		if name == headerName && strings.ContainsFunc(value, unicode.IsControl) {
			return e.errorf("%s.%s contains a line feed or another control character", path, key)
		}
		pairs[key] = value
		return nil
	})
}

// milliseconds reads a time limit: a whole number above 0.
func (e *serverEntry) milliseconds(path string, v *time.Duration) error {
	var ms int64
	if err := e.Value(path, &ms); err != nil {
		return err
	}
	if ms <= 0 || ms > math.MaxInt64/int64(time.Millisecond)/2 { // two of them are added up
		return e.errorf("%s must be a number of milliseconds above 0", path)
	}
	*v = time.Duration(ms) * time.Millisecond
	return nil
}

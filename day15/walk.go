package main

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
)

// walk calls visit for each file and folder below the folder start, in the order of their names, until it returns
// false. It leaves out what is not a person's own work (see skipped) and whatever cannot be read, and does not
// follow symbolic links, so that it never goes in circles. Names have slashes on every system and are relative to the
// root. It fails where start cannot be read or ctx ends.
func (f files) walk(ctx context.Context, start string, visit func(name string, entry fs.DirEntry) bool) error {
	start = filepath.ToSlash(start)
	return fs.WalkDir(f.root.FS(), start, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && name == start:
			return err
		case err != nil:
			return nil // a folder that is gone, or closed to us, does not spoil the rest
		case name == start:
			return nil
		case entry.IsDir() && f.skipped(entry.Name()):
			return fs.SkipDir
		case !visit(name, entry):
			return fs.SkipAll
		}
		return nil
	})
}

// skipped names the folders in which nobody means to search: what git, npm and this agent keep for themselves.
func (f files) skipped(name string) bool {
	return name == ".git" || name == "node_modules" || f.ownName(name)
}

// globRegexp turns a pattern into a regular expression for whole paths with slashes: * and ? stay within a name, **
// stands for any folders, [a-z] and {go,md} for one of several. A regular expression takes linear time, whatever the
// pattern. It fails on a bracket without its partner, and on a class that runs backwards.
func globRegexp(pattern string) (*regexp.Regexp, error) {
	const or = "\x00" // a comma in braces, until commas in names are out of the way; no name has a NUL
	braces := regexp.MustCompile(`\{[^{}]*\}`)
	marked := braces.ReplaceAllStringFunc(pattern, func(s string) string { return strings.ReplaceAll(s, ",", or) })
	expression := strings.NewReplacer(
		`\*\*/`, `(?:.*/)?`, `\*\*`, `.*`, `\*`, `[^/]*`, `\?`, `[^/]`,
		`\{`, `(?:`, `\}`, `)`, or, `|`,
		`\[!`, `[^`, `\[\^`, `[^`, `\[`, `[`, `\]`, `]`,
	).Replace(regexp.QuoteMeta(marked))
	re, err := regexp.Compile(`(?s)\A(?:` + expression + `)\z`)
	if err != nil {
		return nil, fmt.Errorf("the pattern has a bracket without its partner, or a class like [z-a]: %s", pattern)
	}
	return re, nil
}

package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestAddOfOneSource(t *testing.T) {
	files := map[string]string{
		"README.md":   "\uFEFFIntro\r\n\r\n```sh\r\n# no heading\r\n```\r\n## The *Title* ##\r\n\r\nText.\r\n",
		"plain.md":    "#hashtag, no heading",
		"notes.txt":   "# not Markdown",
		"run.sh":      "# a comment\n",
		"page.html":   "<html><head><TITLE lang=en>Tea &amp;\n Bread</TITLE><script>x</script></head><p>Green &lt; black",
		"bare.html":   "<p>x",
		"empty.md":    " \n",
		"image.png":   "\x89PNG\x00\x01",
		"doc.pdf":     "%PDF-1.7\n",
		"latin.txt":   "caf\xe9",
		"big.txt":     strings.Repeat("x", maxDocument+1),
		"exact.txt":   strings.Repeat("x", maxDocument),
		"sub/deep.md": "# Deep",
	}
	tests := []struct {
		name, source string
		want         string // title|source|beginning of the text, or the error
	}{
		{"the first heading outside code is the title", "README.md", "The *Title*|README.md|Intro\n\n```sh\n"},
		{"without a heading the file's name is the title", "plain.md", "plain.md|plain.md|#hashtag"},
		{"a text file has no headings", "notes.txt", "notes.txt|notes.txt|# not Markdown"},
		{"a script has no headings", "run.sh", "run.sh|run.sh|# a comment"},
		{"the title of an HTML file", "page.html", "Tea & Bread|page.html|Green < black"},
		{"an HTML file without a title", "bare.html", "bare.html|bare.html|x"},
		{"a path with dots", "sub/../sub//deep.md", "Deep|sub/deep.md|# Deep"},
		{"an absolute path inside the root", "ROOT/sub/deep.md", "Deep|sub/deep.md|# Deep"},
		{"an absolute path by the root's real name", "REAL/sub/deep.md", "Deep|sub/deep.md|# Deep"},
		{"a path from the person's own folder", "~/sub/deep.md", "Deep|sub/deep.md|# Deep"},
		{"a byte that is not UTF-8", "latin.txt", "latin.txt|latin.txt|caf\uFFFD"},
		{"a link inside the root", "inside.md", "Deep|inside.md|# Deep"},
		{"a page", "HTTP://Example.com/a?b=c#d", "A page|http://Example.com/a?b=c|This page lies at http://Example.com/a?b=c"},

		{"nothing", "", "path is empty"},
		{"a file that is not there", "nope.md", "cannot add nope.md: file does not exist"},
		{"a path out of the root", "../x", "outside the root folder: paths are relative to it"},
		{"an absolute path outside", "/etc/passwd", "outside the root folder: paths are relative to it"},
		{"a link that leads out", "outside.md", "path escapes from parent"},
		{"a link to an absolute path", "absolute.md", "path escapes from parent"},
		{"an empty file", "empty.md", "it is no text file of at most 1 MiB"},
		{"a binary file", "image.png", "it is no text file of at most 1 MiB"},
		{"a PDF", "doc.pdf", "it is no text file of at most 1 MiB"},
		{"a file that is too large", "big.txt", "it is no text file of at most 1 MiB"},
		{"a page that is not there", "https://example.com/missing", "404 Not Found"},
		{"another scheme", "file:///etc/passwd", "the address must begin with http:// or https://"},
		{"a URL that is none", "http://[::1", "the address is not valid"},
		{"a password in a URL", "https://u:secret@example.com/", "must not have a user name or password in it"},

		{"the largest file that fits", "exact.txt", "exact.txt|exact.txt|xxx"},
	}
	real := t.TempDir()
	root := filepath.Join(t.TempDir(), "link")
	symlinkOrSkip(t, real, root)
	t.Setenv("HOME", root)
	t.Setenv("USERPROFILE", root)
	k := knowledgeBelow(t, root, files)
	writeFile(t, filepath.Join(filepath.Dir(real), "outside.md"), "out")
	for link, target := range map[string]string{"inside.md": "sub/deep.md", "outside.md": "../outside.md", "absolute.md": "/etc/hosts"} {
		symlinkOrSkip(t, target, filepath.Join(root, link))
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before := k.Len()
			added, err := k.Add(t.Context(), strings.NewReplacer("ROOT", root, "REAL", real).Replace(test.source))
			if err != nil {
				if strings.Contains(test.want, "|") || !strings.Contains(err.Error(), test.want) ||
					!strings.HasPrefix(err.Error(), "cannot add "+test.source) || k.Len() != before {
					t.Errorf("error %v, want %q", err, test.want)
				}
				return
			}
			d := added.Documents[0]
			if got := d.Title + "|" + d.Source + "|" + d.Text; !strings.HasPrefix(got, test.want) || len(added.Documents) != 1 {
				t.Errorf("got %.200q, want %q", got, test.want)
			}
			if at, err := time.Parse(time.RFC3339, d.Added); err != nil || at.IsZero() || strings.ContainsAny(d.Text, "\r\uFEFF") {
				t.Errorf("added at %q, text %.100q", d.Added, d.Text)
			}
		})
	}
}

func TestAddOfAFolder(t *testing.T) {
	files := map[string]string{
		"docs/a.md": "# A", "docs/sub/b.txt": "b", "docs/c.bin": "\x00", "docs/empty": "", "docs/big": strings.Repeat("x", maxDocument+1),
		"docs/.git/config": "no", "docs/node_modules/x/index.js": "no", "docs/sub/.git/HEAD": "no",
		".geekagent/session.json": "no", "docs/.GeekAgent/session.json": "no", "none/x.bin": "\x00", "void/.git/config": "no",
	}
	tests := []struct{ name, source, sources, want string }{
		{"its text files, at any depth", "docs", "docs/a.md docs/sub/b.txt",
			"Added 2 files from docs; 3 skipped (binary, empty, over 1 MiB, or not readable)."},
		{"the root, without the agent's own files", ".", "docs/a.md docs/sub/b.txt",
			"Added 2 files from .; 4 skipped (binary, empty, over 1 MiB, or not readable)."},
		{"one without text", "none", "", "cannot add none: there is no text file in it (1 others)"},
		{"one with nothing to read", "void", "", "cannot add void: there is no text file in it (0 others)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			k := knowledgeIn(t, files)
			if err := os.Symlink("..", filepath.Join(k.files.root.Name(), "docs", "loop")); err != nil && runtime.GOOS != "windows" {
				t.Fatal(err)
			}
			added, err := k.Add(t.Context(), test.source)
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				got = added.String()
			}
			if got != test.want || sourcesOf(k) != test.sources {
				t.Errorf("got %q with %s, want %q with %s", got, sourcesOf(k), test.want, test.sources)
			}
		})
	}
}

func TestThePageIsNamedByItsHeadingOrItsAddressWhereItHasNoTitle(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a heading", "x\n# Tea\n", "Tea"},
		{"neither", "x", "https://example.com/x"},
		{"no text at all", "\n", "it is no text file"},
		{"too much text", strings.Repeat("x", maxDocument+1), "it is no text file"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			k := knowledgeIn(t, nil)
			k.fetch = func(context.Context, string) (string, string, error) { return " ", test.text, nil }
			added, err := k.Add(t.Context(), "https://example.com/x")
			if err != nil && !strings.Contains(err.Error(), test.want) || err == nil && added.Documents[0].Title != test.want {
				t.Errorf("got %+v, %v, want %q", added, err, test.want)
			}
		})
	}
}

func TestATitleIsOneShortLineThatDrawsNothing(t *testing.T) {
	got := oneLine("\x1b[31mred\u202e\n " + strings.Repeat("long ", 100))
	if !strings.HasPrefix(got, `\x1b[31mred\u202e long long`) || len([]rune(got)) != 100 {
		t.Errorf("got %q", got)
	}
}

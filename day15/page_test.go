package main

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestPageText(t *testing.T) {
	for name, test := range map[string]struct{ page, title, text string }{
		"a page": {`<!DOCTYPE html><html><head><title>A &amp; B
			page</title><meta charset="utf-8"></head><body><h1>Head</h1><p>One   <b>bold</b>
			word.<p>Two.</body></html>`, "A & B page", "Head\n\nOne bold word.\n\nTwo."},
		"plain text":                     {"just text", "", "just text"},
		"nothing":                        {"", "", ""},
		"scripts and styles are dropped": {"a<script>if (1<2) '</p>'</script>b<STYLE>p{}</style >c", "", "abc"},
		"a script that never ends":       {"a<script>b", "", "a"},
		"comments are dropped":           {"a<!-- <p>x --> b <!-- y > -->c", "", "a b c"},
		"a comment that never ends":      {"a<!-- b", "", "a"},
		"a bracket in an attribute":      {`<a title="1 > 0" href='>'>link</a>`, "", "link"},
		"an apostrophe among attributes": {`<p don't>text</p>`, "", "text"},
		"a quote that never ends":        {`a<a href="x>b`, "", "a"},
		"a tag that never ends":          {"a<b", "", "a"},
		"a bracket that begins no tag":   {"1 < 2 <3 <", "", "1 < 2 <3 <"},
		"entities": {
			"&lt;b&gt; &#21487; &eacute;&nbsp;&copy; &unknown; AT&T", "", "<b> 可 é © &unknown; AT&T",
		},
		"entities do not make tags": {"&lt;script&gt;text&lt;/script&gt;", "", "<script>text</script>"},
		"a list": {
			"<ul><li>one<li><p>two</p></li><li></li><li>three</ul>after", "", "- one\n- two\n- three\n\nafter",
		},
		"a table": {
			"<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", "", "a b\n1 2",
		},
		"line breaks":                          {"a<br>b<br/>c<hr>d", "", "a\nb\nc\nd"},
		"no space between inline elements":     {"<i>in</i><b>line</b> <b> x </b>", "", "inline x"},
		"white space counts in pre":            {"x<pre>if a {\n    b\n\n}</pre>y", "", "x\n\nif a {\n    b\n\n}\n\ny"},
		"a line of white space is none in pre": {"<pre>a<br>  <br>  <br>b</pre>", "", "a\nb"},
		"names of tags in capitals":            {"<TITLE>T</TITLE><DIV>a</DIV><DIV>b</DIV>", "T", "a\nb"},
		"the first title counts":               {"<title>one</title><svg><title>two</title></svg>x", "one", "x"},
		"a byte order mark and invalid bytes":  {"caf\xe9", "", "caf\uFFFD"},
		"XML declarations and CDATA show not":  {"<?xml version='1.0'?><p>a</p><![CDATA[b]]>", "", "a"},
		"Chinese is left as it is":             {"<p>读取　文件</p>", "", "读取 文件"},
		"an element of its own name is inline": {"a<my-element>b</my-element>c", "", "abc"},
	} {
		t.Run(name, func(t *testing.T) {
			title, text := pageText(test.page)
			if title != test.title || text != test.text {
				t.Errorf("%q, %q; want %q, %q", title, text, test.title, test.text)
			}
		})
	}
}

// What looks for an end that never comes must not look again at every character.
func TestPageTextTakesLinearTime(t *testing.T) {
	half := strings.Repeat(" ", 1<<19)
	for _, test := range []struct{ before, part string }{
		{"", "<"}, {"", "<a"}, {"", "</"}, {"", "<!--"}, {"", "<script>"}, {"", "<a b='"}, {"", "<a ="}, {"", "<title></"},
		{"<pre>" + half, "<br>"}, {"<pre>" + half, "<li>"}, {"<pre>x" + half, "</p>"}, {"<li><pre>" + half, "<br>"},
	} {
		started := time.Now()
		pageText(test.before + strings.Repeat(test.part, (1<<20-len(test.before))/len(test.part)))
		if took := time.Since(started); took > 10*time.Second { // usually some milliseconds
			t.Errorf("%.10q and %q, again and again, took %v", test.before, test.part, took)
		}
	}
}

func FuzzPageText(f *testing.F) {
	f.Add("<p>a<script>b</script><!-- c --><pre>\n d</pre>&lt;")
	f.Add("<a b='>'>\xff</a><li><li>- <td>")
	f.Add("<title>x")
	f.Fuzz(func(t *testing.T, page string) {
		title, text := pageText(page)
		if !utf8.ValidString(title) || !utf8.ValidString(text) {
			t.Errorf("%q, %q are not valid UTF-8", title, text)
		}
		if strings.TrimSpace(text) != text || strings.Contains(title, "\n") {
			t.Errorf("%q, %q have white space around them", title, text)
		}
	})
}

package main

import (
	"strings"
	"testing"
	"time"
)

func TestPageText(t *testing.T) {
	for name, test := range map[string]struct{ page, text string }{
		"a page": {`<!DOCTYPE html><html><head><title>A &amp; B
			page</title><meta charset="utf-8"></head><body><h1>Head</h1><p>One   <b>bold</b>
			word.<p>Two.</body></html>`, "# A & B page\n\n# Head\n\nOne bold word.\n\nTwo."},
		"plain text":                     {"just text", "just text"},
		"nothing":                        {"", ""},
		"scripts and styles are dropped": {"a<script>if (1<2) '</p>'</script>b<STYLE>p{}</style >c", "abc"},
		"a script that never ends":       {"a<script>b", "a"},
		"comments are dropped":           {"a<!-- <p>x --> b <!-- y > -->c", "a b c"},
		"a comment that never ends":      {"a<!-- b", "a"},
		"a bracket in an attribute":      {`<a title="1 > 0" href='>'>link</a>`, "link"},
		"an apostrophe among attributes": {`<p don't>text</p>`, "text"},
		"a quote that never ends":        {`a<a href="x>b`, "a"},
		"a tag that never ends":          {"a<b", "a"},
		"a bracket that begins no tag":   {"1 < 2 <> <3 <", "1 < 2 <> <3 <"},
		"entities":                       {"&lt;b&gt; &#21487; &eacute;&nbsp;&copy; &unknown; AT&T", "<b> 可 é © &unknown; AT&T"},
		"a list":                         {"a<ul><li>one<li><p>two</p></li><li></li><li><a name=x></a>three</ul>after", "a\n- one\n- two\n- three\n\nafter"},
		"a table":                        {"<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", "a b\n1 2"},
		"line breaks":                    {"a<br>b<br/>c<hr>d", "a\nb\nc\nd"},
		"inline elements":                {"<i>in</i><b>line</b> <my-b> x </my-b>y", "inline x y"},
		"white space in pre":             {"x<pre>if <b>a</b> {\n\n\n\tb  <i>c</i>\n}</pre>y", "x\n\nif a {\n\n\n\tb  c\n}\n\ny"},
		"tags in capitals":               {"<TITLE>T</TITLE><DIV>a</DIV><DIV>b</DIV>", "# T\n\na\nb"},
		"pictures":                       {"a<svg><title>b</title></svg>c", "ac"},
		"declarations show nothing":      {"<?xml version='1.0'?><p>a</p><![CDATA[b]]>", "a"},
		"white space of other scripts":   {"<p>读取　文件</p>", "读取 文件"},

		"the attribute hidden":           {`a<div class=x hidden>b<div>c</div>d</div>e<p HIDDEN="">f</p>g`, "a\ne\n\ng"},
		"display: none":                  {`a<b style="color:red; Display : none">b</b>c<b style='display:none'>d</b>e<b style=display:none>f</b>`, "ace"},
		"visibility: hidden":             {`a<b style="visibility:hidden">b</b>c`, "ac"},
		"a template":                     {"a<template><p>b</p></template>c", "ac"},
		"hidden is no class or value":    {`<b class="hidden md:block" title="a hidden b" data-x='style="display:none"'>a</b><input type="hidden">b`, "ab"},
		"an empty element hides nothing": {`a<input hidden>b<br style="display:none">c`, "ab\nc"},
		"hidden without an end tag":      {"<p hidden>a<p>b<select><option hidden>c<option>d</select>", "b\nd"},
		"hidden to the end":              {"a<div hidden>b", "a"},
	} {
		if text := pageText(test.page); text != test.text {
			t.Errorf("%s: %q; want %q", name, text, test.text)
		}
	}
}

// What looks for an end that never comes must not look again at every character.
func TestPageTextTakesLinearTime(t *testing.T) {
	for _, part := range []string{"<", "<a", "</", "<!--", "<script>", "<title", "<title></", "<a b='", "<a =\"", "<b style='", "<a =hidden ",
		"<div>", "</div>", "<p hidden>", "<li><pre> ", "<li>/", "&nbsp;"} {
		started := time.Now()
		pageText(strings.Repeat(part, 1<<15/len(part)))
		if took := time.Since(started); took > 5*time.Second { // usually some milliseconds
			t.Errorf("%q again and again took %v", part, took)
		}
	}
}

package main

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"
)

func TestResultText(t *testing.T) {
	picture := strings.Repeat("iVBORw0K", 5000) // 40 KB
	for name, test := range map[string]struct{ result, want string }{
		"one text":                      {`{"content":[{"type":"text","text":"Roll: 5"}]}`, "Roll: 5"},
		"texts in order":                {`{"content":[{"type":"text","text":"b\n"},{"type":"text","text":""},{"type":"text","text":"读 🎉"}]}`, "b\n\n\n读 🎉"},
		"nothing":                       {`{"content":[]}`, "(no content)"},
		"not even content":              {`{}`, "(no content)"},
		"content that is null":          {`{"content":null,"_meta":{}}`, "(no content)"},
		"empty texts":                   {`{"content":[{"type":"text","text":""},{"type":"text","text":""}]}`, "(no content)"},
		"the tool says no":              {`{"content":[{"type":"text","text":"disk full"}],"isError":true}`, "(error) disk full"},
		"the tool says no, without why": {`{"content":[],"isError":true}`, "(error) (no content)"},
		"isError as a text":             {`{"content":[{"type":"text","text":"x"}],"isError":"false"}`, "x"},
		"keys in another case":          {`{"Content":[{"type":"text","text":"y"}],"content":[{"type":"text","text":"x","Text":"y"}],"IsError":true}`, "x"},
		"members of a later revision":   {`{"resultType":"complete","ttlMs":5,"content":[{"type":"text","text":"x","annotations":{"audience":["user"]}}]}`, "x"},
		"bytes that are not UTF-8":      {"{\"content\":[{\"type\":\"text\",\"text\":\"caf\xE9\"}]}", "caf\uFFFD"},

		"content that is a text":      {`{"content":"Roll: 5"}`, "Roll: 5"},
		"content that is one block":   {`{"content":{"type":"text","text":"Roll: 5"}}`, "Roll: 5"},
		"texts without blocks":        {`{"content":["a\n","b",7]}`, "a\n\nb\n7"},
		"a number as text":            {`{"content":[{"type":"text","text":42}]}`, "42"},
		"an object as text":           {`{"content":[{"type":"text","text":{ "a" : "\u003c" }}]}`, `{"a":"<"}`},
		"a result that is a text":     {`"bare"`, `(error) the server's answer is no tool result: "bare"`},
		"a result that is a list":     {`[1, 2]`, "(error) the server's answer is no tool result: [1,2]"},
		"blocks with nothing in them": {`{"content":[{"type":"image"},{"type":"resource"},{"type":"resource","resource":{"text":""}},{"type":"text"},null,{}]}`, "[image: unknown, 0 bytes]\n[resource block: {\"type\":\"resource\"}]\n\n[text block: {\"type\":\"text\"}]\n\n[unknown block: {}]"},

		"structured content alone":              {`{"content":[],"structuredContent":{"total":36,"note":"<b>&","id":1234567890123456789}}`, `{"total":36,"note":"<b>&","id":1234567890123456789}`},
		"structured content without content":    {`{"structuredContent":{ "total" : 36.0 }}`, `{"total":36.0}`},
		"structured content of a Go server":     {`{"structuredContent":{"n":"\u003cb\u003e\u0026 \\u003c"}}`, `{"n":"<b>& \\u003c"}`},
		"structured content that is a list":     {`{"content":[],"structuredContent":[1,2]}`, `[1,2]`},
		"structured content null":               {`{"content":[],"structuredContent":null}`, "(no content)"},
		"structured content that says more":     {`{"content":[{"type":"text","text":"36 in all"}],"structuredContent":{"total":36}}`, "36 in all\n{\"total\":36}"},
		"structured content said before":        {`{"content":[{"type":"text","text":"{\n  \"b\": \"\\u00e9\", \"a\": 36}"}],"structuredContent":{"b":"é","a":36}}`, "{\n  \"b\": \"\\u00e9\", \"a\": 36}"},
		"the same but for a digit":              {`{"content":[{"type":"text","text":"{\"a\":12345678901234567890}"}],"structuredContent":{"a":12345678901234567891}}`, "{\"a\":12345678901234567890}\n{\"a\":12345678901234567891}"},
		"a bare value wrapped by an SDK":        {`{"content":[{"type":"text","text":"Roll: 5"}],"structuredContent":{"result":"Roll: 5"}}`, "Roll: 5"},
		"a bare number wrapped by an SDK":       {`{"content":[{"type":"text","text":"5"}],"structuredContent":{"result":5}}`, "5"},
		"a wrapped value that says otherwise":   {`{"content":[{"type":"text","text":"Roll: 5"}],"structuredContent":{"result":"Roll: 6"}}`, "Roll: 5\n{\"result\":\"Roll: 6\"}"},
		"structured content beside a picture":   {`{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}],"structuredContent":{"w":1}}`, "[image: image/png, 3 bytes]\n{\"w\":1}"},
		"structured content of a failed tool":   {`{"structuredContent":{"why":"full"},"isError":true}`, `(error) {"why":"full"}`},
		"inputRequests beside an answer":        {`{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}},"content":[{"type":"text","text":"x"}]}`, "x"},
		"a server that asks for what we lack":   {`{"resultType":"input_required","inputRequests":{"b":{"method":"sampling/createMessage"},"a":{"method":"elicitation/create"}}}`, "(error) the server asks for input that this client cannot give: {\"resultType\":\"input_required\",\"inputRequests\":{\"b\":{\"method\":\"sampling/createMessage\"},\"a\":{\"method\":\"elicitation/create\"}}}"},
		"a server that wants to be asked again": {`{"resultType":"input_required","requestState":"s"}`, "(error) the server asks for input that this client cannot give: {\"resultType\":\"input_required\",\"requestState\":\"s\"}"},

		"blocks of every type": {`{"content":[{"type":"text","text":"A"},{"type":"image","data":"` + picture + `","mimeType":"image/png"},` +
			`{"type":"audio","data":"AAA=","mimeType":"audio/wav"},{"type":"resource","resource":{"uri":"demo://x","text":"T"}},` +
			`{"type":"resource","resource":{"uri":"demo://x","mimeType":"application/pdf","blob":"` + picture + `"}},` +
			`{"type":"resource_link","uri":"demo://y","name":"y","mimeType":"text/plain"},{"type":"json","json":{"k": 1}},{"type":"text","text":"B"}]}`,
			"A\n[image: image/png, 30000 bytes]\n[audio: audio/wav, 2 bytes]\nT\n[resource demo://x: application/pdf, 30000 bytes]\n" +
				"[link y: demo://y, text/plain]\n[json block: {\"type\":\"json\",\"json\":{\"k\":1}}]\nB"},
		"base64 in a type of the future": {`{"content":[{"type":"video","a":"\"","data":"` + picture + `"}]}`, `[video block: {"type":"video","a":"\"","data":"… 40000 bytes …"}]`},
		"base64 in a data URI":           {`{"content":[{"type":"resource_link","uri":"data:image/png;base64,` + picture + `","name":"p"}]}`, "[link p: data:image/png, unknown]"},
		"labels stay on their line":      {`{"content":[{"type":"resource_link","uri":"a\nb","name":"x","mimeType":"a/b\r\n"}]}`, `[link x: a b, a/b]`},
	} {
		t.Run(name, func(t *testing.T) {
			got, isError := resultText(json.RawMessage(test.result))
			if isError {
				got = "(error) " + got
			}
			if got != test.want {
				t.Errorf("got  %.600q\nwant %.600q", got, test.want)
			}
		})
	}
}

// The text of a big result is copied once, and not once for each layer that looks at it.
func TestABigResult(t *testing.T) {
	result := json.RawMessage(`{"content":[{"type":"text","text":"` + strings.Repeat("0123456789abcde\\n", 1<<18) + `"}]}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	text, _ := resultText(result)
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	if len(text) != 1<<22 || allocated > 5*uint64(len(result))/2 { // with escapes in it, encoding/json needs a buffer besides the string
		t.Errorf("%d bytes allocated for %d", allocated, len(result))
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestResultText(t *testing.T) {
	picture := strings.Repeat("iVBORw0K", 5000) // 40 KB
	for name, test := range map[string]struct {
		result  string
		want    string
		isError bool
	}{
		"one text": {`{"content":[{"type":"text","text":"Roll: 5"}]}`, "Roll: 5", false},
		"texts in order": {
			`{"content":[{"type":"text","text":"b\n"},{"type":"text","text":""},{"type":"text","text":"读 🎉"}]}`,
			"b\n\n\n读 🎉",
			false,
		},
		"nothing":              {`{"content":[]}`, "(no content)", false},
		"not even content":     {`{}`, "(no content)", false},
		"content that is null": {`{"content":null,"_meta":{}}`, "(no content)", false},
		"empty texts": {
			`{"content":[{"type":"text","text":""},{"type":"text","text":""}]}`,
			"(no content)",
			false,
		},
		"the tool says no": {
			`{"content":[{"type":"text","text":"disk full"}],"isError":true}`,
			"disk full",
			true,
		},
		"the tool says no, without why": {`{"content":[],"isError":true}`, "(no content)", true},
		"text without a type":           {`{"content":[{"text":"x"}]}`, `[unknown block: {"text":"x"}]`, false},
		"members of a later revision": {
			`{"resultType":"complete","ttlMs":5,"content":[{"type":"text","text":"x","annotations":{"audience":["user"]}}]}`,
			"x",
			false,
		},
		"inputRequests beside an answer": {
			`{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}},"content":[{"type":"text","text":"x"}]}`,
			"x",
			false,
		},

		"structured content alone": {
			`{"content":[],"structuredContent":{"total":36,"note":"<b>&","id":1234567890123456789}}`,
			`{"total":36,"note":"<b>&","id":1234567890123456789}`,
			false,
		},
		"structured content without content": {`{"structuredContent":{ "total" : 36.0 }}`, `{"total":36.0}`, false},
		"structured content of a Go server": {
			`{"structuredContent":{"n":"\u003cb\u003e\u0026 \\u003c"}}`,
			`{"n":"<b>& \\u003c"}`,
			false,
		},
		"structured content that is a list": {`{"content":[],"structuredContent":[1,2]}`, `[1,2]`, false},
		"structured content null":           {`{"content":[],"structuredContent":null}`, "(no content)", false},
		"structured content that says more": {
			`{"content":[{"type":"text","text":"36 in all"}],"structuredContent":{"total":36}}`,
			"36 in all\n{\"total\":36}",
			false,
		},
		"structured content said before": {
			`{"content":[{"type":"text","text":"{\n  \"b\": \"x\", \"a\": 36}"}],"structuredContent":{"a":36,"b":"x"}}`,
			"{\n  \"b\": \"x\", \"a\": 36}",
			false,
		},
		"the same but for a digit": {
			`{"content":[{"type":"text","text":"{\"a\":12345678901234567890}"}],"structuredContent":{"a":12345678901234567891}}`,
			"{\"a\":12345678901234567890}\n{\"a\":12345678901234567891}",
			false,
		},
		"a bare value wrapped by an SDK": {
			`{"content":[{"type":"text","text":"Roll: 5"}],"structuredContent":{"result":"Roll: 5"}}`,
			"Roll: 5",
			false,
		},
		"a bare number wrapped by an SDK": {
			`{"content":[{"type":"text","text":"5"}],"structuredContent":{"result":5}}`,
			"5",
			false,
		},
		"a wrapped value that says otherwise": {
			`{"content":[{"type":"text","text":"Roll: 5"}],"structuredContent":{"result":"Roll: 6"}}`,
			"Roll: 5\n{\"result\":\"Roll: 6\"}",
			false,
		},
		"structured content beside a picture": {
			`{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}],"structuredContent":{"w":1}}`,
			"[image: image/png, 3 bytes]\n{\"w\":1}",
			false,
		},

		"blocks of every type": {`{"content":[{"type":"text","text":"A"},{"type":"image","data":"` + picture + `","mimeType":"image/png"},` +
			`{"type":"audio","data":"AAA=","mimeType":"audio/wav"},{"type":"resource","resource":{"uri":"demo://x","text":"T"}},` +
			`{"type":"resource","resource":{"uri":"demo://x","mimeType":"application/pdf","blob":"` + picture + `"}},` +
			`{"type":"resource_link","uri":"demo://y","name":"y","mimeType":"text/plain"},{"type":"json","json":{"k": 1}},{"type":"text","text":"B"}]}`,
			"A\n[image: image/png, 30000 bytes]\n[audio: audio/wav, 2 bytes]\nT\n[resource demo://x: application/pdf, 30000 bytes]\n" +
				"[link y: demo://y, text/plain]\n[json block: {\"type\":\"json\",\"json\":{\"k\":1}}]\nB", false},
		"blocks with nothing in them": {`{"content":[{"type":"image"},{"type":"resource"},{"type":"resource","resource":{"text":""}},{"type":"text"},null,{}]}`,
			"[image: unknown, 0 bytes]\n[resource block: {\"type\":\"resource\"}]\n\n[text block: {\"type\":\"text\"}]\n[unknown block: null]\n[unknown block: {}]", false},
		"members of a wrong type": {
			`{"content":[{"type":"text","text":5},{"type":"image","data":7,"mimeType":[]},{"type":"text","text":"x"}],"isError":"yes"}`,
			"[text block: {\"type\":\"text\",\"text\":5}]\n[image: unknown, 0 bytes]\nx",
			false,
		},
		"base64 in a type of the future": {
			`{"content":[{"type":"video","data":"` + picture + `"}]}`,
			`[video block: {"type":"video","data":"… 40000 bytes …"}]`,
			false,
		},
		"base64 in a data URI": {
			`{"content":[{"type":"resource_link","uri":"data:image/png;base64,` + picture + `","name":"p"}]}`,
			"[link p: data:image/png;base64,…, unknown]",
			false,
		},
		"labels draw nothing": {
			`{"content":[{"type":"resource_link","uri":"a\nb\u001b[2J","name":"\u202ex","mimeType":"` + strings.Repeat("m", 300) + `"}]}`,
			`[link \u202ex: a\nb\x1b[2J, ` + strings.Repeat("m", 199) + "…]",
			false,
		},

		"input required": {`{"resultType":"input_required","inputRequests":{"b":{"method":"sampling/createMessage"},"a":{"method":"elicitation/create"}},"requestState":"s"}`,
			"the server asks for what this client cannot give: elicitation/create, sampling/createMessage", true},
		"a state alone": {
			`{"resultType":"input_required","requestState":"s"}`,
			"the server wants to be asked again before it answers, which this client does not do",
			true,
		},
		"null":   {`null`, "the server's answer is no tool result: null", true},
		"a list": {`[1, 2]`, "the server's answer is no tool result: [1,2]", true},
		"content that is no list": {
			`{"content":"Roll: 5"}`,
			`the server's answer is no tool result: {"content":"Roll: 5"}`,
			true,
		},
		"text that is empty":       {`{"content":[{"type":"text","text":""},{"type":"text","text":"x"}]}`, "\nx", false},
		"bytes that are not UTF-8": {"{\"content\":[{\"type\":\"text\",\"text\":\"caf\xE9\"}]}", "caf\uFFFD", false},
		"an unknown block, no UTF-8": {
			"{\"content\":[{\"type\":\"x\",\"v\":\"caf\xE9\"}]}",
			"[x block: {\"type\":\"x\",\"v\":\"caf\uFFFD\"}]",
			false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, isError := resultText(json.RawMessage(test.result), nil)
			if got != test.want || isError != test.isError {
				t.Errorf("got  %.600q, %v\nwant %.600q, %v", got, isError, test.want, test.isError)
			}
		})
	}
}

// A server's unknown block does not become more than a line, whatever is in it.
func TestUnknownBlocksAreBounded(t *testing.T) {
	for name, block := range map[string]string{
		"many numbers": `{"type":"vector","v":[` + strings.Repeat("1,", 100_000) + `1]}`,
		"many strings": `{"type":"rows","v":[` + strings.Repeat(`"读取",`, 100_000) + `""]}`,
		"a long type":  `{"type":"` + strings.Repeat("t", 100_000) + `"}`,
	} {
		got, _ := resultText(json.RawMessage(`{"content":[`+block+`]}`), nil)
		if utf8.RuneCountInString(got) > maxLabel+maxUnknown+20 || strings.Contains(got, "\n") || !strings.Contains(got, "…") {
			t.Errorf("%s: %d characters, %.200s", name, utf8.RuneCountInString(got), got)
		}
	}
}

func bigResult(size int) json.RawMessage {
	return json.RawMessage(`{"content":[{"type":"text","text":"` + strings.Repeat("0123456789abcde\\n", size/17) + `"}]}`)
}

// The text of a big result is not copied once for each layer that looks at it.
func TestBigResultIsCopiedOnce(t *testing.T) {
	result := bigResult(4 << 20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	text, _ := resultText(result, nil)
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	if len(text) < 3<<20 || allocated > 5*uint64(len(result))/2 { // with escapes in it, encoding/json needs a buffer besides the string
		t.Errorf("%d bytes allocated for %d", allocated, len(result))
	}
}

func BenchmarkResultText(b *testing.B) {
	result := bigResult(10 << 20)
	b.SetBytes(int64(len(result)))
	b.ReportAllocs()
	for b.Loop() {
		resultText(result, nil)
	}
}

func FuzzResultText(f *testing.F) {
	f.Add([]byte(`{"content":[{"type":"text","text":"A"},{"type":"resource","resource":{"uri":"x","blob":"AA=="}},{"type":"json","v":[1]}],"structuredContent":{"result":"A"}}`))
	f.Add([]byte(`{"resultType":"input_required","inputRequests":{"a":{"method":"x"},"b":null}}`))
	f.Add([]byte("{\"content\":[{\"type\":\"image\",\"data\":\"\\u0041\xff=\",\"mimeType\":\"\\ud800\"},null,[]],\"isError\":1}"))
	f.Add([]byte(`{"content":{},"structuredContent":"\\u003c\u003c"}`))
	f.Fuzz(func(t *testing.T, result []byte) {
		if !json.Valid(result) {
			return
		}
		text, _ := resultText(result, nil)
		if text == "" || !utf8.ValidString(strings.ToValidUTF8(text, "\uFFFD")) {
			t.Errorf("%s became %q", result, text)
		}
		var r struct {
			StructuredContent any `json:"structuredContent"`
			Content           []any
		}
		if json.Unmarshal(result, &r) == nil && r.StructuredContent != nil && r.Content == nil {
			var again any
			if err := json.Unmarshal([]byte(text), &again); err != nil || fmt.Sprint(again) != fmt.Sprint(r.StructuredContent) {
				t.Errorf("the structured content of %s became %s", result, text)
			}
		}
	})
}

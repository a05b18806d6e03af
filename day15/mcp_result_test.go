package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestResultText(t *testing.T) {
	picture := strings.Repeat("iVBORw0K", 5000) // 40 KB
	for result, want := range map[string]string{
		`{"content":[{"type":"text","text":"Roll: 5"}]}`:                                                    "Roll: 5",
		`{"content":[{"type":"text","text":"b\n"},{"type":"text","text":""},{"type":"text","text":"读 🎉"}]}`: "b\n\n\n读 🎉",
		`{"content":[]}`:              "(no content)",
		`{}`:                          "(no content)",
		`{"content":null,"_meta":{}}`: "(no content)",
		`{"content":[{"type":"text","text":""},{"type":"text","text":""}]}`:                                              "(no content)",
		`{"content":[{"type":"text","text":"disk full"}],"isError":true}`:                                                "(error) disk full",
		`{"content":[],"isError":true}`:                                                                                  "(error) (no content)",
		`{"content":[{"type":"text","text":"x"}],"isError":"false"}`:                                                     "x",
		`{"Content":[{"type":"text","text":"y"}],"content":[{"type":"text","text":"x","Text":"y"}],"IsError":true}`:      "x",
		`{"resultType":"complete","ttlMs":5,"content":[{"type":"text","text":"x","annotations":{"audience":["user"]}}]}`: "x",
		"{\"content\":[{\"type\":\"text\",\"text\":\"caf\xE9\"}]}":                                                       "caf\uFFFD",
		`{"content":"Roll: 5"}`:                                   "Roll: 5",
		`{"content":{"type":"text","text":"Roll: 5"}}`:            "Roll: 5",
		`{"content":["a\n","b",7]}`:                               "a\n\nb\n7",
		`{"content":[{"type":"text","text":42}]}`:                 "42",
		`{"content":[{"type":"text","text":{ "a" : "\u003c" }}]}`: `{"a":"<"}`,
		`"bare"`: `(error) the server's answer is no tool result: "bare"`,
		`[1, 2]`: "(error) the server's answer is no tool result: [1,2]",
		`{"content":[{"type":"image"},{"type":"resource"},{"type":"resource","resource":{"text":""}},{"type":"text"},null,{}]}`:         "[image: {\"type\":\"image\"}]\n[resource: {\"type\":\"resource\"}]\n\n[text: {\"type\":\"text\"}]\n\n[unknown: {}]",
		`{"content":[],"structuredContent":{"total":36,"note":"<b>&","id":1234567890123456789}}`:                                        `{"total":36,"note":"<b>&","id":1234567890123456789}`,
		`{"structuredContent":{ "total" : 36.0 }}`:                                                                                      `{"total":36.0}`,
		`{"structuredContent":{"n":"\u003cb\u003e\u0026 \\u003c"}}`:                                                                     `{"n":"<b>& \\u003c"}`,
		`{"content":[],"structuredContent":[1,2]}`:                                                                                      `[1,2]`,
		`{"content":[],"structuredContent":null}`:                                                                                       "(no content)",
		`{"content":[{"type":"text","text":"{\n  \"b\": \"\\u00e9\", \"a\": 36}"}],"structuredContent":{"b":"é","a":36}}`:               "{\n  \"b\": \"\\u00e9\", \"a\": 36}",
		`{"content":[{"type":"text","text":"Roll: 5"}],"structuredContent":{"result":"Roll: 5"}}`:                                       "Roll: 5",
		`{"content":[{"type":"text","text":"5"}],"structuredContent":{"result":5}}`:                                                     "5",
		`{"structuredContent":{"why":"full"},"isError":true}`:                                                                           `(error) {"why":"full"}`,
		`{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}},"content":[{"type":"text","text":"x"}]}`:          "x",
		`{"resultType":"input_required","inputRequests":{"b":{"method":"sampling/createMessage"},"a":{"method":"elicitation/create"}}}`: "(error) the server asks for input that this client cannot give: {\"resultType\":\"input_required\",\"inputRequests\":{\"b\":{\"method\":\"sampling/createMessage\"},\"a\":{\"method\":\"elicitation/create\"}}}",
		`{"resultType":"input_required","requestState":"s"}`:                                                                            "(error) the server asks for input that this client cannot give: {\"resultType\":\"input_required\",\"requestState\":\"s\"}",
		`{"content":[{"type":"text","text":"36 in all"}],"structuredContent":{"total":36}}`:                                             "36 in all\n{\"total\":36}",
		`{"content":[{"type":"text","text":"{\"a\":12345678901234567890}"}],"structuredContent":{"a":12345678901234567891}}`:            "{\"a\":12345678901234567890}\n{\"a\":12345678901234567891}",
		`{"content":[{"type":"text","text":"Roll: 5"}],"structuredContent":{"result":"Roll: 6"}}`:                                       "Roll: 5\n{\"result\":\"Roll: 6\"}",
		`{"content":[{"type":"image","data":"AAAA"}],"structuredContent":{"w":1}}`:                                                      "[image: {\"type\":\"image\",\"data\":\"AAAA\"}]\n{\"w\":1}",
		`{"content":[{"type":"text","text":"A"},{"type":"image","data":"` + picture + `","mimeType":"image/png"},` +
			`{"type":"resource","resource":{"uri":"demo://x","text":"T"}},` +
			`{"type":"resource","resource":{"uri":"demo://x","mimeType":"application/pdf","blob":"` + picture + `"}},` +
			`{"type":"resource_link","uri":"demo://y\n","name":"y"},{"type":"json","json":{"k": 1}},{"type":"text","text":"B"}]}`: `A
[image: {"type":"image","data":"… 40000 bytes …","mimeType":"image/png"}]
T
[resource: {"type":"resource","resource":{"uri":"demo://x","mimeType":"application/pdf","blob":"… 40000 bytes …"}}]
[resource_link: {"type":"resource_link","uri":"demo://y\n","name":"y"}]
[json: {"type":"json","json":{"k":1}}]
B`,
	} {
		got, isError := resultText(json.RawMessage(result))
		if isError {
			got = "(error) " + got
		}
		if got != want {
			t.Errorf("%.300s\ngot  %.600q\nwant %.600q", result, got, want)
		}
	}
}

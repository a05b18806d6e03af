package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestReadLine(t *testing.T) {
	long := strings.Repeat("é", 100_000)
	for _, test := range []struct {
		name, input string
		lines       []string
	}{
		{"ends in LF, CRLF, or the end of the input", "a\nb\r\nc", []string{"a", "b", "c"}},
		{"may be empty", "\n\r\n", []string{"", ""}},
		{"is longer than the buffer", long + "\n" + long, []string{long, long}},
		{"is as long as the buffer", strings.Repeat("x", 64<<10-1) + "\n" + strings.Repeat("y", 64<<10) + "\nz\n",
			[]string{strings.Repeat("x", 64<<10-1), strings.Repeat("y", 64<<10), "z"}},
		{"is invalid UTF-8", "a\xff\xfeb\n\xe9", []string{"a\uFFFDb", "\uFFFD"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := bufio.NewReaderSize(strings.NewReader(test.input), 64<<10)
			for i, want := range test.lines {
				if line, err := readLine(r); string(line) != want || err != nil && (err != io.EOF || i < len(test.lines)-1) {
					t.Errorf("line %d: %.100q, %v", i, line, err)
				}
			}
		})
	}
}

func TestMembers(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                                 "",
		` { "a" : 1 , "b":[{"c":"]"}] } `:    `a=1 b=[{"c":"]"}] `,
		`{"a":"\\","b":"\"}","c":"\\\""}`:    `a="\\" b="\"}" c="\\\"" `,
		`{"a":null,"a":true}`:                "a=null a=true ",
		`{"a\"b":{}}`:                        `a\"b={} `,
		`{"a":-1.5e+3}`:                      "a=-1.5e+3 ",
		``:                                   "!",
		`[]`:                                 "!",
		`{`:                                  "!",
		`{"a"`:                               "!",
		`{"a":`:                              "!",
		`{"a":}`:                             "!",
		`{"a":"`:                             "!",
		`{"a":"\"`:                           "!",
		`{"a":"\\\"}`:                        "!",
		`{"a":[1,2`:                          "!",
		`{"a":{"b":"}`:                       "!",
		`{"a":1 "b":2}`:                      "a=1 !",
		`{"a":1}}`:                           "a=1 !",
		`{"a":1} x`:                          "a=1 !",
		`{a:1}`:                              "!",
		"{\"a\":" + strings.Repeat("[", 1e6): "!", // however deep: no stack grows
	} {
		got := ""
		if !members([]byte(text), func(key string, value json.RawMessage) { got += key + "=" + string(value) + " " }) {
			got += "!"
		}
		if got != want {
			t.Errorf("%.50s: got %s, want %s", text, got, want)
		}
	}
}

// A server may send any bytes: the stream neither panics nor hangs, its memory stays in proportion, and it agrees with
// encoding/json on what a message is.
func FuzzLine(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Roll: 5"}]}}`,
		`{"jsonrpc":"2.0","id":"1","error":{"code":0,"message":"x","data":{}}}` + "\r\n" + `{"jsonrpc":"2.0","id":1.0,"result":null}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.5}}` + "\n",
		`{"jsonrpc":"2.0","id":"p-1","method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`,
		"\xEF\xBB\xBFdemo ready\n\nnull\n42\n[]\n{\"level\":\"info\"}\n\xff\xfe\n",
		`{"jsonrpc":"2.0","id":1,"result":"\\\"`, `{"jsonrpc":"2.0","id":{},"result":[[[[`, `{"jsonrpc":"2.0","id":1e400,"result":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		n := &notebook{}
		s := newStream(io.MultiReader(bytes.NewReader(sent), strings.NewReader("\n")), discard{}, n.peer(), func(err error) error {
			return &connectionError{reason: err.Error(), err: err}
		})
		call := goCall(context.Background(), s, "x")
		s.read()
		select {
		case got := <-call:
			var refused *rpcError
			var failure *connectionError
			if got.err != nil && !errors.As(got.err, &refused) && !errors.As(got.err, &failure) {
				t.Errorf("an error of no class: %v", got.err)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("the call hangs")
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20+100*uint64(len(sent)) {
			t.Errorf("%d bytes allocated for %d bytes", used, len(sent))
		}
		compareWithJSON(t, bytes.TrimSpace(sent))
	})
}

// compareWithJSON fails where a line that encoding/json takes for a message is another one for us.
func compareWithJSON(t *testing.T, line []byte) {
	var want rpcMessage
	if bytes.ContainsRune(line, '\n') || json.Unmarshal(line, &want) != nil || want.JSONRPC != "2.0" || len(want.ID) == 0 || want.Result == nil {
		return
	}
	var exact map[string]json.RawMessage // encoding/json takes "ID" for "id", and we do not
	if json.Unmarshal(line, &exact); exact["jsonrpc"] == nil || exact["id"] == nil || exact["result"] == nil || exact["error"] != nil || exact["method"] != nil {
		return
	}
	got, ok := parseMessage(line)
	if !ok || string(got.ID) != string(exact["id"]) || string(got.Result) != string(exact["result"]) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// discard is a server's input that takes everything.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Close() error                { return nil }

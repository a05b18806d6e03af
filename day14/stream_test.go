package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openai/openai-go/v3/option"
)

// wantCall is a call of an answer; its id is compared only where the server sent one.
type wantCall struct{ id, name, arguments string }

func TestAnswersOfRealServers(t *testing.T) {
	for _, test := range []struct {
		name, stream, text, finish string
		calls                      []wantCall
	}{
		{"text in pieces", deltas("stop", `{"role":"assistant","content":""}`, `{"content":"Hel"}`, `{"content":"lo"}`), "Hello", "stop", nil},
		{"a call in fragments", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"add","arguments":""}}]}`,
			`{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`),
			"", "tool_calls", []wantCall{{"c1", "add", `{"a":1}`}}},
		{"two calls without an index", deltas("tool_calls",
			`{"tool_calls":[{"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}},{"id":"c2","function":{"name":"now","arguments":"{}"}}]}`),
			"", "tool_calls", []wantCall{{"c1", "add", `{"a":1}`}, {"c2", "now", `{}`}}},
		{"pieces with neither index nor id go to the call opened last", deltas("tool_calls",
			`{"tool_calls":[{"id":"c0","function":{"name":"now","arguments":"{}"}}]}`,
			`{"tool_calls":[{"id":"c1","function":{"name":"add","arguments":"{\"a\""}}]}`,
			`{"tool_calls":[{"function":{"arguments":":1"}}]}`, `{"tool_calls":[{"index":null,"function":{"arguments":"}"}}]}`),
			"", "tool_calls", []wantCall{{"c0", "now", `{}`}, {"c1", "add", `{"a":1}`}}},
		{"pieces of two calls take turns", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{"}},{"index":1,"id":"c2","function":{"name":"sub","arguments":"{"}}]}`,
			`{"tool_calls":[{"index":1,"function":{"arguments":"\"b\":2}"}},{"index":0,"function":{"arguments":"\"a\":1}"}}]}`),
			"", "tool_calls", []wantCall{{"c1", "add", `{"a":1}`}, {"c2", "sub", `{"b":2}`}}},
		{"id and name come with every piece", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{\"a\":"}}]}`,
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"1}"}}]}`),
			"", "tool_calls", []wantCall{{"c1", "add", `{"a":1}`}}},
		{"a name comes with every piece, an id with none", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"function":{"name":"add","arguments":"{\"a\":"}}]}`,
			`{"tool_calls":[{"index":0,"function":{"name":"add","arguments":"1}"}}]}`),
			"", "tool_calls", []wantCall{{"", "add", `{"a":1}`}}},
		{"one complete call under two indexes is one call", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}}]}`,
			`{"tool_calls":[{"index":1,"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}}]}`),
			"", "tool_calls", []wantCall{{"c1", "add", `{"a":1}`}}},
		{"and so it is when it comes in pieces", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}}]}`,
			`{"tool_calls":[{"index":1,"id":"c1","function":{"name":"add","arguments":"{\"a\""}}]}`, `{"tool_calls":[{"index":1,"function":{"arguments":":1}"}}]}`),
			"", "tool_calls", []wantCall{{"c1", "add", `{"a":1}`}}},
		{"and when the second time has other white space", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}}]}`,
			`{"tool_calls":[{"index":1,"id":"c1","function":{"name":"add","arguments":"{\"a\": 1}"}}]}`),
			"", "tool_calls", []wantCall{{"c1", "add", `{"a":1}`}}},
		{"and when it has no name", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}}]}`,
			`{"tool_calls":[{"index":1,"id":"c1","function":{"arguments":"{\"a\":1}"}}]}`),
			"", "tool_calls", []wantCall{{"c1", "add", `{"a":1}`}}},
		{"and when it has no arguments", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}}]}`,
			`{"tool_calls":[{"index":1,"id":"c1","function":{"name":"add","arguments":""}}]}`),
			"", "tool_calls", []wantCall{{"c1", "add", `{"a":1}`}}},
		{"a last piece that says nothing", deltas("tool_calls",
			`{"tool_calls":[{"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}}]}`,
			`{"tool_calls":[{"id":"c1","function":{"name":"add","arguments":""}}]}`),
			"", "tool_calls", []wantCall{{"c1", "add", `{"a":1}`}}},
		{"two calls with one id, both sent twice", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}},{"index":1,"id":"c1","function":{"name":"now","arguments":"{}"}}]}`,
			`{"tool_calls":[{"index":2,"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}},{"index":3,"id":"c1","function":{"name":"now","arguments":"{}"}}]}`),
			"", "tool_calls", []wantCall{{"c1", "add", `{"a":1}`}, {"", "now", `{}`}}},
		{"two calls with one id", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}},{"index":1,"id":"c1","function":{"name":"now","arguments":"{}"}}]}`),
			"", "tool_calls", []wantCall{{"c1", "add", `{"a":1}`}, {"", "now", `{}`}}},
		{"two calls with one id, the first without arguments", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"now","arguments":""}},{"index":1,"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}}]}`),
			"", "tool_calls", []wantCall{{"c1", "now", ``}, {"", "add", `{"a":1}`}}},
		{"two calls of one tool with one id and no index", `{"choices":[{"message":{"tool_calls":[{"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}},` +
			`{"id":"c1","function":{"name":"add","arguments":"{\"a\":2}"}}]},"finish_reason":"tool_calls"}]}`,
			"", "tool_calls", []wantCall{{"c1", "add", `{"a":1}`}, {"", "add", `{"a":2}`}}},
		{"equal calls with two ids stay two", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{}"}},{"index":1,"id":"c2","function":{"name":"add","arguments":"{}"}}]}`),
			"", "tool_calls", []wantCall{{"c1", "add", `{}`}, {"c2", "add", `{}`}}},
		{"all calls at index 0 with ids of their own", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{}"}}]}`,
			`{"tool_calls":[{"index":0,"id":"c2","function":{"name":"now","arguments":"{"}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}`),
			"", "tool_calls", []wantCall{{"c1", "add", `{}`}, {"c2", "now", `{}`}}},
		{"empty ids, no id, and the finish reason stop", deltas("stop",
			`{"tool_calls":[{"id":"","function":{"name":"add","arguments":"{\"a\":1}"}},{"id":"","function":{"name":"add","arguments":"{\"a\":2}"}},{"function":{"name":"now","arguments":""}}]}`),
			"", "stop", []wantCall{{"", "add", `{"a":1}`}, {"", "add", `{"a":2}`}, {"", "now", ``}}},
		{"a call without an id before one with an id", deltas("stop",
			`{"tool_calls":[{"function":{"name":"add","arguments":"{}"}},{"id":"c2","function":{"name":"now","arguments":"{}"}}]}`),
			"", "stop", []wantCall{{"", "add", `{}`}, {"c2", "now", `{}`}}},
		{"arguments as an object", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":{"a":9007199254740993123}}}]}`),
			"", "tool_calls", []wantCall{{"c1", "add", `{"a":9007199254740993123}`}}},
		{"arguments absent or null", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"now"}},{"index":1,"id":"c2","function":{"name":"now","arguments":null}}]}`),
			"", "tool_calls", []wantCall{{"c1", "now", ``}, {"c2", "now", ``}}},
		{"chunks without choices, nulls, unknown members", events(`{"choices":[]}`, `{"choices":[{"delta":{"role":"assistant","content":null,"tool_calls":null}}]}`,
			`{"choices":[{"delta":null}]}`, `{"choices":[{"delta":{"reasoning":"hm","content":"hi"}}],"error":null}`,
			`{"choices":[{"delta":{},"finish_reason":"stop"}]}`, `{"choices":[],"usage":{"total_tokens":9}}`), "hi", "stop", nil},
		{"text in parts", deltas("stop", `{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"Hel"},7,{"type":"text","text":"lo"}]}`, `{"content":"."}`),
			"Hello.", "stop", nil},
		{"members of an unexpected type count as absent", deltas("stop", `{"content":["x"],"tool_calls":"none"}`, `{"content":"ok"}`), "ok", "stop", nil},
		{"CRLF, comments, event lines, no space after the colon, no end mark",
			": hi\r\n\r\nevent: message\r\ndata:{\"choices\":[{\"delta\":{\"content\":\"ok\"}}]}\r\n\r\nid: 7\r\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\r\n\r\n",
			"ok", "stop", nil},
		{"an event over several data lines", "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\ndata: \"finish_reason\":\"stop\"}]}\n\n", "ok", "stop", nil},
		{"a last event without its blank line", `data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}`, "ok", "stop", nil},
		{"a whole answer, not streamed", `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function",` +
			`"function":{"name":"add","arguments":{"a":1}}}]},"finish_reason":"tool_calls"}]}`, "", "tool_calls", []wantCall{{"c1", "add", `{"a":1}`}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			answer, streamed, err := ask(t, test.stream)
			if err != nil {
				t.Fatal(err)
			}
			if answer.Text != test.text || streamed != test.text || answer.Finish != test.finish {
				t.Errorf("text %q, streamed %q, finish %q; want %q, %q", answer.Text, streamed, answer.Finish, test.text, test.finish)
			}
			var got []wantCall
			ids := map[string]bool{}
			for i, call := range answer.Calls {
				id := answer.Message.ToolCalls[i].ID
				ids[id] = true
				got = append(got, wantCall{id, call.Name, call.Args})
				if i < len(test.calls) && test.calls[i].id == "" {
					got[i].id = ""
				}
			}
			if !reflect.DeepEqual(got, test.calls) {
				t.Errorf("calls %q, want %q", got, test.calls)
			}
			if len(ids) != len(answer.Calls) || ids[""] {
				t.Errorf("the ids are not unique: %v", ids)
			}
		})
	}
}

// The connection stays open after the last words, and nothing more comes.
func TestAnAnswerIsWholeWithoutTheEndOfTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := &http.Client{Transport: openConnection(deltas("stop", `{"content":"Hello."}`))} // and then comments
		m := newModel(modelEnv("http://model.test/v1"))
		m.client.Options = append(m.client.Options, option.WithHTTPClient(client))
		begin := time.Now()
		answer, err := m.Answer(t.Context(), []Message{{Role: "user", Content: "hi"}}, nil, func(string) {}, strings.Clone)
		if took := time.Since(begin); err != nil || answer.Text != "Hello." || took != lastWords {
			t.Errorf("%+v, error %v, after %v", answer, err, took)
		}
	})
}

// openConnection answers each request with a stream that does not end by itself.
type openConnection string

func (stream openConnection) RoundTrip(r *http.Request) (*http.Response, error) {
	body, w := io.Pipe()
	context.AfterFunc(r.Context(), func() { w.CloseWithError(r.Context().Err()) })
	go func() {
		_, err := io.WriteString(w, strings.TrimSuffix(string(stream), "data: [DONE]\n\n"))
		for err == nil {
			select {
			case <-time.After(time.Second):
				_, err = io.WriteString(w, ": ping\n\n")
			case <-r.Context().Done():
				return
			}
		}
	}()
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: body, Request: r}, nil
}

func TestAnswersThatFail(t *testing.T) {
	const half = `{"choices":[{"delta":{"content":"half a sent"}}]}`
	for _, test := range []struct{ name, stream, want string }{
		{"the stream ends without a finish reason", events(half), "cut off"},
		{"the connection ends in the middle of an event", "data: " + half + "\n\ndata: {\"choi", "cannot be read: unexpected end of JSON input"},
		{"an empty stream", "", "cut off"},
		{"an error inside a good stream", events(half, `{"error":{"message":"overloaded","code":503}}`), "the model failed: overloaded"},
		{"an error without a name for it", events(`{"object":"error","message":"too long"}`), "the model failed: too long"},
		{"an error as a line of its own", "error: {\"code\":400,\"message\":\"context size\"}\n\ndata: [DONE]\n\n", "the model failed: context size"},
		{"an event of the name error", "event: error\ndata: {\"detail\":\"worker died\"}\n\n", "the model failed: worker died"},
		{"an error in place of an answer", `{"error":"Bad Request","message":"the reason"}`, "the model failed: the reason"},
		{"a list around an error", `400 [{"error":{"message":"API key not valid"}}]`, "400 Bad Request: API key not valid. Check OPENAI_API_KEY"},
		{"calls that are announced and do not come", deltas("tool_calls", `{"content":"I will"}`), "sent no call"},
		{"a web page", "<html>please log in</html>", "cannot be read"},
		{"an error that is only a text", events(`{"error":"no memory"}`), "the model failed: no memory"},
		{"calls without end", deltas("tool_calls", `{"tool_calls":[`+strings.TrimSuffix(strings.Repeat(`{"index":7,"id":"c"},`, 3), ",")+`]}`,
			`{"tool_calls":[`+manyCalls(100_000)+`]}`), "more than 128 tool calls"},
		{"an event that is no JSON", events(`{oops`), "cannot be read"},
		{"a whole answer without choices", `{"choices":[]}`, "cut off"},
		{"401", `401 {"error":{"message":"bad key","code":"invalid_api_key"}}`, "401 Unauthorized: bad key. Check OPENAI_API_KEY"},
		{"404", `404 {"error":{"message":"no model nope"}}`, "404 Not Found: no model nope. Check OPENAI_MODEL (fake)"},
		{"an error that is not in OpenAI's shape", `400 {"error":"model not loaded"}`, "400 Bad Request: model not loaded"},
		{"an error that is not JSON", "500 <h1>broken</h1>", `500 Internal Server Error: <h1>broken</h1>`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := ask(t, test.stream)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// manyCalls is the openings of n calls.
func manyCalls(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"index":%d}`, i))
	}
	return strings.Join(list, ",")
}

// ask sends one request to a server with the given script.
func ask(t *testing.T, script string) (answer Answer, streamed string, err error) {
	model := newModel(modelEnv(newFakeModel(t, script).URL))
	answer, err = model.Answer(t.Context(), []Message{{Role: "user", Content: "hi"}}, nil, func(piece string) { streamed += piece }, strings.Clone)
	return answer, streamed, err
}

func TestRequestWithoutTools(t *testing.T) {
	server := newFakeModel(t, says("hi"))
	model := newModel(modelEnv(server.URL))
	if _, err := model.Answer(t.Context(), []Message{{Role: "user", Content: "hi"}}, nil, func(string) {}, strings.Clone); err != nil {
		t.Fatal(err)
	}
	if body := server.bodies[0]; strings.Contains(body, "tool") {
		t.Errorf("the request mentions tools although there are none: %s", body)
	}
}

func TestUnreachableModel(t *testing.T) {
	for _, test := range []struct{ name, want, url string }{
		{"no URL", "OPENAI_BASE_URL is not a URL such as", "localhost:1"},
		{"nobody listens", "cannot reach the model at http://127.0.0.1:1/v1", "http://user:s3cr3t@127.0.0.1:1/v1?key=s3cr3t"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := newModel(modelEnv(test.url)).Answer(t.Context(), nil, nil, func(string) {}, strings.Clone)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestInterruptedRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := newModel(modelEnv("http://model.test/v1"))
	m.client.Options = append(m.client.Options, option.WithHTTPClient(&http.Client{Transport: openConnection(events(`{"choices":[{"delta":{"content":"one"}}]}`))}))
	_, err := m.Answer(ctx, nil, nil, func(string) { cancel() }, strings.Clone)
	if err != context.Canceled {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// What a provider adds to a message goes back with the next request.
func TestAMessageIsKeptAsItCame(t *testing.T) {
	server := newFakeModel(t, deltas("tool_calls", `{"role":"assistant","reasoning_content":"Let me "}`, `{"reasoning_content":"think.","reasoning_details":[{"index":0,"type":"text","text":"a"}]}`,
		`{"reasoning_details":[{"index":0,"type":"text","text":"b"},{"index":1,"data":"xx"}],"n":1,"flag":null}`,
		`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"now","arguments":"{}"},"extra_content":{"google":{"thought_signature":"c2ln"}}}]}`),
		`{"choices":[{"message":{"role":"assistant","content":null,"refusal":"I would rather not."},"finish_reason":"stop"}]}`)
	b := newBench(t, server, "", "")
	b.add(t, "now", Allow, "noon")
	for _, text := range []string{"go", "and now?"} {
		b.turn(t, text)
	}
	for i, want := range map[int]string{
		1: `{"content":"","n":1,"reasoning_content":"Let me think.","reasoning_details":[{"index":0,"text":"ab","type":"text"},{"data":"xx","index":1}],"role":"assistant",` +
			`"tool_calls":[{"extra_content":{"google":{"thought_signature":"c2ln"}},"function":{"arguments":"{}","name":"now"},"id":"c1","type":"function"}]}`,
		3: `{"content":"","refusal":"I would rather not.","role":"assistant"}`,
	} {
		if got, err := json.Marshal(server.last()[i]); err != nil || string(got) != want {
			t.Errorf("message %d went back as\n%s\nwant\n%s", i, got, want)
		}
	}
	if !strings.Contains(b.out.String(), "I would rather not.\n") {
		t.Errorf("the refusal is not on the screen: %s", b.out.String())
	}
}

func TestHalvesOfACharacterAreJoined(t *testing.T) {
	for name, pieces := range map[string][]string{
		"the escapes of a pair":           {`a\ud83c`, `\udf89b`},
		"an escape at the end":            {`a`, `\ud83c\udf89`, `b`},
		"the bytes of a character":        {"a\xf0\x9f", "\x8e\x89b"},
		"a half that nothing follows":     {`a\ud83c`},
		"a backslash before a letter u":   {`a\\ud83c`, `b`},
		"many backslashes, and then half": {`\\\\\\\ud83c`, `\udf89`},
	} {
		var all []string
		for _, piece := range pieces {
			all = append(all, `{"content":"`+piece+`"}`)
		}
		answer, streamed, err := ask(t, deltas("stop", all...))
		var want string
		if json.Unmarshal([]byte(`"`+strings.Join(pieces, "")+`"`), &want); err != nil || answer.Text != want || streamed != want {
			t.Errorf("%s: %q, streamed %q, error %v; want %q", name, answer.Text, streamed, err, want)
		}
	}
}

func TestRequestsGoWhereTheBaseURLSays(t *testing.T) {
	var paths []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.String())
		switch r.URL.Path {
		case "/moved/chat/completions":
			http.Redirect(w, r, "/v1/chat/completions?x=1", http.StatusTemporaryRedirect)
		default:
			io.WriteString(w, says("hi"))
		}
	}))
	defer server.Close()
	for path, want := range map[string]string{
		"/v1?api-version=1&x=%2F": "/v1/chat/completions?api-version=1&x=%2F", "/moved": "307 Temporary Redirect",
	} {
		paths = nil
		_, err := newModel(modelEnv(server.URL+path)).Answer(t.Context(), nil, nil, func(string) {}, strings.Clone)
		if err == nil && strings.Join(paths, " ") != want || err != nil && (!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "Check OPENAI_MODEL (fake) and OPENAI_BASE_URL")) {
			t.Errorf("%s: requests to %q, error %v; want %q", path, paths, err, want)
		}
	}
}

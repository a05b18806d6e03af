package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openai/openai-go/v3/option"
)

// want is the finish reason, the text, and each call as id=name(arguments); the id is ? where the server sent none of its own.
func TestAnswersOfRealServers(t *testing.T) {
	for _, test := range []struct{ name, stream, want string }{
		{"text in pieces", deltas("stop", `{"role":"assistant","content":""}`, `{"content":"Hel"}`, `{"content":"lo"}`), `stop: Hello`},
		{"a call in fragments", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"add","arguments":""}}]}`,
			`{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`),
			`tool_calls: c1=add({"a":1})`},
		{"two calls without an index", deltas("tool_calls",
			`{"tool_calls":[{"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}},{"id":"c2","function":{"name":"now","arguments":"{}"}}]}`),
			`tool_calls: c1=add({"a":1}) c2=now({})`},
		{"pieces with neither index nor id go to the call opened last", deltas("tool_calls",
			`{"tool_calls":[{"id":"c0","function":{"name":"now","arguments":"{}"}}]}`,
			`{"tool_calls":[{"id":"c1","function":{"name":"add","arguments":"{\"a\""}}]}`,
			`{"tool_calls":[{"function":{"arguments":":1"}}]}`, `{"tool_calls":[{"index":null,"function":{"arguments":"}"}}]}`),
			`tool_calls: c0=now({}) c1=add({"a":1})`},
		{"pieces of two calls take turns", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{"}},{"index":1,"id":"c2","function":{"name":"sub","arguments":"{"}}]}`,
			`{"tool_calls":[{"index":1,"function":{"arguments":"\"b\":2}"}},{"index":0,"function":{"arguments":"\"a\":1}"}}]}`),
			`tool_calls: c1=add({"a":1}) c2=sub({"b":2})`},
		{"id and name come with every piece", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{\"a\":"}}]}`,
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"1}"}}]}`),
			`tool_calls: c1=add({"a":1})`},
		{"a name comes with every piece, an id with none", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"function":{"name":"add","arguments":"{\"a\":"}}]}`,
			`{"tool_calls":[{"index":0,"function":{"name":"add","arguments":"1}"}}]}`),
			`tool_calls: ?=add({"a":1})`},
		{"one complete call under two indexes is one call", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}}]}`,
			`{"tool_calls":[{"index":1,"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}}]}`),
			`tool_calls: c1=add({"a":1})`},
		{"and so it is when it comes in pieces", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}}]}`,
			`{"tool_calls":[{"index":1,"id":"c1","function":{"name":"add","arguments":"{\"a\""}}]}`, `{"tool_calls":[{"index":1,"function":{"arguments":":1}"}}]}`),
			`tool_calls: c1=add({"a":1})`},
		{"and when the second time has other white space", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}}]}`,
			`{"tool_calls":[{"index":1,"id":"c1","function":{"name":"add","arguments":"{\"a\": 1}"}}]}`),
			`tool_calls: c1=add({"a":1})`},
		{"and when it has no name", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}}]}`,
			`{"tool_calls":[{"index":1,"id":"c1","function":{"arguments":"{\"a\":1}"}}]}`),
			`tool_calls: c1=add({"a":1})`},
		{"and when it has no arguments", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}}]}`,
			`{"tool_calls":[{"index":1,"id":"c1","function":{"name":"add","arguments":""}}]}`),
			`tool_calls: c1=add({"a":1})`},
		{"a last piece that says nothing", deltas("tool_calls",
			`{"tool_calls":[{"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}}]}`,
			`{"tool_calls":[{"id":"c1","function":{"name":"add","arguments":""}}]}`),
			`tool_calls: c1=add({"a":1})`},
		{"two calls with one id, both sent twice", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}},{"index":1,"id":"c1","function":{"name":"now","arguments":"{}"}}]}`,
			`{"tool_calls":[{"index":2,"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}},{"index":3,"id":"c1","function":{"name":"now","arguments":"{}"}}]}`),
			`tool_calls: c1=add({"a":1}) ?=now({})`},
		{"two calls with one id", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}},{"index":1,"id":"c1","function":{"name":"now","arguments":"{}"}}]}`),
			`tool_calls: c1=add({"a":1}) ?=now({})`},
		{"two calls with one id, the first without arguments", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"now","arguments":""}},{"index":1,"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}}]}`),
			`tool_calls: c1=now() ?=add({"a":1})`},
		{"two calls of one tool with one id and no index", `{"choices":[{"message":{"tool_calls":[{"id":"c1","function":{"name":"add","arguments":"{\"a\":1}"}},` +
			`{"id":"c1","function":{"name":"add","arguments":"{\"a\":2}"}}]},"finish_reason":"tool_calls"}]}`,
			`tool_calls: c1=add({"a":1}) ?=add({"a":2})`},
		{"equal calls with two ids stay two", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{}"}},{"index":1,"id":"c2","function":{"name":"add","arguments":"{}"}}]}`),
			`tool_calls: c1=add({}) c2=add({})`},
		{"all calls at index 0 with ids of their own", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":"{}"}}]}`,
			`{"tool_calls":[{"index":0,"id":"c2","function":{"name":"now","arguments":"{"}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}`),
			`tool_calls: c1=add({}) c2=now({})`},
		{"empty ids, no id, and the finish reason stop", deltas("stop",
			`{"tool_calls":[{"id":"","function":{"name":"add","arguments":"{\"a\":1}"}},{"id":"","function":{"name":"add","arguments":"{\"a\":2}"}},{"function":{"name":"now","arguments":""}}]}`),
			`stop: ?=add({"a":1}) ?=add({"a":2}) ?=now()`},
		{"a call without an id before one with an id", deltas("stop",
			`{"tool_calls":[{"function":{"name":"add","arguments":"{}"}},{"id":"c2","function":{"name":"now","arguments":"{}"}}]}`),
			`stop: ?=add({}) c2=now({})`},
		{"arguments as an object", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"add","arguments":{"a":9007199254740993123}}}]}`),
			`tool_calls: c1=add({"a":9007199254740993123})`},
		{"arguments absent or null", deltas("tool_calls",
			`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"now"}},{"index":1,"id":"c2","function":{"name":"now","arguments":null}}]}`),
			`tool_calls: c1=now() c2=now()`},
		{"chunks without choices, nulls, unknown members", events(`{"choices":[]}`, `{"choices":[{"delta":{"role":"assistant","content":null,"tool_calls":null}}]}`,
			`{"choices":[{"delta":null}]}`, `{"choices":[{"delta":{"reasoning":"hm","content":"hi"}}],"error":null}`,
			`{"choices":[{"delta":{},"finish_reason":"stop"}]}`, `{"choices":[],"usage":{"total_tokens":9}}`), `stop: hi`},
		{"text in parts", deltas("stop", `{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"Hel"},7,{"type":"text","text":"lo"}]}`, `{"content":"."}`),
			`stop: Hello.`},
		{"members of an unexpected type count as absent", deltas("stop", `{"content":["x"],"tool_calls":"none"}`, `{"content":"ok"}`), `stop: ok`},
		{"CRLF, comments, event lines, no space after the colon, no end mark",
			": hi\r\n\r\nevent: message\r\ndata:{\"choices\":[{\"delta\":{\"content\":\"ok\"}}]}\r\n\r\nid: 7\r\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\r\n\r\n",
			`stop: ok`},
		{"an event over several data lines", "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\ndata: \"finish_reason\":\"stop\"}]}\n\n", `stop: ok`},
		{"a last event without its blank line", `data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}`, `stop: ok`},
		{"a whole answer, not streamed", `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function",` +
			`"function":{"name":"add","arguments":{"a":1}}}]},"finish_reason":"tool_calls"}]}`, `tool_calls: c1=add({"a":1})`},
	} {
		t.Run(test.name, func(t *testing.T) {
			answer, streamed, err := ask(t, test.stream)
			if err != nil || streamed != answer.Text {
				t.Fatalf("streamed %q of %q, error %v", streamed, answer.Text, err)
			}
			got := strings.TrimRight(answer.Finish+": "+answer.Text, " ")
			ids := map[string]bool{"": true}
			for i, call := range answer.Calls {
				id := answer.Message.ToolCalls[i].ID
				if ids[id] {
					t.Errorf("the id %q is not unique", id)
				}
				if ids[id] = true; !strings.Contains(test.want, " "+id+"=") {
					id = "?"
				}
				got += fmt.Sprintf(" %s=%s(%s)", id, call.Name, call.Args)
			}
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestConnectionsThatStayOpen(t *testing.T) {
	for _, test := range []struct {
		name, stream, text string
		took               time.Duration
		err                error
	}{
		{"the last words have been said", deltas("stop", `{"content":"Hello."}`), "Hello.", lastWords, nil},
		{"the user interrupts", events(`{"choices":[{"delta":{"content":"!"}}]}`), "", 0, context.Canceled},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			m := newModel(modelEnv("http://model.test/v1"))
			m.client.Options = append(m.client.Options, option.WithHTTPClient(&http.Client{Transport: openConnection(test.stream)}))
			begin := time.Now()
			answer, err := m.Answer(ctx, nil, nil, func(piece string) {
				if piece == "!" {
					cancel()
				}
			}, strings.Clone)
			if took := time.Since(begin); err != test.err || answer.Text != test.text || took != test.took {
				t.Errorf("%s: %+v, error %v, after %v", test.name, answer, err, took)
			}
		})
	}
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
		{"calls without end", deltas("tool_calls", `{"tool_calls":[`+strings.Repeat(`{"function":{"name":"now","arguments":"{}"}},`, 100_000)+`{}]}`), "more than 128 tool calls"},
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

// ask sends one request to a server with the given script.
func ask(t *testing.T, script string) (answer Answer, streamed string, err error) {
	m := newModel(modelEnv(newFakeModel(t, script).URL))
	answer, err = m.Answer(t.Context(), nil, nil, func(piece string) { streamed += piece }, strings.Clone)
	return answer, streamed, err
}

func TestRequestsThatFail(t *testing.T) {
	moved := httptest.NewServer(http.RedirectHandler("/elsewhere", http.StatusTemporaryRedirect))
	defer moved.Close()
	for url, want := range map[string]string{
		"localhost:1": "OPENAI_BASE_URL is not a URL such as",
		"http://user:s3cr3t@127.0.0.1:1/v1?key=s3cr3t": "cannot reach the model at http://127.0.0.1:1/v1",
		moved.URL + "/v1": "307 Temporary Redirect: /elsewhere. Check OPENAI_MODEL (fake) and OPENAI_BASE_URL",
	} {
		_, err := newModel(modelEnv(url)).Answer(t.Context(), nil, nil, func(string) {}, strings.Clone)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestTheRequest(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if got := r.URL.String(); got != "/v1/chat/completions?api-version=1&x=%2F" || strings.Contains(string(body), "tool") {
			t.Errorf("a request to %s, which mentions tools although there are none, perhaps: %s", got, body)
		}
		io.WriteString(w, says("hi"))
	}))
	defer server.Close()
	if _, err := newModel(modelEnv(server.URL+"/v1?api-version=1&x=%2F")).Answer(t.Context(), nil, nil, func(string) {}, strings.Clone); err != nil {
		t.Error(err)
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

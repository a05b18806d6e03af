package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// serve gives the base URL of a mock that runs until the test ends.
func serve(t testing.TB) string {
	t.Helper()
	server := httptest.NewServer(&api{journal: io.Discard})
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// quoted gives a text as JSON.
func quoted(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

// post sends a body with the key and gives status, content type and answer.
func post(t testing.TB, url, body string) (int, string, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+apiKey)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header.Get("Content-Type"), string(answer)
}

// ask sends a request of some fields and gives the message that answers it.
func ask(t testing.TB, url string, fields []string) message {
	t.Helper()
	body := `{` + strings.Join(fields, ",") + `}`
	if !strings.Contains(body, `"model":`) {
		body = `{"model":"mock",` + body[1:]
	}
	status, _, answer := post(t, url+"/chat/completions", body)
	var got struct{ Choices []struct{ Message message } }
	if err := json.Unmarshal([]byte(answer), &got); err != nil || status != 200 {
		t.Fatalf("status %d, %s\nfor %s", status, answer, body)
	}
	return got.Choices[0].Message
}

func TestAnAgentLoopWithTheClient(t *testing.T) {
	client := openai.NewClient(option.WithBaseURL(serve(t)), option.WithAPIKey(apiKey))
	var tools []openai.ChatCompletionToolUnionParam
	if err := json.Unmarshal([]byte(strings.TrimPrefix(toolsOf(offered), `"tools":`)), &tools); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ task, calls, text string }{
		{"make me a sandwich", ``, noTool},
		{`roll the die, then count the words in "é\"\\ 你好 \n <b>"`, `mcp_demo_dice {} / mcp_demo_word_count {"text":"é\"\\\\ 你好 \\n <b>"}`,
			"Here is what I found:\n1. [mcp_demo_dice]\n2. [mcp_demo_word_count]"},
		{"roll the die and at the same time list the files", `mcp_demo_dice {} + ls {}`, "Here is what I found:\n1. [mcp_demo_dice]\n2. [ls]"},
	}
	ids := map[string]bool{}
	for _, isStreamed := range []bool{false, true} {
		for _, test := range tests {
			params := openai.ChatCompletionNewParams{Model: plainModel, Tools: tools, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(test.task)}}
			var rounds []string
			for {
				answer := complete(t, client, isStreamed, params)
				message, u := answer.Choices[0].Message, answer.Usage
				if u.PromptTokens < 100 || u.CompletionTokens < 1 || u.TotalTokens != u.PromptTokens+u.CompletionTokens {
					t.Errorf("%s: usage %+v", test.task, u)
				}
				if finish := answer.Choices[0].FinishReason; (finish == "tool_calls") != (len(message.ToolCalls) > 0) {
					t.Errorf("%s: finish reason %s", test.task, finish)
				}
				if len(message.ToolCalls) == 0 {
					if message.Content != test.text {
						t.Errorf("%s: got %q, want %q", test.task, message.Content, test.text)
					}
					break
				}
				params.Messages = append(params.Messages, message.ToParam())
				var calls []string
				for _, call := range message.ToolCalls {
					calls = append(calls, call.Function.Name+" "+call.Function.Arguments)
					params.Messages = append(params.Messages, openai.ToolMessage("["+call.Function.Name+"]", call.ID))
					if ids[call.ID] {
						t.Errorf("the id %s is given twice", call.ID)
					}
					ids[call.ID] = true
				}
				rounds = append(rounds, strings.Join(calls, " + "))
			}
			if got := strings.Join(rounds, " / "); got != test.calls {
				t.Errorf("%s\n got %s\nwant %s", test.task, got, test.calls)
			}
		}
	}
}

// complete gets a whole answer from the client, at once or put together from a
// stream.
func complete(t *testing.T, client openai.Client, isStreamed bool, p openai.ChatCompletionNewParams) *openai.ChatCompletion {
	t.Helper()
	if !isStreamed {
		answer, err := client.Chat.Completions.New(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	p.StreamOptions.IncludeUsage = openai.Bool(true)
	stream := client.Chat.Completions.NewStreaming(t.Context(), p)
	defer stream.Close()
	var whole openai.ChatCompletionAccumulator
	for stream.Next() {
		if !whole.AddChunk(stream.Current()) {
			t.Error("a chunk does not fit those before")
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	return &whole.ChatCompletion
}

func TestModelsAndErrorsAsTheClientSeesThem(t *testing.T) {
	client := openai.NewClient(option.WithBaseURL(serve(t)), option.WithAPIKey(apiKey))
	list, err := client.Models.List(t.Context())
	if err != nil || len(list.Data) != 2 || list.Data[0].ID != "mock" || list.Data[1].ID != "mock-sloppy" {
		t.Errorf("got %+v, %v", list, err)
	}
	if one, err := client.Models.Get(t.Context(), "mock-sloppy"); err != nil || one.ID != "mock-sloppy" {
		t.Errorf("got %+v, %v", one, err)
	}
	params := openai.ChatCompletionNewParams{Model: "gpt-9", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hello")}}
	_, noModel := client.Chat.Completions.New(t.Context(), params)
	_, noSuch := client.Models.Get(t.Context(), "gpt-9")
	_, noKey := client.Chat.Completions.New(t.Context(), params, option.WithAPIKey("sk-wrong"))
	for err, code := range map[error]string{noModel: "model_not_found", noSuch: "model_not_found", noKey: "invalid_api_key"} {
		var refused *openai.Error
		if !errors.As(err, &refused) || refused.Code != code || strings.Contains(refused.Message, "sk-wrong") {
			t.Errorf("want %s, got %v", code, err)
		}
	}
}

func TestTheStreamByteByByte(t *testing.T) {
	const text = `{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}
{"choices":[{"index":0,"delta":{"content":"I don't have"},"logprobs":null,"finish_reason":null}]}
{"choices":[{"index":0,"delta":{"content":" a tool that"},"logprobs":null,"finish_reason":null}]}
{"choices":[{"index":0,"delta":{"content":" can do that"},"logprobs":null,"finish_reason":null}]}
{"choices":[{"index":0,"delta":{"content":"."},"logprobs":null,"finish_reason":null}]}
{"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}
{"choices":[],"usage":{"prompt_tokens":8,"completion_tokens":10,"total_tokens":18}}
[DONE]
`
	const calls = `{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}
{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"a","arguments":""}}]},"logprobs":null,"finish_reason":null}]}
{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"k\":"}}]},"logprobs":null,"finish_reason":null}]}
{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"é你\\"}}]},"logprobs":null,"finish_reason":null}]}
{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"u00e9"}}]},"logprobs":null,"finish_reason":null}]}
{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"}"}}]},"logprobs":null,"finish_reason":null}]}
{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_2","type":"function","function":{"name":"b","arguments":""}}]},"logprobs":null,"finish_reason":null}]}
{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]},"logprobs":null,"finish_reason":null}]}
{"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"tool_calls"}]}
[DONE]
`
	tests := []struct{ head, body, want string }{
		{`{"id":"chatcmpl-1"`, `{"model":"mock","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hi"}]}`, text},
		{`{"id":"chatcmpl-2"`, `{"model":"mock","stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"call a {\"k\":\"é你\\u00e9\"} and at the same time call b {}"}]}],"tools":[{"type":"function","function":{"name":"a"}}]}`, calls},
	}
	url := serve(t) + "/chat/completions"
	for _, test := range tests {
		status, contentType, got := post(t, url, test.body)
		if status != 200 || contentType != "text/event-stream" {
			t.Errorf("status %d, %s", status, contentType)
		}
		// The head is the same in every chunk.
		head, _, _ := strings.Cut(strings.TrimPrefix(got, "data: "), `"choices"`)
		if !strings.HasPrefix(head, test.head) || !strings.HasSuffix(head, `,"model":"mock",`) || !strings.Contains(head, `"object":"chat.completion.chunk","created":1`) {
			t.Errorf("the head is %s", head)
		}
		want := "data: " + strings.ReplaceAll(strings.TrimSpace(test.want), "\n", "\n\ndata: ") + "\n\n"
		if got = strings.ReplaceAll(got, head, "{"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestTheWholeAnswerByteByByte(t *testing.T) {
	url := serve(t)
	tests := []struct{ task, want string }{
		{"hi", `"choices":[{"index":0,"message":{"role":"assistant","content":"I don't have a tool that can do that.","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":20,"completion_tokens":10,"total_tokens":30}}`},
		{"call x {}", `"choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"x","arguments":"{}"}}]},"logprobs":null,"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":21,"completion_tokens":1,"total_tokens":22}}`},
	}
	for _, test := range tests {
		_, _, got := post(t, strings.TrimSuffix(url, "/v1")+"/chat/completions",
			`{"model":"mock","messages":[{"role":"user","content":"`+test.task+`"}],"tools":[{"type":"function","function":{"name":"a"}}],"n":1}`)
		if _, tail, _ := strings.Cut(got, `"model":"mock",`); strings.TrimSpace(tail) != test.want {
			t.Errorf("got\n%s\nwant\n%s", tail, test.want)
		}
	}
}

func TestAddressesAndHeaders(t *testing.T) {
	base := strings.TrimSuffix(serve(t), "/v1")
	const key = "Authorization: Bearer " + apiKey
	tests := []struct {
		request, headers string // separated by "; "
		status           int
		says             string
	}{
		{"GET /health", "", 200, `"ok"`},
		{"GET /v1/health", "", 200, `"ok"`},
		{"GET /models", key, 200, `{"id":"mock-sloppy","object":"model","created":1700000000,"owned_by":"mockllm"}`},
		{"GET /v1/models/mock", key, 200, `{"id":"mock","object":"model"`},
		{"GET /models/mock", "", 401, `"code":"invalid_api_key"`},
		{"GET /v1/models/gpt-9", key, 404, `"code":"model_not_found"`},
		{"GET /v1/models", "", 401, `"code":"invalid_api_key"`},
		{"GET /v1/models", "Authorization: " + apiKey, 401, `"code":"invalid_api_key"`},
		{"POST /v1/chat/completions", "Authorization: Bearer other", 401, `"type":"invalid_request_error","param":null,"code":"invalid_api_key"`},
		{"GET /v1/chat/completions", key, 404, `"code":"unknown_url"`},
		{"POST /v1/responses", key, 404, `Chat Completions API only`},
		{"GET /", key, 404, `"code":"unknown_url"`},
		{"GET /health", "Host: localhost; Origin: http://localhost:3000", 200, `"ok"`},
		{"GET /health", "Host: [::1]:80; Origin: https://127.0.0.2", 200, `"ok"`},
		{"GET /health", "Host: evil.example", 403, `"code":"forbidden"`},
		{"GET /health", "Host: localhost.evil.example:8910", 403, `"code":"forbidden"`},
		{"GET /models", key + "; Origin: http://evil.example", 403, `"code":"forbidden"`},
		{"POST /v1/chat/completions", key + "; Origin: null", 403, `"code":"forbidden"`},
		{"GET /health", "Origin: http://localhost@evil.example", 403, `"code":"forbidden"`},
	}
	for _, test := range tests {
		method, path, _ := strings.Cut(test.request, " ")
		req, _ := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader("{}"))
		for header := range strings.SplitSeq(test.headers, "; ") {
			if name, value, _ := strings.Cut(header, ": "); name == "Host" {
				req.Host = value
			} else if name != "" {
				req.Header.Set(name, value)
			}
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != test.status || !strings.Contains(string(body), test.says) || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s (%s): %d %s", test.request, test.headers, resp.StatusCode, body)
		}
	}
}

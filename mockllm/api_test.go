package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// startServer gives the base URL of a mock that runs until the test ends.
func startServer(t *testing.T, journal io.Writer) string {
	t.Helper()
	server := httptest.NewServer(&api{journal: journal, log: log.New(io.Discard, "", 0)})
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// newClient gives a client as the agent has it.
func newClient(t *testing.T) openai.Client {
	t.Helper()
	return openai.NewClient(option.WithBaseURL(startServer(t, nil)), option.WithAPIKey(apiKey))
}

// request asks for something with tools on offer.
func request(task string, tools []tool) openai.ChatCompletionNewParams {
	params := openai.ChatCompletionNewParams{Model: plainModel, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(task)}}
	for _, t := range tools {
		var schema map[string]any
		_ = json.Unmarshal(t.parameters, &schema)
		params.Tools = append(params.Tools, openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
			Name: t.name, Description: openai.String(t.description), Parameters: schema,
		}))
	}
	return params
}

// ask gets a whole answer from the client, at once or put together from a
// stream.
func ask(t *testing.T, client openai.Client, way string, p openai.ChatCompletionNewParams) *openai.ChatCompletion {
	t.Helper()
	if way == "plain" {
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
			t.Error("a chunk does not fit to those before")
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	return &whole.ChatCompletion
}

func TestAnAgentLoopWithTheClient(t *testing.T) {
	client := newClient(t)
	tests := []struct {
		task, calls, text string
	}{
		{"make me a sandwich", ``, noTool},
		{"roll the die", `mcp_demo_dice {}`, "Result: [mcp_demo_dice]"},
		{`roll the die, then count the words in "é\"\\ 你好 \n <b>"`, `mcp_demo_dice {} / mcp_demo_word_count {"text":"é\"\\\\ 你好 \\n <b>"}`,
			"Here is what I found:\n1. [mcp_demo_dice]\n2. [mcp_demo_word_count]"},
		{"roll the die and at the same time list the files", `mcp_demo_dice {} + ls {}`, "Here is what I found:\n1. [mcp_demo_dice]\n2. [ls]"},
	}
	ids := map[string]bool{}
	for _, way := range []string{"plain", "streamed"} {
		for _, test := range tests {
			params := request(test.task, parseTools(offered))
			var rounds []string
			for {
				answer := ask(t, client, way, params)
				message, u := answer.Choices[0].Message, answer.Usage
				if u.PromptTokens < 100 || u.CompletionTokens < 1 || u.TotalTokens != u.PromptTokens+u.CompletionTokens {
					t.Errorf("%s, %s: usage %+v", way, test.task, u)
				}
				if finish := answer.Choices[0].FinishReason; (finish == "tool_calls") != (len(message.ToolCalls) > 0) {
					t.Errorf("%s, %s: finish reason %s", way, test.task, finish)
				}
				if len(message.ToolCalls) == 0 {
					if message.Content != test.text {
						t.Errorf("%s, %s: got %q, want %q", way, test.task, message.Content, test.text)
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
				t.Errorf("%s, %s\n got %s\nwant %s", way, test.task, got, test.calls)
			}
		}
	}
}

func TestWhatTheClientChoosesIsHonoured(t *testing.T) {
	client := newClient(t)
	params := request("roll the die and at the same time list the files", parseTools(offered))
	params.ParallelToolCalls = openai.Bool(false)
	params.ToolChoice = openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: "git_diff"})
	answer, err := client.Chat.Completions.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	if calls := answer.Choices[0].Message.ToolCalls; len(calls) != 1 || calls[0].Function.Name != "git_diff" {
		t.Errorf("got %+v", calls)
	}
	params.ToolChoice = openai.ChatCompletionToolChoiceOptionUnionParam{OfAuto: openai.String("none")}
	if answer, err = client.Chat.Completions.New(t.Context(), params); err != nil || answer.Choices[0].Message.Content != noTool {
		t.Errorf("none: got %+v, %v", answer, err)
	}
}

func TestModelsAndErrorsAsTheClientSeesThem(t *testing.T) {
	client := newClient(t)
	page, err := client.Models.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range page.Data {
		got = append(got, m.ID)
	}
	if !slices.Equal(got, models) {
		t.Errorf("got %q", got)
	}
	unknown := request("hello", nil)
	unknown.Model = "gpt-9"
	_, noModel := client.Chat.Completions.New(t.Context(), unknown)
	_, noKey := client.Chat.Completions.New(t.Context(), request("hello", nil), option.WithAPIKey("sk-wrong"))
	for code, err := range map[string]error{"model_not_found": noModel, "invalid_api_key": noKey} {
		var refused *openai.Error
		if !errors.As(err, &refused) || refused.Code != code || strings.Contains(refused.Message, "sk-wrong") {
			t.Errorf("want %s, got %v", code, err)
		}
	}
}

// post sends a body with the key and gives status, content type and answer.
func post(t *testing.T, url, body string) (int, string, string) {
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

func TestTheStreamByteByByte(t *testing.T) {
	const text = `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"content":"I don't have"},"logprobs":null,"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"content":" a tool that"},"logprobs":null,"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"content":" can do that"},"logprobs":null,"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"content":"."},"logprobs":null,"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}

data: {"choices":[],"usage":{"prompt_tokens":8,"completion_tokens":10,"total_tokens":18}}

data: [DONE]

`
	const calls = `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"a","arguments":""}}]},"logprobs":null,"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"k\":"}}]},"logprobs":null,"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"é你\\"}}]},"logprobs":null,"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"u00e9"}}]},"logprobs":null,"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"}"}}]},"logprobs":null,"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_2","type":"function","function":{"name":"b","arguments":""}}]},"logprobs":null,"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]},"logprobs":null,"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"tool_calls"}]}

data: [DONE]

`
	url := startServer(t, nil)
	tests := []struct{ body, want string }{
		{`{"model":"mock","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hi"}]}`, text},
		{`{"model":"mock","stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"call a {\"k\":\"é你\\u00e9\"} and at the same time call b {}"}]}],"tools":[{"type":"function","function":{"name":"a"}}]}`, calls},
	}
	for i, test := range tests {
		status, contentType, got := post(t, url+"/chat/completions", test.body)
		if status != 200 || contentType != "text/event-stream" {
			t.Errorf("status %d, %s", status, contentType)
		}
		// The head is the same in every chunk; the clock in it is cut out.
		var head struct {
			ID      string `json:"id"`
			Created int64  `json:"created"`
		}
		first, _, _ := strings.Cut(strings.TrimPrefix(got, "data: "), "\n")
		if err := json.Unmarshal([]byte(first), &head); err != nil {
			t.Fatal(err)
		}
		id := []string{"chatcmpl-1", "chatcmpl-2"}[i]
		prefix, _, _ := strings.Cut(first, `"choices"`)
		if head.ID != id || head.Created == 0 || !strings.Contains(prefix, `"object":"chat.completion.chunk"`) || !strings.Contains(prefix, `"model":"mock"`) {
			t.Errorf("the head is %s", prefix)
		}
		if got = strings.ReplaceAll(got, prefix, "{"); got != test.want {
			t.Errorf("got\n%s\nwant\n%s", got, test.want)
		}
	}
}

func TestTheWholeAnswerByteByByte(t *testing.T) {
	url := startServer(t, nil)
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

func TestAddresses(t *testing.T) {
	base := strings.TrimSuffix(startServer(t, nil), "/v1")
	tests := []struct {
		request, key string
		status       int
		says         string
	}{
		{"GET /health", "", 200, `"ok"`},
		{"GET /v1/health", "", 200, `"ok"`},
		{"GET /models", "Bearer " + apiKey, 200, `{"id":"mock-sloppy","object":"model","created":1700000000,"owned_by":"mockllm"}`},
		{"GET /v1/models", "", 401, `"code":"invalid_api_key"`},
		{"GET /v1/models", apiKey, 401, `"code":"invalid_api_key"`},
		{"POST /v1/chat/completions", "Bearer other", 401, `"type":"invalid_request_error","param":null,"code":"invalid_api_key"`},
		{"GET /v1/chat/completions", apiKey, 404, `"code":"unknown_url"`},
		{"POST /v1/responses", apiKey, 404, `Chat Completions API only`},
		{"GET /", apiKey, 404, `"code":"unknown_url"`},
	}
	for _, test := range tests {
		method, path, _ := strings.Cut(test.request, " ")
		req, _ := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader("{}"))
		if test.key != "" {
			req.Header.Set("Authorization", test.key)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != test.status || !strings.Contains(string(body), test.says) || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s", test.request, resp.StatusCode, body)
		}
	}
}

func TestTheJournalKeepsEachBodyOnALine(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	url := startServer(t, file) + "/chat/completions"
	const want = `{"model":"mock","messages":[{"role":"user","content":"a\nb"}],"n":9007199254740993123}`
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			post(t, url, strings.ReplaceAll(want, ",", ",\n\t"))
			post(t, url, "{not JSON")
		})
	}
	all.Wait()
	kept, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(kept))
	count := 0
	for ; lines.Scan(); count++ {
		if lines.Text() != want {
			t.Errorf("a line is %s", lines.Text())
		}
	}
	if count != 20 || bytes.Contains(kept, []byte(apiKey)) {
		t.Errorf("%d lines:\n%s", count, kept)
	}
}

func TestServerModeStartsAndStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out, w := io.Pipe()
	code := make(chan int, 1)
	go func() { code <- run(ctx, []string{"-addr", "127.0.0.1:0"}, nil, w, io.Discard) }()
	line, err := bufio.NewReader(out).ReadString('\n')
	url, isURL := strings.CutPrefix(line, "mock LLM listening on ")
	url, isKey := strings.CutSuffix(url, " (api key: test-key)\n")
	if err != nil || !isURL || !isKey {
		t.Fatalf("got %q, %v", line, err)
	}
	address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/v1")
	var stderr strings.Builder
	if got := run(ctx, []string{"-addr", address}, nil, w, &stderr); got != 1 || strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), address) {
		t.Errorf("the same address again: code %d, %q", got, stderr.String())
	}
	client := openai.NewClient(option.WithBaseURL(url), option.WithAPIKey(apiKey))
	if _, err := client.Models.List(ctx); err != nil {
		t.Error(err)
	}
	cancel()
	if got := <-code; got != 0 {
		t.Errorf("stopped with code %d", got)
	}
}

func TestWhereItListens(t *testing.T) {
	tests := []struct {
		asked, port string
		forCommand  bool
		want        string
	}{
		{"", "", false, "127.0.0.1:8910"},
		{"", "9000", false, "127.0.0.1:9000"},
		{":1", "9000", false, ":1"},
		{"", "9000", true, "127.0.0.1:0"},
		{":1", "9000", true, ":1"},
	}
	for _, test := range tests {
		t.Setenv("PORT", test.port)
		if got := address(test.asked, test.forCommand); got != test.want {
			t.Errorf("%+v: got %s", test, got)
		}
	}
}

func TestWrongFlags(t *testing.T) {
	for _, args := range [][]string{{"-nonsense"}, {"-model", "gpt-9", "true"}} {
		var stderr strings.Builder
		if code := run(t.Context(), args, nil, io.Discard, &stderr); code != 2 || stderr.Len() == 0 {
			t.Errorf("%q: code %d, %q", args, code, stderr.String())
		}
	}
	var stderr strings.Builder
	if code := run(t.Context(), []string{"-journal", t.TempDir()}, nil, io.Discard, &stderr); code != 1 || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("a directory as journal: code %d, %q", code, stderr.String())
	}
}

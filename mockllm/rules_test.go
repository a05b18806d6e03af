package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// offered are the tools that the agent of this repository offers with two demo
// servers connected: name, description, then the parameters, those with a
// question mark optional.
const offered = `
fetch | Fetch a web page and show its text. | url string
get_current_time | Tell the current date and time. | timezone string?
git_diff | Show the changes in the git repository as a unified diff: what is not staged yet, or what is staged. Files that git does not know yet are not in it. | staged boolean?, path string?
glob | Find files by name. Shows at most 200. | pattern string
ls | List the files of a folder. | path string?
patch | Change a file: replace one piece of its text by another. | path string, old string, new string
rag_add | Add a file, the text files of a folder, or a web page to the knowledge base. What came from the same source before is replaced. | source string
rag_search | Search the knowledge base: documents and web pages that were added to it. Returns passages with their title, number and source; name them in the answer. | query string, limit integer?
read | Read a text file, or some lines of it. | path string, offset integer?, limit integer?
run_shell | Run a shell command in the root folder and show what it prints. | command string, timeout_s integer?
search | Search the files for a regular expression. Shows at most 100 lines. | pattern string, path string?
write | Write a whole file: a new one, or in place of the old one. | path string, content string
mcp_demo_word_count | [MCP:demo] Count the characters and words of a text | text string
mcp_demo_dice | [MCP:demo] Roll a six-sided die
mcp_notes_get_weather | [MCP:notes] Get the weather in a city | city string
mcp_notes_add | [MCP:notes] Add two numbers a and b | a number, b number
mcp_notes_save_note | [MCP:notes] Save a note under a title | title string, content string
mcp_notes_read_note | [MCP:notes] Read the note with a title | title string
mcp_notes_list_notes | [MCP:notes] List the titles of all notes
mcp_flaky_slow_lookup | [MCP:flaky] Look up a record; never answers
mcp_flaky_crash_now | [MCP:flaky] Crash the server at once
mcp_flaky_slow_count | [MCP:flaky] Count slowly up to n with progress | n integer
mcp_flaky_big_result | [MCP:flaky] Return a result of that many bytes | bytes integer
mcp_flaky_grow | [MCP:flaky] Grow: add one more tool to this server`

// toolsOf gives a list like offered as a request has it.
func toolsOf(list string) string {
	var tools []string
	for line := range strings.Lines(strings.TrimSpace(list)) {
		columns := strings.Split(strings.TrimSpace(line), " | ")
		var properties, required []string
		for _, p := range strings.Split(strings.Join(columns[2:], ""), ", ") {
			name, kind, _ := strings.Cut(p, " ")
			kind, isOptional := strings.CutSuffix(kind, "?")
			if name != "" {
				properties = append(properties, fmt.Sprintf(`%q:{"type":%q}`, name, kind))
			}
			if name != "" && !isOptional {
				required = append(required, fmt.Sprintf("%q", name))
			}
		}
		tools = append(tools, fmt.Sprintf(`{"type":"function","function":{"name":%q,"description":%q,"parameters":{"type":"object","properties":{%s},"required":[%s]}}}`,
			columns[0], columns[1], strings.Join(properties, ","), strings.Join(required, ",")))
	}
	return `"tools":[` + strings.Join(tools, ",") + `]`
}

// loop sends a task with other fields of the request, and answers each call with
// its name in brackets, until none comes. It gives the calls, those of one answer
// joined by " + ", and the last text.
func loop(t *testing.T, url, task string, fields ...string) (rounds []string, text string) {
	t.Helper()
	messages := []string{`{"role":"user","content":` + quoted(task) + `}`}
	for range 10 {
		got := ask(t, url, slices.Concat(fields, []string{`"messages":[` + strings.Join(messages, ",") + `]`}))
		if len(got.ToolCalls) == 0 {
			return rounds, *got.Content
		}
		var calls, results []string
		for i, call := range got.ToolCalls {
			calls = append(calls, call.Function.Name+" "+call.Function.Arguments)
			results = append(results, fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":"[%s]"}`, call.ID, call.Function.Name))
			if !json.Valid([]byte(call.Function.Arguments)) {
				got.ToolCalls[i].Function.Arguments = "{}" // as an agent must, before it sends the call back
			}
		}
		rounds = append(rounds, strings.Join(calls, " + "))
		back, _ := json.Marshal(got)
		messages = append(append(messages, string(back)), results...)
	}
	return rounds, "calls without end"
}

func TestWhatATaskCalls(t *testing.T) {
	const wordsABC = `mcp_demo_word_count {"text":"a b c"}`
	const dice, phrase = "mcp_demo_dice {}\n", `mcp_demo_word_count {"text":"Model Context Protocol"}`
	tests := []struct {
		task string
		want string // one answer a line
	}{
		{`Roll the die once, then count the characters and words in the phrase "Model Context Protocol"`, dice + phrase},
		{`Roll the die once, then count the characters and words in the phrase ‘Model Context Protocol’`, dice + phrase},
		{`掷一次骰子，再统计「Model Context Protocol」这个词组的字符数和词数`, dice + phrase},
		{`统计 Model Context Protocol 的字符数和词数`, phrase},
		{`统计《论语》的字符数和词数`, `mcp_demo_word_count {"text":"论语"}`},
		{`count the words in the phrase Model Context Protocol`, phrase},
		{`add 2 and 3, then count the words in "one two three four"`,
			"mcp_notes_add {\"a\":2,\"b\":3}\nmcp_demo_word_count {\"text\":\"one two three four\"}"},
		{`get the weather in Siem Reap, then save a note called "trip" with "bring umbrella"`,
			"mcp_notes_get_weather {\"city\":\"Siem Reap\"}\nmcp_notes_save_note {\"title\":\"trip\",\"content\":\"bring umbrella\"}"},
		{`save a note "bring umbrella" called "trip"`, `mcp_notes_save_note {"title":"trip","content":"bring umbrella"}`},
		{`save a note "bring umbrella" named "trip"`, `mcp_notes_save_note {"title":"trip","content":"bring umbrella"}`},
		{`save a note with content "bring umbrella" and title "trip"`, `mcp_notes_save_note {"title":"trip","content":"bring umbrella"}`},
		{`保存一条笔记，名为「旅行」，内容是「带伞」`, `mcp_notes_save_note {"title":"旅行","content":"带伞"}`},
		{`look up a record, then count the words in "a b c"`, "mcp_flaky_slow_lookup {}\n" + wordsABC},
		{`crash the server, then count the words in "a b c"`, "mcp_flaky_crash_now {}\n" + wordsABC},
		{`Roll the die and at the same time count the words in "a b c"`, "mcp_demo_dice {} + " + wordsABC},
		{`掷骰子，同时统计“a b c”的词数；然后几点了？`, "mcp_demo_dice {} + " + wordsABC + "\nget_current_time {}"},
		{`what time is it?`, `get_current_time {}`},
		{`read README.md`, `read {"path":"README.md"}`},
		{`Read the file "notes.txt".`, `read {"path":"notes.txt"}`},
		{`read Makefile`, `read {"path":"Makefile"}`},
		{`read the first 10 lines of docs/index.md.`, `read {"path":"docs/index.md"}`},
		{`read README.md with limit 5 and offset: 20`, `read {"path":"README.md","limit":5,"offset":20}`},
		{`写入「你好」到 notes.txt`, `write {"path":"notes.txt","content":"你好"}`},
		{`write "hello" to "notes.txt"`, `write {"path":"notes.txt","content":"hello"}`},
		{`write 'it's fine' to Makefile`, `write {"path":"Makefile","content":"it's fine"}`},
		{`write "say \"hi\"" to a.txt`, `write {"path":"a.txt","content":"say \"hi\""}`},
		{`patch notes.txt: replace "hello" with "good bye"`, `patch {"path":"notes.txt","old":"hello","new":"good bye"}`},
		{`run ls -la`, `run_shell {"command":"ls -la"}`},
		{"run `sleep 5; echo then what`", `run_shell {"command":"sleep 5; echo then what"}`},
		{`run go test ./... in day14`, `run_shell {"command":"go test ./... in day14"}`},
		{`运行命令「ls -la」`, `run_shell {"command":"ls -la"}`},
		{`search for TODO in day14`, `search {"pattern":"TODO","path":"day14"}`},
		{`search for "step limit" in day14/chat.go`, `search {"pattern":"step limit","path":"day14/chat.go"}`},
		{`search for "Hello" in scratch`, `search {"pattern":"Hello","path":"scratch"}`},
		{`搜索TODO`, `search {"pattern":"TODO"}`},
		{`在知识库中搜索「步数上限」`, `rag_search {"query":"步数上限"}`},
		{`what does the knowledge base say about the step limit?`, `rag_search {"query":"step limit"}`},
		{`add README.md to the knowledge base`, `rag_add {"source":"README.md"}`},
		{`show me README.md`, `read {"path":"README.md"}`},
		{`list the files in the current directory`, `ls {}`},
		{`list the files in day14`, `ls {"path":"day14"}`},
		{`find files named *.go`, `glob {"pattern":"*.go"}`},
		{`fetch https://example.com/a?b=c;d.`, `fetch {"url":"https://example.com/a?b=c;d"}`},
		{`show the staged git diff of day14/chat.go`, `git_diff {"path":"day14/chat.go","staged":true}`},
		{`what is 2 plus 3?`, `mcp_notes_add {"a":2,"b":3}`},
		{`How many characters does "a b c" have?`, wordsABC},
		{`list my notes; read the note called "trip"`, "mcp_notes_list_notes {}\nmcp_notes_read_note {\"title\":\"trip\"}"},
		{`what is the weather in 上海?`, `mcp_notes_get_weather {"city":"上海"}`},
		{`北京的天气怎么样？`, `mcp_notes_get_weather {"city":"北京"}`},
		{`2加3`, `mcp_notes_add {"a":2,"b":3}`},
		{`add 12345678901234567890 and -0.50`, `mcp_notes_add {"a":12345678901234567890,"b":-0.50}`},
		{`give me a big result of 100000 bytes`, `mcp_flaky_big_result {"bytes":100000}`},
		{`use mcp_demo_dice`, `mcp_demo_dice {}`},
		{`dices, please`, `mcp_demo_dice {}`},
		{`call get_issue {"id": 9007199254740993123,  "q":"if; then \"x\""}; roll the die`,
			"get_issue {\"id\": 9007199254740993123,  \"q\":\"if; then \\\"x\\\"\"}\nmcp_demo_dice {}"},
		{`调用 mcp_notes_add {"a":1,"b":2.0}`, `mcp_notes_add {"a":1,"b":2.0}`},
		{`call mcp_notes_get_weather {broken`, `mcp_notes_get_weather {"city":"{broken"}`},
		{`make me a sandwich`, ``},
		{`call me a taxi`, ``},
		{`mcp demo`, ``},
		{`你好`, ``},
		{``, ``},
	}
	url, tools := serve(t), toolsOf(offered)
	for _, test := range tests {
		rounds, text := loop(t, url, test.task, tools)
		if got := strings.Join(rounds, "\n"); got != test.want || test.want == "" && text != noTool {
			t.Errorf("%s\n got %s\nwant %s\ntext %s", test.task, got, test.want, text)
		}
	}
}

func TestArgumentsComeFromTheSchema(t *testing.T) {
	tests := []struct{ name, step, properties, required, want string }{
		{"no parameters", "go", ``, ``, `{}`},
		{"JSON in the step is taken as it is", `go {"x": 1.0e3,"y":[ ]} please`, `"z":{"type":"string"}`, `"z"`, `{"x": 1.0e3,"y":[ ]}`},
		{"JSON in quotes is a string", `go "{}"`, `"z":{"type":"string"}`, `"z"`, `{"z":"{}"}`},
		{"an enum value that occurs", "convert 20.5 to fahrenheit", `"to":{"enum":["celsius","fahrenheit"]},"value":{"type":"number"}`, `"value","to"`, `{"value":20.5,"to":"fahrenheit"}`},
		{"an enum of which the step says nothing", "go", `"unit":{"enum":["m","km"]}`, `"unit"`, `{"unit":"m"}`},
		{"an enum with underscores and one of numbers", "set in progress to 2", `"s":{"enum":["done","in_progress"]},"n":{"type":"integer","enum":[1,2]}`, ``, `{"n":2,"s":"in_progress"}`},
		{"numbers keep their digits", "use 9007199254740993123 and 1.10", `"a":{"type":"integer"},"b":{"type":"number"}`, `"a","b"`, `{"a":9007199254740993123,"b":1.10}`},
		{"a version, a word or a file name is no number", "use v2 or x86 or a1.txt", `"n":{"type":"integer"}`, `"n"`, `{"n":1}`},
		{"a number behind the name", "draw sides 20 and limit 5", `"limit":{"type":"integer"},"sides":{"type":"integer"},"x":{"type":"integer"}`, ``, `{"limit":5,"sides":20}`},
		{"a boolean is true when its name is said", "go recursive", `"recursive":{"type":"boolean"},"x":{"type":"boolean"},"y":{"type":"boolean"}`, `"y"`, `{"y":false,"recursive":true}`},
		{"a type with null, objects and arrays", `go "x"`, `"s":{"type":["null","string"]},"o":{"type":"object"},"l":{"type":"array","items":{}}`, `"s","o","l"`, `{"s":"x","o":{},"l":[]}`},
		{"a property that is only required", `go "x"`, ``, `"s"`, `{"s":"x"}`},
		{"required first, then by name", `go "x" "y" "z"`, `"c":{},"b":{},"a":{}`, `"b"`, `{"b":"x","a":"y","c":"z"}`},
		{"a colon and an equals sign", `go title="trip", n: 3`, `"n":{"type":"integer"},"title":{"type":"string"}`, ``, `{"n":3,"title":"trip"}`},
		{"from and to", "flights from Paris to Rome", `"origin":{"type":"string"},"goal":{"type":"string"}`, `"origin","goal"`, `{"origin":"Paris","goal":"Rome"}`},
		{"a phrase ends at the next marker", "news about tea in Siem Reap, please", `"q":{"type":"string"},"where":{"type":"string"}`, `"q"`, `{"q":"tea","where":"Siem Reap"}`},
		{"a phrase behind the name of the parameter", "weather for the city of Paris", `"city":{"type":"string"}`, `"city"`, `{"city":"Paris"}`},
		{"the rest of the step", "please echo what time is it?", `"text":{"type":"string"}`, `"text"`, `{"text":"what time is it"}`},
		{"a mark that never closes is no quote", `echo 5" more`, `"text":{"type":"string"}`, `"text"`, `{"text":"5\" more"}`},
		{"markup stays readable", `echo "<b>&"`, `"text":{"type":"string"}`, `"text"`, `{"text":"<b>&"}`},
	}
	url := serve(t)
	for _, test := range tests {
		rounds, _ := loop(t, url, test.step, `"tool_choice":"required","tools":[{"type":"function","function":{"name":"echo","description":"Echo","parameters":{"type":"object","properties":{`+
			test.properties+`},"required":[`+test.required+`]}}}]`)
		if rounds[0] != "echo "+test.want {
			t.Errorf("%s\n got %s\nwant %s", test.name, rounds[0], test.want)
		}
	}
}

func TestWhatTheAnswerSays(t *testing.T) {
	const two = `roll the die, then roll the die`
	tests := []struct {
		name    string
		task    string
		results []string
		want    string
	}{
		{"one result", "roll the die", []string{"Roll: 5\n"}, "Result: Roll: 5"},
		{"several results", two, []string{"Roll: 5", "Roll: 6"}, "Here is what I found:\n1. Roll: 5\n2. Roll: 6"},
		{"an error at the first step", two, []string{"(error) no dice"}, "I could not finish: no dice"},
		{"an error at a later step", two, []string{"Roll: 5", "(error) no dice"}, "Here is what I found:\n1. Roll: 5\nI could not finish: no dice"},
		{"errors side by side", "roll the die and at the same time roll the die", []string{"(error) a", "(error) b"}, "I could not finish: a; b"},
		{"a later step that no tool can do", "roll the die, then make me a sandwich", []string{"Roll: 5"}, "Here is what I found:\n1. Roll: 5\n" + noTool},
	}
	url, tools := serve(t), toolsOf(offered)
	for _, test := range tests {
		messages := `{"role":"user","content":` + quoted(test.task) + `}`
		for _, r := range test.results {
			messages += `,{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":` + quoted(r) + `}`
		}
		if got := ask(t, url, []string{`"messages":[` + messages + `]`, tools}); got.ToolCalls != nil || *got.Content != test.want {
			t.Errorf("%s: got %+v, want %q", test.name, got, test.want)
		}
	}
}

func TestToolChoice(t *testing.T) {
	tests := []struct{ name, choice, task, want string }{
		{"none never calls", `"none"`, "roll the die", ""},
		{"auto calls what fits", `"auto"`, "roll the die", "mcp_demo_dice {}"},
		{"required calls without a reason", `"required"`, "make me a sandwich", `fetch {"url":"make me a sandwich"}`},
		{"required prefers the tool that fits", `"required"`, "roll the die", "mcp_demo_dice {}"},
		{"a function is called whatever fits", `{"type":"function","function":{"name":"read"}}`, `roll "a die"`, `read {"path":"a die"}`},
		{"a function takes the JSON of the step", `{"type":"function","function":{"name":"read"}}`, `call ls {"path":"x"}`, `read {"path":"x"}`},
		{"of the allowed tools one that fits", allow("auto", "ls", "read"), "read a.txt", `read {"path":"a.txt"}`},
		{"what is not allowed is not called", allow("auto", "ls"), "read a.txt", ``},
		{"not even by name", allow("auto", "ls"), `call read {"path":"x"}`, ``},
		{"one of the allowed tools is required", allow("required", "ls"), "make me a sandwich", `ls {}`},
	}
	url, tools := serve(t), toolsOf(offered)
	for _, test := range tests {
		var calls []string
		for _, call := range ask(t, url, []string{`"messages":[{"role":"user","content":` + quoted(test.task) + `}]`, `"tool_choice":` + test.choice, tools}).ToolCalls {
			calls = append(calls, call.Function.Name+" "+call.Function.Arguments)
		}
		if got := strings.Join(calls, " + "); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
	if rounds, _ := loop(t, url, "list the files, then roll the die", `"tool_choice":"required"`, tools); len(rounds) != 10 || rounds[9] != "mcp_demo_dice {}" {
		t.Errorf("with all done, required calls %q", rounds)
	}
}

// allow is a tool_choice of some tools.
func allow(mode string, names ...string) string {
	return `{"type":"allowed_tools","allowed_tools":{"mode":"` + mode + `","tools":[{"type":"function","function":{"name":"` +
		strings.Join(names, `"}},{"type":"function","function":{"name":"`) + `"}}]}}`
}

func TestCallsComeOneByOneWhereThatIsAskedFor(t *testing.T) {
	rounds, text := loop(t, serve(t), "roll the die and at the same time list the files", toolsOf(offered), `"parallel_tool_calls":false`)
	if want := []string{"mcp_demo_dice {}", "ls {}"}; !slices.Equal(rounds, want) || text != "Here is what I found:\n1. [mcp_demo_dice]\n2. [ls]" {
		t.Errorf("got %q, %q", rounds, text)
	}
}

func TestTheSloppyModelSlipsTwice(t *testing.T) {
	url, tools := serve(t), toolsOf(offered)
	rounds, text := loop(t, url, `count the words in "a b", then roll the die`, `"model":"mock-sloppy"`, tools)
	want := []string{`mcp_demo_word_count {"text"`, `no_such_tool {}`, `mcp_demo_word_count {"text":"a b"}`, `mcp_demo_dice {}`}
	if !slices.Equal(rounds, want) || text != "Here is what I found:\n1. [mcp_demo_word_count]\n2. [mcp_demo_dice]" {
		t.Errorf("got %q, %q", rounds, text)
	}
	if rounds, text := loop(t, url, "make me a sandwich", `"model":"mock-sloppy"`, tools); rounds != nil || text != noTool {
		t.Errorf("without a tool that fits: %q, %q", rounds, text)
	}
}

// FuzzAnswers: whatever the task and the schema, the mock answers, with text or
// with calls, and the same twice.
func FuzzAnswers(f *testing.F) {
	for _, schema := range []string{
		`{"path":{"type":"string"},"limit":{"type":"integer"}},"required":["path"]`,
		`{"a":{"enum":["x",1,null]},"b":{"type":["null","array"],"items":{"type":"number"}},"c":true},"required":["b","c","zzz"]`,
		`{"a":{"type":"boolean","default":{"x":[]}},"a":{"const":null},"e":{"enum":[]}},"required":["a","a","e"]`,
		`{"a":7},"required":7`,
	} {
		f.Add(`echo "a then b", and then echo 'c' ; echo 「d」 and at the same time echo 007 -0 1.50`, schema)
		f.Add(`call echo {"a": "\"", "b": 12345678901234567890}; call echo {"a"`, schema)
		f.Add("把 x=1、“y”写入 ./z.txt，然后再 echo limit:5 no a from İ to \x00‘", schema)
	}
	url := serve(f)
	f.Fuzz(func(t *testing.T, task, schema string) {
		if !json.Valid([]byte(`{"properties":` + schema + `}`)) {
			return
		}
		for _, mode := range []string{"auto", "required"} {
			body := `{"model":"mock","messages":[{"role":"user","content":` + quoted(task) + `}],"tool_choice":"` + mode +
				`","tools":[{"type":"function","function":{"name":"mcp_x_echo","description":"[MCP:x] Echo 写","parameters":{"type":"object","properties":` + schema + `}}}]}`
			status, _, first := post(t, url+"/chat/completions", body)
			if status == 400 { // the schema is not one
				return
			}
			_, _, second := post(t, url+"/chat/completions", body)
			var answers [2]struct{ Choices []struct{ Message message } }
			for i, text := range []string{first, second} {
				if err := json.Unmarshal([]byte(text), &answers[i]); err != nil || status != 200 {
					t.Fatalf("status %d: %s", status, text)
				}
			}
			a, b := answers[0].Choices[0].Message, answers[1].Choices[0].Message
			if len(a.ToolCalls) != len(b.ToolCalls) || (a.Content == nil) == (a.ToolCalls == nil) || mode == "required" && a.ToolCalls == nil {
				t.Errorf("%s: %s, then %s", mode, first, second)
			}
			for i, call := range a.ToolCalls {
				if object := leadingObject(call.Function.Arguments); object != call.Function.Arguments || call.Function != b.ToolCalls[i].Function {
					t.Errorf("arguments %q", call.Function.Arguments)
				}
			}
		}
	})
}

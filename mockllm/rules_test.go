package main

import (
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

// parseTools reads a list like offered.
func parseTools(list string) []tool {
	var tools []tool
	for line := range strings.Lines(strings.TrimSpace(list)) {
		columns := strings.Split(strings.TrimSpace(line), " | ")
		t := tool{name: columns[0], description: columns[1]}
		var properties, required []string
		for _, p := range columns[2:] {
			for _, p := range strings.Split(p, ", ") {
				name, kind, _ := strings.Cut(p, " ")
				kind, optional := strings.CutSuffix(kind, "?")
				if !optional {
					required = append(required, jsonString(name))
				}
				properties = append(properties, fmt.Sprintf(`%q:{"type":%q}`, name, kind))
			}
		}
		t.parameters = fmt.Appendf(nil, `{"type":"object","properties":{%s},"required":[%s]}`,
			strings.Join(properties, ","), strings.Join(required, ","))
		tools = append(tools, t)
	}
	return tools
}

// play lets the rules work on a task until they stop calling. Each call is
// answered with its name in brackets. It gives the calls, those of one answer
// joined by " + ", and the last text.
func play(task string, c conversation) (answers []string, text string) {
	c.messages = append(c.messages, message{"user", task})
	for range 10 {
		a := decide(c)
		if len(a.calls) == 0 {
			return answers, a.text
		}
		var calls []string
		for _, call := range a.calls {
			calls = append(calls, call.name+" "+call.arguments)
			c.messages = append(c.messages, message{"tool", "[" + call.name + "]"})
		}
		answers = append(answers, strings.Join(calls, " + "))
	}
	return answers, "calls without end"
}

func TestWhatATaskCalls(t *testing.T) {
	const wordsABC = `mcp_demo_word_count {"text":"a b c"}`
	tests := []struct {
		task string
		want string // one answer a line
	}{
		{`Roll the die once, then count the characters and words in the phrase "Model Context Protocol"`,
			"mcp_demo_dice {}\nmcp_demo_word_count {\"text\":\"Model Context Protocol\"}"},
		{`掷一次骰子，再统计「Model Context Protocol」这个词组的字符数和词数`,
			"mcp_demo_dice {}\nmcp_demo_word_count {\"text\":\"Model Context Protocol\"}"},
		{`add 2 and 3, then count the words in "one two three four"`,
			"mcp_notes_add {\"a\":2,\"b\":3}\nmcp_demo_word_count {\"text\":\"one two three four\"}"},
		{`get the weather in Siem Reap, then save a note called "trip" with "bring umbrella"`,
			"mcp_notes_get_weather {\"city\":\"Siem Reap\"}\nmcp_notes_save_note {\"title\":\"trip\",\"content\":\"bring umbrella\"}"},
		{`save a note "bring umbrella" called "trip"`, `mcp_notes_save_note {"title":"trip","content":"bring umbrella"}`},
		{`save a note with content "bring umbrella" and title "trip"`, `mcp_notes_save_note {"title":"trip","content":"bring umbrella"}`},
		{`保存一条笔记，名为「旅行」，内容是「带伞」`, `mcp_notes_save_note {"title":"旅行","content":"带伞"}`},
		{`look up a record, then count the words in "a b c"`, "mcp_flaky_slow_lookup {}\n" + wordsABC},
		{`crash the server, then count the words in "a b c"`, "mcp_flaky_crash_now {}\n" + wordsABC},
		{`Roll the die and at the same time count the words in "a b c"`, "mcp_demo_dice {} + " + wordsABC},
		{`掷骰子，同时统计“a b c”的词数；然后几点了？`, "mcp_demo_dice {} + " + wordsABC + "\nget_current_time {}"},
		{`what time is it?`, `get_current_time {}`},
		{`现在几点？`, `get_current_time {}`},
		{`read README.md`, `read {"path":"README.md"}`},
		{`Read the file "notes.txt".`, `read {"path":"notes.txt"}`},
		{`read Makefile`, `read {"path":"Makefile"}`},
		{`read the first 10 lines of docs/index.md.`, `read {"path":"docs/index.md"}`},
		{`read README.md with limit 5 and offset: 20`, `read {"path":"README.md","limit":5,"offset":20}`},
		{`读取文件 README.md`, `read {"path":"README.md"}`},
		{`write "hello" to notes.txt`, `write {"path":"notes.txt","content":"hello"}`},
		{`write "hello" to "notes.txt"`, `write {"path":"notes.txt","content":"hello"}`},
		{`write 'it's fine' to Makefile`, `write {"path":"Makefile","content":"it's fine"}`},
		{`write "say \"hi\"" to a.txt`, `write {"path":"a.txt","content":"say \"hi\""}`},
		{`把「你好」写入 notes.txt`, `write {"path":"notes.txt","content":"你好"}`},
		{`patch notes.txt: replace "hello" with "good bye"`, `patch {"path":"notes.txt","old":"hello","new":"good bye"}`},
		{`run the command "ls -la"`, `run_shell {"command":"ls -la"}`},
		{`run ls -la`, `run_shell {"command":"ls -la"}`},
		{"run `sleep 5; echo then what`", `run_shell {"command":"sleep 5; echo then what"}`},
		{`run go test ./... in day14`, `run_shell {"command":"go test ./... in day14"}`},
		{`execute go vet ./...`, `run_shell {"command":"go vet ./..."}`},
		{`运行 ls -la`, `run_shell {"command":"ls -la"}`},
		{`运行命令「ls -la」`, `run_shell {"command":"ls -la"}`},
		{`search for TODO`, `search {"pattern":"TODO"}`},
		{`search for TODO in day14`, `search {"pattern":"TODO","path":"day14"}`},
		{`search for "step limit" in day14/chat.go`, `search {"pattern":"step limit","path":"day14/chat.go"}`},
		{`搜索TODO`, `search {"pattern":"TODO"}`},
		{`search the knowledge base for "step limit"`, `rag_search {"query":"step limit"}`},
		{`search the knowledge base for step limit`, `rag_search {"query":"step limit"}`},
		{`知识库里关于步数上限说了什么？`, `rag_search {"query":"步数上限说了什么"}`},
		{`在知识库中搜索「步数上限」`, `rag_search {"query":"步数上限"}`},
		{`add README.md to the knowledge base`, `rag_add {"source":"README.md"}`},
		{`what does the knowledge base say about the step limit?`, `rag_search {"query":"step limit"}`},
		{`show me README.md`, `read {"path":"README.md"}`},
		{`change "hello" to "bye" in notes.txt`, `patch {"path":"notes.txt","old":"hello","new":"bye"}`},
		{`list the files`, `ls {}`},
		{`list the files in the current directory`, `ls {}`},
		{`list the files in day14`, `ls {"path":"day14"}`},
		{`列出文件`, `ls {}`},
		{`find files named *.go`, `glob {"pattern":"*.go"}`},
		{`fetch https://example.com/a?b=c;d.`, `fetch {"url":"https://example.com/a?b=c;d"}`},
		{`show the git diff`, `git_diff {}`},
		{`show the staged git diff of day14/chat.go`, `git_diff {"path":"day14/chat.go","staged":true}`},
		{`review my changes`, `git_diff {}`},
		{`show the changes`, `git_diff {}`},
		{`create notes.txt with content "hello"`, `write {"path":"notes.txt","content":"hello"}`},
		{`grep for TODO`, `search {"pattern":"TODO"}`},
		{`what is 2 plus 3?`, `mcp_notes_add {"a":2,"b":3}`},
		{`How many characters does "a b c" have?`, wordsABC},
		{`list my notes; read the note called "trip"`, "mcp_notes_list_notes {}\nmcp_notes_read_note {\"title\":\"trip\"}"},
		{`what is the weather in 上海?`, `mcp_notes_get_weather {"city":"上海"}`},
		{`查询暹粒的天气`, `mcp_notes_get_weather {"city":"暹粒"}`},
		{`北京的天气怎么样？`, `mcp_notes_get_weather {"city":"北京"}`},
		{`查询一条记录`, `mcp_flaky_slow_lookup {}`},
		{`2加3`, `mcp_notes_add {"a":2,"b":3}`},
		{`add 12345678901234567890 and -0.50`, `mcp_notes_add {"a":12345678901234567890,"b":-0.50}`},
		{`count slowly to 007`, `mcp_flaky_slow_count {"n":7}`},
		{`give me a big result of 100000 bytes`, `mcp_flaky_big_result {"bytes":100000}`},
		{`grow a new tool`, `mcp_flaky_grow {}`},
		{`use mcp_demo_dice`, `mcp_demo_dice {}`},
		{`call mcp_demo_dice`, `mcp_demo_dice {}`},
		{`call get_issue {"id": 9007199254740993123,  "q":"if; then \"x\""}; roll the die`,
			"get_issue {\"id\": 9007199254740993123,  \"q\":\"if; then \\\"x\\\"\"}\nmcp_demo_dice {}"},
		{`调用 mcp_notes_add {"a":1,"b":2.0}`, `mcp_notes_add {"a":1,"b":2.0}`},
		{`call mcp_notes_get_weather {broken`, `mcp_notes_get_weather {"city":"{broken"}`},
		{`make me a sandwich`, ``},
		{`call me a taxi`, ``},
		{`tell me a joke`, ``},
		{`get me a coffee`, ``},
		{`mcp demo`, ``},
		{`你好`, ``},
		{``, ``},
	}
	for _, test := range tests {
		answers, text := play(test.task, conversation{model: plainModel, tools: parseTools(offered), parallel: true})
		if got := strings.Join(answers, "\n"); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.task, got, test.want)
		}
		if test.want == "" && text != noTool {
			t.Errorf("%s: the answer is %q", test.task, text)
		}
	}
}

func TestWhatTheAnswerSays(t *testing.T) {
	tools := parseTools(offered)
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
	for _, test := range tests {
		c := conversation{tools: tools, messages: []message{{"tool", "of an earlier task"}, {"user", test.task}}}
		for _, r := range test.results {
			c.messages = append(c.messages, message{"assistant", ""}, message{"tool", r})
		}
		if got := decide(c); got.text != test.want || got.calls != nil {
			t.Errorf("%s: got %+v, want %q", test.name, got, test.want)
		}
	}
}

func TestToolChoice(t *testing.T) {
	tests := []struct {
		name   string
		choice toolChoice
		task   string
		done   int // results so far
		want   string
	}{
		{"none never calls", toolChoice{mode: "none"}, "roll the die", 0, ""},
		{"required calls without a reason", toolChoice{mode: "required"}, "make me a sandwich", 0, `fetch {"url":"make me a sandwich"}`},
		{"required prefers the tool that fits", toolChoice{mode: "required"}, "roll the die", 0, "mcp_demo_dice {}"},
		{"required calls again when all is done", toolChoice{mode: "required"}, "list the files, then roll the die", 2, "mcp_demo_dice {}"},
		{"a function is called whatever fits", toolChoice{mode: "function", name: "read"}, `roll "a die"`, 0, `read {"path":"a die"}`},
		{"a function takes the JSON of the step", toolChoice{mode: "function", name: "read"}, `call ls {"path":"x"}`, 0, `read {"path":"x"}`},
	}
	for _, test := range tests {
		c := conversation{tools: parseTools(offered), choice: test.choice, parallel: true, messages: []message{{"user", test.task}}}
		for range test.done {
			c.messages = append(c.messages, message{"tool", "ok"})
		}
		var got []string
		for _, call := range decide(c).calls {
			got = append(got, call.name+" "+call.arguments)
		}
		if strings.Join(got, " + ") != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestParallelCallsComeOneByOneWhereTheyAreNotWanted(t *testing.T) {
	task := "roll the die and at the same time list the files"
	answers, text := play(task, conversation{tools: parseTools(offered)})
	if want := []string{"mcp_demo_dice {}", "ls {}"}; !slices.Equal(answers, want) {
		t.Errorf("got %q, want %q", answers, want)
	}
	if want := "Here is what I found:\n1. [mcp_demo_dice]\n2. [ls]"; text != want {
		t.Errorf("got %q, want %q", text, want)
	}
}

func TestTheSloppyModelSlipsTwice(t *testing.T) {
	c := conversation{model: sloppyModel, tools: parseTools(offered)}
	answers, text := play(`count the words in "a b", then roll the die`, c)
	want := []string{`mcp_demo_word_count {"text"`, `no_such_tool {}`, `mcp_demo_word_count {"text":"a b"}`, `mcp_demo_dice {}`}
	if !slices.Equal(answers, want) {
		t.Errorf("got %q, want %q", answers, want)
	}
	if want := "Here is what I found:\n1. [mcp_demo_word_count]\n2. [mcp_demo_dice]"; text != want {
		t.Errorf("its own mistakes show in %q", text)
	}
	if answers, text := play("make me a sandwich", c); answers != nil || text != noTool {
		t.Errorf("without a tool that fits: %q, %q", answers, text)
	}
}

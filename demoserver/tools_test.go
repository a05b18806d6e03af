package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestTools(t *testing.T) {
	tests := []struct{ name, tool, arguments, text, err string }{
		{"characters are code points", "word_count", `{"text":"Grüße, 世界 🎉"}`, "Characters 11, words 3", ""},
		{"words end at any white space", "word_count", `{"text":" a\tb\n\nc\u00a0d "}`, "Characters 10, words 4", ""},
		{"unknown arguments are ignored", "word_count", `{"text":"a","colour":[1]}`, "Characters 1, words 1", ""},
		{"a missing argument is named", "word_count", `{"txt":"a"}`, "", `argument \"text\" is missing`},
		{"null is missing", "word_count", `{"text":null}`, "", `argument \"text\" is missing`},
		{"null arguments are none", "word_count", `null`, "", `argument \"text\" is missing`},
		{"a number is no string", "word_count", `{"text":5}`, "", `argument \"text\" must be of type string`},
		{"an array is no string", "word_count", `{"text":["a"]}`, "", `argument \"text\" must be of type string`},
		{"the weather is invented, but always the same", "get_weather", `{"city":"Siem Reap"}`, "Siem Reap: 31°C, sunny", ""},
		{"integers", "add", `{"a":2,"b":3}`, "5", ""},
		{"fractions", "add", `{"a":0.5,"b":-2}`, "-1.5", ""},
		{"a string is no number", "add", `{"a":"2","b":3}`, "", `argument \"a\" must be of type number`},
		{"each argument is looked at", "add", `{"a":2}`, "", `argument \"b\" is missing`},
		{"no note yet", "list_notes", `{}`, "There are no notes", ""},
		{"an unknown note", "read_note", `{"title":"x"}`, "", `there is no note called \"x\"`},
		{"a note without content is not saved", "save_note", `{"title":"x"}`, "", `argument \"content\" is missing`},
		{"a note", "save_note", `{"title":"trip","content":"bring umbrella"}`, `Saved note \"trip\"`, ""},
		{"another note", "save_note", `{"title":"a","content":"1"}`, `Saved note \"a\"`, ""},
		{"a note in place of an older one", "save_note", `{"title":"a","content":"2 <b>&"}`, `Saved note \"a\"`, ""},
		{"notes are kept", "read_note", `{"title":"trip"}`, `bring umbrella`, ""},
		{"the newer note", "read_note", `{"title":"a"}`, `2 <b>&`, ""},
		{"titles are sorted", "list_notes", `{}`, `a\ntrip`, ""},
		{"a result of no bytes", "big_result", `{"bytes":0}`, "", ""},
		{"a result that is too big", "big_result", `{"bytes":33554433}`, "", `argument \"bytes\" must be an integer between 0 and 33554432`},
		{"a result beyond all numbers", "big_result", `{"bytes":1e300}`, "", `argument \"bytes\" must be an integer between 0 and 33554432`},
		{"a negative result", "big_result", `{"bytes":-1}`, "", `argument \"bytes\" must be an integer between 0 and 33554432`},
		{"half a byte", "big_result", `{"bytes":0.5}`, "", `argument \"bytes\" must be an integer between 0 and 33554432`},
		{"true is no number", "big_result", `{"bytes":true}`, "", `argument \"bytes\" must be of type number`},
		{"counting to nothing", "slow_count", `{"n":0}`, "Counted to 0", ""},
	}
	p := start(t, "-tools=basic,notes,flaky")
	for id, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			want := text(id, test.text)
			if test.err != "" {
				want = failed(id, test.err)
			}
			p.t = t
			p.send(call(id, test.tool, test.arguments, ""))
			p.want(want)
		})
	}
	p.t = t
	p.end()
}

// A tool that panics fails like any other, and the server goes on.
func TestToolThatPanics(t *testing.T) {
	broken := server{[]tool{{Name: "broken", run: func(message) (string, error) { return strings.Repeat("x", -1), nil }}}}
	var out bytes.Buffer
	err := serveLines(broken.handle, strings.NewReader(call(1, "broken", `{}`, "")+"\n"+ping), &out)
	if want := failed(1, "broken panicked: strings: negative Repeat count") + "\n" + pong + "\n"; err != nil || out.String() != want {
		t.Errorf("got %s (error %v)\nwant %s", &out, err, want)
	}
}

func TestSeedFixesTheDice(t *testing.T) {
	rolls := func(args ...string) (all string) {
		p := start(t, args...)
		for id := range 40 {
			p.send(call(id, "dice", `{}`, ""))
			roll := regexp.MustCompile(`"Roll: ([1-6])"`).FindStringSubmatch(p.line(p.stdout))
			if roll == nil {
				t.Fatal("no roll")
			}
			all += roll[1]
		}
		p.end()
		return all
	}
	if a, b := rolls("-seed=4"), rolls("-seed=4"); a != b || a[:1] != "5" {
		t.Errorf("the same seed rolls %s and %s", a, b)
	}
	if a, b := rolls("-seed=7"), rolls(); a == b {
		t.Errorf("with and without a seed twice the same: %s", a)
	}
}

// toolNames asks for the tools, and checks what every client relies on.
func (p *process) toolNames() (names []string) {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	var answer struct {
		Result struct {
			Tools []struct {
				Name, Description string
				InputSchema       struct {
					Type       string
					Properties map[string]struct{ Type string }
					Required   []string
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(p.line(p.stdout)), &answer); err != nil {
		p.t.Fatal(err)
	}
	for _, tool := range answer.Result.Tools {
		schema := tool.InputSchema
		if tool.Description == "" || schema.Type != "object" || schema.Properties == nil || slices.Contains(names, tool.Name) {
			p.t.Errorf("tool %s is not well described, or there are two", tool.Name)
		}
		for _, name := range schema.Required {
			if schema.Properties[name].Type == "" {
				p.t.Errorf("tool %s requires %s, which has no type", tool.Name, name)
			}
		}
		names = append(names, tool.Name)
	}
	return names
}

func TestSets(t *testing.T) {
	for _, test := range []struct{ flags, offered, absent string }{
		{"", "dice", "add"},
		{"-tools=notes", "add", "dice"},
		{"-tools=flaky,basic", "dice", "add"},
		{"-tools=basic,notes,flaky", "grow", "extra_1"},
	} {
		p := start(t, strings.Fields(test.flags)...)
		if names := p.toolNames(); !slices.Contains(names, test.offered) || slices.Contains(names, test.absent) {
			t.Errorf("%s offers %s", test.flags, names)
		}
		p.end()
	}
}

func TestGrow(t *testing.T) {
	const announced = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	p := start(t, "-tools=flaky,basic")
	p.send(call(1, "grow", `{}`, ""))
	p.want(announced, text(1, "Added tool extra_1"))
	p.send(call(2, "extra_1", `{}`, ""))
	p.want(text(2, "Hello from extra_1"))
	p.send(call(3, "grow", `{}`, ""))
	p.want(announced, text(3, "Added tool extra_2"))
	if names := p.toolNames(); !slices.Equal(names[len(names)-2:], []string{"extra_1", "extra_2"}) {
		t.Errorf("after growing: %v", names)
	}
	p.send(call(4, "grow", `{}`, modern)) // who speaks modern did not subscribe to the announcement
	p.want(strings.Replace(text(4, "Added tool extra_3"), `"content"`, complete+`"content"`, 1))
	p.end()
}

package main

import (
	"regexp"
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
		{"an object is no string", "word_count", `{"text":{}}`, "", `argument \"text\" must be of type string`},
		{"an array is no string", "word_count", `{"text":["a"]}`, "", `argument \"text\" must be of type string`},
		{"the weather is invented, but always the same", "get_weather", `{"city":"Siem Reap"}`, "Siem Reap: 31°C, sunny", ""},
		{"integers", "add", `{"a":2,"b":3}`, "5", ""},
		{"fractions", "add", `{"a":0.5,"b":-2}`, "-1.5", ""},
		{"a string is no number", "add", `{"a":"2","b":3}`, "", `argument \"a\" must be of type number`},
		{"no note yet", "list_notes", `{}`, "There are no notes", ""},
		{"an unknown note", "read_note", `{"title":"x"}`, "", `there is no note called \"x\"`},
		{"a result of no bytes", "big_result", `{"bytes":0}`, "", ""},
		{"a result that is too big", "big_result", `{"bytes":33554433}`, "", `argument \"bytes\" must be between 0 and 33554432`},
		{"a result beyond all numbers", "big_result", `{"bytes":1e300}`, "", `argument \"bytes\" must be between 0 and 33554432`},
		{"a negative result", "big_result", `{"bytes":-1}`, "", `argument \"bytes\" must be between 0 and 33554432`},
		{"half a byte", "big_result", `{"bytes":0.5}`, "", `argument \"bytes\" must be of type integer`},
		{"true is no integer", "big_result", `{"bytes":true}`, "", `argument \"bytes\" must be of type integer`},
		{"counting to nothing", "slow_count", `{"n":0}`, "Counted to 0", ""},
		{"counting too far", "slow_count", `{"n":1001}`, "", `argument \"n\" must be between 0 and 1000`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := start(t, "-tools=basic,notes,flaky")
			s.send(call1(test.tool, test.arguments))
			if test.err != "" {
				s.end(0, failed1(test.err))
			} else {
				s.end(0, text1(test.text))
			}
		})
	}
}

func TestDiceWithoutArguments(t *testing.T) {
	s := start(t, "-seed=4")
	s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"dice"}}`)
	s.end(0, text1("Roll: 5"))
}

func TestSeedFixesTheDice(t *testing.T) {
	rolls := func(args ...string) string {
		s, all := start(t, args...), ""
		for range 40 {
			s.send(call1("dice", `{}`))
			line, err := s.out.ReadString('\n')
			roll := regexp.MustCompile(`"Roll: ([1-6])"`).FindStringSubmatch(line)
			if err != nil || roll == nil {
				t.Fatalf("no roll: %s (error %v)", line, err)
			}
			all += roll[1]
		}
		s.end(0)
		return all
	}
	if a, b := rolls("-seed=7"), rolls("-seed=7"); a != b {
		t.Errorf("the same seed rolls %s and %s", a, b)
	}
	if a, b := rolls("-seed=7"), rolls("-seed=8"); a == b {
		t.Errorf("two seeds roll the same: %s", a)
	}
	if a, b := rolls(), rolls(); a == b {
		t.Errorf("without a seed twice the same: %s", a)
	}
}

func TestNotesAreKept(t *testing.T) {
	s := start(t, "-tools=notes")
	for _, step := range []struct{ tool, arguments, text string }{
		{"save_note", `{"title":"trip","content":"bring umbrella"}`, `Saved note \"trip\"`},
		{"save_note", `{"title":"a","content":"1"}`, `Saved note \"a\"`},
		{"save_note", `{"title":"a","content":"2 <b>&"}`, `Saved note \"a\"`},
		{"read_note", `{"title":"trip"}`, `bring umbrella`},
		{"read_note", `{"title":"a"}`, `2 <b>&`},
		{"list_notes", `{}`, `a\ntrip`},
	} {
		s.send(call1(step.tool, step.arguments))
		s.want(text1(step.text))
	}
	s.end(0)
}

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// server offers tools.
type server struct{ tools []tool }

// tool is an entry of a list such as basicTools: to add a tool is to add an entry. tools/list shows the first three
// fields; a model picks the tool by its description and writes the arguments by its schema. run gives the text of
// the result, or an error, which the model gets to read as well.
type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	run         func(req message) (string, error)
}

// basicTools are the two that every demonstration starts with.
func basicTools(seed uint64) []tool {
	var mu sync.Mutex // guards die: calls may run side by side
	die := rand.New(rand.NewPCG(seed, seed))
	return []tool{{
		Name:        "word_count",
		Description: "Count the characters and words of a text",
		InputSchema: []byte(`{"type":"object","properties":{"text":{"type":"string","description":"The text to count"}},"required":["text"]}`),
		run: func(req message) (string, error) {
			text, err := argument[string](req, "text")
			return fmt.Sprintf("Characters %d, words %d", utf8.RuneCountInString(text), len(strings.Fields(text))), err
		},
	}, {
		Name:        "dice",
		Description: "Roll a six-sided die",
		InputSchema: []byte(`{"type":"object","properties":{}}`),
		run: func(message) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			return fmt.Sprintf("Roll: %d", 1+die.IntN(6)), nil
		},
	}}
}

// argument gives the argument called name: a string, or a number as a float64. It fails if there is no such argument.
func argument[T string | float64](req message, name string) (T, error) {
	value, ok := req.Params.Arguments[name].(T)
	if ok {
		return value, nil
	} else if req.Params.Arguments[name] == nil {
		return value, fmt.Errorf("argument %q is missing", name)
	}
	kind := strings.Replace(fmt.Sprintf("%T", value), "float64", "number", 1)
	return value, fmt.Errorf("argument %q must be of type %s", name, kind)
}

type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// callTool runs a tool. Only a tool that does not exist is an error of the protocol; what goes wrong inside one is a
// result that the model reads (2025-11-25, Tools, "Error Handling"), and so is a panic.
func (s server) callTool(req message) (any, *rpcError) {
	i := slices.IndexFunc(s.tools, func(t tool) bool { return t.Name == req.Params.Name })
	if i < 0 {
		return nil, &rpcError{Code: invalidParams, Message: fmt.Sprintf("unknown tool %q", req.Params.Name)}
	}
	text, err := s.tools[i].safely(req)
	if err != nil {
		text = err.Error()
	}
	return result{Content: []content{{"text", text}}, IsError: err != nil}, nil
}

// safely runs the tool, and turns a panic into an error.
func (t tool) safely(req message) (text string, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%s panicked: %v", t.Name, cause)
		}
	}()
	return t.run(req)
}

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// tool is one entry of the tables below. The first three members are what a
// client sees in tools/list (specification, Tools, "Data Types"); a model picks
// the tool by its description and writes the arguments by its schema. run gets
// arguments that match the schema and gives the text of the result; its error
// is a text as well, for the model to read.
//
// To add a tool, add an entry. Nothing else has to know.
type tool struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	InputSchema jsonText `json:"inputSchema"`

	run func(ctx context.Context, c call) (string, error)
}

// basicTools are the two that every demonstration starts with. A seed other
// than 0 fixes the dice.
func basicTools(seed uint64) []tool {
	return []tool{
		{
			Name:        "word_count",
			Description: "Count the characters and words of a text",
			InputSchema: `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`,
			run: func(_ context.Context, c call) (string, error) {
				text := c.text("text")
				return fmt.Sprintf("Characters %d, words %d", utf8.RuneCountInString(text), len(strings.Fields(text))), nil
			},
		},
		{
			Name:        "dice",
			Description: "Roll a six-sided die",
			InputSchema: `{"type":"object","properties":{}}`,
			run:         rollDice(seed),
		},
	}
}

// rollDice gives the run of dice: random, or a fixed sequence for a seed.
func rollDice(seed uint64) func(context.Context, call) (string, error) {
	var mu sync.Mutex // guards fixed, since calls run side by side
	fixed := rand.New(rand.NewPCG(seed, seed))
	return func(context.Context, call) (string, error) {
		if seed == 0 {
			return fmt.Sprintf("Roll: %d", 1+rand.IntN(6)), nil
		}
		mu.Lock()
		defer mu.Unlock()
		return fmt.Sprintf("Roll: %d", 1+fixed.IntN(6)), nil
	}
}

// noteTools are for conversations with several steps: the notes that one call
// saves another one reads, until the server ends.
func noteTools() []tool {
	notes := &notebook{contents: map[string]string{}}
	return []tool{
		{
			Name:        "get_weather",
			Description: "Get the weather in a city",
			InputSchema: `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`,
			run: func(_ context.Context, c call) (string, error) {
				return weather(c.text("city")), nil
			},
		},
		{
			Name:        "add",
			Description: "Add two numbers a and b",
			InputSchema: `{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`,
			run: func(_ context.Context, c call) (string, error) {
				return strconv.FormatFloat(c.number("a")+c.number("b"), 'f', -1, 64), nil
			},
		},
		{
			Name:        "save_note",
			Description: "Save a note under a title",
			InputSchema: `{"type":"object","properties":{"title":{"type":"string"},"content":{"type":"string"}},"required":["title","content"]}`,
			run:         notes.save,
		},
		{
			Name:        "read_note",
			Description: "Read the note with a title",
			InputSchema: `{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}`,
			run:         notes.read,
		},
		{
			Name:        "list_notes",
			Description: "List the titles of all notes",
			InputSchema: `{"type":"object","properties":{}}`,
			run:         notes.list,
		},
	}
}

// weather is invented, but always the same for the same city.
func weather(city string) string {
	sum := 0
	for _, r := range city {
		sum += int(r)
	}
	skies := []string{"sunny", "cloudy", "rain"}
	return fmt.Sprintf("%s: %d°C, %s", city, 9+sum%25, skies[sum%len(skies)])
}

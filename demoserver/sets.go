package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// noArguments is the schema of a tool that takes none.
var noArguments = []byte(`{"type":"object","properties":{}}`)

// noteTools are for conversations with several steps: the notes that one call saves another one reads, until the
// server ends.
func noteTools() []tool {
	var mu sync.Mutex // guards notes: calls run side by side
	notes := map[string]string{}
	return []tool{
		{"get_weather", "Get the weather in a city",
			[]byte(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`),
			func(req message) (string, error) {
				city, err := argument[string](req, "city")
				return weather(city), err
			}},
		{"add", "Add two numbers a and b",
			[]byte(`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`),
			func(req message) (string, error) {
				a, errA := argument[float64](req, "a")
				b, errB := argument[float64](req, "b")
				return strconv.FormatFloat(a+b, 'f', -1, 64), cmp.Or(errA, errB)
			}},
		{"save_note", "Save a note under a title",
			[]byte(`{"type":"object","properties":{"title":{"type":"string"},"content":{"type":"string"}},"required":["title","content"]}`),
			func(req message) (string, error) {
				title, errTitle := argument[string](req, "title")
				content, errContent := argument[string](req, "content")
				if err := cmp.Or(errTitle, errContent); err != nil {
					return "", err
				}
				mu.Lock()
				defer mu.Unlock()
				notes[title] = content
				return fmt.Sprintf("Saved note %q", title), nil
			}},
		{"read_note", "Read the note with a title",
			[]byte(`{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}`),
			func(req message) (string, error) {
				title, err := argument[string](req, "title")
				mu.Lock()
				defer mu.Unlock()
				content, ok := notes[title]
				if err == nil && !ok {
					err = fmt.Errorf("there is no note called %q", title)
				}
				return content, err
			}},
		{"list_notes", "List the titles of all notes",
			noArguments,
			func(message) (string, error) {
				mu.Lock()
				defer mu.Unlock()
				if len(notes) == 0 {
					return "There are no notes", nil
				}
				return strings.Join(slices.Sorted(maps.Keys(notes)), "\n"), nil
			}},
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

// flakyTools are what a client has to survive: a call that hangs, a server that dies, an answer that takes its time or
// fills the memory, a list that grows while calls run. What grows goes to add.
func flakyTools(add func(tools ...tool)) []tool {
	var grown atomic.Int32
	return []tool{
		{"slow_lookup", "Look up a record; never answers",
			noArguments,
			func(req message) (string, error) {
				<-req.cancelled
				return "", nil // which nobody hears
			}},
		{"crash_now", "Crash the server at once",
			noArguments,
			func(message) (string, error) {
				crash(4, "crash_now was called")
				return "", nil
			}},
		{"slow_count", "Count slowly up to n with progress",
			[]byte(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`),
			func(req message) (string, error) {
				n, err := whole(req, "n", 1000)
				for i := 1; i <= n && err == nil; i++ {
					select {
					case <-time.After(100 * time.Millisecond):
						err = req.progress(i, n)
					case <-req.cancelled:
						return "", nil
					}
				}
				return fmt.Sprintf("Counted to %d", n), err
			}},
		{"big_result", "Return a result of that many bytes",
			[]byte(`{"type":"object","properties":{"bytes":{"type":"integer"}},"required":["bytes"]}`),
			func(req message) (string, error) {
				size, err := whole(req, "bytes", 32<<20)
				return strings.Repeat("x", size), err
			}},
		{"grow", "Grow: add one more tool to this server",
			noArguments,
			func(req message) (string, error) {
				name := fmt.Sprintf("extra_%d", grown.Add(1))
				add(tool{name, "Say hello from " + name, noArguments, func(message) (string, error) {
					return "Hello from " + name, nil
				}})
				return "Added tool " + name, req.send(notification{"2.0", "notifications/tools/list_changed", nil})
			}},
	}
}

// whole gives an argument that is an integer from 0 to limit, and fails if it is anything else.
func whole(req message, name string, limit int) (int, error) {
	number, err := argument[float64](req, name)
	if err == nil && (number != math.Trunc(number) || number < 0 || number > float64(limit)) {
		return 0, fmt.Errorf("argument %q must be an integer between 0 and %d", name, limit)
	}
	return int(number), err
}

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// At the end of the input short calls are still answered, a hanging one is not
// waited for.
func TestEndOfInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, "-tools=basic,flaky")
		began := time.Now()
		s.send(strings.Replace(call1("slow_lookup", `{}`), `:1,`, `:2,`, 1))
		s.send(call1("slow_count", `{"n":3}`))
		s.end(0, text1("Counted to 3"))
		if took := time.Since(began); took > time.Second {
			t.Errorf("the end took %v, want at most a second", took)
		}
	})
}

func TestNothingWaitsForACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, "-tools=basic,flaky")
		s.send(call1("slow_lookup", `{}`))
		s.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		s.want(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		s.send(strings.Replace(call1("word_count", `{"text":""}`), `:1,`, `:3,`, 1))
		s.want(strings.Replace(text1("Characters 0, words 0"), `:1,`, `:3,`, 1))
		s.end(0)
	})
}

func TestCancelledCallIsNotAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, "-tools=flaky")
		s.send(strings.Replace(call1("slow_count", `{"n":9}`), `:1,`, `:"c",`, 1))
		s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"other"}}`)
		s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}`)
		s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c","reason":"enough"}}`)
		began := time.Now()
		s.end(0)
		if took := time.Since(began); took != 0 {
			t.Errorf("the call went on for %v after it was cancelled", took)
		}
	})
}

func TestProgress(t *testing.T) {
	tests := []struct {
		name, meta string
		want       []string
	}{
		{"with a token", `"_meta":{"progressToken":"p<1>"},`, []string{
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p<1>","progress":1,"total":2,"message":"counting"}}`,
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p<1>","progress":2,"total":2,"message":"counting"}}`}},
		{"without a token", ``, nil},
		{"with a null token", `"_meta":{"progressToken":null},`, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := start(t, "-tools=flaky")
				began := time.Now()
				s.send(strings.Replace(call1("slow_count", `{"n":2}`), `"name"`, test.meta+`"name"`, 1))
				for _, line := range test.want {
					s.want(line)
				}
				s.want(text1("Counted to 2"))
				if took := time.Since(began); took != 200*time.Millisecond {
					t.Errorf("counting to 2 took %v, want 200 ms", took)
				}
				s.end(0)
			})
		})
	}
}

// A thousand calls at once: each is answered once, under its own id, and no
// line is torn.
func TestCallsSideBySide(t *testing.T) {
	const calls = 1000
	s := start(t)
	go func() {
		for i := range calls {
			s.send(strings.Replace(call1("word_count", fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", i))), `:1,`, fmt.Sprintf(`:%d,`, i), 1))
		}
	}()
	seen := map[int]bool{}
	for range calls {
		line, err := s.out.ReadBytes('\n')
		var reply struct {
			ID     int
			Result struct{ Content []struct{ Text string } }
		}
		if err != nil || json.Unmarshal(line, &reply) != nil || len(reply.Result.Content) != 1 {
			t.Fatalf("%s (error %v)", line, err)
		}
		words := min(reply.ID, 1)
		if want := fmt.Sprintf("Characters %d, words %d", reply.ID, words); reply.Result.Content[0].Text != want || seen[reply.ID] {
			t.Fatalf("id %d: %+v", reply.ID, reply)
		}
		seen[reply.ID] = true
	}
	s.end(0)
}

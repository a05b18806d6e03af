package main

import (
	"fmt"
	"testing"
)

// BenchmarkTurn measures one message of a user with one tool call: two requests to a server in this process.
func BenchmarkTurn(b *testing.B) {
	model := newFakeModel(b)
	bench := newBench(b, model, "", "")
	bench.add(b, "now", Allow, "noon")
	b.ReportAllocs()
	for b.Loop() {
		model.answers = []string{calls("now", "{}"), says("It is noon.")}
		bench.chat.Reset()
		if _, err := bench.chat.Turn(b.Context(), "what time is it?"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCall measures a call without a model: the number of tools makes no difference.
func BenchmarkCall(b *testing.B) {
	for _, tools := range []int{10, 128} {
		b.Run(fmt.Sprintf("%d tools", tools), func(b *testing.B) {
			bench := newBench(b, nil, "", "")
			for i := range tools {
				bench.add(b, fmt.Sprintf("tool_%d", i), Allow, "noon")
			}
			b.ReportAllocs()
			for b.Loop() {
				bench.ran = bench.ran[:0]
				result := bench.registry.Call(b.Context(), []Call{{"tool_7", "{}"}}, func(int) {}, func(int, Result) {})[0]
				if result.Text != "noon" {
					b.Fatal(result)
				}
			}
		})
	}
}

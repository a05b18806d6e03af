package main

import "testing"

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

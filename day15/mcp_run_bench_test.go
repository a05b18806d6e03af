package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"testing"
)

// benchMCP prepares the connecting of servers, and a registry that allows what they offer.
func benchMCP(b *testing.B, entries ...entry) (*bench, func() *MCP) {
	b.Helper()
	agent := newBench(b, nil, `{"tools":`+allowAll+`}`, "")
	if err := os.WriteFile("servers.json", []byte(mcpJSON(b, entries...)), 0o600); err != nil {
		b.Fatal(err)
	}
	return agent, func() *MCP {
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		flags.SetOutput(io.Discard)
		m := mcpFlags(flags)
		m.file = "servers.json"
		return m
	}
}

// BenchmarkTenServers connects ten servers that need 300 ms each before they read. Stopping them is not measured.
func BenchmarkTenServers(b *testing.B) {
	var entries []entry
	for i := range 10 {
		entries = append(entries, entry{name: fmt.Sprint("s", i), fake: "late"})
	}
	agent, prepare := benchMCP(b, entries...)
	for b.Loop() {
		m := prepare()
		registry := newRegistry(agent.permissions)
		if err := m.Connect(b.Context(), agent.console, registry); err != nil || len(registry.Visible()) != 20 {
			b.Fatal(err, agent.err.String())
		}
		b.StopTimer()
		m.Close()
		b.StartTimer()
	}
}

// BenchmarkThreeSlowCalls runs three calls of one turn that take 300 ms each, of a tool that says that it only reads.
func BenchmarkThreeSlowCalls(b *testing.B) {
	agent, prepare := benchMCP(b, entry{name: "s", fake: "naps"})
	m := prepare()
	defer m.Close()
	if err := m.Connect(b.Context(), agent.console, agent.registry); err != nil {
		b.Fatal(err)
	}
	nap := Call{"mcp_s_nap", "{}"}
	for b.Loop() {
		for _, result := range agent.registry.Call(b.Context(), []Call{nap, nap, nap}, func(int) {}, func(int, Result) {}) {
			if result.String() != "rested" {
				b.Fatal(result)
			}
		}
	}
}

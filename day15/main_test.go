package main

import (
	"os"
	"testing"
)

// TestMain lets the test binary be another program, for tests that need a process: the agent itself.
func TestMain(m *testing.M) {
	switch os.Getenv("GEEKAGENT_TEST_PROGRAM") {
	case "agent":
		main()
	case "server": // an MCP server
		serveFake()
		return
	}
	os.Exit(m.Run())
}

package main

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// TestMain lets the test binary be another program, for tests that need a process: the agent itself.
func TestMain(m *testing.M) {
	switch os.Getenv("GEEKAGENT_TEST_PROGRAM") {
	case "agent":
		main()
	}
	if signal.Ignored(syscall.SIGHUP) { // by nohup. Children inherit that, but not that we catch it.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	os.Exit(m.Run())
}

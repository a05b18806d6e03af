package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"
)

// maxResult bounds big_result, in bytes.
const maxResult = 32 << 20

// flakyTools are what a client has to survive: a call that hangs, a server that
// dies, an answer that takes its time or fills the memory, a list that changes.
func (s *server) flakyTools() []tool {
	var grown atomic.Int32 // how often grow was called
	return []tool{
		{
			Name:        "slow_lookup",
			Description: "Look up a record; never answers",
			InputSchema: `{"type":"object","properties":{}}`,
			run: func(ctx context.Context, _ call) (string, error) {
				<-ctx.Done()
				return "", ctx.Err()
			},
		},
		{
			Name:        "crash_now",
			Description: "Crash the server at once",
			InputSchema: `{"type":"object","properties":{}}`,
			run:         s.crash,
		},
		{
			Name:        "slow_count",
			Description: "Count slowly up to n with progress",
			InputSchema: `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`,
			run:         slowCount,
		},
		{
			Name:        "big_result",
			Description: "Return a result of that many bytes",
			InputSchema: `{"type":"object","properties":{"bytes":{"type":"integer"}},"required":["bytes"]}`,
			run:         bigResult,
		},
		{
			Name:        "grow",
			Description: "Grow: add one more tool to this server",
			InputSchema: `{"type":"object","properties":{}}`,
			run: func(_ context.Context, c call) (string, error) {
				added := extra(grown.Add(1))
				s.tools.add(added)
				c.listChanged()
				return "Added tool " + added.Name, nil
			},
		},
	}
}

// crash ends the program with exit code 4, and its call without an answer.
func (s *server) crash(ctx context.Context, _ call) (string, error) {
	s.stop(exit{4, "crash_now was called"})
	<-ctx.Done()
	return "", ctx.Err()
}

// slowCount takes 100 ms for each number and reports each as progress.
func slowCount(ctx context.Context, c call) (string, error) {
	n := c.number("n")
	if n < 0 || n > 1000 {
		return "", errors.New(`argument "n" must be between 0 and 1000`)
	}
	for i := 1; i <= int(n); i++ {
		select {
		case <-time.After(100 * time.Millisecond):
			c.progress(i, int(n))
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return fmt.Sprintf("Counted to %d", int(n)), nil
}

// bigResult gives as many bytes as asked for, up to maxResult.
func bigResult(_ context.Context, c call) (string, error) {
	size := c.number("bytes")
	if size < 0 || size > maxResult {
		return "", fmt.Errorf(`argument "bytes" must be between 0 and %d`, maxResult)
	}
	return strings.Repeat("x", int(size)), nil
}

// extra is a tool that did not exist when the server started.
func extra(number int32) tool {
	name := fmt.Sprintf("extra_%d", number)
	return tool{
		Name:        name,
		Description: "Say hello from " + name,
		InputSchema: `{"type":"object","properties":{}}`,
		run: func(context.Context, call) (string, error) {
			return "Hello from " + name, nil
		},
	}
}

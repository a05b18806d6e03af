package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

const benchFrame = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":1},"name":"dice","arguments":{}}}` + "\n"

// benchFloor is what a round trip costs without any protocol: one goroutine writes a line and reads a line.
func benchFloor(b *testing.B, server string) {
	l := fakeLaunch(server)
	cmd := exec.Command(l.command)
	cmd.Env = append(os.Environ(), "GEEKAGENT_TEST_PROGRAM=server", fakeVariable+"="+server)
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	r := bufio.NewReaderSize(out, 64<<10)
	b.ReportAllocs()
	for b.Loop() {
		io.WriteString(in, benchFrame)
		line, err := r.ReadBytes('\n')
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(line)))
	}
	in.Close()
	cmd.Wait()
}

func benchClient(b *testing.B, server string) *client {
	p := peer{name: server, note: b.Logf}
	open := func(p peer) (transport, error) { return startProcess(fakeLaunch(server), p, func(string) {}) }
	c := &client{note: p.note, limits: limits{time.Minute, 10 * time.Second}, watches: map[int64]watch{},
		changed: make(chan struct{}, 1), done: make(chan struct{})}
	p.notified, p.ended = c.notified, func(error) { close(c.done) }
	var err error
	if c.transport, err = open(p); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.close() })
	return c
}

func BenchmarkFloor(b *testing.B)      { benchFloor(b, "quick") }
func BenchmarkLargeFloor(b *testing.B) { benchFloor(b, "large") }

func BenchmarkCall(b *testing.B) {
	c := benchClient(b, "quick")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.callTool(context.Background(), "dice", nil, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCallParallel16(b *testing.B) {
	c := benchClient(b, "quick")
	b.SetParallelism(max(1, 16/runtime.GOMAXPROCS(0)))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := c.callTool(context.Background(), "dice", nil, nil); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func BenchmarkLargeResult(b *testing.B) {
	c := benchClient(b, "large")
	b.ReportAllocs()
	for b.Loop() {
		raw, err := c.callTool(context.Background(), "text", nil, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(raw)))
	}
}

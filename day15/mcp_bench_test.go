//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
)

const benchFrame = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":1},"name":"dice","arguments":{}}}` + "\n"

// benchPipe is what a round trip costs without any protocol: one goroutine writes a line and reads a line.
func benchPipe(b *testing.B, server string) {
	l := fakeLaunch(server)
	cmd := exec.Command(l.command)
	cmd.Env = append(os.Environ(), "GEEKAGENT_TEST_PROGRAM=server", fakeVariable+"="+server)
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	r := bufio.NewReaderSize(out, 64<<10)
	cpu := cpuTime()
	b.ReportAllocs()
	for b.Loop() {
		io.WriteString(in, benchFrame)
		if _, err := r.ReadBytes('\n'); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(cpuTime()-cpu)/float64(b.N)/1000, "cpu-ms/op")
	in.Close()
	cmd.Wait()
}

// cpuTime is the processor time of this process in µs.
func cpuTime() int64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Utime.Nano()/1000 + u.Stime.Nano()/1000
}

func BenchmarkMCPPipe(b *testing.B)      { benchPipe(b, "benchquick") }
func BenchmarkMCPLargePipe(b *testing.B) { benchPipe(b, "benchlarge") }

func benchRegistry(b *testing.B, fake string) func() {
	agent := startServers(b, entry{name: "s", fake: fake})
	return func() {
		results := agent.registry.Call(context.Background(), []Call{{"mcp_s_dice", "{}"}}, func(int) {}, func(int, Result) {})
		if results[0].Err != nil {
			b.Fatal(results[0])
		}
	}
}

// benchCalls makes calls one after the other.
func benchCalls(b *testing.B, fake string) {
	call := benchRegistry(b, fake)
	cpu := cpuTime()
	b.ReportAllocs()
	for b.Loop() {
		call()
	}
	b.ReportMetric(float64(cpuTime()-cpu)/float64(b.N)/1000, "cpu-ms/op")
}

func BenchmarkMCPCall(b *testing.B)  { benchCalls(b, "benchquick") }
func BenchmarkMCPLarge(b *testing.B) { benchCalls(b, "benchlarge") }

func BenchmarkMCPCall16(b *testing.B) {
	call := benchRegistry(b, "benchquick")
	b.SetParallelism(max(1, 16/runtime.GOMAXPROCS(0)))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			call()
		}
	})
}

func BenchmarkMCPTenServers(b *testing.B) {
	var entries []entry
	for i := range 10 {
		entries = append(entries, entry{name: fmt.Sprint("s", i), fake: "late"})
	}
	for b.Loop() {
		if got := len(startServers(b, entries...).registry.Visible()); got != 20 {
			b.Fatal(got)
		}
	}
}

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fakeVariable makes the test binary a fake server: it holds the name of one of fakeServers or toolServers.
const fakeVariable = "GEEKAGENT_FAKE_SERVER"

// serveFake makes this process the fake server that the environment names.
func serveFake() {
	f := &fake{in: bufio.NewReaderSize(os.Stdin, 64<<10), out: os.Stdout}
	name := os.Getenv(fakeVariable)
	if serve, ok := fakeServers()[name]; ok {
		serve(f)
	}
	serveTools(f, name)
}

// fakeLaunch starts this test binary as the named fake server.
// launch is how a fake server is started.
type launch struct {
	command string
	env     map[string]string
}

func fakeLaunch(name string) launch {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return launch{command: self, env: map[string]string{
		"GEEKAGENT_TEST_PROGRAM": "server", fakeVariable: name,
		"GORACE": "atexit_sleep_ms=0", // else -race makes each of them end a second late
	}}
}

// fake is a server that does what a test wants, with bytes that the test sees.
type fake struct {
	in   *bufio.Reader
	out  io.Writer
	line string // the line that next has read
}

// next reads the next line, false at the end of the input.
func (f *fake) next() bool {
	line, err := f.in.ReadString('\n')
	f.line = strings.TrimSpace(line)
	return err == nil
}

// id is the ID of the request in line, as it stands there.
func (f *fake) id() string {
	_, after, ok := strings.Cut(f.line, `"id":`)
	if !ok {
		return ""
	}
	id, _, _ := strings.Cut(after, ",")
	return id
}

func (f *fake) method() string {
	_, after, _ := strings.Cut(f.line, `"method":"`)
	method, _, _ := strings.Cut(after, `"`)
	return method
}

func (f *fake) say(format string, args ...any) { fmt.Fprintf(f.out, format+"\n", args...) }

// result answers the request in line.
func (f *fake) result(result string) { f.say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, f.id(), result) }

// fakeServers are the servers by name that are no toolServer.
func fakeServers() map[string]func(f *fake) {
	return map[string]func(f *fake){
		"benchquick": func(f *fake) { benchServer(f, "Roll: 5") },
		"benchlarge": func(f *fake) { benchServer(f, strings.Repeat("All work and no play. ", 10<<20/22)) },
		"silent": func(f *fake) { // never answers
			for f.next() {
			}
		},
		"die": func(f *fake) {
			io.WriteString(os.Stderr, "starting\nDEMO_KEY missing\n\n")
			os.Exit(3)
		},
		"holds on": func(f *fake) { // does nothing, and will not end
			signal.Ignore(syscall.SIGTERM)
			time.Sleep(time.Hour)
		},
	}
}

// grandchild starts a process that holds all our streams, reads nothing and ignores SIGTERM.
func grandchild() {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "GEEKAGENT_TEST_PROGRAM=server", fakeVariable+"=holds on")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		panic(err)
	}
}

// benchServer is a whole server whose one tool answers with the text, with as little work as possible.
func benchServer(f *fake, text string) {
	reply := []byte(`,"result":{"content":[{"type":"text","text":"` + text + `"}]}}` + "\n")
	out := bufio.NewWriterSize(f.out, 64<<10)
	for {
		line, err := f.in.ReadSlice('\n')
		if err != nil {
			return
		}
		_, after, ok := bytes.Cut(line, []byte(`"id":`))
		id, _, _ := bytes.Cut(after, []byte(`,`))
		switch {
		case !ok:
		case bytes.Contains(line, []byte(`"initialize"`)):
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, agreed)
		case bytes.Contains(line, []byte(`"tools/list"`)):
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"dice"}]}}`+"\n", bytes.TrimRight(id, "}\n"))
		default:
			out.WriteString(`{"jsonrpc":"2.0","id":`)
			out.Write(id)
			out.Write(reply)
		}
		if f.in.Buffered() == 0 {
			out.Flush()
		}
	}
}

const agreed = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"demo","version":"1.0.0"},"instructions":"Be kind."}`

const patienceWithTheEnd = 5 * time.Second

// survivors lists the processes with a mark in their environment, once they had time to end.
func survivors(t testing.TB, mark string) (found string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return ""
	}
	for end := time.Now().Add(patienceWithTheEnd); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		found = ""
		environs, err := filepath.Glob("/proc/[0-9]*/environ")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range environs {
			// A zombie's environment is empty: it has ended, and waits for its parent.
			if environ, err := os.ReadFile(file); err == nil && strings.Contains("\x00"+string(environ), "\x00"+mark+"\x00") {
				found += file + " "
			}
		}
		if found == "" {
			return ""
		}
	}
	return found
}

// settled waits until no more goroutines run than before, and fails if that does not happen.
func settled(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(patienceWithTheEnd); runtime.NumGoroutine() > before; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
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

// fakeServers are the servers by name.
func fakeServers() map[string]func(f *fake) {
	small := []byte(`{"content":[{"type":"text","text":"Roll: 5"}]}`)
	return map[string]func(f *fake){
		"quick": func(f *fake) { // answers everything, with as little work as possible
			var reply []byte
			out := bufio.NewWriter(f.out)
			for {
				line, err := f.in.ReadSlice('\n')
				if err != nil {
					return
				}
				if _, after, ok := bytes.Cut(line, []byte(`"id":`)); ok {
					id, _, _ := bytes.Cut(after, []byte(`,`))
					reply = append(append(append(append(reply[:0], `{"jsonrpc":"2.0","id":`...), id...), `,"result":`...), small...)
					out.Write(append(reply, "}\n"...))
				}
				if f.in.Buffered() == 0 {
					out.Flush()
				}
			}
		},
		"shuffles": func(f *fake) { // answers a thousand requests at a time, in any order
			for {
				var ids []string
				for len(ids) < 1000 && f.next() {
					ids = append(ids, f.id())
				}
				if len(ids) == 0 {
					return
				}
				rand.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
				for _, id := range ids {
					f.say(`{"jsonrpc":"2.0","id":%s,"result":{"is":%s}}`, id, id)
				}
			}
		},
		"handshake": func(f *fake) { // a whole server with one tool
			for f.next() {
				switch f.method() {
				case "initialize":
					f.result(agreed)
				case "tools/list":
					f.result(`{"tools":[{"name":"dice","inputSchema":{}}]}`)
				case "tools/call":
					f.result(`{"content":[{"type":"text","text":"Roll: 5"}]}`)
				}
			}
		},
		"sleeper": func(f *fake) { // its first call only makes progress; to the second it tells what it read in between
			for calls := 0; f.next(); {
				switch f.method() {
				case "initialize":
					f.result(agreed)
				case "tools/call":
					if calls++; calls == 1 {
						f.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`)
						f.next()
						cancelled := f.line
						f.next()
						f.result(cancelled)
					}
				}
			}
		},
		"silent": func(f *fake) { // never answers
			for f.next() {
			}
		},
		"large": func(f *fake) { // answers everything with 10 MiB of text
			text := `{"content":[{"type":"text","text":"` + strings.Repeat("All work and no play. ", 10<<20/22) + `"}]}` + "}\n"
			for f.next() {
				io.WriteString(f.out, `{"jsonrpc":"2.0","id":`+f.id()+`,"result":`+text)
			}
		},
		"mirror": func(f *fake) { // tells about itself
			for f.next() {
				topic, name, _ := strings.Cut(f.method(), " ")
				var answer string
				switch topic {
				case "env":
					answer = os.Getenv(name)
				case "args":
					answer = fmt.Sprintf("%q", os.Args[1:])
				case "dir":
					answer, _ = os.Getwd()
				case "group":
					stat, _ := os.ReadFile("/proc/self/stat") // pid (name) state parent group
					answer = strings.Fields(string(stat))[4]
				}
				f.result(quoted(answer))
			}
		},
		"die": func(f *fake) {
			io.WriteString(os.Stderr, "starting\nDEMO_KEY missing\n\n")
			os.Exit(3)
		},
		"crash": func(f *fake) { crash(f) },
		"crash with a grandchild": func(f *fake) {
			grandchild()
			crash(f)
		},
		"close stdout and stay on": func(f *fake) {
			f.next()
			f.result("{}")
			f.next()
			os.Stdout.Close()
			for f.next() {
			}
		},
		"answer and exit": func(f *fake) {
			f.next()
			f.result(`"bye"`)
		},
		"deaf until SIGTERM": func(f *fake) {
			f.next()
			f.result("{}")
			time.Sleep(time.Hour)
		},
		"deaf": func(f *fake) {
			signal.Ignore(syscall.SIGTERM)
			f.next()
			f.result("{}")
			time.Sleep(time.Hour)
		},
		"holds on": func(f *fake) { // does nothing, and will not end
			signal.Ignore(syscall.SIGTERM)
			time.Sleep(time.Hour)
		},
		"floods": func(f *fake) {
			f.next()
			f.result("{}")
			for {
				f.say("noise")
			}
		},
		"with a grandchild": func(f *fake) {
			grandchild()
			for f.next() {
				if f.method() == "ready?" {
					f.result("{}")
				}
			}
		},
		"floods stderr": func(f *fake) {
			f.next()
			for range 10_000 {
				fmt.Fprintln(os.Stderr, "x")
			}
			fmt.Fprint(os.Stderr, strings.Repeat("y", 1<<20))
			f.result(`"done"`)
			f.next()
		},
		"never ends its line": func(f *fake) {
			f.next()
			for part := strings.Repeat("x", 1<<20); ; {
				if _, err := io.WriteString(f.out, part); err != nil {
					return
				}
			}
		},
	}
}

// crash answers everything but tools/call.
func crash(f *fake) {
	for f.next() {
		if f.method() == "tools/call" {
			os.Exit(1)
		}
		f.result("{}")
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

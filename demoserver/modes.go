package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
)

// moreFlags defines the flags that are not in main.go:
//
//	-tools basic,notes,flaky   which sets of tools to offer (default basic)
//	-protocol legacy|modern    speak one era only (default both): with a handshake, 2024-11-05 to 2025-11-25, or
//	                           without, 2026-07-28
//	-http 127.0.0.1:0          serve HTTP instead of standard input and output
//	-drill NAME                misbehave: silent, noisy, die, deaf, flood, garbage
//
// To be called after flag.Parse, extend returns the transport and the handler that they ask for, built from a transport of
// lines and a server of the basic tools.
//
// Exit codes: 0 at the end of the input, 1 on failure, 2 for wrong flags, 3 by -drill die, 4 by the tool crash_now.
func moreFlags() (extend func(lines transport, basic server) (transport, handler)) {
	names := flag.String("tools", "basic", "tool `sets`: basic, notes, flaky")
	protocol := flag.String("protocol", "both", "`era`: legacy, modern or both")
	addr := flag.String("http", "", "serve HTTP on this loopback `address`")
	drill := flag.String("drill", "", "misbehave: silent, noisy, die, deaf, flood or garbage")
	return func(lines transport, basic server) (transport, handler) {
		var mu sync.Mutex // guards offered, which may grow while calls run
		var offered server
		add := func(tools ...tool) {
			mu.Lock()
			defer mu.Unlock()
			offered.tools = append(offered.tools, tools...)
		}
		for name := range strings.SplitSeq(*names, ",") {
			switch name = strings.TrimSpace(name); name {
			case "basic":
				add(basic.tools...)
			case "notes":
				add(noteTools()...)
			case "flaky":
				add(flakyTools(add)...)
			default:
				crash(2, fmt.Sprintf("-tools: there is no set %q, only basic, notes and flaky", name))
			}
		}
		spoken := map[string]eras{"legacy": versions, "modern": {modernVersion}, "both": append(eras{modernVersion}, versions...)}[*protocol]
		if flag.NArg() > 0 || spoken == nil || *addr != "" && *drill != "" {
			crash(2, "wrong arguments; -h shows the right ones")
		}
		handle := spoken.wrap(func(m message) error {
			mu.Lock()
			now := offered
			mu.Unlock()
			return now.handle(m)
		})
		if *addr != "" {
			return (&endpoint{addr: *addr, eras: spoken}).serve, handle
		}
		return misbehave(*drill, sideBySide(lines)), handle
	}
}

// crash ends the program on the spot, with a reason on stderr.
func crash(code int, why string) {
	fmt.Fprintln(os.Stderr, "demoserver:", why)
	os.Exit(code)
}

// misbehave is serve with one kind of bad behaviour that real servers show, to see whether a client stays upright. Without
// a drill it is serve as it is.
func misbehave(drill string, serve transport) transport {
	return func(handle handler, stdin io.Reader, stdout io.Writer) error {
		switch drill {
		case "silent": // listens to the end, and never says a word
			_, err := io.Copy(io.Discard, stdin)
			return err
		case "die": // a setting is missing, which only stderr tells
			crash(3, "DEMO_TOKEN is not set")
		case "deaf":
			terminate := make(chan os.Signal, 1)
			signal.Notify(terminate, syscall.SIGTERM)
			if err := serve(handle, stdin, stdout); err != nil {
				return err
			}
			fmt.Fprintln(os.Stderr, "demoserver: ignoring the end of the input")
			for range terminate { // it takes SIGKILL
				fmt.Fprintln(os.Stderr, "demoserver: ignoring SIGTERM")
			}
		case "noisy":
			fmt.Fprintln(stdout, "demo server 1.0.0 is ready")
		case "flood", "garbage", "": // see spoiler
		default:
			crash(2, fmt.Sprintf("-drill: there is no %q", drill))
		}
		return serve(handle, stdin, spoiler{stdout, drill})
	}
}

// spoiler stands before the output, and does to each line that is to be sent what the drill asks for.
type spoiler struct {
	io.Writer
	drill string
}

// Write implements io.Writer. It gets a whole line, with its newline.
func (s spoiler) Write(line []byte) (int, error) {
	switch s.drill {
	case "noisy":
		fmt.Fprintf(s.Writer, "DEBUG sending %d bytes\n", len(line))
	case "flood": // far more than a pipe holds: who does not read stderr waits for ever
		io.WriteString(os.Stderr, strings.Repeat("DEBUG nothing to report\n", 1<<15))
	case "garbage":
		_, err := fmt.Fprintf(s.Writer, "%s\n", line[:len(line)/2])
		return len(line), err
	}
	return s.Writer.Write(line)
}

// Mockllm is a language model that needs no network and no key: a server for
// the Chat Completions API which answers by rules instead of by a model.
//
// Run a command against it, in one line:
//
//	$ go run ./mockllm go run ./day14 'what time is it?'
//
// The command gets OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL, and this
// terminal to itself, Ctrl-C included. Its exit code becomes ours (127 if it
// cannot be started, 128 plus the signal's number if one killed it).
//
// Or start the server alone:
//
//	$ go run ./mockllm
//	mock LLM listening on http://127.0.0.1:8910/v1 (api key: test-key)
//
// rules.go says what it answers. The model mock-sloppy makes two mistakes before
// each task, which a good client survives. What the real API refuses is refused.
//
// Flags come before the command:
//
//	-addr HOST:PORT   where to listen (127.0.0.1:8910, or the port in PORT; with a
//	                  command any free port). Only this machine is answered.
//	-model NAME       the OPENAI_MODEL of the command: mock or mock-sloppy
//	-journal FILE     append the body of each request to FILE, one JSON line each
package main

import (
	"cmp"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("mockllm: ")
	os.Exit(run())
}

// run is the whole program; it gives the exit code.
func run() int {
	addr := flag.String("addr", "", "`host:port` to listen on")
	model := flag.String("model", plainModel, "the command's OPENAI_MODEL: mock or mock-sloppy")
	journal := flag.String("journal", os.DevNull, "append each request body to this `file`")
	flag.Parse() // ends the program with 2 if a flag is wrong
	if !slices.Contains(models, *model) {
		log.Printf("there is no model %q; take one of %q", *model, models)
		return 2
	}
	// It is for its owner's eyes only, as prompts may be private.
	file, err := os.OpenFile(*journal, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		log.Printf("cannot open the journal: %v", err)
		return 1
	}
	defer file.Close()
	// A command gets a free port, so that several can run at once.
	port, isCommand := cmp.Or(os.Getenv("PORT"), "8910"), flag.NArg() > 0
	if isCommand {
		port = "0"
	}
	listener, err := net.Listen("tcp", cmp.Or(*addr, "127.0.0.1:"+port))
	if err != nil {
		log.Printf("cannot listen: %v (-addr takes another address)", err)
		return 1
	}
	server := &http.Server{Handler: &api{journal: file}, ReadHeaderTimeout: 5 * time.Second}
	go server.Serve(listener) // ends with the Close below; its error is that Close
	defer server.Close()
	baseURL := "http://" + listener.Addr().String() + "/v1"
	if isCommand {
		return runCommand(flag.Args(), "OPENAI_BASE_URL="+baseURL, "OPENAI_API_KEY="+apiKey, "OPENAI_MODEL="+*model)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	fmt.Printf("mock LLM listening on %s (api key: %s)\n", baseURL, apiKey)
	<-stop
	return 0
}

// runCommand runs args with env (KEY=value) on top of our own environment and
// gives its exit code, as a shell would see it. The command stays in our process
// group, so that the terminal's Ctrl-C reaches it without our help.
func runCommand(args []string, env ...string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(cmd.Environ(), env...) // of two values for one key the last counts
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	// These must not end us while the command runs. What is ignored (nohup) stays
	// ignored, for us and for the command.
	signals := make(chan os.Signal, 8)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	if err := cmd.Start(); err != nil {
		log.Printf("cannot start the command: %v", err)
		return 127
	}
	go func() { // ends with the program
		for s := range signals {
			isTerminals := s == os.Interrupt || s == syscall.SIGQUIT // which sends them to the command too
			if !isTerminals && cmd.Process.Signal(s) != nil {
				cmd.Process.Kill() // where signals cannot be sent (Windows)
			}
		}
	}()
	cmd.Wait() // the state tells how it ended
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return cmd.ProcessState.ExitCode()
}

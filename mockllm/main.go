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
//	-addr HOST:PORT   where to listen (127.0.0.1:8910, or the port in PORT;
//	                  with a command any free port)
//	-model NAME       the OPENAI_MODEL of the command: mock or mock-sloppy
//	-journal FILE     append the body of each request to FILE, one JSON line each
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program; it gives the exit code. When ctx ends, the server
// stops, and a running command is asked to terminate.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("mockllm", flag.ContinueOnError)
	flags.SetOutput(stderr)
	addr := flags.String("addr", "", "`host:port` to listen on")
	model := flags.String("model", plainModel, "the command's OPENAI_MODEL: mock or mock-sloppy")
	journalFile := flags.String("journal", "", "append each request body to this `file`")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if !slices.Contains(models, *model) {
		fmt.Fprintf(stderr, "mockllm: there is no model %q; take one of %q\n", *model, models)
		return 2
	}
	mock := &api{log: log.New(stderr, "mockllm: ", 0)}
	if *journalFile != "" { // for its owner's eyes only, as prompts may be private
		file, err := os.OpenFile(*journalFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			fmt.Fprintf(stderr, "mockllm: cannot open the journal: %v\n", err)
			return 1
		}
		defer file.Close()
		mock.journal = file
	}
	listener, err := net.Listen("tcp", address(*addr, flags.NArg() > 0))
	if err != nil {
		fmt.Fprintf(stderr, "mockllm: cannot listen: %v (-addr takes another address)\n", err)
		return 1
	}
	server := &http.Server{Handler: mock, ErrorLog: mock.log, ReadHeaderTimeout: 5 * time.Second}
	baseURL := "http://" + listener.Addr().String() + "/v1"
	if flags.NArg() == 0 {
		ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
		fmt.Fprintf(stdout, "mock LLM listening on %s (api key: %s)\n", baseURL, apiKey)
		return serve(ctx, server, listener, stderr)
	}
	go server.Serve(listener) // ends with the Close below; its error is that Close
	defer server.Close()
	env := []string{"OPENAI_BASE_URL=" + baseURL, "OPENAI_API_KEY=" + apiKey, "OPENAI_MODEL=" + *model}
	return runCommand(ctx, flags.Args(), env, stdin, stdout, stderr)
}

// address is where to listen: at the place asked for; else, for a command, at a
// free port, so that several can run at once; else at the well-known one.
func address(asked string, forCommand bool) string {
	if asked == "" && forCommand {
		return "127.0.0.1:0"
	}
	return cmp.Or(asked, "127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "8910"))
}

// serve answers requests until ctx ends, and gives the exit code.
func serve(ctx context.Context, server *http.Server, listener net.Listener, stderr io.Writer) int {
	context.AfterFunc(ctx, func() { server.Close() })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		fmt.Fprintf(stderr, "mockllm: %v\n", err)
		return 1
	}
	return 0
}

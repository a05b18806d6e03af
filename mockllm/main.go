// Mockllm is a language model that needs no network and no key: a server for
// the Chat Completions API which answers by rules instead of by a model.
//
// Run a command against it, in one line:
//
//	$ go run ./mockllm go run ./day14 'what time is it?'
//
// The command finds the mock through OPENAI_BASE_URL, OPENAI_API_KEY and
// OPENAI_MODEL, which are set for it alone. It has this terminal's input and
// output to itself, Ctrl-C is its own affair, and its exit code becomes ours
// (127 if it cannot be started, 128 plus the signal's number if one killed it).
//
// Or start the server and talk to it:
//
//	$ go run ./mockllm
//	mock LLM listening on http://127.0.0.1:8910/v1 (api key: test-key)
//
//	$ curl -s http://127.0.0.1:8910/v1/chat/completions -H 'Authorization: Bearer test-key' \
//	    -d '{"model": "mock", "messages": [{"role": "user", "content": "make me a sandwich"}]}'
//	{"id":"chatcmpl-1","object":"chat.completion",…
//	"message":{"role":"assistant","content":"I don't have a tool that can do that.",…
//
// It has no knowledge, so it works with the tools of the request: rules.go says
// how it picks one and where the arguments come from. The same request gets the
// same answer. The model mock-sloppy makes two mistakes before each task, which
// a good client survives. What the real API refuses is refused here too.
//
// Flags come before the command:
//
//	-addr HOST:PORT   where to listen (127.0.0.1:8910, or the port in PORT;
//	                  with a command any free port)
//	-model NAME       the OPENAI_MODEL of the command: mock or mock-sloppy
//	-journal FILE     append the body of each request to FILE, one JSON line each
package main

import (
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
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: mockllm [flags] [command [arguments]]")
		flags.PrintDefaults()
	}
	addr := flags.String("addr", "", "`host:port` to listen on")
	model := flags.String("model", plainModel, "the command's OPENAI_MODEL: mock or mock-sloppy")
	journalFile := flags.String("journal", "", "append each request body to this `file`")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case !slices.Contains(models, *model):
		fmt.Fprintf(stderr, "mockllm: there is no model %q; take one of %q\n", *model, models)
		return 2
	}

	requests, err := openJournal(*journalFile)
	if err != nil {
		fmt.Fprintf(stderr, "mockllm: cannot open the journal: %v\n", err)
		return 1
	}
	defer requests.close()
	listener, err := net.Listen("tcp", address(*addr, flags.NArg() > 0))
	if err != nil {
		fmt.Fprintf(stderr, "mockllm: cannot listen: %v (-addr takes another address)\n", err)
		return 1
	}
	server := newServer(&api{journal: requests, log: log.New(stderr, "mockllm: ", 0)})
	baseURL := "http://" + listener.Addr().String() + "/v1"
	if flags.NArg() == 0 {
		return serve(ctx, server, listener, baseURL, stdout, stderr)
	}
	go server.Serve(listener) // ends with the Close below; its error is that Close
	defer server.Close()
	return runCommand(ctx, flags.Args(), []string{
		"OPENAI_BASE_URL=" + baseURL, "OPENAI_API_KEY=" + apiKey, "OPENAI_MODEL=" + *model,
	}, stdin, stdout, stderr)
}

// address is where to listen: at the place asked for; else, for a command, at a
// free port, so that several can run at once; else at the well-known one.
func address(asked string, forCommand bool) string {
	switch port := os.Getenv("PORT"); {
	case asked != "":
		return asked
	case forCommand:
		return "127.0.0.1:0"
	case port != "":
		return net.JoinHostPort("127.0.0.1", port)
	}
	return "127.0.0.1:8910"
}

// newServer gives up on clients that send or read too slowly, so that they do
// not pile up.
func newServer(a *api) *http.Server {
	return &http.Server{
		Handler:           a,
		ErrorLog:          a.log,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       time.Minute,
		WriteTimeout:      time.Minute,
		IdleTimeout:       2 * time.Minute,
	}
}

// serve answers requests until ctx ends, or Ctrl-C or SIGTERM comes, and gives
// the exit code. Answers under way have two seconds to finish.
func serve(ctx context.Context, server *http.Server, listener net.Listener, baseURL string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	fmt.Fprintf(stdout, "mock LLM listening on %s (api key: %s)\n", baseURL, apiKey)
	select {
	case err := <-failed:
		fmt.Fprintf(stderr, "mockllm: %v\n", err)
		return 1
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if server.Shutdown(grace) != nil {
		server.Close()
	}
	<-failed
	return 0
}

// Demoserver is an MCP server to read, and to try clients on. MCP (Model Context
// Protocol) lets a program offer tools to a language model that it has never
// met: a client starts the server, asks which tools there are and calls them,
// all in lines of JSON.
//
//	go run ./demoserver [flags]
//
//	-tools basic,notes,flaky   which tools to offer (default basic)
//	-seed N                    the same dice on every run
//	-protocol legacy|modern    speak one era only (default both): with a handshake,
//	                           2024-11-05 to 2025-11-25, or without, 2026-07-28
//	-http 127.0.0.1:0          serve HTTP instead of standard input and output
//	-drill NAME                misbehave: silent, noisy, die, deaf, flood, garbage
//
// Type the lines after →, and the server prints those after ←:
//
//	→ {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"me","version":"1"}}}
//	← {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"demo","version":"1.0.0"}}}
//	→ {"jsonrpc":"2.0","method":"notifications/initialized"}
//	→ {"jsonrpc":"2.0","id":2,"method":"tools/list"}
//	← {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"word_count","description":"Count the characters and words of a text","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}},{"name":"dice","description":"Roll a six-sided die","inputSchema":{"type":"object","properties":{}}}]}}
//	→ {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"word_count","arguments":{"text":"Model Context Protocol"}}}
//	← {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"Characters 22, words 3"}]}}
//	→ {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"nope"}}
//	← {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"unknown tool \"nope\""}}
//
// The end of the input ends the server. Exit codes: 0 after that, 1 on failure,
// 2 for wrong flags, 3 by -drill die, 4 by the tool crash_now.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// server is what all its clients share.
type server struct {
	legacy, modern bool // the eras it speaks
	tools          toolbox
	stop           context.CancelCauseFunc // ends the program, for the reason given
}

// run is the program: it serves until the client leaves, ctx ends or stop is
// called, and gives the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("demoserver", flag.ContinueOnError)
	flags.SetOutput(stderr)
	sets := flags.String("tools", "basic", "tool `sets`: basic, notes, flaky")
	seed := flags.Uint64("seed", 0, "a `number` other than 0 fixes the dice")
	protocol := flags.String("protocol", "both", "`era`: legacy, modern or both")
	addr := flags.String("http", "", "serve HTTP on this loopback `address`")
	drill := flags.String("drill", "", "misbehave: silent, noisy, die, deaf, flood or garbage")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	both := *protocol == "both"
	s := &server{legacy: both || *protocol == "legacy", modern: both || *protocol == "modern", stop: stop}
	if err := s.addSets(*sets, *seed); err != nil {
		return exitCode(err, stderr)
	}
	return exitCode(await(ctx, func() error {
		switch {
		case flags.NArg() > 0, !s.legacy && !s.modern, *addr != "" && *drill != "":
			return exit{2, "wrong arguments; -h shows the right ones"}
		case *addr != "":
			return s.serveHTTP(ctx, *addr, stdout)
		case *drill != "":
			return s.serveDrill(ctx, *drill, stdin, stdout, stderr)
		}
		return s.serveLines(ctx, stdin, stdout)
	}), stderr)
}

// serveLines is the stdio transport (specification, Transports, "stdio"): one
// message a line. It returns at the end of the input, and fails if that cannot
// be read.
func (s *server) serveLines(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	c := &client{server: s, out: stdout}
	in := bufio.NewReader(stdin)
	for {
		line, err := readLine(in)
		if len(bytes.TrimSpace(line)) > 0 {
			c.receive(ctx, line)
		}
		if err == io.EOF {
			c.finish()
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the input: %w", err)
		}
	}
}

// receive takes a message and sees that it is answered if it is a request.
func (c *client) receive(ctx context.Context, line []byte) {
	req, err := parse(line)
	switch {
	case err != nil:
		c.send(response{JSONRPC: "2.0", ID: req.ID, Error: err})
	case req.Method == "":
		// A response, but we ask clients nothing.
	case req.ID == nil:
		c.calls.heard(req)
	case req.Method == "tools/call":
		// A tool may take its time. Nothing else waits for it, so that answers
		// can overtake each other: the id tells which is which.
		ctx, end := c.calls.begin(ctx, req.ID)
		c.open.Go(func() {
			defer end()
			c.reply(ctx, req)
		})
	default:
		c.reply(ctx, req)
	}
}

// answer is the protocol: all that a client may ask, and what it gets, either a
// result or an error. notify reaches the client before that.
func (s *server) answer(ctx context.Context, req message, notify notifier) (any, *rpcError) {
	modern, err := s.isModern(req)
	switch {
	case err != nil:
		return nil, err
	case req.Method == "initialize" && !modern:
		return s.initialize(req)
	case req.Method == "ping" && !modern:
		return struct{}{}, nil
	case req.Method == "server/discover" && modern:
		return s.discover(), nil
	case req.Method == "tools/list":
		return s.listTools(req, modern)
	case req.Method == "tools/call":
		return s.callTool(ctx, req, modern, notify)
	}
	return nil, &rpcError{Code: methodNotFound, Message: "unknown method " + req.Method}
}

// isModern tells the era of a request by the version in its _meta (2026-07-28,
// Versioning, "Backward Compatibility"): who names none is a legacy client. It
// fails with invalidParams if a modern request lacks a required member, and
// with unsupportedVersion if it names a version that we do not speak.
func (s *server) isModern(req message) (bool, *rpcError) {
	var params struct {
		ProtocolVersion string `json:"protocolVersion"` // of initialize
		Meta            struct {
			Version      string         `json:"io.modelcontextprotocol/protocolVersion"`
			Capabilities map[string]any `json:"io.modelcontextprotocol/clientCapabilities"`
		} `json:"_meta"`
	}
	if !s.modern {
		return false, nil
	}
	if err := decode(req.Params, &params); err != nil {
		return false, err
	}
	switch version := params.Meta.Version; {
	case version == "" && s.legacy:
		return false, nil
	case version == "" && req.Method == "initialize":
		return false, s.unsupported(params.ProtocolVersion)
	case version == "":
		return false, missing("protocolVersion")
	case version != modernVersion:
		return false, s.unsupported(version)
	case params.Meta.Capabilities == nil:
		return false, missing("clientCapabilities")
	}
	return true, nil
}

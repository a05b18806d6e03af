package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// serveDrill is serveLines with one kind of bad behaviour, to see whether a
// client stays upright. Each kind is one that real servers show. An unknown
// name is an error.
func (s *server) serveDrill(ctx context.Context, name string, stdin io.Reader, stdout, stderr io.Writer) error {
	out := stdout
	switch name {
	case "silent": // listens to the end, and never says a word
		_, err := io.Copy(io.Discard, stdin)
		return err
	case "die": // a setting is missing, which only stderr tells
		return exit{3, "DEMO_TOKEN is not set"}
	case "deaf":
		return s.serveDeaf(ctx, stdin, stdout, stderr)
	case "noisy":
		fmt.Fprintln(out, "demo server 1.0.0 is ready")
		out = spoiler(func(line []byte) (int, error) {
			fmt.Fprintf(stdout, "DEBUG sending %d bytes\n", len(line))
			return stdout.Write(line)
		})
	case "flood":
		out = spoiler(func(line []byte) (int, error) {
			// Far more than a pipe holds: who does not read stderr waits for ever.
			io.WriteString(stderr, strings.Repeat("DEBUG nothing to report\n", 1<<15))
			return stdout.Write(line)
		})
	case "garbage":
		out = spoiler(func(line []byte) (int, error) {
			fmt.Fprintf(stdout, "%s\n", line[:len(line)/2])
			return len(line), nil
		})
	default:
		return exit{2, fmt.Sprintf("-drill: there is no %q", name)}
	}
	return s.serveLines(ctx, stdin, out)
}

// spoiler stands in front of the output and gets each line that is to be sent,
// with its newline.
type spoiler func(line []byte) (int, error)

// Write implements io.Writer.
func (s spoiler) Write(line []byte) (int, error) { return s(line) }

// serveDeaf serves, but neither the end of its input nor SIGTERM ends it. It
// takes SIGKILL, or the end of ctx.
func (s *server) serveDeaf(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	terminate := make(chan os.Signal, 1)
	signal.Notify(terminate, syscall.SIGTERM)
	defer signal.Stop(terminate)
	if err := s.serveLines(ctx, stdin, stdout); err != nil {
		return err
	}
	fmt.Fprintln(stderr, "demoserver: ignoring the end of the input")
	for {
		select {
		case <-terminate:
			fmt.Fprintln(stderr, "demoserver: ignoring SIGTERM")
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

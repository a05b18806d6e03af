package main

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// exit is an error that ends the program with an exit code of its own.
type exit struct {
	code int
	why  string
}

// Error implements error.
func (e exit) Error() string { return e.why }

// exitCode turns the end of the program into a number, and anything but a
// regular end into a line on stderr. That the caller of run ended it is regular.
func exitCode(err error, stderr io.Writer) int {
	if err == nil || errors.Is(err, context.Canceled) {
		return 0
	}
	fmt.Fprintln(stderr, "demoserver:", err)
	if e := (exit{}); errors.As(err, &e) {
		return e.code
	}
	return 1
}

// await runs serve to its end, or until ctx ends: reading from a pipe cannot be
// interrupted, so serve may then be left behind in it. It gives the reason of
// whichever came first, or of ctx if both did.
func await(ctx context.Context, serve func() error) error {
	served := make(chan error, 1)
	go func() { served <- serve() }()
	var err error
	select {
	case err = <-served:
	case <-ctx.Done():
	}
	if stopped := context.Cause(ctx); stopped != nil {
		return stopped
	}
	return err
}

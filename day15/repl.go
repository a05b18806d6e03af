package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"
)

// The exit codes.
const (
	exitOK          = 0
	exitFailure     = 1
	exitLimited     = 2   // stopped at the step limit
	exitDenied      = 3   // answered, but a call was denied on the way
	exitInterrupted = 130 // Ctrl-C, or a signal to end
)

// repl reads lines until /exit, the end of input, or a Ctrl-C at the prompt. ctx ends when the program has to.
func (a *agent) repl(ctx context.Context) int {
	if err := a.config.Check(); err != nil {
		return a.fail(err)
	}
	a.printPanel()
	for {
		line, err := a.readLine(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return exitOK
		case errors.Is(err, context.Canceled):
			return exitInterrupted
		case err != nil:
			return a.fail(fmt.Errorf("reading the input: %w", err))
		case line == "":
			continue
		}
		if err := a.line(ctx, line); errors.Is(err, errExit) {
			return exitOK
		} else if ctx.Err() != nil {
			return exitInterrupted
		} else if err != nil {
			a.console.Printf("Error: %v\n", err)
		}
	}
}

func (a *agent) readLine(ctx context.Context) (string, error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	line, err := a.console.ReadLine(ctx, "You › ")
	return strings.TrimSpace(line), err
}

// line handles one line of input. A Ctrl-C ends what the line has started, and nothing else.
func (a *agent) line(ctx context.Context, line string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	if strings.HasPrefix(line, "/") {
		if err := a.command(ctx, line); ctx.Err() == nil {
			return err
		}
		a.console.Print("(interrupted)\n")
		return nil
	}
	turn, err := a.chat.Turn(ctx, line)
	switch {
	case ctx.Err() != nil:
		a.console.Print("(interrupted)\n")
		return nil
	case err != nil:
		return err
	case turn.Limited:
		a.console.Printf("(stopped after %d steps; say \"go on\" to continue)\n", turn.Steps)
	}
	a.console.Styled("2", a.status(turn))
	return nil
}

// task is the one-shot mode: one turn, or one command, and an exit code.
func (a *agent) task(ctx context.Context, task string) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	start := time.Now()
	if strings.HasPrefix(task, "/") {
		err := a.command(ctx, task)
		switch {
		case ctx.Err() != nil:
			return exitInterrupted
		case err == nil || errors.Is(err, errExit):
			return exitOK
		case errors.Is(err, errDenied):
			a.fail(err)
			return exitDenied
		}
		return a.fail(err)
	}
	turn, err := a.chat.Turn(ctx, task)
	switch {
	case ctx.Err() != nil:
		a.console.Errorf("geekagent: interrupted\n")
		return exitInterrupted
	case err != nil:
		return a.fail(err)
	case turn.Limited:
		a.console.Printf("--- stopped after %d steps, the limit\n", turn.Steps)
		return exitLimited
	}
	a.console.Printf("--- done in %s, %d tokens%s\n", plural(turn.Steps, "step"), turn.Tokens, took(a.times, time.Since(start)))
	if turn.Denied {
		return exitDenied
	}
	return exitOK
}

// fail reports an error that ends the program.
func (a *agent) fail(err error) int {
	a.console.Errorf("geekagent: %v\n", err)
	return exitFailure
}

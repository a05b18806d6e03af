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

// repl reads requests until /exit, the end of input, or a Ctrl-C at the prompt. ctx ends when the program has to.
func (a *agent) repl(ctx context.Context) int {
	if err := a.model.Check(); err != nil {
		return a.fail(err)
	}
	_ = a.panel(ctx, "") // it cannot fail
	for ctx.Err() == nil && !a.left {
		line, err := a.console.ReadLine(ctx, "You › ")
		switch line = strings.TrimSpace(line); {
		case err == io.EOF:
			a.left = true
		case err != nil && ctx.Err() == nil:
			return a.fail(fmt.Errorf("reading the input: %w", err))
		case line != "":
			ctx, stop := a.interruptible(ctx)
			a.do(ctx, line)
			stop()
		}
	}
	switch {
	case ctx.Err() != nil:
		return exitInterrupted
	case a.unsaved:
		return exitFailure
	}
	return exitOK
}

// do works on one request or command, says how it ended, and returns that as the exit code of a task.
func (a *agent) do(ctx context.Context, line string) int {
	start, oneShot := time.Now(), a.trace.oneShot
	var turn Turn
	var err error
	if strings.HasPrefix(line, "/") {
		err = a.command(ctx, line)
	} else if turn, err = a.chat.Turn(ctx, line); !oneShot {
		a.save()
	}
	switch {
	case ctx.Err() != nil:
		a.trace.Notice("interrupted")
		return exitInterrupted
	case err != nil && !oneShot:
		a.console.Printf("Error: %v\n", err)
	case errors.Is(err, errDenied):
		a.fail(err)
		return exitDenied
	case err != nil:
		return a.fail(err)
	case turn.Limited && oneShot:
		a.console.Printf("--- stopped after %d steps, the limit\n", turn.Steps)
		return exitLimited
	case turn.Limited:
		a.console.Printf("(stopped after %d steps; say \"go on\" to continue)\n", turn.Steps)
	case turn.Steps > 0 && oneShot:
		a.console.Printf("--- done in %s, %d tokens%s\n", plural(turn.Steps, "step"), turn.Tokens, took(a.trace.times, time.Since(start)))
	}
	if turn.Steps > 0 && err == nil && !oneShot {
		a.console.Styled("2", a.status(turn))
	}
	if turn.Denied {
		return exitDenied
	}
	return exitOK
}

// sayWhatIsNotRead is for those who give a task more text on stdin: it may be idle, and never end.
func (a *agent) sayWhatIsNotRead(task string) {
	in, _ := a.console.in.(*os.File)
	info, err := in.Stat() // fails without a file
	if err == nil && task[0] != '/' && (info.Mode()&os.ModeNamedPipe != 0 || info.Size() > 0) {
		a.console.Errorf("(stdin is not read: name a file in the task instead)\n")
	}
}

// fail reports an error that ends the program.
func (a *agent) fail(err error) int {
	a.console.Errorf("geekagent: %v\n", err)
	return exitFailure
}

// interruptible returns a context that a Ctrl-C ends, in place of the program, until stop is called.
func (a *agent) interruptible(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := signal.NotifyContext(ctx, os.Interrupt)
	a.spared.Store(true)
	return ctx, func() {
		a.spared.Store(false)
		cancel()
	}
}

// save keeps the conversation for /resume.
func (a *agent) save() {
	note, err := a.session.Save(a.chat.History)
	if a.unsaved = err != nil; err != nil {
		a.fail(err)
	}
	if note != "" {
		a.console.Errorf("geekagent: %s\n", note)
	}
}

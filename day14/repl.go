package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
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
	a.printPanel()
	for {
		request, err := a.console.ReadLine(ctx, "You › ")
		switch request = strings.TrimSpace(request); {
		case errors.Is(err, io.EOF):
			return exitOK
		case ctx.Err() != nil:
			return exitInterrupted
		case err != nil:
			return a.fail(fmt.Errorf("reading the input: %w", err))
		case request == "":
			continue
		}
		switch err := a.line(ctx, request); {
		case errors.Is(err, errExit):
			return exitOK
		case ctx.Err() != nil:
			return exitInterrupted
		case err != nil:
			a.console.Printf("Error: %v\n", err)
		}
	}
}

// line handles one request or command. A Ctrl-C ends what it has started, and nothing else.
func (a *agent) line(ctx context.Context, line string) error {
	ctx, stop := a.interruptible(ctx)
	defer stop()
	var turn Turn
	var err error
	if strings.HasPrefix(line, "/") {
		err = a.command(ctx, line)
	} else {
		turn, err = a.chat.Turn(ctx, line)
		a.save()
	}
	switch {
	case ctx.Err() != nil:
		a.console.Print("(interrupted)\n")
		return nil
	case err != nil || turn.Steps == 0:
		return err
	case turn.Limited:
		a.console.Printf("(stopped after %d steps; say \"go on\" to continue)\n", turn.Steps)
	}
	a.console.Styled("2", a.status(turn))
	return nil
}

// task is the one-shot mode: one turn, or one command, and an exit code.
func (a *agent) task(ctx context.Context, task string) int {
	start := time.Now()
	var turn Turn
	var err error
	if strings.HasPrefix(task, "/") {
		err = a.command(ctx, task)
	} else {
		a.sayWhatIsNotRead()
		turn, err = a.chat.Turn(ctx, task)
	}
	switch {
	case ctx.Err() != nil:
		a.console.Errorf("geekagent: interrupted\n")
		return exitInterrupted
	case errors.Is(err, errDenied):
		a.fail(err)
		return exitDenied
	case err != nil && !errors.Is(err, errExit):
		return a.fail(err)
	case turn.Limited:
		a.console.Printf("--- stopped after %d steps, the limit\n", turn.Steps)
		return exitLimited
	case turn.Steps > 0:
		a.console.Printf("--- done in %s, %d tokens%s\n", plural(turn.Steps, "step"), turn.Tokens, took(a.trace.times, time.Since(start)))
	}
	if turn.Denied {
		return exitDenied
	}
	return exitOK
}

// sayWhatIsNotRead is for those who give a task more text on stdin: it may be idle, and never end.
func (a *agent) sayWhatIsNotRead() {
	in, isFile := a.console.in.(*os.File)
	if !isFile {
		return
	}
	info, err := in.Stat()
	if err == nil && (info.Mode()&os.ModeNamedPipe != 0 || info.Mode().IsRegular() && info.Size() > 0) {
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
	ctx, cancel := context.WithCancel(ctx)
	a.current.Store(&cancel)
	return ctx, func() {
		a.current.Store(&a.end)
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

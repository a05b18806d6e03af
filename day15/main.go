/*
GeekAgent is a small coding agent: a chat with a language model that can use tools.

	agent [flags] [task…]

Without a task it reads requests, line by line; /help lists the commands. With a task it works on that one, prints what
it does and exits. A task that begins with a slash runs that command, and no model:

	agent 'what time is it?'
	agent -yes 'run the tests and say what fails'
	agent /tools

Any OpenAI-compatible server will do. The environment says which:

	OPENAI_BASE_URL  the API, such as http://localhost:11434/v1 (default: OpenAI's own)
	OPENAI_API_KEY   the key; a local server takes any text
	OPENAI_MODEL     the model (default: gpt-4.1-mini)

Its own files lie in .geekagent, below the working directory:

	GeekAgent.json        what it may do, written on the first start: the root folder that no file tool leaves, and for
	                      each tool allow, ask or deny
	session.json          the last conversation at the prompt, for /resume
	knowledge.json        what /rag add has read
	skills/NAME/SKILL.md  skills of your own
	mcp.json              the MCP servers to start, {"mcpServers": {"demo": {"command": "…", "args": ["…"]}}}

AGENTS.md in the root folder holds the project's own instructions: they go into the system prompt.

Exit codes: 0 answered, 1 failure, 2 step limit reached, 3 answered although a call was denied, 130 interrupted. A second
Ctrl-C ends the program whatever it is doing.
Exit code 4: answered, although an MCP server that was called was not available.
*/
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

const title = "GeekAgent Day 15: MCP tools"

// home is the folder of the agent's own files, relative to the working directory.
const home = ".geekagent"

// lastWait is how long the program waits, once it has to end, for what it is doing.
const lastWait = 2 * time.Second

// agent is the parts of the program, each after those it needs.
type agent struct {
	console     *Console
	model       *Model
	permissions *Permissions
	registry    *Registry
	skills      *Skills
	knowledge   *Knowledge
	mcp         *MCP
	session     *Session
	trace       *Trace
	chat        *Chat

	end     context.CancelFunc // ends the program
	spared  atomic.Bool        // the next Ctrl-C ends something interruptible, not the program
	unsaved bool               // the session could not be saved the last time
	left    bool               // by /exit, or at the end of input
}

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program. It takes the arguments without the program's name and returns the exit code; what it opens
// is closed when it returns, and there is no other way out. ctx ends it as SIGTERM does.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("agent [flags] [task…]", flag.ContinueOnError)
	flags.SetOutput(stderr)
	a := &agent{console: newConsole(stdin, stdout, stderr), model: newModel(os.Getenv)}
	a.mcp = mcpFlags(flags)
	defer a.mcp.Close()
	yes := flags.Bool("yes", false, "answer every question with y; deny stays deny")
	times := flags.Bool("time", false, "show how long things took")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return exitOK
	} else if err != nil {
		return exitFailure
	}
	task := strings.TrimSpace(strings.Join(flags.Args(), " "))
	if task == "" && flags.NArg() > 0 { // a script with an empty variable does not want a prompt
		return a.fail(errors.New("the task is empty"))
	}
	ctx, a.end = context.WithCancel(ctx)
	defer a.end()
	a.trace = &Trace{console: a.console, oneShot: task != "", times: *times}
	a.listen(ctx)
	finished := make(chan int, 2)
	go func() { finished <- a.start(ctx, task, *yes) }()
	// It may hang in a pipe that nobody reads, and so would another word.
	defer context.AfterFunc(ctx, func() { time.AfterFunc(lastWait, func() { finished <- exitInterrupted }) })()
	return <-finished
}

// listen takes the signals, which end the program; a Ctrl-C spares it once while something interruptible runs. From then on
// they are ignored: it ends in any case.
func (a *agent) listen(ctx context.Context) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a reader who has left stdout ends nothing
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as it is under nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		for ctx.Err() == nil {
			select {
			case s := <-signals:
				if s != os.Interrupt || !a.spared.CompareAndSwap(true, false) {
					a.end()
				}
			case <-ctx.Done():
			}
		}
	}()
}

// start puts the parts together, each after those it needs, and works on the task; without one it reads requests.
func (a *agent) start(ctx context.Context, task string, yes bool) (code int) {
	defer a.finish(&code)
	var err error
	if a.permissions, err = loadPermissions(home+"/GeekAgent.json", a.console); err != nil {
		return a.fail(err)
	}
	a.permissions.yes, a.permissions.oneShot = yes, task != ""
	if a.console.typed && (task == "" || !yes) { // else nobody is asked, and what is typed is meant for the shell
		a.console.Listen()
	}
	root, err := os.OpenRoot(a.permissions.Root)
	if err != nil {
		return a.fail(fmt.Errorf("the root in %s: %w", home+"/GeekAgent.json", err))
	}
	defer root.Close()
	if a.knowledge, err = loadKnowledge(home+"/knowledge.json", root, fetchPage); err != nil {
		return a.fail(err)
	}

	a.registry = newRegistry(a.permissions)
	tools := slices.Concat(fileTools(root, home), systemTools(a.permissions.Root, time.Now), a.knowledge.Tools())
	if err := a.registry.Register(tools...); err != nil {
		return a.fail(err)
	}
	a.permissions.WriteDefaults(tools)
	a.skills = newSkills(home+"/skills", a.registry, []Tool{gitDiff(a.permissions.Root)})
	if err := a.connectServers(ctx); err != nil {
		return a.fail(err)
	}
	a.permissions.ReportUnused(slices.Concat(a.registry.Visible(), a.skills.extra))

	a.session = newSession(home + "/session.json")
	a.chat = &Chat{model: a.model, registry: a.registry, skills: a.skills, files: newFiles(root, home), redact: a.console.redact, trace: a.trace}
	if task != "" {
		a.sayWhatIsNotRead(task)
		return a.mcp.ExitCode(a.do(ctx, task))
	}
	return a.repl(ctx)
}

// finish is what start defers: a panic, and output that could not be written, are failures too.
func (a *agent) finish(code *int) {
	if p := recover(); p != nil {
		a.console.Errorf("geekagent: panic: %v\n%s", p, debug.Stack())
		*code = exitFailure
	}
	if err := a.console.Lost(); err != nil { // a code above 1 says more
		*code = max(*code, a.fail(fmt.Errorf("not all of the output could be written: %w", err)))
	}
}

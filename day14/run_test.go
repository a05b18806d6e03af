package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// inFolder makes a new working directory with the given files (name and text in turn), and points the environment to
// the model; nil stands for none.
func inFolder(t testing.TB, model *fakeModel, files ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for i := 0; i < len(files); i += 2 {
		if err := replaceFile(files[i], []byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", "")
	t.Setenv("OPENAI_MODEL", "fake")
	if model != nil {
		t.Setenv("OPENAI_API_KEY", "fake-key")
		t.Setenv("OPENAI_BASE_URL", model.URL)
	}
}

// runAgent runs the program in this process.
func runAgent(t testing.TB, input string, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(input), &out, &err)
	return code, out.String(), err.String()
}

func TestTaskFromStartToExitCode(t *testing.T) {
	looping := slices.Repeat([]string{calls("ls", "{}")}, maxSteps)
	write, read := calls("write", `{"path":"a","content":"b"}`), calls("read", `{"path": "notes.txt"}`)
	for _, test := range []struct {
		args           string // with | between them
		answers        []string
		code           int
		stdout, stderr string
	}{
		{"what|time?", []string{says("Result: noon")}, exitOK, "step 1  answer  Result: noon\n--- done in 1 step, ", ""},
		{"two steps", []string{read, says("Two.\nLines.\n")}, exitOK,
			"step 1  call    read {\"path\":\"notes.txt\"}\nstep 1  result  hello\nstep 2  answer  Two.\nLines.\n--- done in 2 steps, ", ""},
		{"text beside a call", []string{deltas("tool_calls", `{"content":"Let me look."}`, `{"tool_calls":[{"id":"c1","function":{"name":"ls","arguments":"{}"}}]}`)},
			exitOK, "step 1  text    Let me look.\nstep 1  call    ls", ""},
		{"an error result", []string{calls("read", `{"path": "nope.txt"}`)}, exitOK, "step 1  result  (error) nope.txt: file does not exist", ""},
		{"failure", []string{`401 {"error":{"message":"bad key"}}`}, exitFailure, "", "geekagent: "},
		{"step limit", looping, exitLimited, "--- stopped after 30 steps, the limit\n", ""},
		{"nobody can be asked", []string{write, says("sorry")}, exitDenied, "step 1  result  (error) denied: nobody can be asked\nstep 2  answer  sorry\n",
			"[permission] write was refused: there is no terminal to ask at. Allow it in .geekagent/GeekAgent.json, or answer every question with -yes.\n"},
		{"-yes|go", []string{write, says("ok")}, exitOK, "step 1  result  ", ""},
		{"/help", nil, exitOK, "/tools [NAME]", ""},
		{`/call|read|{"path":"notes.txt"}`, nil, exitOK, "hello\n", ""},
		{"/call read {}", nil, exitFailure, "", `geekagent: read: not run: the required argument "path" is missing`},
		{`/call write {"path":"a","content":"b"}`, nil, exitDenied, "", "geekagent: write: denied: nobody can be asked"},
		{"/frobnicate", nil, exitFailure, "", "geekagent: there is no command /frobnicate; /help lists them"},
		{"", nil, exitFailure, "", "geekagent: the task is empty"},
		{"-frobnicate", nil, exitFailure, "", "flag provided but not defined"},
		{"-h", nil, exitOK, "", "-yes"},
	} {
		t.Run(test.args, func(t *testing.T) {
			inFolder(t, newFakeModel(t, test.answers...), "notes.txt", "hello\n")
			code, stdout, stderr := runAgent(t, "y\ny\n", strings.Split(test.args, "|")...)
			if code != test.code || !strings.Contains(stdout, test.stdout) || !strings.Contains(stderr, test.stderr) {
				t.Errorf("exit code %d, want %d\nstdout:\n%s\nwant\n%s\nstderr:\n%s\nwant\n%s", code, test.code, stdout, test.stdout, stderr, test.stderr)
			}
			if _, err := os.Stat("a"); (err == nil) != (test.args == "-yes|go") {
				t.Errorf("the file was written, or was not: %v", err)
			}
		})
	}
}

func TestWrongConfiguration(t *testing.T) {
	for _, test := range []struct{ set, task, want string }{ // a variable=value, or a file: text
		{"OPENAI_API_KEY=", "", "geekagent: there is no API key: set OPENAI_API_KEY (a local server takes any text), or try it offline: go run ./mockllm go run ./"},
		{"OPENAI_API_KEY=", "go", "there is no API key"},
		{"OPENAI_BASE_URL=http://127.0.0.1:1/v1", "go", "cannot reach the model at http://127.0.0.1:1/v1: "},
		{"OPENAI_BASE_URL=localhost", "go", `OPENAI_BASE_URL is not a URL such as`},
		{"GeekAgent.json: {\n  \"tools\": {\"ls\": \"alow\"}\n}", "/help", "geekagent: .geekagent/GeekAgent.json:2:19: the policy of ls is \"alow\"; expected allow, ask or deny\n"},
		{`GeekAgent.json: {"tools": {"ls": {"a": "deny"}}}`, "/help", "GeekAgent.json:1:18: the policy of ls is"},
		{`GeekAgent.json: {"tools": {"l[": "deny"}}`, "/help", `GeekAgent.json:1:12: "l[" is not a valid pattern`},
		{`GeekAgent.json: {"tool": {}}`, "/help", `GeekAgent.json:1:2: unknown key "tool"`},
		{"GeekAgent.json: {} // all", "", "GeekAgent.json:1:4: invalid character '/'"},
		{`GeekAgent.json: {"root": "nowhere"}`, "/help", "geekagent: the root in .geekagent/GeekAgent.json: "},
		{`GeekAgent.json: {"root": "GeekAgent.json"}`, "/help", "the root in .geekagent/GeekAgent.json: "},
		{`knowledge.json: {"documents": [}`, "/help", "knowledge.json:1:16: "},
	} {
		t.Run(test.want, func(t *testing.T) {
			inFolder(t, newFakeModel(t))
			if file, text, isFile := strings.Cut(test.set, ": "); isFile {
				if err := replaceFile(home+"/"+file, []byte(text)); err != nil {
					t.Fatal(err)
				}
			} else {
				name, value, _ := strings.Cut(test.set, "=")
				t.Setenv(name, value)
			}
			code, stdout, stderr := runAgent(t, "", strings.Fields(test.task)...)
			if code != exitFailure || !strings.Contains(stderr, test.want) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("exit code %d, stdout %s, stderr %s, want %s", code, stdout, stderr, test.want)
			}
		})
	}
}

func TestSessionFromAPipe(t *testing.T) {
	model := newFakeModel(t, calls("write", `{"path":"a.txt","content":"b"}`), says("It was refused."), says("It is noon."))
	inFolder(t, model)
	code, stdout, stderr := runAgent(t, "write something\nn\n\nwhat time is it?\n/reset\n/reset now\n/exit\nnever read\n")
	if code != exitOK || stderr != "" {
		t.Errorf("exit code %d, stderr %s", code, stderr)
	}
	want := []string{
		title, "│ Model    fake\n", "│ RAG      0 documents\n", "│ Tokens   0\n",
		"You › write something\nAbout to write a.txt", "\nConfirm execution? [y/N/a] n\n[Calling tool write → (error) denied by the user]\nIt was refused.\n── this turn ",
		" tokens · total ", " · context 2%", " ──\nYou › \nYou › what time is it?\nIt is noon.\n", "You › /exit\n",
	}
	rest := stdout
	for _, piece := range want {
		_, after, found := strings.Cut(rest, piece)
		if !found {
			t.Fatalf("%q is not on the screen, or not at its place:\n%s", piece, stdout)
		}
		rest = after
	}
	if strings.Contains(stdout, "never read") {
		t.Error("it went on after /exit")
	}
}

func TestConversationIsSavedAndResumed(t *testing.T) {
	model := newFakeModel(t, says("Hello Ada."), says("Done."), says("Ada."))
	inFolder(t, model)
	// The end of input is a way out too; neither a start without a conversation nor a task loses anything.
	for _, start := range [][]string{{"I am Ada\n"}, {"/help\n/exit\n"}, {"", "another task"}} {
		if code, _, stderr := runAgent(t, start[0], start[1:]...); code != exitOK || stderr != "" {
			t.Fatalf("exit code %d, stderr %s", code, stderr)
		}
	}
	_, stdout, _ := runAgent(t, "/resume\nwho am I?\n/resume\n")
	if !strings.Contains(stdout, "Resumed: 2 messages.") || !strings.Contains(stdout, "Error: a conversation has begun already") {
		t.Errorf("screen:\n%s", stdout)
	}
	if got := model.last(); len(got) != 3 || got[0].Content != "I am Ada" {
		t.Errorf("the model got %v", got)
	}
	if info, err := os.Stat(home + "/session.json"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
}

func TestDefaultsAreWrittenOnTheFirstStart(t *testing.T) {
	inFolder(t, nil)
	if code, _, stderr := runAgent(t, "", "/tools"); code != exitOK || stderr != "" {
		t.Fatalf("exit code %d, stderr %s", code, stderr)
	}
	text, err := os.ReadFile(home + "/GeekAgent.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`"root": ".."`, `"ls": "allow"`, `"run_shell": "ask"`, `"write": "ask"`, `"rag_add": "ask"`, `"rag_search": "allow"`} {
		if !strings.Contains(string(text), line) {
			t.Errorf("%s is not in\n%s", line, text)
		}
	}
}

func TestRuleThatMatchesNothingIsReported(t *testing.T) {
	inFolder(t, nil, home+"/GeekAgent.json", `{"tools":{"mcp_files_delte":"deny","ls":"deny","git_diff":"allow","wr*":"ask"}}`)
	_, stdout, stderr := runAgent(t, "", "/tools")
	if want := "[permission] the rule \"mcp_files_delte\" in .geekagent/GeekAgent.json matches no tool\n"; stderr != want {
		t.Errorf("stderr %q, want %q", stderr, want)
	}
	if !strings.Contains(stdout, "estimated: characters / 4") {
		t.Errorf("/tools prints\n%s", stdout)
	}
}

func TestSkillNarrowsTheToolsAndBringsOne(t *testing.T) {
	model := newFakeModel(t)
	inFolder(t, model)
	_, stdout, _ := runAgent(t, "/use code-review\n/tools git_diff\nreview\n/unuse\n/tools git_diff\nand now?\n/use nope\n")
	for i, with := range []bool{true, false} {
		offered := fmt.Sprint(model.requests[i].Tools)
		if strings.Contains(offered, "{git_diff ") != with || strings.Contains(offered, "{write ") == with {
			t.Errorf("with the skill %v: the model is offered %s", with, offered)
		}
		if system := model.requests[i].Messages[0].Content; strings.Contains(system, "You review changes.") != with {
			t.Errorf("with the skill %v: the system prompt is %s", with, system)
		}
	}
	for _, want := range []string{"Brought by the skill code-review.", `Error: there is no tool named "git_diff"`, `Error: there is no skill named "nope"`} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%s is not on the screen:\n%s", want, stdout)
		}
	}
}

func TestKnowledgeBase(t *testing.T) {
	model := newFakeModel(t, calls("rag_search", `{"query":"step limit"}`))
	inFolder(t, model, "guide.md", "# Guide\n\nThe step limit is thirty.\n")
	_, stdout, _ := runAgent(t, "/rag add guide.md\n/rag add nope.md\n/rag\nwhat is the limit?\n/panel\n")
	if result := model.last()[2].Content; !strings.Contains(result, "Guide, passage 1") || !strings.Contains(result, "thirty") {
		t.Errorf("rag_search gives %q", result)
	}
	for _, want := range []string{"Error: cannot add nope.md", "1 document\n", "Guide", "│ RAG      1 document\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not on the screen:\n%s", want, stdout)
		}
	}
}

// asAgent makes the test binary the agent; -race would make each of them end a second late.
var asAgent = []string{"GEEKAGENT_TEST_PROGRAM=agent", "GORACE=atexit_sleep_ms=0"}

// asChild is the program as a child process.
func asChild(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), asAgent...)
	return cmd
}

// spawn starts a child with its stdin open. until reads its output up to a text; ends waits for its end.
func spawn(t *testing.T, cmd *exec.Cmd) (stdin io.Writer, until func(text string), ends func(code int)) {
	t.Helper()
	in, err := cmd.StdinPipe()
	out, errOut := cmd.StdoutPipe()
	cmd.Stderr = cmd.Stdout
	if err := errors.Join(err, errOut, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(out)
	until = func(text string) {
		t.Helper()
		for read := []byte{}; !strings.HasSuffix(string(read), text); {
			b, err := reader.ReadByte()
			if err != nil {
				t.Fatalf("the output ends before %q: %v\n%s", text, err, read)
			}
			read = append(read, b)
		}
	}
	ends = func(code int) {
		t.Helper()
		if cmd.Wait(); cmd.ProcessState.ExitCode() != code {
			t.Errorf("exit code %d, want %d", cmd.ProcessState.ExitCode(), code)
		}
	}
	return in, until, ends
}

func TestCtrlCEndsTheTurnAndAtThePromptTheProgram(t *testing.T) {
	asked := make(chan bool)
	hang := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // only then the server notices that the client leaves
		asked <- true
		<-r.Context().Done()
	}))
	defer hang.Close()
	inFolder(t, &fakeModel{Server: hang})
	cmd := asChild(t)
	stdin, until, ends := spawn(t, cmd)
	until("You › ")
	io.WriteString(stdin, "think\n")
	<-asked
	cmd.Process.Signal(os.Interrupt)
	until("(interrupted)\nYou › ")
	cmd.Process.Signal(os.Interrupt)
	until("\n")
	ends(exitInterrupted)
}

func TestSignalsEndTheProgramInOrder(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			inFolder(t, newFakeModel(t, says("Hello.")))
			cmd := asChild(t)
			stdin, until, ends := spawn(t, cmd)
			until("You › ")
			io.WriteString(stdin, "hi\n")
			until("You › ")
			cmd.Process.Signal(signal)
			until("\n")
			ends(exitInterrupted)
			if _, err := os.Stat(home + "/session.json"); err != nil {
				t.Errorf("the conversation was not saved: %v", err)
			}
		})
	}
}

func TestUnderNohupAHangupEndsNothing(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	inFolder(t, newFakeModel(t, says("Hello.")))
	cmd := asChild(t)
	cmd.Path, cmd.Args = sh, []string{"sh", "-c", `trap "" HUP; exec "$0"`, cmd.Path}
	stdin, until, ends := spawn(t, cmd)
	until("You › ")
	cmd.Process.Signal(syscall.SIGHUP)
	io.WriteString(stdin, "hi\n/exit\n")
	until("Hello.\n")
	until("You › ")
	ends(exitOK)
}

func TestOneShotNeverReadsFromAPipe(t *testing.T) {
	inFolder(t, newFakeModel(t, calls("write", `{"path":"a","content":"b"}`)))
	_, until, ends := spawn(t, asChild(t, "write it")) // nobody writes to its stdin, and nobody closes it
	until("(stdin is not read: name a file in the task instead)\n")
	until("--- done in 2 steps")
	until("\n")
	ends(exitDenied)
}

// The program hangs in a write, and ends all the same.
func TestASignalEndsAProgramThatHangs(t *testing.T) {
	inFolder(t, newFakeModel(t, says(strings.Repeat("x", 1<<20))))
	cmd := asChild(t)
	stdin, until, ends := spawn(t, cmd)
	io.WriteString(stdin, "hi\n")
	until("xxxx")
	ended := make(chan bool)
	go func() { ends(exitInterrupted); close(ended) }()
	for { // the first one ends the turn, which cannot say so; two that come at once may count as one
		cmd.Process.Signal(os.Interrupt)
		select {
		case <-ended:
			return
		case <-time.After(lastWait / 4):
		}
	}
}

func TestAReaderThatLeavesDoesNotCutTheProgramShort(t *testing.T) {
	inFolder(t, newFakeModel(t, says("Hello.")))
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close() // head -1 has what it wanted
	defer w.Close()
	cmd := asChild(t)
	cmd.Stdin, cmd.Stdout = strings.NewReader("hi\n"), w
	if err := cmd.Run(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(home + "/session.json"); err != nil {
		t.Errorf("the conversation was not saved: %v", err)
	}
}

func TestOutputThatCannotBeWrittenIsAFailure(t *testing.T) {
	inFolder(t, newFakeModel(t, says("Hello.")))
	var stderr strings.Builder
	code := run(t.Context(), []string{"hi"}, strings.NewReader(""), failing{syscall.ENOSPC}, &stderr)
	if want := "geekagent: not all of the output could be written: no space left on device\n"; code != exitFailure || stderr.String() != want {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
}

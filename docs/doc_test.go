/*
Package docs keeps the tutorial true: README.md, docs/*.md and docs/zh/*.md are compared with the code and with what the
programs really print.

	go test ./docs                          what is no longer true, and where
	go test ./docs -update                  rewrite transcripts, frames, numbers and drifted code in the texts; then read git diff
	go test ./docs -run /day15-drills.md    one text (also with -update: leave the texts of others alone)

A fence begins in the first column of its line. The conventions, by the first word of the info string:

Code.  ```go day15/mcp_rpc.go  The block is a contiguous part of that file, byte for byte, comments included. Where an
info string would be in the way, the first line may be a comment that names the file (// day15/mcp_rpc.go). This goes for
every name below day14, day15, demoserver and mockllm, and for go.mod. A block of Go without a file needs a line
"<!-- sketch: why -->" before it. As soon as day15.md exists, the English texts together must show, without a gap, every
file that only day15 has (tests aside) and demoserver/main.go; blank lines between two blocks may be left out.

The day's diff.  ```diff main.go  In day15.md, the + and - lines of all blocks of a file, in order, are the whole
difference between day14 and day15 of that file; context lines are real ones. @@ lines are optional and separate hunks
in one block. Every file that both days have and that differs is shown this way, its test too.

Files for the reader.  ```json drills/silent.json  Any other name (.geekagent/mcp.json too) is a file that the reader
writes: the test puts it into the folder before it goes on. The line above the block names it in backticks.

Transcripts.  ```console  Lines that begin with "$ " are commands, all else is what the terminal shows, literal; only
spaces at the end of a line do not count. What the reader types stands where it appears: after "You › " and after
"Confirm execution? [y/N/a] ". A last "You ›" is the end of input (Ctrl-D). Write only the "$ " lines and what is typed;
-update fills in the rest. A text's blocks run in order, through sh, in a fresh copy of the repository named geekagent
(the panel says ~/geekagent), so a file written by one block is there for the next, and GeekAgent.json too. "go run ./X" runs
a program that was built once, in configs as well, and reports "exit status N" as the real one does; every other go
command is the real one, without a network. stdin is no terminal: one-shot tasks that ask a question need -yes. A block may take
60 s and must leave no process. A line "[mcp] x: waiting for …" of a slow start does not count, unless the block shows one
of the same server. Output that shows the machine's own folders is refused. What differs from run to run is
best avoided: give demoserver a -seed, and -only one server where several would print to stderr at once; -count=5 tells.

	<!-- mask: [0-9.]+ms -->

in a line of its own before the block: what the regular expression matches, or its first group if it has one, reads "…" in
the text, because it differs from run to run. As
few as possible; one that matches nothing is an error. ```console no-replay, with "<!-- no-replay: why -->" before it,
is not run; none is allowed at present.

Frames.  ```wire  The frames of the last command in the console block before it, as -wire logs them (the test
adds the flag): "demo → {…}" and "demo ← {…}". They are the recorded ones, in order, some may be left out. A frame may be spread over
several lines, its JSON indented; "…" in it stands for what is left out. An empty block is filled by -update.

Numbers.  A comment right before the digits says how the number is computed:

	<!-- count: lines day15/mcp_rpc.go -->173     lines; several files or globs are added up; a folder is its .go files, tests aside
	<!-- count: files day15 -->68                 files, the same way
	<!-- count: longest day15 -->170              lines of the longest of them
	<!-- count: files new -->47                   "new" is what only day15 has, tests aside (also: lines new, longest new)
	<!-- count: added main.go -->9                + lines of a file from day14 to day15; without a name, of all files, tests aside
	<!-- count: removed main.go -->1              - lines
	<!-- count: changed -->3                      files that differ, tests aside
	<!-- count: const day15/mcp_offer.go:maxTools -->128    the constant, as it is written
	<!-- count: shown about (\d+) tokens -->132   the first match in this text's own transcripts: tools, tokens, steps
	<!-- count: given -->500                      none of these: a figure of somebody else's, or of no file

In prose, digits before lines, files, tools, tokens (行, 个文件, 个工具, 个 token) need such a comment.

Names.  Relative links and their #anchors exist, as GitHub makes them. Every "go run ./x" names a package main, of the
repository or of a file that the text shows (hello/main.go). Every path in backticks that begins with
one of the repository's folders exists, and every `name.go` (in one of them; write `net/rpc/client.go` for a file of somebody else's).
`mcp_rpc.go:stream.call` names a declaration: a function, a Type.method, a type, a variable or a constant, in day15 unless the
folder is written too; `mcp_rpc_test.go:TestCalls/a late reply harms nobody` names a test and, after the slash, a string in
that file. In spec-map.md every table has a column "Function" and a column "Test"; each cell there holds such names, or
begins with — and the reason. day14.md names every .go file of day14 in backticks, day15.md every new one, tests aside.

Chinese.  docs/zh/X.md has the code, diff, file, console and wire blocks of docs/X.md, the same in the same order
(sketches and drawings are free). They are compared, not run again; -update copies transcripts and frames.
*/
package docs

import "flag"

var update = flag.Bool("update", false, "rewrite what can be computed in the texts")

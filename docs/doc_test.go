/*
Package docs keeps the tutorial true: README.md, docs/*.md and docs/zh/*.md are compared with the code and with what the
programs really print.

	go test ./docs                          what is no longer true, and where; -short runs no transcripts
	go test ./docs -update                  rewrite transcripts, numbers and empty blocks of frames; then read git diff
	go test ./docs -run /day15-drills.md    one text (zh:day15-drills.md is the Chinese one), also with -update

The first word after a fence says what the block is:

	```go day15/mcp_stream.go   Whole declarations of that file, byte for byte. A line "// …" marks a gap: the pieces between
	                            gaps stand in the file in this order. Other files of the programs, and go.mod, likewise.
	```go                       Go without a file needs a line <!-- sketch: why --> before it.
	```diff main.go             Hunks, each after a line @@. Those of day15.md make day15 out of day14, tests aside.
	```json drills/silent.json  Any other name is a file of the reader's, named in backticks on the line above.
	```console                  A transcript.
	```wire                     Frames of the last command before the block, as -wire logs them, in order; some may be left
	                            out, and "…" stands for what is left out of one.

In a transcript, lines that begin with "$ " are commands, which go on after a backslash; all else is what the terminal
shows. What is typed stands where it appears, after "You › " and after "[y/N/a] "; a last "You ›" is the end of input.
Write only these and the commands: -update fills in the rest. The transcripts of a text run in order, through sh, in a
fresh copy of the repository named geekagent, without a network. "go run ./X" runs a program that was built once, as "go
build -o" copies it where nobody changed it. stdin is not a terminal. A block must leave no process. Lines "[mcp] x:
waiting for …" of a slow start count only in a block that shows some. What differs from run to run is masked by a line
before the block, as seldom as possible: what the expression matches, or its first group, reads "…" in the output.

	<!-- mask: [0-9.]+ms -->

In prose, digits before lines, files, tools, tokens (行, 个文件, 个工具, 个 token) need a comment that says how to compute them:

	<!-- count: lines day15/mcp_*.go -->173      lines of files, tests aside; "new" stands for what only day15 has
	<!-- count: files day14 -->28                how many files
	<!-- count: added main.go -->9               + lines of this text's diff; removed: - lines; without a name, of all files
	<!-- count: const day15/mcp.go:maxTools -->128
	<!-- count: shown about (\d+) tokens -->132  the first match in this text's transcripts

Relative links and their anchors exist, and so does every path in backticks below one of the repository's folders, every
`name.go` in one of them, and every `name.go:Type.method` in that file (of day15, unless the folder is written).
docs/zh/X.md has the code, diffs and files of docs/X.md, the same in the same order, and transcripts of its own.
*/
package docs

import (
	"flag"
	"testing"
)

var update = flag.Bool("update", false, "rewrite what can be computed in the texts")

// TestMain lets more texts be tried than there are processors: their transcripts mostly wait.
func TestMain(m *testing.M) {
	_ = flag.Set("test.parallel", "5") // it exists
	m.Run()
}

package docs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// replay runs the transcripts of a text in order. With fix, what the programs print now takes the place of what the text shows.
func (r *reader) replay(t *text, fix bool) (faults []string) {
	for i := range t.blocks {
		b := t.blocks[i]
		switch {
		case b.isReaders():
			if err := r.write(b.file, t.body(b)); err != nil {
				faults = append(faults, t.at(b.start-1, "%v", err))
			}
		case b.lang == "console" && b.file == "no-replay":
			faults = append(faults, t.at(b.start-1, "no-replay (%v): no such block is allowed; make it one that can be run offline", b.note("no-replay")))
		case b.lang == "console":
			r.wire = ""
			if i+1 < len(t.blocks) && t.blocks[i+1].lang == "wire" {
				r.wire = filepath.Join(r.temp, "wire.log")
				os.Remove(r.wire) // of an earlier block; the next run writes it anew
			}
			faults = append(faults, r.checkTranscript(t, i, fix)...)
		case b.lang == "wire":
			faults = append(faults, r.checkWire(t, i, fix)...)
			r.wire = ""
		}
	}
	return faults
}

// checkTranscript compares block i with what its commands print.
func (r *reader) checkTranscript(t *text, i int, fix bool) []string {
	b := t.blocks[i]
	now, faults := r.transcript(t, b)
	if faults != nil {
		return faults
	}
	list, _ := commands(t.body(b))
	shown, _ := b.render(list)
	at := firstDifference(now, shown)
	if at < 0 {
		return nil
	}
	if fix {
		t.replace(i, now)
		return nil
	}
	return []string{t.at(b.start+at, "the programs print something else:\n\ttext  %s\n\tnow   %s\n\tThe whole block now:\n\t%s\n\t"+
		"If that is right: go test ./docs -run /%s -update", lineAt(shown, at), lineAt(now, at), strings.Join(now, "\n\t"), t.name())}
}

// transcript runs the commands of a block and returns the block as it is now, masks applied.
func (r *reader) transcript(t *text, b block) (now, faults []string) {
	list, rest := commands(t.body(b))
	if rest != nil || list == nil {
		return nil, []string{t.at(b.start, "a console block begins with a command: $ go run …")}
	}
	deadline, cancel := context.WithTimeout(context.Background(), r.limit)
	defer cancel()
	for i, c := range list {
		output, err := r.run(deadline, strings.Join(c.typed, "\n"), c.stdin())
		if err != nil {
			return nil, []string{t.at(b.start, "$ %s: %v\n\t%s", c.typed[0], err, output)}
		}
		list[i].screen = strings.Split(withoutSlowStarts(output, t.body(b)), "\n")
	}
	now, unused := b.render(list)
	for _, mask := range unused {
		faults = append(faults, t.at(b.start-1, "the mask %s matches nothing: remove it, or correct it", mask))
	}
	if text := strings.Join(now, "\n"); strings.Contains(text, r.temp) {
		faults = append(faults, t.at(b.start, "the output shows the machine's own folders; show it otherwise, or mask them:\n\t%s", text))
	}
	return now, faults
}

// slowStart is what day15 prints of a server whose start takes longer than a second.
var slowStart = regexp.MustCompile(`(?m)^(\[mcp\] .+?: waiting for ).* Ctrl-C goes on without it\n?`)

// withoutSlowStarts drops those lines that the text does not show: the machine decides whether they are there.
func withoutSlowStarts(output string, shown []string) string {
	return slowStart.ReplaceAllStringFunc(output, func(line string) string {
		if strings.Contains(strings.Join(shown, "\n"), slowStart.FindStringSubmatch(line)[1]) {
			return line
		}
		return ""
	})
}

// run gives a line to a shell, as the reader would, and returns what the terminal shows. It fails if the time is over,
// or if a process is left, which it ends.
func (r *reader) run(ctx context.Context, line, stdin string) (string, error) {
	var screen strings.Builder
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.Env, cmd.Stdin = r.folder, append(r.env, "WIRE="+r.wire), strings.NewReader(stdin)
	cmd.Stdout, cmd.Stderr = &screen, &screen // one pipe: in the order in which they are written
	cmd.WaitDelay = r.grace
	err := cmd.Run()
	left := r.endLeftovers()
	switch {
	case ctx.Err() != nil:
		return screen.String(), fmt.Errorf("it was not done after %v; does it wait for input?", r.limit)
	case errors.Is(err, exec.ErrWaitDelay) || left != nil:
		return screen.String(), fmt.Errorf("it left a process behind %v; end it in the block", left)
	case errors.As(err, new(*exec.ExitError)):
		return screen.String(), nil // what it printed says so
	}
	return screen.String(), err
}

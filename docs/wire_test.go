package docs

import (
	"os"
	"regexp"
	"slices"
	"strings"
)

var frameStart = regexp.MustCompile(`^\S+ [→←] `)

// frames reads a log of frames: one a line, or over several lines, which do not begin with a server and an arrow.
func frames(lines []string) (list []string) {
	for _, line := range lines {
		if len(list) == 0 || frameStart.MatchString(line) {
			list = append(list, "")
		}
		list[len(list)-1] += line + "\n"
	}
	for i, frame := range list {
		head := frameStart.FindString(frame)
		list[i] = head + squeeze(frame[len(head):])
	}
	return slices.DeleteFunc(list, func(frame string) bool { return frame == "" })
}

// squeeze removes the space between the tokens of a JSON text.
func squeeze(text string) string {
	var b strings.Builder
	quoted, escaped := false, false
	for _, r := range text {
		if !quoted && strings.ContainsRune(" \t\r\n", r) {
			continue
		}
		if r == '"' && !escaped {
			quoted = !quoted
		}
		escaped = r == '\\' && !escaped
		b.WriteRune(r)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// checkWire compares block i with the log that the console block before it left.
func (r *reader) checkWire(t *text, i int, fix bool) (faults []string) {
	b := t.blocks[i]
	data, err := os.ReadFile(r.wire)
	if r.wire == "" || err != nil || len(data) == 0 {
		return []string{t.at(b.start-1, "no frames were recorded: a wire block follows a console block that runs ./day15 with a server")}
	}
	log, text := string(data), strings.Join(t.body(b), "\n")
	for _, mask := range append(t.blocks[i-1].note("mask"), b.note("mask")...) {
		if pattern, err := regexp.Compile(mask); err == nil {
			log, text = hide(pattern, log), hide(pattern, text)
		}
	}
	recorded, shown := frames(strings.Split(strings.TrimSpace(log), "\n")), frames(strings.Split(text, "\n"))
	now, next := slices.Clone(shown), 0
	for n, frame := range shown {
		pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(frame), "…", ".*") + "$")
		if at := slices.IndexFunc(recorded[next:], pattern.MatchString); at >= 0 {
			next += at + 1
			continue
		}
		now[n] = mostAlike(recorded, frame)
		faults = append(faults, t.at(b.start, "frame %d is not among the recorded ones, or not in this order:\n\ttext    %s\n\tclosest %s\n\tgo test ./docs -run /%s -update",
			n+1, frame, now[n], t.name()))
	}
	switch {
	case len(shown) == 0 && fix:
		t.replace(i, recorded)
	case len(shown) == 0:
		faults = append(faults, t.at(b.start-1, "the block is empty; go test ./docs -run /%s -update fills it", t.name()))
	case faults != nil && fix:
		t.replace(i, now)
		return nil
	}
	return faults
}

// mostAlike is the line that shares the longest beginning and end with the given one.
func mostAlike(lines []string, like string) (best string) {
	most := -1
	for _, line := range lines {
		n, head, tail := min(len(line), len(like)), 0, 0
		for head < n && line[head] == like[head] {
			head++
		}
		for tail < n && line[len(line)-1-tail] == like[len(like)-1-tail] {
			tail++
		}
		if head+tail > most {
			best, most = line, head+tail
		}
	}
	return best
}

package main

import (
	"fmt"
	"slices"
	"strings"
)

// edit is one line of a comparison: kept (' '), removed ('-') or added ('+').
type edit struct {
	op   byte
	line string // with its line feed, if it has one
}

// diffContext is how many unchanged lines are shown before and after a change.
const diffContext = 3

// sides returns how many lines, 0 or 1, the edit is in the old and in the new text.
func (e edit) sides() (before, after int) {
	switch e.op {
	case '-':
		return 1, 0
	case '+':
		return 0, 1
	}
	return 1, 1
}

// diff shows how the text before becomes after, in the unified format: all changes, with a few lines around them. Each
// line is indented by two spaces, so that nothing in a file can look like a line of the question below it.
func diff(before, after string) string {
	edits := compare(slices.Collect(strings.Lines(before)), slices.Collect(strings.Lines(after)))
	shown := make([]bool, len(edits))
	for i, e := range edits {
		if e.op != ' ' {
			for j := max(0, i-diffContext); j <= min(len(edits)-1, i+diffContext); j++ {
				shown[j] = true
			}
		}
	}
	var text []string
	oldLine, newLine := 1, 1
	for i, e := range edits {
		if shown[i] && (i == 0 || !shown[i-1]) {
			text = append(text, hunkHeading(edits[i:], shown[i:], oldLine, newLine))
		}
		if shown[i] {
			line, whole := strings.CutSuffix(e.line, "\n")
			text = append(text, "  "+string(e.op)+line)
			if !whole {
				text = append(text, `  \ no line feed at the end`)
			}
		}
		before, after := e.sides()
		oldLine, newLine = oldLine+before, newLine+after
	}
	return strings.Join(text, "\n")
}

// hunkHeading is the line above a run of shown edits: "  @@ -first,count +first,count @@".
func hunkHeading(edits []edit, shown []bool, oldLine, newLine int) string {
	oldCount, newCount := 0, 0
	for i, e := range edits {
		if !shown[i] {
			break
		}
		before, after := e.sides()
		oldCount, newCount = oldCount+before, newCount+after
	}
	if oldCount == 0 {
		oldLine-- // the format names an empty side by the line before it
	}
	if newCount == 0 {
		newLine--
	}
	return fmt.Sprintf("  @@ -%d,%d +%d,%d @@", oldLine, oldCount, newLine, newCount)
}

// compare finds the fewest lines to remove and add. Lines that both texts begin or end with are set aside first: what
// remains after a usual change is small.
func compare(a, b []string) []edit {
	head, tail := 0, 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	edits := marked(nil, ' ', a[:head])
	edits = append(edits, compareMiddle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	return marked(edits, ' ', a[len(a)-tail:])
}

// compareMiddle follows the longest common subsequence of a and b. Where its table would get too large, everything is
// removed and added: longer, and just as true.
func compareMiddle(a, b []string) []edit {
	const maxCells = 4 << 20
	var edits []edit
	if len(a)*len(b) > maxCells {
		return marked(marked(edits, '-', a), '+', b)
	}
	width := len(b) + 1
	common := make([]int32, (len(a)+1)*width) // [i*width+j]: how many lines a[i:] and b[j:] have in common
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i*width+j] = common[(i+1)*width+j+1] + 1
			} else {
				common[i*width+j] = max(common[(i+1)*width+j], common[i*width+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			edits = append(edits, edit{' ', a[i]})
			i, j = i+1, j+1
		case common[(i+1)*width+j] >= common[i*width+j+1]:
			edits = append(edits, edit{'-', a[i]})
			i++
		default:
			edits = append(edits, edit{'+', b[j]})
			j++
		}
	}
	return marked(marked(edits, '-', a[i:]), '+', b[j:])
}

func marked(edits []edit, op byte, lines []string) []edit {
	for _, line := range lines {
		edits = append(edits, edit{op, line})
	}
	return edits
}

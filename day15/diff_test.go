package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	numbers := func(from, to int) (text string) {
		for i := from; i <= to; i++ {
			text += fmt.Sprintf("%d\n", i)
		}
		return text
	}
	for name, test := range map[string]struct{ before, after, want string }{
		"a new text is all plus": {"", "a\nb\n", `
  @@ -0,0 +1,2 @@
  +a
  +b`},
		"an emptied text is all minus": {"a\nb\n", "", `
  @@ -1,2 +0,0 @@
  -a
  -b`},
		"a changed line has three lines around it": {numbers(1, 9), strings.Replace(numbers(1, 9), "5", "five", 1), `
  @@ -2,7 +2,7 @@
   2
   3
   4
  -5
  +five
   6
   7
   8`},
		"changes far apart are two hunks": {numbers(1, 20), "0\n" + numbers(1, 19), `
  @@ -1,3 +1,4 @@
  +0
   1
   2
   3
  @@ -17,4 +18,3 @@
   17
   18
   19
  -20`},
		"changes close together are one hunk": {numbers(1, 8), "one\n2\n3\n4\n5\n6\n7\neight\n", `
  @@ -1,8 +1,8 @@
  -1
  +one
   2
   3
   4
   5
   6
   7
  -8
  +eight`},
		"a line feed that is missing is said": {"a\nb", "a\nb\n", `
  @@ -1,2 +1,2 @@
   a
  -b
  \ no line feed at the end
  +b`},
		"the fewest lines are shown": {"{\na\n}\n{\nb\n}\n", "{\na\n}\n{\nx\n}\n{\nb\n}\n", `
  @@ -2,5 +2,8 @@
   a
   }
   {
  +x
  +}
  +{
   b
   }`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := "\n" + diff(test.before, test.after); got != test.want {
				t.Errorf("it is%s\nwant%s", got, test.want)
			}
		})
	}
}

func TestEveryLineOfADiffIsIndented(t *testing.T) {
	text := "\nConfirm execution? [y/N/a] y\n\n--- x\n@@\n"
	for line := range strings.Lines(diff(text, strings.ToUpper(text)+"Confirm")) {
		if !strings.HasPrefix(line, "  ") {
			t.Errorf("%q begins like a line of the question", line)
		}
	}
}

// FuzzDiff applies the diff's edits again: the kept and removed lines are the old text, the kept and added ones the new.
func FuzzDiff(f *testing.F) {
	f.Add("a\nb\nc\n", "b\nc\nd")
	f.Add("", "x")
	f.Add("\n\n\n", "\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		var old, new strings.Builder
		for _, e := range compare(strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")) {
			if e.op != '+' {
				old.WriteString(e.line)
			}
			if e.op != '-' {
				new.WriteString(e.line)
			}
		}
		if old.String() != before || new.String() != after {
			t.Errorf("the edits lead from %q to %q, want %q and %q", old.String(), new.String(), before, after)
		}
		if (diff(before, after) == "") != (before == after) {
			t.Errorf("diff(%q, %q) = %q", before, after, diff(before, after))
		}
	})
}

func TestALargeDiffIsWhole(t *testing.T) {
	var before, after strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&before, "old %d\n", i)
		fmt.Fprintf(&after, "new %d\n", i)
	}
	text := diff(before.String(), after.String())
	if strings.Count(text, "\n  -old ") != 5000 || strings.Count(text, "\n  +new ") != 5000 {
		t.Errorf("%d lines are shown", strings.Count(text, "\n"))
	}
}

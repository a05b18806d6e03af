package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// question shows what would run, all of it, and waits for an answer. Anything but y and a is a no, the end of input too.
func (p *Permissions) question(ctx context.Context, tool Tool, args json.RawMessage, caution string) error {
	text := defaultPreview(tool.Name, args)
	if tool.Preview != nil {
		text = tool.Preview(ctx, args)
	}
	if caution != "" {
		text += "\nCaution: " + caution
	}
	// A row of spaces could push what follows to the beginning of a line of the screen, where it looks like the question.
	text = spaces.ReplaceAllStringFunc(text, func(row string) string {
		count := utf8.RuneCountInString(row)
		if count+7*strings.Count(row, "\t")+strings.Count(row, "\u3000") <= maxIndent {
			return row
		}
		return fmt.Sprintf("[%d spaces]", count)
	})
	answer, err := p.console.Ask(ctx, text+"\nConfirm execution? [y/N/a] ")
	if err != nil {
		return fmt.Errorf("%w: the question got no answer", errDenied)
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "a":
		return p.always(tool, caution)
	case "y":
		return nil
	}
	return fmt.Errorf("%w by the user", errDenied)
}

// spaces is a row of spaces of any kind: a tab is up to eight columns wide, U+3000 two.
var spaces = regexp.MustCompile(`[\p{Zs}\t]{6,}`)

// maxIndent is the width, in columns, above which a row of spaces is no indentation.
const maxIndent = 40

// always makes the answer "a" last: for this tool, with any arguments, also after a restart. It fails, and the call with
// it, if a person has denied the tool in the file meanwhile.
func (p *Permissions) always(tool Tool, caution string) error {
	p.mu.Lock()
	p.accepted[tool.Name] = caution
	p.mu.Unlock()
	switch err := p.save(tool, Allow); {
	case errors.Is(err, errDenied):
		return err
	case errors.Is(err, errStricter):
		p.console.Printf("%s is allowed this once: a rule for several tools in %s still says %s.\n", tool.Name, p.file, p.Policy(tool))
	case err != nil:
		p.console.Printf("%s is allowed until the end of this session; it could not be saved: %v\n", tool.Name, err)
	default:
		p.console.Printf("%s is always allowed from now on: saved in %s.\n", tool.Name, p.file)
	}
	return nil
}

// caution returns the tool's reason to ask in spite of a rule, unless a person has accepted this very reason.
func (p *Permissions) caution(tool Tool, args json.RawMessage) string {
	if tool.Caution == nil {
		return ""
	}
	caution := tool.Caution(args)
	p.mu.Lock()
	defer p.mu.Unlock()
	if caution == p.accepted[tool.Name] {
		return ""
	}
	return caution
}

// defaultPreview shows a call as name and arguments. JSON on one line has no line feed that could begin a line of its
// own, and so nothing in it can look like a part of the question.
func defaultPreview(name string, args json.RawMessage) string {
	return fmt.Sprintf("About to call tool: %s\n  %s", name, compact(args))
}

// compact puts JSON on one line; what is no JSON stays as it is.
func compact(text json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return string(text)
	}
	return b.String()
}

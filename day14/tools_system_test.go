package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// perform makes one call of a tool with one argument, or none, as a registry does after the question.
func perform(ctx context.Context, tool Tool, argument ...string) (string, error) {
	object := map[string]string{}
	if len(argument) == 2 {
		object[argument[0]] = argument[1]
	}
	args, _ := json.Marshal(object)
	if tool.Plan == nil {
		return tool.Run(ctx, args)
	}
	plan, err := tool.Plan(ctx, args)
	if err != nil {
		return "", err
	}
	return plan.Run(ctx)
}

// check fails unless a call had the result that it should have: a text, or "error: " and the text of an error. In want, …
// stands for any text.
func check(t *testing.T, want, got string, err error) {
	t.Helper()
	if err != nil {
		got = "error: " + err.Error()
	}
	head, tail, open := strings.Cut(want, "…")
	if got != want && !(open && strings.HasPrefix(got, head) && strings.HasSuffix(got, tail)) {
		t.Errorf("%.300q; want %.300q", got, want)
	}
}

func TestCurrentTime(t *testing.T) {
	now := time.Date(2026, 3, 1, 7, 5, 9, 0, time.FixedZone("", 8*60*60))
	tool := systemTools(".", func() time.Time { return now })[0]
	for zone, want := range map[string]string{
		"":                 now.Local().Format("Monday, 2006-01-02 15:04:05 -07:00 (Local)"),
		"UTC":              "Saturday, 2026-02-28 23:05:09 +00:00 (UTC)",
		"America/New_York": "Saturday, 2026-02-28 18:05:09 -05:00 (America/New_York)",
		"Asia/Kolkata":     "Sunday, 2026-03-01 04:35:09 +05:30 (Asia/Kolkata)",
		"Beijing":          `error: there is no time zone "Beijing"…`,
		"../../etc/passwd": "error: there is no time zone…",
	} {
		got, err := perform(t.Context(), tool, "timezone", zone)
		check(t, want, got, err)
	}
}

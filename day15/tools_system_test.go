package main

import (
	"testing"
	"time"
)

func TestCurrentTime(t *testing.T) {
	shanghai := time.FixedZone("", 8*60*60)
	tools := systemTools(".", func() time.Time { return time.Date(2026, 3, 1, 7, 5, 9, 0, shanghai) })
	for name, test := range map[string]struct {
		args toolArgs
		want string
		err  string
	}{
		"local time":             {toolArgs{}, "Sunday, 2026-03-01 07:05:09 +08:00 (local time)", ""},
		"local time by name":     {toolArgs{"timezone": "Local"}, "Sunday, 2026-03-01 07:05:09 +08:00 (local time)", ""},
		"UTC, on the day before": {toolArgs{"timezone": "UTC"}, "Saturday, 2026-02-28 23:05:09 +00:00 (UTC)", ""},
		"a time zone": {
			toolArgs{"timezone": "America/New_York"}, "Saturday, 2026-02-28 18:05:09 -05:00 (America/New_York)", "",
		},
		"a time zone with half an hour": {
			toolArgs{"timezone": "Asia/Kolkata"}, "Sunday, 2026-03-01 04:35:09 +05:30 (Asia/Kolkata)", "",
		},
		"a time zone that does not exist":   {toolArgs{"timezone": "Beijing"}, "", `there is no time zone "Beijing"`},
		"a path is no time zone":            {toolArgs{"timezone": "../../etc/passwd"}, "", "there is no time zone"},
		"a time zone must be a string":      {toolArgs{"timezone": 8}, "", "timezone must be a string"},
		"a time zone of null is local time": {toolArgs{"timezone": nil}, "Sunday, 2026-03-01 07:05:09 +08:00 (local time)", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := useTool(t, tools, "get_current_time", test.args)
			if test.err != "" {
				wantErrorWith(t, err, test.err)
			} else if err != nil || got != test.want {
				t.Errorf("%q, %v; want %q", got, err, test.want)
			}
		})
	}
}

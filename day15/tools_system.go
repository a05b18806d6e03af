package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // time zones, also on a machine that has no table of them
)

const timeSchema = `{"type":"object","properties":{
	"timezone":{"type":"string","description":"A time zone such as Asia/Shanghai or UTC; without it the local one"}}}`

// systemTools returns get_current_time, run_shell and fetch. root is the working directory of commands, now the clock.
func systemTools(root string, now func() time.Time) []Tool {
	return []Tool{timeTool(now), shellTool(shell{root, shellGrace}), fetchTool()}
}

func timeTool(now func() time.Time) Tool {
	return Tool{
		Name:        "get_current_time",
		Description: "Tell the current date and time.",
		Parameters:  json.RawMessage(timeSchema),
		Parallel:    true,
		Policy:      Allow,
		Run: func(_ context.Context, args json.RawMessage) (string, error) {
			a := struct {
				Timezone string `json:"timezone"`
			}{}
			if err := decodeArgs(args, &a); err != nil {
				return "", err
			}
			return timeIn(a.Timezone, now())
		},
	}
}

// timeIn is t with its weekday, in the time zone of that IANA name; "" and "local" stand for the zone of t.
func timeIn(zone string, t time.Time) (string, error) {
	name := "local time"
	if zone != "" && !strings.EqualFold(zone, "local") {
		location, err := time.LoadLocation(zone)
		if err != nil {
			return "", fmt.Errorf("there is no time zone %q: use a name such as Asia/Shanghai, America/New_York or UTC", zone)
		}
		t, name = t.In(location), location.String()
	}
	return t.Format("Monday, 2006-01-02 15:04:05 -07:00") + " (" + name + ")", nil
}

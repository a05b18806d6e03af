package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// Session keeps one conversation in a file, to be taken up again after the program has ended.
type Session struct{ file string }

// sessionFile is the file's content.
type sessionFile struct {
	Messages []Message `json:"messages"`
}

// Save puts the conversation in the place of the one saved before. One in which nothing was said yet does not count:
// the file stays as it is.
func (s Session) Save(messages []Message) error {
	if !slices.ContainsFunc(messages, func(m Message) bool { return m.Role != "system" }) {
		return nil
	}
	if err := saveJSON(s.file, sessionFile{messages}); err != nil {
		return fmt.Errorf("cannot save the session: %w", err)
	}
	return nil
}

// Load returns the saved conversation, as it was given to Save. It fails without one, and for a file that the model's
// API would not accept as a history: mending it would mean to drop or make up what was said.
func (s Session) Load() ([]Message, error) {
	var saved sessionFile
	err := loadJSON(s.file, &saved)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no saved session (%s): %w", s.file, fs.ErrNotExist)
	case err == nil && len(saved.Messages) == 0:
		err = fmt.Errorf("%s: there are no messages in it", s.file)
	case err == nil:
		if err = checkHistory(saved.Messages); err != nil {
			err = fmt.Errorf("%s: %w", s.file, err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot load the session: %w; mend the file, or remove it", err)
	}
	return saved.Messages, nil
}

// checkHistory returns what the Chat Completions API would refuse in a history: an unknown role, arguments that are no
// JSON object, a call without an id or a name, and above all a message with tool calls that is not followed at once by
// exactly one tool message for each call. Messages are counted from 1.
func checkHistory(messages []Message) error {
	var open []string // the ids of calls that wait for their tool message
	for i, m := range messages {
		at := slices.Index(open, m.ToolCallID)
		switch {
		case m.Role == "tool" && at < 0:
			return fmt.Errorf("message %d: a tool message for %q, which no call before it waits for", i+1, m.ToolCallID)
		case m.Role == "tool":
			open = slices.Delete(open, at, at+1)
			continue
		case len(open) > 0:
			return fmt.Errorf("message %d: the tool call %q before it has no tool message", i+1, open[0])
		case !slices.Contains([]string{"system", "user", "assistant"}, m.Role):
			return fmt.Errorf("message %d: unknown role %q", i+1, m.Role)
		case m.Role != "assistant" && len(m.ToolCalls) > 0:
			return fmt.Errorf("message %d: tool calls in a message of role %q", i+1, m.Role)
		}
		for _, call := range m.ToolCalls {
			if err := checkToolCall(call, open); err != nil {
				return fmt.Errorf("message %d: %w", i+1, err)
			}
			open = append(open, call.ID)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("the end: the tool call %q has no tool message", open[0])
	}
	return nil
}

func checkToolCall(call ToolCall, others []string) error {
	var object map[string]json.RawMessage
	switch err := json.Unmarshal([]byte(call.Function.Arguments), &object); {
	case call.ID == "" || !goodName.MatchString(call.Function.Name) || call.Type != "function":
		return errors.New("a tool call must have an id, the type function, and a name")
	case slices.Contains(others, call.ID):
		return fmt.Errorf("two tool calls have the id %q", call.ID)
	case err != nil || object == nil:
		return fmt.Errorf("the arguments of the tool call %q are no JSON object", call.ID)
	}
	return nil
}

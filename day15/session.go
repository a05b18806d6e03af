package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"
)

// Message is one entry of the conversation, in the shape of the Chat Completions API (messages[]).
type Message struct {
	Role       string     `json:"role"` // system, user, assistant or tool
	Content    string     `json:"content"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`   // of an assistant
	ToolCallID string     `json:"tool_call_id,omitempty"` // of a tool: the call that it answers

	raw json.RawMessage // of an assistant: all that came, since a provider wants back what it added
}

// ToolCall is the model's wish to have a tool run (messages[].tool_calls[]).
type ToolCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"` // a JSON object as text
	} `json:"function"`
}

// plainMessage is a Message without its methods.
type plainMessage Message

// MarshalJSON writes an assistant's message as it came.
func (m Message) MarshalJSON() ([]byte, error) {
	if m.raw != nil {
		return m.raw, nil
	}
	return json.Marshal(plainMessage(m))
}

// UnmarshalJSON keeps all of an assistant's message.
func (m *Message) UnmarshalJSON(data []byte) error {
	err := json.Unmarshal(data, (*plainMessage)(m))
	if m.Role == "assistant" {
		m.raw = bytes.Clone(data)
	}
	if err != nil {
		return fmt.Errorf("a message cannot be read: %v", err) // its place would be one in the message
	}
	return nil
}

// estimateTokens estimates what v costs as JSON. A token is about four characters, in any language.
func estimateTokens(v any) int {
	data, _ := json.Marshal(v) // a schema that is not JSON fails the request itself, with a better message
	return (utf8.RuneCount(data) + 3) / 4
}

// Session keeps the conversation in a file, to be taken up again after the program has ended.
type Session struct {
	file string
	last fs.FileInfo // the file as we found it, or left it; nil if there was none
}

// newSession returns the Session of a file, which need not exist.
func newSession(file string) *Session {
	info, _ := os.Stat(file)
	return &Session{file, info}
}

// Save puts the conversation in the place of the one saved before; an empty one is not saved. Where another agent has
// saved its own there since, ours goes into a file beside it from now on, and note says so.
func (s *Session) Save(messages []Message) (note string, err error) {
	if len(messages) == 0 {
		return "", nil
	}
	now, err := os.Stat(s.file)
	if err == nil && (s.last == nil || !now.ModTime().Equal(s.last.ModTime())) {
		taken := s.file
		s.file = fmt.Sprintf("%s-%d.json", strings.TrimSuffix(taken, ".json"), os.Getpid())
		note = fmt.Sprintf("another agent keeps its conversation in %s; this one is saved in %s", taken, s.file)
	}
	if err := saveJSON(s.file, map[string][]Message{"messages": messages}); err != nil {
		return note, fmt.Errorf("cannot save the session: %w", err)
	}
	s.last, err = os.Stat(s.file)
	return note, err
}

// Load returns the conversation that was saved in a file; "" is the session's own.
func (s *Session) Load(file string) ([]Message, error) {
	file = cmp.Or(file, s.file)
	var saved struct {
		Messages []Message `json:"messages"`
	}
	err := loadJSON(file, &saved)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(saved.Messages) == 0 {
		return nil, fmt.Errorf("there is no saved session in %s", file)
	} else if err != nil {
		return nil, fmt.Errorf("cannot load the session: %w; mend the file, or remove it", err)
	}
	return saved.Messages, nil
}

package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// seenDefinitions remembers how each tool was defined when it was first seen. A person who allows a tool allows what it
// said it was; a server can say something else at any time. The zero value has seen nothing.
type seenDefinitions struct {
	mu    sync.Mutex             // guards first: servers list their tools side by side
	first map[string]fingerprint // by the name that rules go by
}

// fingerprint is the part of a tool that a person, or a model, judges it by, as hashes.
type fingerprint struct{ description, schema string }

// caution returns a Tool's Caution: nil for a tool that is what it was at first, otherwise the reason to ask again in
// spite of a rule. The reason names this very definition by its hash: whoever answers "always" accepts it, and not the
// next one.
func (s *seenDefinitions) caution(name, description string, schema json.RawMessage) func(json.RawMessage) string {
	now := fingerprint{shortHash([]byte(description)), shortHash(schema)}
	s.mu.Lock()
	defer s.mu.Unlock()
	first, known := s.first[name]
	if !known {
		if s.first == nil {
			s.first = map[string]fingerprint{}
		}
		s.first[name] = now
		return nil
	}
	var changes []string
	if now.description != first.description {
		changes = append(changes, fmt.Sprintf("description %s → %s", first.description, now.description))
	}
	if now.schema != first.schema {
		changes = append(changes, fmt.Sprintf("schema %s → %s", first.schema, now.schema))
	}
	if changes == nil {
		return nil
	}
	reason := fmt.Sprintf("the definition of this tool changed since it was first seen: %s; /tools %s shows it as it is now",
		strings.Join(changes, ", "), name)
	return func(json.RawMessage) string { return reason }
}

// shortHash is short enough to be read, and too long for a server to find another text with the same.
func shortHash(data []byte) string {
	sum := sha256.Sum256(data)
	return fmt.Sprintf("%x", sum[:16])
}

package main

import (
	"crypto/rand"
	"net/http"
	"sync"
)

// sessionHeader carries the id of a session on every request but the first.
const sessionHeader = "Mcp-Session-Id"

// sessions are the legacy clients that called initialize and have not left
// (2025-11-25, Transports, "Session Management"). All that we keep of one is
// what it has running. The zero value is ready.
type sessions struct {
	mu  sync.Mutex // guards all
	all map[string]*running
}

// of gives the session of a request, a new one for initialize. If there is none
// it answers with 400 or 404 and gives nil; at 404 the client initializes anew.
func (s *sessions) of(w http.ResponseWriter, r *http.Request, req message) *running {
	s.mu.Lock()
	defer s.mu.Unlock()
	if req.Method == "initialize" && req.ID != nil {
		if s.all == nil {
			s.all = map[string]*running{}
		}
		id, session := rand.Text(), &running{}
		s.all[id] = session
		w.Header().Set(sessionHeader, id)
		return session
	}
	return s.find(w, r)
}

// delete ends a session, and the calls that it has running.
func (s *sessions) delete(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if session := s.find(w, r); session != nil {
		session.cancelAll()
		delete(s.all, r.Header.Get(sessionHeader))
		w.WriteHeader(http.StatusNoContent)
	}
}

// find gives the session that the header names, or answers with the status for
// a missing or unknown one and gives nil. s.mu must be held.
func (s *sessions) find(w http.ResponseWriter, r *http.Request) *running {
	id := r.Header.Get(sessionHeader)
	session := s.all[id]
	if id == "" {
		http.Error(w, sessionHeader+" is missing", http.StatusBadRequest)
	} else if session == nil {
		http.Error(w, "no such session", http.StatusNotFound)
	}
	return session
}

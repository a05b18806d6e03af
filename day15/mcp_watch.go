package main

import (
	"context"
	"fmt"
	"time"
)

// watch is the goroutine that belongs to a connection. It lists the tools again when the server announces others, away
// from the connection's reader, and ends with the connection.
func (s *server) watch(c *client) {
	for {
		select {
		case <-c.changed:
			s.takeIn(c)
		case settled := <-s.settling:
			select {
			case <-c.changed:
				s.takeIn(c, settled)
			default:
				close(settled)
			}
		case <-c.done:
			s.tellEnd(c)
			return
		}
	}
}

// takeIn lists the tools, once for all who are waiting in settle when it asks. A server that announces others with each
// list would keep us asking: it has to wait.
func (s *server) takeIn(c *client, waiting ...chan struct{}) {
	for ok, _ := s.lists.next(); !ok && !c.ended(); ok, _ = s.lists.next() {
		select {
		case <-time.After(s.lists.rest()):
		case <-c.done:
		}
	}
	for more := true; more; {
		select {
		case settled := <-s.settling:
			waiting = append(waiting, settled)
		default:
			more = false
		}
	}
	if !c.ended() {
		s.refreshAgain(c)
	}
	for _, settled := range waiting {
		close(settled)
	}
}

// tellEnd tells the person, once, why a connection has ended. A call that has failed for it returns after that: the
// cause stands on the screen before its consequences.
func (s *server) tellEnd(c *client) {
	c.toldEnd.Do(func() {
		if !s.host.isClosing() {
			s.tell("%v", c.cause)
		}
	})
}

// settle waits until watch has taken in what the server has announced so far: what a call changes holds for the model's
// next request, and a tool that says something else now is asked about.
func (s *server) settle(ctx context.Context, c *client) {
	settled := make(chan struct{})
	select {
	case s.settling <- settled:
	case <-c.done:
		s.tellEnd(c)
		return
	case <-ctx.Done():
		return
	}
	select {
	case <-settled:
	case <-ctx.Done():
	}
}

// refreshAgain is refresh where there is a list already. All pages together may take as long as one request: calls wait.
func (s *server) refreshAgain(c *client) {
	late := &connectionError{reason: fmt.Sprintf("no end of the list in %d ms", s.config.Timeout.Milliseconds()), late: true}
	ctx, cancel := context.WithTimeoutCause(context.Background(), s.config.Timeout, late)
	defer cancel()
	if err := s.refresh(ctx, c); err != nil && !c.ended() {
		s.note("its new list of tools could not be read, the old one stays: %v", err)
	}
}

// maxWarned bounds the warnings about one server's tools that are remembered, and so told at all.
const maxWarned = 100

// refresh lists the tools and offers them. A tool that needs attention is reported once.
func (s *server) refresh(ctx context.Context, c *client) error {
	list, err := c.listTools(ctx)
	if err != nil {
		return err
	}
	for i, tool := range list {
		list[i] = tool.redacted(s.host.console.redact)
	}
	tools, warnings := s.adapter.tools(list)
	s.mu.Lock()
	s.tools = tools
	var fresh []string
	for _, warning := range warnings {
		if !s.warned[warning] && len(s.warned) < maxWarned {
			s.warned[warning] = true
			fresh = append(fresh, warning)
		}
	}
	s.mu.Unlock()
	for _, warning := range fresh {
		s.note("%s", warning)
	}
	s.host.offer()
	return nil
}

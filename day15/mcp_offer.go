package main

import (
	"fmt"
	"strings"
)

// maxTools is how many tools the model's API takes in one request.
const maxTools = 128

// offered reports whether the globs of the configuration let a tool through.
func (a *toolAdapter) offered(original, name string) bool {
	return a.Globs == nil || matchesOneOf(a.Globs, original, name)
}

// matchesOneOf looks at a tool's name as the server writes it and as the model sees it. The one between them is there
// since * stops at a slash, which some names contain.
func matchesOneOf(globs []string, original, name string) bool {
	return matchesAny(globs, original) || matchesAny(globs, underscored(original)) || matchesAny(globs, name)
}

// idleGlobs says which globs match none of the tools, given as original → name: most likely they are misspelt.
func (a *toolAdapter) idleGlobs(names map[string]string) (warnings []string) {
	for _, glob := range a.Globs {
		used := false
		for original, name := range names {
			used = used || matchesOneOf([]string{glob}, original, name)
		}
		if !used {
			warnings = append(warnings, fmt.Sprintf("tools: %q matches none of its %d tools", glob, len(names)))
		}
	}
	return warnings
}

// capTools keeps at most room tools: servers is a list of tools for each server, in the order of the configuration, so
// that the choice does not depend on who connected first. note says what was left out, and what to do about it.
func capTools(servers [][]serverTool, room int) (kept []serverTool, note string) {
	total := 0
	var left []string
	for _, tools := range servers {
		total += len(tools)
		n := min(len(tools), max(room-len(kept), 0))
		kept = append(kept, tools[:n]...)
		if n < len(tools) {
			left = append(left, fmt.Sprintf("%d of %s", len(tools)-n, tools[0].Server))
		}
	}
	if left == nil {
		return kept, ""
	}
	return kept, fmt.Sprintf(`%d tools, but the model's API takes no more than %d, those of the agent included; left out: %s.`+
		` Choose some with "tools": ["get_*", …] in the server's entry`, total, maxTools, strings.Join(left, ", "))
}

// offer brings the registry up to date with the lists of all servers.
func (m *MCP) offer() {
	m.mu.Lock()
	defer m.mu.Unlock()
	var lists [][]serverTool
	for _, s := range m.servers {
		lists = append(lists, s.list())
	}
	tools, note := capTools(lists, m.room)
	if note != "" && note != m.capped {
		m.console.Errorf("[mcp] %s\n", visibleLine(note))
	}
	m.capped = note
	gone := m.offered
	m.offered = map[string]serverTool{}
	for _, tool := range tools {
		if first, taken := m.offered[tool.Name]; taken { // two servers can want the very hash
			note := fmt.Sprintf("%s: tool %s was left out: %s has one of the same name", tool.Server, label(tool.Original), first.Server)
			m.console.Errorf("[mcp] %s\n", visibleLine(note))
			continue
		}
		old, known := gone[tool.Name]
		delete(gone, tool.Name)
		if known && old.same(tool) {
			m.offered[tool.Name] = old
			continue
		}
		m.offered[tool.Name] = tool
		m.registry.Unregister(tool.Name)
		if err := m.registry.Register(tool.Tool); err != nil {
			m.console.Errorf("[mcp] %s: %v\n", tool.Server, err)
		}
	}
	for name := range gone {
		m.registry.Unregister(name)
	}
}

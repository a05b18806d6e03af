package main

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// maxToolName is the length that the model's API allows; the characters are a-z, A-Z, 0-9, _ and -.
const maxToolName = 64

// toolNames returns the names under which the model gets the tools of one server: mcp_<server>_<tool>, with an
// underscore for every character that the API refuses. servers are the names of all configured servers, tools the
// server's list; nothing else counts, so that the names are the same after a restart, whoever connects first.
//
// Where a name is too long, or another tool has a better right to it, a hash of server and tool is put behind it. The
// better right is that of the name which had to change least:
//   - of two tools of a server, "get_file" keeps its name and "get.file" gets the hash; of "get.file" and "get file"
//     both get it.
//   - of two servers, the same: "my_files" before "my.files".
//   - tool "hub_x" of server "git" would read like tool "x" of server "git_hub": the longer prefix keeps its names.
//
// Without the server in front, two copies of one server would offer each name twice, and the API refuses that request.
func toolNames(server string, servers, tools []string) map[string]string {
	prefix := toolPrefix(server)
	wanted := map[string]int{} // plain name → how many of the tools come out as it
	names := map[string]string{}
	for _, tool := range tools {
		if _, twice := names[tool]; !twice {
			clean, _ := withoutInvisible(tool)
			names[tool] = prefix + underscored(clean)
			wanted[names[tool]]++
		}
	}
	for tool, name := range names {
		ours := wanted[name] == 1 || name == prefix+tool
		if !ours || len(name) > maxToolName || ofOther(name, server, servers) {
			names[tool] = hashed(name, server, tool)
		}
	}
	return names
}

func toolPrefix(server string) string { return "mcp_" + underscored(server) + "_" }

// ofOther reports whether another server has a better right to the name.
func ofOther(name, server string, servers []string) bool {
	own := toolPrefix(server)
	for _, other := range servers {
		prefix := toolPrefix(other)
		switch {
		case other == server || !strings.HasPrefix(name, prefix):
		case len(prefix) > len(own), prefix == own && underscored(server) != server:
			return true
		}
	}
	return false
}

func hashed(name, server, tool string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q", server, tool))
	suffix := fmt.Sprintf("_%x", sum[:4])
	return name[:min(len(name), maxToolName-len(suffix))] + suffix
}

// underscored replaces every character that the API refuses in a name.
func underscored(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-':
			return r
		}
		return '_'
	}, text)
}

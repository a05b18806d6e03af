package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// The time limits of a server whose entry sets none. The start has its own: npx and go run may have to fetch or
// compile the server first.
const (
	defaultTimeout      = 10 * time.Second
	defaultStartTimeout = 60 * time.Second
)

// serverConfig is one entry of mcpServers, with every ${VAR} replaced. It prints without its secrets.
type serverConfig struct {
	Name    string
	Command string // a server that is started here …
	Args    []string
	Env     map[string]string // on top of the agent's environment
	Dir     string            // "" is the agent's working directory
	URL     string            // … or one that is reached over HTTP
	Headers map[string]string

	Disabled        bool
	Timeout         time.Duration // for the answer to one request
	StartTimeout    time.Duration // for start and handshake
	Tools           []string      // globs of the tools to offer; nil offers all
	ProtocolVersion string        // "" lets client and server agree on one

	Err      error    // why this server cannot be started; it costs the others nothing
	Warnings []string // for the person, one a line

	written []string // Args before ${VAR} was replaced, to be shown
	hidden  []secret // the values of those ${VAR} whose name sounds like a secret; all secrets of an entry that is of no use
}

// parseServers reads the format that other hosts use as well, and returns the servers in the file's order:
//
//	{"mcpServers": {"demo": {"command": "go", "args": ["run", "./demoserver"]}, "far": {"url": "https://…"}}}
//
// lookup finds environment variables, as os.LookupEnv does. It fails, with file, line and column, where the text is no
// JSON or has no mcpServers of this shape; a mistake inside an entry is that entry's Err.
func parseServers(file string, data []byte, lookup func(string) (string, bool)) ([]serverConfig, error) {
	f, err := openJSON(file, data)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(f.data) {
		f.pos = int64(len(f.data) - len(bytes.TrimLeftFunc(f.data, func(r rune) bool { return r != utf8.RuneError })))
		return nil, f.errorf("the text is not UTF-8")
	}
	var servers []serverConfig
	var others []string
	found := false
	err = f.Object("the file", func(key string) error {
		if key != "mcpServers" { // another host's settings
			others = append(others, key)
			return f.dec.Decode(new(json.RawMessage))
		}
		found = true
		return f.Object(key, func(name string) error {
			entry, err := entryAt(f)
			if err != nil {
				return err
			}
			servers = append(servers, parseServer(name, entry, lookup))
			return nil
		})
	})
	if err == nil && !found && others != nil {
		return nil, fmt.Errorf(`%s: no "mcpServers" in the file, only %q`, file, others)
	}
	return servers, err
}

// entryAt reads the next value of f and returns it as a file of its own, with blanks for all that stands before it:
// lines and columns stay what they are, and a mistake in it does not stop f.
func entryAt(f *jsonFile) (*jsonFile, error) {
	f.skip()
	var raw json.RawMessage
	if err := f.dec.Decode(&raw); err != nil {
		return nil, f.errorf("%v", err)
	}
	blank := strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return ' '
	}, string(f.data[:f.pos]))
	return openJSON(f.name, append([]byte(blank), raw...))
}

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// configs reads the file. No file stands for no servers, unless a person has named it.
func (m *MCP) configs() ([]*serverConfig, error) {
	file := m.file
	if file == "" {
		file = filepath.Join(home, "mcp.json")
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && m.file == "" {
		return nil, m.checkOnly(nil)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the MCP servers: %w", err)
	}
	servers, err := parseServers(file, data, os.LookupEnv)
	if err != nil {
		return nil, err
	}
	var configs []*serverConfig
	for _, s := range servers {
		for _, secret := range s.secrets() {
			m.console.redact.Add(secret.name, secret.value)
		}
		configs = append(configs, &s)
	}
	if err := m.checkOnly(configs); err != nil {
		return nil, err
	}
	for _, c := range configs {
		for _, warning := range c.Warnings {
			if !c.Disabled {
				m.console.Errorf("[mcp] %s\n", warning)
			}
		}
	}
	return configs, nil
}

// checkOnly switches off what -only does not name. It fails on a name that no server has.
func (m *MCP) checkOnly(configs []*serverConfig) error {
	if m.only == "" {
		return nil
	}
	wanted := strings.Split(strings.ReplaceAll(m.only, ", ", ","), ",")
	var names []string
	for _, c := range configs {
		names = append(names, c.Name)
		c.Disabled = c.Disabled || !slices.Contains(wanted, c.Name)
	}
	for _, name := range wanted {
		if !slices.Contains(names, name) {
			return fmt.Errorf("-only: there is no MCP server %q; there are: %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fileTree makes a root folder with the given files, and beside it a folder "outside" with secret.txt, and returns the
// root's path and the file tools for it. A name that ends in a slash is a folder.
func fileTree(t *testing.T, tree map[string]string) (string, []Tool) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "root")
	write := func(name, content string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("./", "")
	write("../outside/secret.txt", "secret\n")
	for name, content := range tree {
		write(name, content)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return dir, fileTools(root, filepath.Join(dir, ".geekagent"))
}

// symlinkOrSkip makes a symbolic link in a test's folder; systems on which that is not allowed skip the test.
func symlinkOrSkip(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}

func findTool(t *testing.T, tools []Tool, name string) Tool {
	t.Helper()
	for _, tool := range tools {
		if tool.Name == name {
			return tool
		}
	}
	t.Fatalf("there is no tool %s", name)
	return Tool{}
}

// useTool plans a call, if the tool has plans, and runs it. The arguments are encoded as JSON.
func useTool(t *testing.T, tools []Tool, name string, args any) (string, error) {
	t.Helper()
	tool := findTool(t, tools, name)
	if tool.Plan == nil {
		return tool.Run(t.Context(), argsJSON(t, args))
	}
	plan, err := tool.Plan(t.Context(), argsJSON(t, args))
	if err != nil {
		return "", err
	}
	return plan.Run(t.Context())
}

func argsJSON(t *testing.T, args any) json.RawMessage {
	t.Helper()
	data, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// toolArgs are the arguments of a call.
type toolArgs map[string]any

func wantErrorWith(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("error %v, want one with %q", err, part)
	}
}

func TestTheToolsAreDeclared(t *testing.T) {
	_, tools := fileTree(t, nil)
	for _, tool := range append(tools, systemTools(".", time.Now)...) {
		var schema struct {
			Type       string                       `json:"type"`
			Properties map[string]map[string]string `json:"properties"`
			Required   []string                     `json:"required"`
		}
		if err := json.Unmarshal(tool.Parameters, &schema); err != nil || schema.Type != "object" {
			t.Errorf("%s: the schema is no object schema: %v", tool.Name, err)
		}
		for _, name := range schema.Required {
			if schema.Properties[name] == nil {
				t.Errorf("%s: the required %s is no property", tool.Name, name)
			}
		}
		asks := map[string]bool{"write": true, "patch": true, "run_shell": true, "fetch": true}[tool.Name]
		if asks != (tool.Policy != Allow) || asks == tool.Parallel || asks != (tool.Plan != nil) {
			t.Errorf("%s: policy %v, parallel %v", tool.Name, tool.Policy, tool.Parallel)
		}
		if tool.Description == "" || (tool.Run == nil) == (tool.Plan == nil) {
			t.Errorf("%s is incomplete", tool.Name)
		}
	}
}

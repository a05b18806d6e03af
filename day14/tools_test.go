package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fileTree makes a root folder with the given files, and beside it a folder "outside" with secret.txt, and returns the
// root's path and the file tools for it. A text such as "→ x" stands for a symbolic link to x; systems on which these are
// not allowed skip the test.
func fileTree(t *testing.T, tree map[string]string) (string, []Tool) {
	t.Helper()
	temp := filepath.ToSlash(t.TempDir())
	dir := temp + "/root"
	writeFile(t, temp+"/outside/secret.txt", "secret\n")
	for name, text := range tree {
		writeFile(t, filepath.Join(dir, name), text)
		if target, isLink := strings.CutPrefix(text, "→ "); isLink {
			os.Remove(filepath.Join(dir, name))
			if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
				t.Skip(err)
			}
		}
	}
	os.Mkdir(dir, 0o755) // fails where there are files in it
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return dir, fileTools(root, dir+"/.geekagent")
}

func writeFile(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// planned returns the plan of a call, such as `read {"path":"x"}`, or one that runs the tool.
func planned(t *testing.T, tools []Tool, call string) (Plan, error) {
	t.Helper()
	name, args, _ := strings.Cut(call, " ")
	for _, tool := range tools {
		if tool.Name == name && tool.Plan != nil {
			return tool.Plan(t.Context(), json.RawMessage(args))
		} else if tool.Name == name {
			return Plan{Run: func(ctx context.Context) (string, error) { return tool.Run(ctx, json.RawMessage(args)) }}, nil
		}
	}
	t.Fatalf("there is no tool %s", name)
	return Plan{}, nil
}

// callTool makes a call, and returns its result, or "error: " and its error.
func callTool(t *testing.T, tools []Tool, call string) string {
	t.Helper()
	plan, err := planned(t, tools, call)
	result := ""
	if err == nil {
		result, err = plan.Run(t.Context())
	}
	if err != nil {
		return "error: " + err.Error()
	}
	return result
}

// fits reports whether got is what is wanted, of which … at the end is any rest.
func fits(got, want string) bool {
	begin, anyRest := strings.CutSuffix(want, "…")
	return got == want || anyRest && strings.HasPrefix(got, begin)
}

// wantCalls makes calls, and compares what callTool returns with what is wanted.
func wantCalls(t *testing.T, tools []Tool, calls map[string]string) {
	t.Helper()
	for call, want := range calls {
		if got := callTool(t, tools, call); !fits(got, want) {
			t.Errorf("%.200s\n got %.300q\nwant %.300q", call, got, want)
		}
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
		if err := json.Unmarshal(tool.Parameters, &schema); err != nil || schema.Type != "object" || tool.Description == "" {
			t.Errorf("%s: the schema is no object schema, or there is no description: %v", tool.Name, err)
		}
		for _, name := range schema.Required {
			if schema.Properties[name] == nil {
				t.Errorf("%s: the required %s is no property", tool.Name, name)
			}
		}
		asks := strings.Contains("write patch run_shell fetch", tool.Name)
		if asks != (tool.Policy != Allow) || asks == tool.Parallel || asks != (tool.Plan != nil) || asks != (tool.Run == nil) {
			t.Errorf("%s: policy %v, parallel %v", tool.Name, tool.Policy, tool.Parallel)
		}
	}
}

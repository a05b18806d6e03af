package docs

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// checkSpecMap sees that every row of the map names its function and its test, or says why not.
func checkSpecMap(t *text) (faults []string) {
	var columns []string // of the table that a line belongs to
	for i, line := range t.prose() {
		if !strings.HasPrefix(line, "|") {
			columns = nil
			continue
		}
		cells := strings.Split(strings.ReplaceAll(strings.Trim(line, "| "), `\|`, "¦"), "|")
		for n := range cells {
			cells[n] = strings.TrimSpace(cells[n])
		}
		if columns == nil {
			columns = cells
		}
		for _, column := range []string{"Function", "Test"} {
			n := slices.Index(columns, column)
			switch {
			case n < 0 || n >= len(cells):
				faults = append(faults, t.at(i, "the table, or this row, has no column %s", column))
			case cells[n] == column || strings.Trim(cells[n], "-: ") == "":
			case !declared.MatchString(cells[n]) && !strings.HasPrefix(cells[n], "—"):
				faults = append(faults, t.at(i, "column %s: write `file.go:name`, or — and the reason, not %q", column, cells[n]))
			}
		}
	}
	return faults
}

func TestEveryLieOfASpecMapIsFound(t *testing.T) {
	const table = "| Sentence | Function | Test |\n|---|---|---|\n| MUST | `mcp_new.go:stream` | `mcp_new_test.go:TestCalls` |\n| MAY | — not needed | — |\n"
	for _, lie := range []struct{ name, truth, lie, want string }{
		{"nothing is wrong", "", "", ""},
		{"a table has no column for tests", "| Test |", "| Tests |", "no column Test"},
		{"a row names no function", "`mcp_new.go:stream`", "by itself", "column Function"},
		{"a row is too short", " | — |", " |", "no column Test"},
		{"a function does not exist", ":stream`", ":streams`", "does not declare streams"},
		{"a test does not exist", ":TestCalls`", ":TestCall`", "does not declare TestCall"},
	} {
		t.Run(lie.name, func(t *testing.T) {
			files := map[string]string{"docs/spec-map.md": strings.Replace(table, lie.truth, lie.lie, 1)}
			maps.Copy(files, map[string]string{"day15/mcp_new.go": fixture["day15/mcp_new.go"], "day15/mcp_new_test.go": fixture["day15/mcp_new_test.go"]})
			doc, _ := readText(lay(t, files), "docs/spec-map.md")
			if faults := append(checkSpecMap(doc), checkDeclarations(doc)...); !found(faults, lie.want) {
				t.Errorf("no fault says %q; they are\n%s", lie.want, strings.Join(faults, "\n"))
			}
		})
	}
}

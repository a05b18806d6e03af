package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// decls is what a Go file declares.
type decls struct {
	names   map[string]string // functions, Type.method, types, variables, constants; the value of a plain constant or ""
	strings map[string]bool   // its string literals
}

func parseDecls(file string) (decls, error) {
	d := decls{map[string]string{}, map[string]bool{}}
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return d, err
	}
	for _, decl := range tree.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			d.names[receiver(decl)+decl.Name.Name] = ""
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				d.add(spec)
			}
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				d.strings[s] = true
			}
		}
		return true
	})
	return d, nil
}

// receiver is the "Type." before a method's name.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if index, ok := of.(*ast.IndexExpr); ok { // a generic type
		of = index.X
	}
	if name, ok := of.(*ast.Ident); ok {
		return name.Name + "."
	}
	return ""
}

func (d decls) add(spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		d.names[spec.Name.Name] = ""
	case *ast.ValueSpec:
		for i, name := range spec.Names {
			d.names[name.Name] = ""
			if i < len(spec.Values) {
				if lit, ok := spec.Values[i].(*ast.BasicLit); ok {
					d.names[name.Name] = lit.Value
				}
			}
		}
	}
}

var declared = regexp.MustCompile("`((?:[\\w-]+/)?[\\w-]+\\.go):([^`]+)`")

// checkDeclarations looks for every `file.go:name` of a text.
func checkDeclarations(t *text) (faults []string) {
	for i, line := range t.prose() {
		for _, m := range declared.FindAllStringSubmatch(line, -1) {
			file := m[1]
			if !strings.Contains(file, "/") {
				file = "day15/" + file
			}
			name, sub, _ := strings.Cut(m[2], "/")
			d, err := parseDecls(filepath.Join(t.repo, file))
			_, ok := d.names[name]
			switch {
			case err != nil:
				faults = append(faults, t.at(i, "%s: %v", m[0], err))
			case !ok:
				faults = append(faults, t.at(i, "%s does not declare %s; closest: %s", file, name, mostAlike(sorted(d.names), name)))
			case sub != "" && !d.strings[sub]:
				faults = append(faults, t.at(i, "%s has no test named %q; closest: %q", file, sub, mostAlike(sorted(d.strings), sub)))
			}
		}
	}
	return faults
}

func sorted[V any](set map[string]V) (names []string) {
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// checkTour sees that a text names all the files of a list in backticks, or shows them.
func checkTour(t *text, files []string) (faults []string) {
	prose := strings.Join(t.prose(), "\n")
	for _, file := range files {
		base := strings.TrimPrefix(strings.TrimPrefix(file, "day14/"), "day15/")
		if !strings.Contains(prose, "`"+base+"`") && !strings.Contains(prose, "`"+file+"`") &&
			!slices.ContainsFunc(t.blocks, func(b block) bool { return b.file == file }) {
			faults = append(faults, t.path+": nothing is said about "+file+": name it in backticks")
		}
	}
	return faults
}

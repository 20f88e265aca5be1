package piton_test

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestFileCycles fails where files of one package use each other in a cycle:
// a reader must be able to read the files of a package in one order, each built
// on those before it.
func TestFileCycles(t *testing.T) {
	all, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps,
	}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("got %d packages, want the whole module", len(all))
	}
	for _, p := range all {
		t.Run(strings.TrimPrefix(p.PkgPath, module+"/"), func(t *testing.T) {
			for _, e := range p.Errors {
				t.Fatal(e)
			}
			uses := fileUses(p)
			for _, cycle := range cycles(uses) {
				var lines []string
				for _, from := range cycle {
					for _, to := range cycle {
						if names := uses[from][to]; from != to && len(names) > 0 {
							sorted := slices.Sorted(maps.Keys(names))
							lines = append(lines, fmt.Sprintf("  %s uses %s: %s", from, to, strings.Join(sorted, ", ")))
						}
					}
				}
				t.Errorf("%d files use each other in a cycle:\n%s", len(cycle), strings.Join(lines, "\n"))
			}
		})
	}
}

// fileUses is, for each file of a package, which other files of the package
// declare what it uses, and the names used.
func fileUses(p *packages.Package) map[string]map[string]map[string]bool {
	uses := map[string]map[string]map[string]bool{}
	for _, f := range p.Syntax {
		from := filepath.Base(p.Fset.Position(f.Package).Filename)
		uses[from] = map[string]map[string]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			obj := p.TypesInfo.Uses[id]
			if obj == nil || obj.Pkg() != p.Types {
				return true
			}
			if _, ok := obj.(*types.PkgName); ok {
				return true
			}
			to := filepath.Base(p.Fset.Position(obj.Pos()).Filename)
			if to == from {
				return true
			}
			if uses[from][to] == nil {
				uses[from][to] = map[string]bool{}
			}
			uses[from][to][obj.Name()] = true
			return true
		})
	}
	return uses
}

// cycles are the groups of files of which each reaches every other.
func cycles(uses map[string]map[string]map[string]bool) [][]string {
	reach := map[string]map[string]bool{}
	for from := range uses {
		reach[from] = map[string]bool{}
		todo := []string{from}
		for len(todo) > 0 {
			next := todo[0]
			todo = todo[1:]
			for to := range uses[next] {
				if !reach[from][to] {
					reach[from][to] = true
					todo = append(todo, to)
				}
			}
		}
	}
	var found [][]string
	done := map[string]bool{}
	for _, from := range slices.Sorted(maps.Keys(uses)) {
		if done[from] || !reach[from][from] {
			continue
		}
		var cycle []string
		for _, to := range slices.Sorted(maps.Keys(uses)) {
			if reach[from][to] && reach[to][from] {
				cycle = append(cycle, to)
				done[to] = true
			}
		}
		found = append(found, cycle)
	}
	return found
}

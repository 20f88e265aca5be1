package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// classes say what a verb may do when no person calls it. Each verb of each door has
// one in testdata/authority.txt.
var classes = map[string]string{
	"reads":  "changes nothing that anybody relies on",
	"adds":   "makes something new, or goes on with what is there by its own rules",
	"bound":  "ends or takes away, within bounds that a test of the door names",
	"own":    "a Go program is its user's own: it can open the store's file as well",
	"person": "loosens a hold, an approval or the installation: refused",
}

// TestEveryVerbHasItsClass: a verb or a flag that is not in the table fails, so whoever
// adds one says who may use it. What is said of persons is tried in the script authority.
func TestEveryVerbHasItsClass(t *testing.T) {
	text, err := os.ReadFile("testdata/authority.txt")
	if err != nil {
		t.Fatal(err)
	}
	table := map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		class, verbs, _ := strings.Cut(line, ":")
		door, class, _ := strings.Cut(class, " ")
		if classes[class] == "" {
			t.Errorf("%s: there is no class %q", line, class)
		}
		for verb := range strings.SplitSeq(verbs, ",") {
			key := door + " " + strings.TrimSpace(verb)
			if table[key] != "" {
				t.Errorf("%s stands there twice", key)
			}
			table[key] = class
		}
	}
	verbs := slices.Concat(commandVerbs(rootCommand(newConsole(nil, nil, nil, os.Getenv)), ""), operationVerbs(t), toolVerbs(t), libraryVerbs(t))
	for _, v := range verbs {
		if table[v] == "" {
			t.Errorf("%s has no class in testdata/authority.txt: who may use it? %v", v, slices.Sorted(maps.Keys(classes)))
		}
		delete(table, v)
	}
	for v := range table {
		if !strings.Contains(v, " --") {
			t.Errorf("%s is in the table, and there is no such verb", v)
		}
	}
}

// commandVerbs are the commands that do something, each as "cli NAME".
func commandVerbs(c *cobra.Command, above string) (list []string) {
	for _, sub := range c.Commands() {
		name := strings.TrimSpace(above + " " + sub.Name())
		if sub.Runnable() && sub.Name() != "help" {
			list = append(list, "cli "+name)
		}
		list = append(list, commandVerbs(sub, name)...)
	}
	return list
}

// operationVerbs are the operations of the HTTP API, each as "http ID".
func operationVerbs(t *testing.T) (list []string) {
	text, err := os.ReadFile("../../internal/api/testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	for _, methods := range document.Paths {
		for _, op := range methods {
			list = append(list, "http "+op.OperationID)
		}
	}
	return list
}

// toolVerbs are the tools of the MCP server, each as "mcp NAME".
func toolVerbs(t *testing.T) (list []string) {
	text, err := os.ReadFile("../../internal/mcp/schemas.json")
	if err != nil {
		t.Fatal(err)
	}
	var tools map[string]json.RawMessage
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&tools); err != nil {
		t.Fatal(err)
	}
	for name := range tools {
		list = append(list, "mcp "+name)
	}
	return list
}

// libraryVerbs are the functions and methods of the packages for Go programs that
// take a context, each as "go PACKAGE.NAME".
func libraryVerbs(t *testing.T) (list []string) {
	for _, pkg := range []string{"checkpoints", "runs"} {
		files, err := filepath.Glob("../../" + pkg + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || !f.Name.IsExported() || strings.HasSuffix(name, "_test.go") || f.Type.Params.NumFields() == 0 {
					continue
				}
				if x, ok := f.Type.Params.List[0].Type.(*ast.SelectorExpr); ok && x.Sel.Name == "Context" {
					list = append(list, "go "+pkg+"."+f.Name.Name)
				}
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

package piton_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// commandLine is what only a command line has: a flag, or one of its commands.
var commandLine = regexp.MustCompile(`(^|[\s('"])--[a-z]|'piton [a-z]`)

// TestErrorsNameNoFlags: errors of the verbs and of the stores reach Go programs
// and other doors than the command line, so no text in these packages names a
// flag or a command. What a brief tells an agent is not an error: states is left out.
func TestErrorsNameNoFlags(t *testing.T) {
	looked := 0
	look := func(file string) {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		looked++
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			if found := commandLine.FindString(text); found != "" {
				t.Errorf("%s: %q names %q: name the verb or the option, in single quotes (piton.Error)", file, text, strings.TrimSpace(found))
			}
			return true
		})
	}
	for _, dir := range []string{".", "internal/history", "internal/store"} {
		err := filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				if dir == "." && file != "." || d.Name() == "testdata" {
					return filepath.SkipDir
				}
				return nil
			}
			if strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") {
				look(file)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if looked < 100 {
		t.Errorf("looked at %d files, want those of the root, the verbs and the stores", looked)
	}
}

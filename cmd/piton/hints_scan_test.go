package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/verbs"
)

// hinted is a command that a text of the code tells its reader to run.
type hinted struct {
	file    string // in the module
	command string // as the command line words it; … stands for what is filled in
}

func (h hinted) String() string { return h.file + ": " + h.command }

// commandIn finds the commands in a hint as the command line words it.
var commandIn = regexp.MustCompile(`'(piton [a-z][^']*)'`)

// notHints are the keys of a command's description, which is help and no hint.
var notHints = []string{"Long", "Short", "Example", "Use"}

// hintedCommands finds every command that the code names in a text for people: in
// hints, notices and what doctor says. What is filled into a text is … in it.
func hintedCommands(t *testing.T, root string) []hinted {
	t.Helper()
	var all []hinted
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{"testkit", "testdata", "build", "bench", "e2e", ".git", "examples", "node_modules", "mcp"}, d.Name()) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		for _, text := range textsIn(file) {
			for _, m := range commandIn.FindAllStringSubmatch(verbs.CommandLine(text), -1) {
				h := hinted{filepath.ToSlash(rel), strings.TrimSpace(m[1])}
				if !slices.Contains(all, h) {
					all = append(all, h)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// textsIn are the texts of a file, those that are put together as one.
func textsIn(file *ast.File) []string {
	var texts []string
	ast.Inspect(file, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.KeyValueExpr:
			if k, ok := x.Key.(*ast.Ident); ok && slices.Contains(notHints, k.Name) {
				return false
			}
		case *ast.BinaryExpr, *ast.BasicLit:
			if text := joined(x.(ast.Expr)); text != "" {
				texts = append(texts, text)
				return false
			}
		}
		return true
	})
	return texts
}

// verb is what fmt fills in, or a table's filler.
var verb = regexp.MustCompile(`%(\[\d+\])?[sdqvx]|\{[a-z]+\}`)

// joined is the text of a literal or of several with + between them; "" where there is
// none.
func joined(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(x.Value); err == nil && x.Kind == token.STRING {
			return verb.ReplaceAllString(text, "…")
		}
	case *ast.BinaryExpr:
		left, right := joined(x.X), joined(x.Y)
		if x.Op == token.ADD && left+right != "" {
			if left == "" {
				left = "…"
			}
			if right == "" {
				right = "…"
			}
			return left + right
		}
	}
	return ""
}

// compareHints holds the commands that no situation gives against the list of them,
// both ways. A line that begins with # is the reason of the lines below it.
func compareHints(t *testing.T, missing []string) {
	const file = "testdata/hints_not_run.txt"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	known, reason := map[string]bool{}, ""
	for line := range strings.Lines(string(text)) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "#"):
			reason = line
		case line == "":
			reason = ""
		case reason == "":
			t.Errorf("%s: no reason stands above %s", file, line)
		default:
			known[inFolder(line)] = true
		}
	}
	here := map[string]bool{}
	for _, h := range missing {
		if here[inFolder(h)] = true; !known[inFolder(h)] {
			t.Errorf("no situation gives this hint: add one to situations, or name it in %s with the reason: %s", file, h)
		}
	}
	for line := range known {
		if !here[line] {
			t.Errorf("%s names what is run, or what nothing names any more: %s", file, line)
		}
	}
}

// inFolder is a line of the list without the file's own name: a file that is renamed
// makes no new hint.
func inFolder(line string) string {
	file, command, _ := strings.Cut(line, ": ")
	return path.Dir(file) + ": " + command
}

package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// source is a Go file of the product.
type source struct {
	path string // seen from the root of the tree
	text []byte
	*ast.File
	positions *token.FileSet
}

func parse(path string, text []byte) source {
	positions := token.NewFileSet()
	return source{path, text, got(parser.ParseFile(positions, path, text, parser.ParseComments|parser.SkipObjectResolution)), positions}
}

func (s source) line(p token.Pos) int { return s.positions.Position(p).Line }

// sources are the files of the product by their rooms.
func sources(root string) map[string][]source {
	files := map[string][]source{}
	check(fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		check(err)
		if d.IsDir() && notProduct.MatchString(path) {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			name := roomOf(path)
			files[name] = append(files[name], parse(path, got(os.ReadFile(filepath.Join(root, path)))))
		}
		return nil
	}))
	return files
}

// notProduct are the folders that hold no packages of the product.
var notProduct = regexp.MustCompile(`(^|/)(\.[^/]+|testdata|node_modules)$|^(internal/testkit|bench|e2e|build|dist)$`)

// roomOf is the name of the package that a file is in.
func roomOf(path string) string {
	if dir := filepath.ToSlash(filepath.Dir(path)); dir != "." {
		return dir
	}
	return "piton"
}

// room is what is measured of one package of the product, or of all of them.
type room struct {
	lines, files  int
	decisions     int // if, for, case, && and ||, and one for each function
	functionLines int // of declarations of functions
	dense         int // lines with more than maxOperators of && and ||
	names         map[string]bool
}

const maxOperators = 3

func newRoom() *room { return &room{names: map[string]bool{}} }

// figures are those of a limit. The decisions in 100 lines of functions are rounded up.
func (r *room) figures() []int {
	density := (100*r.decisions + max(r.functionLines-1, 0)) / max(r.functionLines, 1)
	return []int{r.lines, density, r.files, r.dense, len(r.names)}
}

// join adds a room to others.
func (r *room) join(name string, other *room) {
	r.lines += other.lines
	r.files += other.files
	r.decisions += other.decisions
	r.functionLines += other.functionLines
	r.dense += other.dense
	for n := range other.names {
		r.names[name+" "+n] = true
	}
}

// add counts a file.
func (r *room) add(s source) {
	r.files++
	r.lines += bytes.Count(s.text, []byte("\n"))
	operators := map[int]int{} // by line
	for n := range ast.Preorder(s.File) {
		if !decides(n) {
			continue
		}
		r.decisions++
		switch n := n.(type) {
		case *ast.BinaryExpr:
			operators[s.line(n.OpPos)]++
		case *ast.FuncDecl:
			r.functionLines += s.line(n.End()) - s.line(n.Pos()) + 1
		}
	}
	for _, n := range operators {
		if n > maxOperators {
			r.dense++
		}
	}
	for _, d := range s.Decls {
		r.addNames(d)
	}
}

// decides reports whether a node counts as a decision.
func decides(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl, *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
		return true
	case *ast.CaseClause:
		return n.List != nil
	case *ast.CommClause:
		return n.Comm != nil
	case *ast.BinaryExpr:
		return n.Op == token.LAND || n.Op == token.LOR
	}
	return false
}

// addNames adds the public names of a declaration: constants, variables, types,
// functions, and the methods of public types and interfaces. Fields do not count.
func (r *room) addNames(d ast.Decl) {
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			r.addName(receiver(n), n.Name)
		case *ast.ValueSpec:
			r.addName("", n.Names...)
		case *ast.TypeSpec:
			r.addName("", n.Name)
			r.addMethods(n)
		}
		_, list := n.(*ast.GenDecl)
		return list
	})
}

// isPublic matches the public names, which have the type before the point that they are
// methods of.
var isPublic = regexp.MustCompile(`^(\p{Lu}\w*)?\.\p{Lu}`)

func (r *room) addName(owner string, ids ...*ast.Ident) {
	for _, id := range ids {
		if name := owner + "." + id.Name; isPublic.MatchString(name) {
			r.names[name] = true
		}
	}
}

func (r *room) addMethods(n *ast.TypeSpec) {
	if i, ok := n.Type.(*ast.InterfaceType); ok {
		for _, m := range i.Methods.List {
			r.addName(n.Name.Name, m.Names...)
		}
	}
}

// receiver is the type that a function is a method of; "": of none.
func receiver(f *ast.FuncDecl) string {
	if f.Recv != nil {
		for n := range ast.Preorder(f.Recv.List[0].Type) {
			if id, ok := n.(*ast.Ident); ok {
				return id.Name
			}
		}
	}
	return ""
}

package main

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/token"
	"path/filepath"
	"strings"
)

// mutant is a file with one mistake in it.
type mutant struct {
	source
	from, to int // the bytes that the mistake takes the place of
	by       string
	what     string
}

func (x mutant) mutated() []byte {
	return append(append(bytes.Clone(x.text[:x.from]), x.by...), x.text[x.to:]...)
}

func (x mutant) lineNumber() int { return 1 + bytes.Count(x.text[:x.from], []byte("\n")) }

// diff are the lines of the mistake without it and with it.
func (x mutant) diff() string {
	begin := bytes.LastIndexByte(x.text[:x.from], '\n') + 1
	end := x.to + bytes.IndexByte(append(bytes.Clone(x.text[x.to:]), '\n'), '\n')
	marked := func(mark, text string) string {
		return "    " + mark + strings.ReplaceAll(text, "\n", "\n    "+mark) + "\n"
	}
	return marked("-", string(x.text[begin:end])) + marked("+", string(x.text[begin:x.from])+x.by+string(x.text[x.to:end]))
}

// mutants are all mutants of a file, if this system builds it and no program wrote it.
func mutants(s source) []mutant {
	c := collector{source: s}
	if ast.IsGenerated(s.File) || !got(build.Default.MatchFile(filepath.Split(s.path))) {
		return nil
	}
	for _, d := range s.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
			c.function(d.Type, d.Body)
		}
	}
	return c.found
}

// collector collects the mutants of a file.
type collector struct {
	source
	found []mutant
}

func (c *collector) of(n ast.Node) string {
	return string(c.text[c.positions.Position(n.Pos()).Offset:c.positions.Position(n.End()).Offset])
}

// add adds the mutant that has other text in the place of some.
func (c *collector) add(from, to token.Pos, by, what string) {
	c.found = append(c.found, mutant{c.source, c.positions.Position(from).Offset, c.positions.Position(to).Offset, by, what})
}

// become adds the mutant that has another word in the place of one.
func (c *collector) become(at token.Pos, word, by string) {
	if by != "" {
		c.add(at, at+token.Pos(len(word)), by, word+" becomes "+by)
	}
}

func (c *collector) function(t *ast.FuncType, body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			c.function(n.Type, n.Body)
			return false
		case *ast.ReturnStmt:
			c.zero(n, t)
		case ast.Stmt:
			c.statement(n)
		case ast.Expr:
			c.expression(n)
		}
		return true
	})
}

func (c *collector) statement(n ast.Stmt) {
	switch n := n.(type) {
	case *ast.IfStmt:
		c.add(n.Cond.Pos(), n.Cond.End(), "!("+c.of(n.Cond)+")", "a condition is negated")
	case *ast.IncDecStmt:
		c.become(n.TokPos, n.Tok.String(), swaps[n.Tok.String()])
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			c.add(n.Pos(), n.End(), "", "an assignment is left out")
		}
	case *ast.CaseClause, *ast.ExprStmt, *ast.DeferStmt, *ast.BranchStmt:
		c.add(n.Pos(), n.End(), "", "a statement or case is left out")
	}
}

// swaps are the words that take each other's place.
var swaps = map[string]string{
	"&&": "||", "||": "&&", "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">",
	"+": "-", "-": "+", "*": "/", "/": "*", "++": "--", "--": "++", "true": "false", "false": "true",
}

func (c *collector) expression(n ast.Expr) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		c.become(n.OpPos, n.Op.String(), swaps[n.Op.String()])
	case *ast.Ident:
		c.become(n.Pos(), n.Name, swaps[n.Name])
	case *ast.BasicLit:
		if n.Kind == token.INT {
			c.add(n.Pos(), n.End(), "("+n.Value+" + 1)", n.Value+" becomes one more")
		}
	}
}

// zero has a function return zero values.
func (c *collector) zero(n *ast.ReturnStmt, t *ast.FuncType) {
	var zeros, now []string
	for _, x := range n.Results {
		now = append(now, c.of(x))
	}
	if strings.Trim(strings.NewReplacer("nil", "", "false", "", `""`, "", "0", "").Replace(strings.Join(now, "")), " ") == "" {
		return
	}
	for _, f := range t.Results.List {
		for range max(1, len(f.Names)) {
			zeros = append(zeros, "*new("+c.of(f.Type)+")")
		}
	}
	c.add(n.Results[0].Pos(), n.Results[len(n.Results)-1].End(), strings.Join(zeros, ", "), "zero values are returned")
}

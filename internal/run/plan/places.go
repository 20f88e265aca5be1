package plan

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// place refuses the values that the shell itself would run, wherever it finds them.
func (w *shellWalk) place(n syntax.Node) {
	switch x := n.(type) {
	case *syntax.Stmt:
		call, ok := x.Cmd.(*syntax.CallExpr)
		if !ok {
			return
		}
		for _, r := range x.Redirs {
			from := r.Hdoc
			if r.Op == syntax.WordHdoc {
				from = r.Word
			}
			if from != nil && slices.ContainsFunc(call.Args, func(a *syntax.Word) bool { return slices.Contains(shells, path.Base(w.flat(a))) }) {
				w.err = cmp.Or(w.err, w.inner(w.flat(from), w.names...))
			}
		}
	case *syntax.Assign:
		if x.Name == nil && x.Value != nil && w.carries(x.Value) {
			w.refuse(x.Value, errName)
		}
		if x.Name != nil && x.Value != nil && isCodeVariable(x.Name.Value) {
			w.refuse(x.Value, fmt.Errorf("%s is run, or programs are found by it; %s", x.Name.Value, byName))
		}
		if x.Index != nil {
			w.sum(x.Index)
		}
	case *syntax.ArrayElem:
		if x.Index != nil {
			w.sum(x.Index)
		}
	case *syntax.DeclClause:
		if flagged(x, "in") {
			w.refuse(x, errSum)
		}
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop:
		w.sum(x)
	case *syntax.BinaryTest:
		if syntax.TsEql <= x.Op && x.Op <= syntax.TsGtr {
			w.sum(x)
		}
	case *syntax.UnaryTest:
		if x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar {
			w.refuse(x.X, errName)
		}
	case *syntax.ParamExp:
		if x.Excl && w.isTainted(x) || asPrompt(x.Exp) {
			w.refuse(x, errName)
		}
		if x.Index != nil {
			w.sum(x.Index)
		}
		if x.Slice != nil {
			for _, e := range []syntax.ArithmExpr{x.Slice.Offset, x.Slice.Length} {
				if e != nil {
					w.sum(e)
				}
			}
		}
	}
}

// flagged tells whether a declaration has one of some letters among its options.
func flagged(x *syntax.DeclClause, letters string) bool {
	return slices.ContainsFunc(x.Args, func(a *syntax.Assign) bool {
		return a.Naked && a.Value != nil && strings.HasPrefix(a.Value.Lit(), "-") && strings.ContainsAny(a.Value.Lit(), letters)
	})
}

// sum refuses the values of a computation, where a variable stands by its name too.
func (w *shellWalk) sum(n syntax.Node) {
	w.refuse(n, errSum)
	syntax.Walk(n, func(n syntax.Node) bool {
		if lit, ok := n.(*syntax.Lit); ok && w.tainted[lit.Value] && w.err == nil {
			w.err = fmt.Errorf("%s has a value of ${{ … }}: %w", lit.Value, errSum)
		}
		return true
	})
}

// refuse reports the values in a part of the script.
func (w *shellWalk) refuse(n syntax.Node, err error) {
	w.span(n.Pos(), n.End(), func(h *hole) { h.err = err })
	syntax.Walk(n, func(n syntax.Node) bool {
		switch x := n.(type) {
		case *syntax.ParamExp:
			if w.isTainted(x) && w.err == nil {
				w.err = fmt.Errorf("$%s has a value of ${{ … }}: %w", x.Param.Value, err)
			}
		case *syntax.CmdSubst, *syntax.ProcSubst:
			if w.reading[int(x.Pos().Offset())] && w.err == nil {
				w.err = fmt.Errorf("a command in $( ) reads an input with a value of ${{ … }}: %w", err)
			}
		}
		return true
	})
}

// carries tells whether a value is in a part of the script, itself or in a variable.
func (w *shellWalk) carries(n syntax.Node) bool {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	at, _ := slices.BinarySearch(w.uses, from)
	return w.first(n) < to || at < len(w.uses) && w.uses[at] < to
}

func (w *shellWalk) isTainted(x *syntax.ParamExp) bool {
	if x.Param == nil || x.Length {
		return false
	}
	name := x.Param.Value
	return w.all || w.tainted[name] || w.tainted["@"] && strings.Contains("0123456789@*", name[:1])
}

// flat is a word's text without its quotes. What only the shell knows is "$".
func (w *shellWalk) flat(n syntax.Node) string {
	var b strings.Builder
	syntax.Walk(n, func(n syntax.Node) bool {
		switch x := n.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(x.Value, `\`, ""))
		case *syntax.SglQuoted:
			if x.Dollar && strings.ContainsRune(x.Value, 0x5c) {
				b.WriteString("$")
				return false
			}
			b.WriteString(x.Value)
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ArithmExp, *syntax.ProcSubst:
			b.WriteString("$")
			return false
		}
		return true
	})
	return b.String()
}

// first is where the first value stands that does not stand before a part.
func (w *shellWalk) first(n syntax.Node) int {
	at := w.from(n.Pos())
	if at == len(w.holes) {
		return math.MaxInt
	}
	return w.holes[at].at
}

// asPrompt tells whether a value is expanded as a prompt, which runs commands: ${x@P}.
func asPrompt(x *syntax.Expansion) bool {
	return x != nil && x.Op == syntax.OtherParamOps && x.Word != nil && x.Word.Lit() == "P"
}

package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// constant says how a statement ends where that is plain before it runs: true,
// `[ 1 = 2 ]`, `a || true`. What stands behind `false &&` is never run.
func constant(s *syntax.Stmt) (value, known bool) {
	if s.Background || s.Coprocess || s.Disown || len(s.Redirs) > 0 {
		return false, false
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		value, known = constantCall(cmd)
	case *syntax.Block:
		value, known = constants(cmd.Stmts)
	case *syntax.Subshell:
		value, known = constants(cmd.Stmts)
	case *syntax.BinaryCmd:
		x, xKnown := constant(cmd.X)
		y, yKnown := constant(cmd.Y)
		switch decides := cmd.Op == syntax.OrStmt; {
		case cmd.Op != syntax.AndStmt && cmd.Op != syntax.OrStmt:
		case xKnown && x == decides, yKnown && y == decides:
			value, known = decides, true
		case xKnown && yKnown:
			value, known = !decides, true
		}
	}
	return value != s.Negated, known
}

// constants is constant for a list, whose last statement gives the status; none
// of the others may lead away from it.
func constants(stmts []*syntax.Stmt) (value, known bool) {
	for _, s := range stmts {
		if value, known = constant(s); !known {
			return false, false
		}
	}
	return value || len(stmts) == 0, true // nothing: a plain else
}

func constantCall(call *syntax.CallExpr) (value, known bool) {
	if len(call.Args) == 0 {
		return false, false
	}
	var words [5]string
	for i, arg := range call.Args {
		if i == len(words) {
			return false, false
		}
		words[i] = literalWord(arg)
	}
	switch words[0] {
	case "true", ":":
		return true, len(call.Args) == 1
	case "false":
		return false, true
	case "[", "test":
		operands := 4
		if words[0] == "[" && words[4] == "]" {
			operands = 5
		}
		if len(call.Args) != operands || words[1] == "" || words[3] == "" {
			return false, false
		}
		switch words[2] {
		case "=", "==", "-eq":
			return words[1] == words[3], true
		case "!=", "-ne":
			return words[1] != words[3], true
		}
	}
	return false, false
}

// literalWord is a word that the shell takes as it stands, quotes aside; "" for
// any other.
func literalWord(word *syntax.Word) string {
	var b strings.Builder
	for _, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(part.Value, `*?~\`) {
				return ""
			}
			b.WriteString(part.Value)
		case *syntax.SglQuoted:
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			for _, inner := range part.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return ""
				}
				b.WriteString(lit.Value)
			}
		default:
			return ""
		}
	}
	return b.String()
}

// asksStatus reports whether a text may look at the status of what it ran.
func asksStatus(src string) bool {
	return strings.Contains(src, "$?") || strings.Contains(src, "${?") || strings.Contains(src, "PIPESTATUS")
}

// asksArguments reports whether a condition depends on what the script was
// given: one that takes commands runs only one of them.
func asksArguments(cond []*syntax.Stmt) bool {
	asks := false
	for _, s := range cond {
		syntax.Walk(s, func(n syntax.Node) bool {
			if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil {
				asks = asks || len(p.Param.Value) == 1 && strings.Contains("123456789@*#", p.Param.Value)
			}
			return !asks
		})
	}
	return asks
}

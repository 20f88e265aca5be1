package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/piton-project/piton/internal/judge/tools"
)

// detached reports whether a statement is not waited for.
func detached(s *syntax.Stmt) bool { return s.Background || s.Coprocess || s.Disown }

// simple is the simple command that a statement is; nil if it is none, or one whose status
// is turned round or not waited for.
func simple(s *syntax.Stmt) *syntax.CallExpr {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Negated || s.Background {
		return nil
	}
	return call
}

// name is the first word of a simple command, as far as it is plain.
func name(s *syntax.Stmt) string {
	if call, ok := s.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 {
		return call.Args[0].Lit()
	}
	return ""
}

// always reports whether a statement is known to succeed: true, `a || true`.
func always(s *syntax.Stmt) bool {
	value, known := constant(s)
	return known && value
}

// constant says how a statement ends where that is plain before it runs: true,
// `[ 1 = 2 ]`, `a || true`. What stands behind `false &&` is never run.
func constant(s *syntax.Stmt) (value, known bool) {
	if detached(s) || len(s.Redirs) > 0 {
		return false, false
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		value, known = constantCall(literalWords(cmd.Args))
	case *syntax.Block:
		value, known = constants(cmd.Stmts)
	case *syntax.Subshell:
		value, known = constants(cmd.Stmts)
	case *syntax.BinaryCmd:
		value, known = constantBinary(cmd)
	}
	return value != s.Negated, known
}

// constantBinary is constant for && and ||, which one side alone can decide.
func constantBinary(cmd *syntax.BinaryCmd) (value, known bool) {
	x, xKnown := constant(cmd.X)
	y, yKnown := constant(cmd.Y)
	decides := cmd.Op == syntax.OrStmt
	switch {
	case !decides && cmd.Op != syntax.AndStmt:
		return false, false
	case xKnown && x == decides, yKnown && y == decides:
		return decides, true
	}
	return !decides, xKnown && yKnown
}

// constants is constant for a list, whose last statement gives the status; none
// of the others may lead away from it. An empty one is a plain else.
func constants(stmts []*syntax.Stmt) (value, known bool) {
	value = true
	for _, s := range stmts {
		if value, known = constant(s); !known {
			return false, false
		}
	}
	return value, true
}

// comparisons are the operators of test whose answer is plain where both sides are, with
// what they answer of two that are the same.
var comparisons = map[string]bool{"=": true, "==": true, "-eq": true, "!=": false, "-ne": false}

func constantCall(words []string) (value, known bool) {
	switch words = append(words, "", ""); words[0] {
	case "false":
		return false, true
	case "true", ":":
		return true, len(words) == 3
	case "[", "test":
		same, compares := comparisons[words[2]]
		n := len(words) - 2
		plain := words[0] == "test" && n == 4
		bracket := words[0] == "[" && n == 5 && words[4] == "]"
		if compares && (plain || bracket) {
			return (words[1] == words[3]) == same, true
		}
	}
	return false, false
}

// literalWords are words that the shell takes as they stand; nil where one is
// another, or empty.
func literalWords(words []*syntax.Word) (all []string) {
	for _, word := range words {
		literal := literalWord(word)
		if literal == "" {
			return nil
		}
		all = append(all, literal)
	}
	return all
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
	return slices.ContainsFunc([]string{"$?", "${?", "PIPESTATUS"}, func(asks string) bool { return strings.Contains(src, asks) })
}

// asksArguments reports whether a condition depends on what the script was
// given: one that takes commands runs only one of them.
func asksArguments(cond []*syntax.Stmt) bool {
	return slices.ContainsFunc(cond, func(s *syntax.Stmt) bool {
		return holds(s, func(p *syntax.ParamExp) bool {
			return p.Param != nil && tools.Among("1 2 3 4 5 6 7 8 9 @ * #", p.Param.Value)
		})
	})
}

// end says how a statement to the right of || ends: `a || exit 1` fails with a.
type end int

const (
	maySucceed end = iota
	fails          // its own status is never 0
	leaves         // it ends the shell with a status that is never 0
)

// ends judges a statement; failed says that the one before it has failed, whose
// status is what exit and return give without a number.
func ends(s *syntax.Stmt, failed bool) end {
	if s.Negated || s.Background {
		return maySucceed
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		return callEnds(cmd, failed)
	case *syntax.Block:
		return listEnds(cmd.Stmts, failed)
	case *syntax.Subshell:
		if listEnds(cmd.Stmts, failed) != maySucceed {
			return fails
		}
	}
	return maySucceed
}

func listEnds(list []*syntax.Stmt, failed bool) end {
	last := maySucceed
	for i, s := range list {
		if last = ends(s, failed && i == 0); last == leaves {
			break
		}
		_, plain := s.Cmd.(*syntax.CallExpr)
		if last == maySucceed && (!plain || tools.Among("exit exec return break continue", name(s))) {
			return maySucceed // it may leave some other way
		}
	}
	return last
}

func callEnds(call *syntax.CallExpr, failed bool) end {
	name, status := exiting(call)
	failing := status == "$?" && failed || number(status) && !zero(status)
	switch {
	case name == "false", name == "return" && failing:
		return fails
	case name == "exit" && failing:
		return leaves
	}
	return maySucceed
}

func number(status string) bool { return status != "" && strings.Trim(status, "0123456789") == "" }

// exiting is the name of a simple command, and of exit and return the status that
// they give: a number, $? (also without one) or $PIPESTATUS; "" for any other.
func exiting(call *syntax.CallExpr) (name, status string) {
	if len(call.Args) == 0 {
		return "", ""
	}
	name = call.Args[0].Lit()
	switch {
	case name != "exit" && name != "return":
		return name, ""
	case len(call.Args) == 1:
		return name, "$?"
	}
	return name, exitStatus(call.Args[1])
}

// exitStatus reads the argument of exit: a number, $? or ${PIPESTATUS[0]}.
func exitStatus(word *syntax.Word) string {
	if lit := word.Lit(); lit != "" {
		return lit
	}
	parts := word.Parts
	if len(parts) == 1 {
		if quoted, ok := parts[0].(*syntax.DblQuoted); ok {
			parts = quoted.Parts
		}
	}
	if len(parts) != 1 {
		return ""
	}
	exp, ok := parts[0].(*syntax.ParamExp)
	plain := ok && exp.Param != nil && exp.Exp == nil && !exp.Length
	if !plain || !tools.Among("? PIPESTATUS", exp.Param.Value) {
		return ""
	}
	if index, ok := exp.Index.(*syntax.Word); exp.Index != nil && (!ok || index.Lit() != "0") {
		return "" // of another part of the pipe
	}
	return "$" + exp.Param.Value
}

func zero(status string) bool { return status != "" && strings.Trim(status, "0") == "" }

// passedOn reports whether s is `exit $?` or `exit ${PIPESTATUS[0]}`, which
// give the status of the statement before, the latter that of a pipe's left side.
func passedOn(s *syntax.Stmt) (whole, left bool) {
	call := simple(s)
	if call == nil {
		return false, false
	}
	name, status := exiting(call)
	return name == "exit" && status == "$?", name == "exit" && status == "$PIPESTATUS"
}

// loud reports whether a statement hardly ever fails and, where it does, says
// so in words that are known: `cd x && go test; true` tells a missing folder.
func loud(s *syntax.Stmt) bool {
	if value, known := constant(s); known {
		return value
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.DeclClause:
		return true
	case *syntax.CallExpr:
		return len(s.Redirs) == 0 && (len(cmd.Args) == 0 || tools.Find(cmd.Args[0].Lit()).Does&tools.Loud != 0)
	case *syntax.BinaryCmd:
		return cmd.Op == syntax.AndStmt && loud(cmd.X) && loud(cmd.Y)
	}
	return false
}

// endsWell reports whether a statement succeeds whatever came before it: true,
// `exit 0`.
func endsWell(s *syntax.Stmt) bool {
	if value, known := constant(s); known {
		return value
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		_, status := exiting(cmd)
		return zero(status)
	case *syntax.Block:
		return len(cmd.Stmts) > 0 && endsWell(cmd.Stmts[len(cmd.Stmts)-1])
	}
	return false
}

// rescues reports whether a trap for the shell's end lets it end well.
func rescues(words []string) bool {
	if len(words) < 3 || !slices.ContainsFunc(words[2:], func(w string) bool { return tools.Among("EXIT 0 ERR exit err", w) }) {
		return false
	}
	file, err := parse(words[1])
	if err != nil {
		return false
	}
	return holds(file, func(call *syntax.CallExpr) bool {
		name, status := exiting(call)
		return name == "exit" && zero(status)
	})
}

// holds reports whether a node of some kind is in another one.
func holds[N syntax.Node](in syntax.Node, is func(N) bool) (found bool) {
	syntax.Walk(in, func(n syntax.Node) bool {
		if node, ok := n.(N); ok && is(node) {
			found = true
		}
		return !found
	})
	return found
}

// asked is the question of an if without its !, and what runs where it fails.
func asked(cmd *syntax.IfClause) (stmts, otherwise []*syntax.Stmt, negated bool) {
	if len(cmd.Cond) == 1 && cmd.Cond[0].Negated {
		positive := *cmd.Cond[0]
		positive.Negated = false
		return []*syntax.Stmt{&positive}, cmd.Then, true
	}
	if cmd.Else != nil && len(cmd.Else.Cond) == 0 {
		otherwise = cmd.Else.Then
	}
	return cmd.Cond, otherwise, false
}

// anyLiteral reports whether one of the words stands for itself, so that a loop
// over them has a round.
func anyLiteral(words []*syntax.Word) bool {
	return slices.ContainsFunc(words, func(word *syntax.Word) bool { return word.Lit() != "" })
}

func isPipe(s *syntax.Stmt) bool {
	cmd, ok := s.Cmd.(*syntax.BinaryCmd)
	return ok && (cmd.Op == syntax.Pipe || cmd.Op == syntax.PipeAll)
}

// printed is what a pipe's left side writes, where the line itself says so.
func printed(left []Command) string {
	if len(left) != 1 || len(left[0].Words) == 0 || len(left[0].Writes) > 0 {
		return ""
	}
	c := left[0]
	args := c.Words[1:]
	switch c.Words[0] {
	case "cat":
		if len(args) == 0 {
			return c.Stdin
		}
	case "echo":
		for len(args) > 0 && tools.Among("-e -n", args[0]) {
			args = args[1:]
		}
		return strings.Join(args, " ")
	case "printf":
		if len(args) > 1 && strings.Contains(args[0], "%") {
			args = args[1:]
		}
		return ansi(strings.Join(args, " "))
	}
	return ""
}

// announced is what a statement prints at its end, word for word, to what comes
// after &&; "" where it prints nothing, or what only the shell knows.
func announced(s *syntax.Stmt) string {
	if s.Negated || s.Background || len(s.Redirs) > 0 {
		return ""
	}
	if cmd, ok := s.Cmd.(*syntax.BinaryCmd); ok && cmd.Op == syntax.AndStmt {
		return announced(cmd.Y)
	}
	return echoed(s)
}

// echoed is what a statement that is echo prints, where that is plain.
func echoed(s *syntax.Stmt) string {
	call := simple(s)
	if call == nil || len(s.Redirs)+len(call.Assigns) > 0 {
		return ""
	}
	words := literalWords(call.Args)
	odd := func(word string) bool { return strings.HasPrefix(word, "-") || strings.Contains(word, `\`) }
	if len(words) == 0 || words[0] != "echo" || slices.ContainsFunc(words, odd) {
		return ""
	}
	return strings.Join(words[1:], " ")
}

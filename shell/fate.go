package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// fate is what becomes of the exit status at one place of the line.
type fate struct {
	runs       bool // a line that succeeded has run it
	counts     bool // its failure is the failure of the shell it runs in
	stops      bool // its failure ends that shell (set -e)
	suspect    bool // a line that failed may have failed here
	ignored    bool // set -e has no say here, nor anywhere inside
	background bool
}

// hidden is the fate of what runs at the same place with its status dropped.
func (f fate) hidden() fate {
	return fate{runs: f.runs, ignored: f.ignored, background: f.background}
}

// scope is one shell process: the line's own, a subshell's, that of bash -c.
type scope struct {
	dir, last string
	dirs      []string // of pushd
	errexit   bool
	pipefail  bool
	exits     bool // its failure is the failure of the line
	funcs     map[string]function
	feed      string // its standard input, where the line holds it
}

// function is a body with the text that its positions point into.
type function struct {
	body *syntax.Stmt
	src  string
}

// fork is the subshell that runs at a place with fate f.
func (sc *scope) fork(f fate) *scope {
	sub := *sc
	sub.exits = f.counts || f.stops && sc.exits
	sub.dirs = slices.Clip(sub.dirs)
	return &sub
}

// status is what is told of a command with fate f.
func (sc *scope) status(f fate) (s Status, suspect bool) {
	fails := f.counts || f.stops && sc.exits
	switch {
	case f.background:
		return Background, false
	case f.runs && fails:
		s = Decides
	}
	return s, fails || f.suspect
}

// end says how a statement to the right of || ends: `a || exit 1` fails with a.
type end int

const (
	maySucceed end = iota
	fails          // its own status is never 0
	leaves         // it ends the shell with a status that is never 0
)

func ends(s *syntax.Stmt) end {
	if s.Negated || s.Background {
		return maySucceed
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		return callEnds(cmd)
	case *syntax.Block:
		for _, s := range cmd.Stmts {
			if ends(s) == leaves {
				return leaves
			}
		}
		return lastEnds(cmd.Stmts)
	case *syntax.Subshell:
		if lastEnds(cmd.Stmts) != maySucceed {
			return fails
		}
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.AndStmt {
			return ends(cmd.Y)
		}
	}
	return maySucceed
}

func lastEnds(list []*syntax.Stmt) end {
	if len(list) == 0 {
		return maySucceed
	}
	return ends(list[len(list)-1])
}

func callEnds(call *syntax.CallExpr) end {
	if len(call.Args) == 0 {
		return maySucceed
	}
	status := "$?" // what exit and return give without a number: that of the failed left side
	if len(call.Args) > 1 {
		status = exitStatus(call)
	}
	failing := status == "$?" || strings.Trim(status, "0123456789") == "" && strings.Trim(status, "0") != ""
	switch call.Args[0].Lit() {
	case "false":
		return fails
	case "return":
		if failing {
			return fails
		}
	case "exit":
		if failing {
			return leaves
		}
	}
	return maySucceed
}

// exitStatus reads the argument of exit: a number, $? or ${PIPESTATUS[0]}.
func exitStatus(call *syntax.CallExpr) string {
	word := call.Args[1]
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
	switch exp, ok := parts[0].(*syntax.ParamExp); {
	case !ok || exp.Param == nil || exp.Exp != nil || exp.Length:
	case exp.Param.Value == "?":
		return "$?"
	case exp.Param.Value == "PIPESTATUS":
		return "$PIPESTATUS"
	}
	return ""
}

// passedOn reports whether s is `exit $?` or `exit ${PIPESTATUS[0]}`, which
// give the status of the statement before, the latter that of a pipe's left side.
func passedOn(s *syntax.Stmt) (whole, left bool) {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || call.Args[0].Lit() != "exit" || s.Negated || s.Background {
		return false, false
	}
	if len(call.Args) == 1 {
		return true, false
	}
	status := exitStatus(call)
	return status == "$?", status == "$PIPESTATUS"
}

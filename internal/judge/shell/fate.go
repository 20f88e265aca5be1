package shell

import (
	"maps"
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
	first      bool // of a pipe: the failure of its first command is that of the shell
	ignored    bool // set -e has no say here, nor anywhere inside
	background bool
	dropped    bool // nothing looks at its status
	unsure     bool // it is forgiven, or one choice of several
	maybe      bool // the line may pass it by and still succeed
	forced     bool // what follows makes up for its failure
}

// hidden is the fate of what runs at the same place with its status dropped.
func (f fate) hidden() fate {
	return fate{runs: f.runs, ignored: f.ignored, background: f.background, unsure: f.unsure, maybe: f.maybe, forced: f.forced}
}

// scope is one shell process: the line's own, a subshell's, that of bash -c.
type scope struct {
	dir, last string
	dirs      []string // of pushd
	errexit   bool
	pipefail  bool
	exits     bool // its failure is the failure of the line
	suspect   bool // a line that failed may have failed because it did
	gone      bool // it may have ended well before this place
	skips     bool // return, break or continue may have led around this place
	dead      bool // it has ended before this place
	muted     bool // what runs here prints to /dev/null
	funcs     map[string]function
	feed      string   // its standard input, where the line holds it
	rescued   bool     // a trap ends it well, whatever fails in it
	env, vars []string // NAME=value: exported, and not
	aliases   []string // names that alias or hash have given to something else
	away      *Away    // where it runs, if not here
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
	sub.suspect = sc.blames(f)
	sub.dirs, sub.env, sub.vars, sub.aliases = slices.Clip(sub.dirs), slices.Clip(sub.env), slices.Clip(sub.vars), slices.Clip(sub.aliases)
	sub.funcs = maps.Clone(sc.funcs)
	return &sub
}

// blames reports whether a line that failed may have failed at a place with fate f.
func (sc *scope) blames(f fate) bool {
	return f.counts || f.suspect || f.stops && sc.suspect
}

// status is what is told of a command with fate f.
func (sc *scope) status(f fate) (s Status, suspect bool) {
	switch {
	case f.background:
		return Background, false
	case f.runs && (f.counts || f.stops && sc.exits) && !sc.gone && !sc.skips && !sc.rescued:
		s = Decides
	}
	return s, sc.blames(f)
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
		if exit, _ := s.Cmd.(*syntax.CallExpr); last == maySucceed && (exit == nil || leaving(exit)) {
			return maySucceed // it may leave some other way
		}
	}
	return last
}

// leaving reports whether a simple command ends the shell, function or loop.
func leaving(call *syntax.CallExpr) bool {
	return len(call.Args) > 0 && among("exit exec return break continue", call.Args[0].Lit())
}

func callEnds(call *syntax.CallExpr, failed bool) end {
	if len(call.Args) == 0 {
		return maySucceed
	}
	status := "$?"
	if len(call.Args) > 1 {
		status = exitStatus(call)
	}
	failing := status == "$?" && failed || strings.Trim(status, "0123456789") == "" && strings.Trim(status, "0") != ""
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

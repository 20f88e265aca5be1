package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (w *walker) binary(cmd *syntax.BinaryCmd, sc *scope, f fate) {
	switch cmd.Op {
	case syntax.AndStmt:
		left, right := f, f
		left.stops, left.ignored, left.dropped = false, true, false
		right.runs = f.runs && f.counts
		right.maybe = !right.runs && (f.maybe || !loud(cmd.X))
		w.stmt(cmd.X, sc, left)
		switch value, known := constant(cmd.X); {
		case sc.dead, known && !value:
		case known:
			w.stmt(cmd.Y, sc, right)
		default:
			w.perhaps(sc, func() { w.stmt(cmd.Y, sc, right) })
		}
	case syntax.OrStmt:
		w.or(cmd, sc, f)
	default:
		w.pipe(cmd, sc, f)
	}
}

func (w *walker) or(cmd *syntax.BinaryCmd, sc *scope, f fate) {
	left := f.hidden()
	left.ignored = true
	left.suspect = sc.blames(f)
	right := ends(cmd.Y, true)
	switch right {
	case fails:
		left.counts = f.counts
	case leaves:
		left.counts, left.suspect = sc.exits, sc.suspect
	}
	if value, known := constant(cmd.Y); known && value {
		left.unsure, left.dropped = true, true
	}
	left.forced = f.forced || endsWell(cmd.Y)
	begin := sc.dir
	w.stmt(cmd.X, sc, left)
	if value, known := constant(cmd.X); sc.dead || known && value {
		return
	}
	other := sc.fork(f)
	other.funcs = sc.funcs
	other.exits, other.suspect = sc.exits, sc.suspect // no subshell, but where it goes is not where the line goes on
	if call, ok := cmd.X.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 && call.Args[0].Lit() == "cd" {
		other.dir = begin
	}
	f.runs, f.maybe = false, true
	w.stmt(cmd.Y, other, f)
	if right != leaves {
		sc.gone, sc.skips = sc.gone || other.gone, sc.skips || other.skips
	}
}

func (w *walker) pipe(cmd *syntax.BinaryCmd, sc *scope, f fate) {
	left := f
	if f.first || !sc.pipefail {
		left = f.hidden()
	}
	if f.first {
		left.counts, left.suspect, left.first = sc.exits, sc.suspect, isPipe(cmd.X)
		f.first, f.counts, f.suspect = false, false, false
	}
	left.forced = left.forced || !sc.pipefail && endsWell(cmd.Y)
	first := len(w.found)
	w.stmt(cmd.X, sc.fork(left), left)
	right := sc.fork(f)
	right.feed = told(w.found[first:])
	w.stmt(cmd.Y, right, f)
}

func isPipe(s *syntax.Stmt) bool {
	cmd, ok := s.Cmd.(*syntax.BinaryCmd)
	return ok && (cmd.Op == syntax.Pipe || cmd.Op == syntax.PipeAll)
}

// told is what a pipe's left side writes, where the line itself says so.
func told(left []Command) string {
	if len(left) != 1 || len(left[0].Words) == 0 || len(left[0].Writes) > 0 {
		return ""
	}
	c := left[0]
	switch args := c.Words[1:]; c.Words[0] {
	case "cat":
		if len(args) == 0 {
			return c.Stdin
		}
	case "echo":
		for len(args) > 0 && (args[0] == "-e" || args[0] == "-n") {
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

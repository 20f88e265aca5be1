package shell

import (
	"cmp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/piton-project/piton/internal/judge/tools"
)

// walker collects the commands of a line. Every place it comes to has a scope
// (which shell runs it) and a fate (what its exit status does to the line's).
type walker struct {
	src   source
	found []Command
	steps int
	depth int
	bytes int
}

// script walks the commands of a text of their own.
func (w *walker) script(text string, sc *scope, f fate) error {
	if w.bytes += len(text); w.bytes > maxText || w.depth >= maxDepth {
		return errComplex
	}
	file, err := parse(text)
	if err != nil {
		return err
	}
	w.within(source(text), func() { w.list(file.Stmts, sc, f) })
	return nil
}

// within walks nodes whose positions point into src.
func (w *walker) within(src source, walk func()) {
	outer := w.src
	w.src = src
	w.depth++
	walk()
	w.depth--
	w.src = outer
}

// list walks statements after one another: the last gives the status.
func (w *walker) list(stmts []*syntax.Stmt, sc *scope, f fate) {
	for i, s := range stmts {
		if sc.dead {
			return
		}
		own := f.hidden()
		own.after = ""
		own.dropped = !asksStatus(string(w.src))
		own.stops = sc.errexit && !f.ignored
		own.forced = f.forced || i < len(stmts)-1 && own.dropped && endsWell(stmts[len(stmts)-1])
		if i == len(stmts)-1 {
			own.counts, own.suspect, own.dropped = f.counts, f.suspect, f.dropped
		} else if whole, first := passedOn(stmts[i+1]); whole || first {
			_, simple := s.Cmd.(*syntax.CallExpr)
			own.first = first && isPipe(s)
			if whole || simple {
				own.counts, own.suspect = sc.exits, sc.suspect
			}
		}
		w.stmt(s, sc, own)
	}
}

func (w *walker) stmt(s *syntax.Stmt, sc *scope, f fate) {
	if w.steps++; w.steps > maxSteps {
		return
	}
	if detached(s) {
		f = f.behind()
		sc = sc.fork(f)
	}
	if s.Negated {
		f = f.question()
	}
	if call, ok := s.Cmd.(*syntax.CallExpr); ok {
		w.call(s, call, sc, f)
		return
	}
	std := w.redirects(s, sc, f)
	w.emit(Command{Writes: std.writes, inputs: std.inputs, Dir: sc.dir}, sc, f)
	outer := sc.muted
	sc.muted = std.muted
	w.compound(s.Cmd, sc, f)
	sc.muted = outer
}

// perhaps walks what the shell may pass by: that it ends there says nothing of
// what follows.
func (w *walker) perhaps(sc *scope, walk func()) {
	dead := sc.dead
	walk()
	sc.dead = dead
}

func (w *walker) compound(cmd syntax.Command, sc *scope, f fate) {
	switch cmd := cmd.(type) {
	case nil:
	case *syntax.Block:
		w.list(cmd.Stmts, sc, f)
	case *syntax.Subshell:
		w.subshell(cmd.Stmts, sc, f)
	case *syntax.BinaryCmd:
		w.binary(cmd, sc, f)
	case *syntax.IfClause:
		w.ifClause(cmd, sc, f)
	case *syntax.WhileClause:
		w.list(cmd.Cond, sc, f.question())
		if value, known := constants(cmd.Cond); !known || value != cmd.Until {
			w.loop(cmd.Do, sc, f.repeated(false))
		}
	case *syntax.ForClause:
		w.substitutions(cmd.Loop, sc, f.hidden(), f.hidden())
		iter, ok := cmd.Loop.(*syntax.WordIter)
		if !ok || !iter.InPos.IsValid() || len(iter.Items) > 0 {
			w.loop(cmd.Do, sc, f.repeated(f.runs && ok && anyLiteral(iter.Items)))
		}
	case *syntax.CaseClause:
		w.substitutions(cmd.Word, sc, f.hidden(), f.hidden())
		f.runs, f.unsure, f.maybe = false, true, true
		for _, item := range cmd.Items {
			w.perhaps(sc, func() { w.list(item.Stmts, sc, f) })
		}
	case *syntax.FuncDecl:
		for _, name := range append(cmd.Names, cmd.Name) {
			if name != nil {
				sc.funcs[name.Value] = function{cmd.Body, w.src}
			}
		}
	case *syntax.TimeClause:
		if cmd.Stmt != nil {
			w.stmt(cmd.Stmt, sc, f)
		}
	case *syntax.CoprocClause:
		w.stmt(cmd.Stmt, sc.fork(f.behind()), f.behind())
	case *syntax.DeclClause:
		w.substitutions(cmd, sc, f.hidden(), f.hidden())
		sc.declare(w.src, cmd)
	default: // [[ ]], (( )), let: no commands but those substituted in
		w.substitutions(cmd, sc, f.hidden(), f.hidden())
	}
}

func (w *walker) loop(stmts []*syntax.Stmt, sc *scope, f fate) {
	skips := sc.skips
	w.perhaps(sc, func() { w.list(stmts, sc, f) })
	sc.skips = skips
}

func (w *walker) subshell(stmts []*syntax.Stmt, sc *scope, f fate) {
	sub := sc.fork(f)
	f.counts = sub.exits
	w.list(stmts, sub, f)
}

func (w *walker) ifClause(cmd *syntax.IfClause, sc *scope, f fate) {
	for open := false; cmd != nil; cmd = cmd.Else { // open: nobody knows the answer to a question before
		ask := func() { w.question(cmd, sc, f) }
		if open {
			w.perhaps(sc, ask)
		} else if ask(); sc.dead {
			return
		}
		value, known := constants(cmd.Cond)
		if !known {
			open, f.runs, f.maybe = true, false, true
			f.unsure = f.unsure || asksArguments(cmd.Cond)
		}
		if then := func() { w.list(cmd.Then, sc, f) }; open && (!known || value) {
			w.perhaps(sc, then)
		} else if value {
			then()
		}
		if known && value {
			return
		}
	}
}

// question walks the condition of an if. It decides where the branch taken at
// its failure fails: `if ! make test; then exit 1; fi`.
func (w *walker) question(cmd *syntax.IfClause, sc *scope, f fate) {
	stmts, otherwise, negated := asked(cmd)
	w.list(stmts, sc, sc.failing(f.question(), f, listEnds(otherwise, !negated)))
}

func (w *walker) binary(cmd *syntax.BinaryCmd, sc *scope, f fate) {
	switch cmd.Op {
	case syntax.AndStmt:
		left, right := f, f
		left.stops, left.ignored, left.dropped, left.after = false, true, false, ""
		right.runs = f.runs && f.counts
		right.maybe = !right.runs && (f.maybe || !loud(cmd.X))
		right.after = announced(cmd.X)
		left.then = cmp.Or(echoed(cmd.Y), f.then)
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
	left := f.question()
	left.after, left.suspect = "", sc.blames(f)
	right := ends(cmd.Y, true)
	left = sc.failing(left, f, right)
	if always(cmd.Y) {
		left.unsure, left.dropped = true, true
	}
	left.forced = f.forced || endsWell(cmd.Y)
	begin := sc.dir
	w.stmt(cmd.X, sc, left)
	if sc.dead || always(cmd.X) {
		return
	}
	other := sc.fork(f)
	other.funcs = sc.funcs
	other.exits, other.suspect = sc.exits, sc.suspect // no subshell, but where it goes is not where the line goes on
	if name(cmd.X) == "cd" {
		other.dir = begin
	}
	f.runs, f.maybe, f.after, f.then = false, true, "", ""
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
	right.feed = printed(w.found[first:])
	w.stmt(cmd.Y, right, f)
}

// substitutions walks the commands of $(…), `…`, <(…) and >(…) inside node;
// each has the fate each but the last command substitution, which has last.
func (w *walker) substitutions(node syntax.Node, sc *scope, each, last fate) {
	var found [][]*syntax.Stmt
	end := -1
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			end = len(found)
			found = append(found, n.Stmts)
			return false
		case *syntax.ProcSubst:
			found = append(found, n.Stmts)
			return false
		}
		return true
	})
	for i, stmts := range found {
		f := each
		if i == end {
			f = last
		}
		sub := *sc
		sub.errexit = false // bash does not hand it down to a substitution
		w.subshell(stmts, &sub, f)
	}
}

// redirects reads redirections and walks what is substituted in them.
func (w *walker) redirects(s *syntax.Stmt, sc *scope, f fate) stdio {
	for _, r := range s.Redirs {
		w.substitutions(r.Word, sc, f.hidden(), f.hidden())
		if r.Hdoc != nil {
			w.substitutions(r.Hdoc, sc, f.hidden(), f.hidden())
		}
	}
	return w.src.redirects(s.Redirs, sc.muted)
}

// call walks a simple command: first what is substituted in it, then itself.
func (w *walker) call(s *syntax.Stmt, call *syntax.CallExpr, sc *scope, f fate) {
	status := f.hidden()
	if len(call.Args) == 0 {
		status = f // x=$(a): the status is that of the substitution
	}
	for i, assign := range call.Assigns {
		last := f.hidden()
		if i == len(call.Assigns)-1 {
			last = status
		}
		w.substitutions(assign, sc, f.hidden(), last)
	}
	assigned := w.src.assigns(call.Assigns)
	argv := make([]string, 0, len(call.Args))
	for _, arg := range call.Args {
		w.substitutions(arg, sc, f.hidden(), f.hidden())
		argv = append(argv, w.src.text(arg))
	}
	std := w.redirects(s, sc, f)
	if len(argv) > 0 {
		w.run(argv, assigned, std, sc, f)
		return
	}
	sc.assign(assigned)
	w.emit(Command{Dir: sc.dir, Writes: std.writes, inputs: std.inputs}, sc, f)
}

// run notes the command argv, or the commands that it runs in its place.
func (w *walker) run(argv, assigned []string, std stdio, sc *scope, f fate) {
	c := sc.command(argv, std, f)
	c.Env = sc.environment(assigned, argv, c.Words)
	if argv[0] == "exec" && len(c.Words) < len(argv) {
		f.counts, f.suspect = sc.exits, sc.suspect // its status is the shell's
	}
	if w.replaced(c, sc, f) {
		sc.leave(argv)
		c.Words = nil
		w.emit(c, sc, f)
		return
	}
	sc.builtin(c.Words, f)
	t := tools.Of(c.Words[0])
	c.Dir = tools.Join(c.Dir, t.Dir(c.Words))
	w.emit(c, sc, f)
	sc.leave(argv)
	if inner := t.Executed(c.Words); len(inner) > 0 && w.depth < maxDepth {
		f = f.hidden()
		f.runs, f.maybe = false, true
		w.within(w.src, func() { w.run(inner, assigned, stdio{}, sc, f) })
	}
}

// emit notes a command, or files alone; nothing where there are none.
func (w *walker) emit(c Command, sc *scope, f fate) {
	if len(c.Words)+len(c.Writes)+len(c.inputs) == 0 {
		return
	}
	if w.steps++; w.steps <= maxSteps {
		w.found = append(w.found, sc.judged(c, f))
	}
}

// replaced walks the commands behind a call of a function of this line, eval,
// trap and a shell with its script on the line, and reports whether there are
// any that can be read.
func (w *walker) replaced(c Command, sc *scope, f fate) bool {
	if fn, ok := sc.funcs[c.Words[0]]; ok && len(c.Words) == len(c.argv) && w.depth < maxDepth && w.bytes < maxText {
		w.bytes += int(fn.body.End().Offset() - fn.body.Pos().Offset())
		skips := sc.skips
		w.within(fn.src, func() { w.stmt(fn.body, sc, f) })
		sc.skips = skips
		return true
	}
	switch c.Words[0] {
	case "eval":
		return len(c.Words) > 1 && w.script(strings.Join(c.Words[1:], " "), sc, f) == nil
	case "trap":
		hidden := f.hidden()
		sc.rescued = sc.rescued || rescues(c.Words)
		return len(c.Words) > 2 && c.Words[1] != "-" && w.script(c.Words[1], sc.fork(hidden), hidden) == nil
	}
	in, ok := inlineScript(c.Words, c.Stdin)
	if !ok {
		return false
	}
	sub := sc.inner(c, in, f)
	f.counts, f.stops, f.ignored = sub.exits, false, false
	return w.script(in.text, sub, f) == nil
}

package shell

import "mvdan.cc/sh/v3/syntax"

// walker collects the commands of a line. Every place it comes to has a scope
// (which shell runs it) and a fate (what its exit status does to the line's).
type walker struct {
	src   string // the text that positions point into
	found []Command
	steps int
	depth int
	bytes int
}

// script walks the commands of a text of their own.
func (w *walker) script(src string, sc *scope, f fate) error {
	if w.bytes += len(src); w.bytes > maxText || w.depth >= maxDepth {
		return errComplex
	}
	file, err := parse(src)
	if err != nil {
		return err
	}
	w.within(src, func() { w.list(file.Stmts, sc, f) })
	return nil
}

// within walks nodes whose positions point into src.
func (w *walker) within(src string, walk func()) {
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
		own.dropped = !asksStatus(w.src)
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
	if s.Background || s.Coprocess || s.Disown {
		f = f.hidden()
		f.background = true
		sc = sc.fork(f)
	}
	if s.Negated {
		f = f.hidden()
		f.ignored = true
	}
	if call, ok := s.Cmd.(*syntax.CallExpr); ok {
		w.call(s, call, sc, f)
		return
	}
	std := w.redirects(s.Redirs, sc, f)
	if len(std.writes)+len(std.inputs) > 0 {
		w.emit(Command{Writes: std.writes, inputs: std.inputs, Dir: sc.dir}, sc, f)
	}
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
		w.condition(cmd.Cond, sc, f)
		if value, known := constants(cmd.Cond); !known || value != cmd.Until {
			w.loop(cmd.Do, sc, f.repeated(false))
		}
	case *syntax.ForClause:
		w.substitutions(cmd.Loop, sc, f.hidden(), f.hidden())
		iter, ok := cmd.Loop.(*syntax.WordIter)
		if !ok || !iter.InPos.IsValid() || len(iter.Items) > 0 {
			w.loop(cmd.Do, sc, f.repeated(f.runs && ok && literal(iter.Items)))
		}
	case *syntax.CaseClause:
		w.substitutions(cmd.Word, sc, f.hidden(), f.hidden())
		f.runs, f.unsure, f.maybe = false, true, true
		for _, item := range cmd.Items {
			w.perhaps(sc, func() { w.list(item.Stmts, sc, f) })
		}
	case *syntax.FuncDecl:
		w.define(cmd, sc)
	case *syntax.TimeClause:
		if cmd.Stmt != nil {
			w.stmt(cmd.Stmt, sc, f)
		}
	case *syntax.CoprocClause:
		f = f.hidden()
		f.background = true
		w.stmt(cmd.Stmt, sc.fork(f), f)
	case *syntax.DeclClause:
		w.substitutions(cmd, sc, f.hidden(), f.hidden())
		w.declare(cmd, sc)
	default: // [[ ]], (( )), let, export: no commands but those substituted in
		w.substitutions(cmd, sc, f.hidden(), f.hidden())
	}
}

// repeated is the fate of a loop's body: only the last round gives the status.
func (f fate) repeated(runs bool) fate {
	return fate{runs: runs, suspect: f.counts || f.suspect, ignored: f.ignored, background: f.background, unsure: f.unsure, maybe: f.maybe || !runs, forced: f.forced}
}

func (w *walker) loop(stmts []*syntax.Stmt, sc *scope, f fate) {
	skips := sc.skips
	w.perhaps(sc, func() { w.list(stmts, sc, f) })
	sc.skips = skips
}

func literal(words []*syntax.Word) bool {
	for _, word := range words {
		if word.Lit() != "" {
			return true
		}
	}
	return false
}

func (w *walker) subshell(stmts []*syntax.Stmt, sc *scope, f fate) {
	sub := sc.fork(f)
	f.counts = sub.exits
	w.list(stmts, sub, f)
}

func (w *walker) condition(stmts []*syntax.Stmt, sc *scope, f fate) {
	f = f.hidden()
	f.ignored = true
	w.list(stmts, sc, f)
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
	cond := f.hidden()
	cond.ignored = true
	stmts, otherwise, negated := cmd.Cond, []*syntax.Stmt(nil), false
	if cmd.Else != nil && len(cmd.Else.Cond) == 0 {
		otherwise = cmd.Else.Then
	}
	if len(stmts) == 1 && stmts[0].Negated {
		positive := *stmts[0]
		positive.Negated = false
		stmts, otherwise, negated = []*syntax.Stmt{&positive}, cmd.Then, true
	}
	switch listEnds(otherwise, !negated) {
	case fails:
		cond.counts, cond.suspect = f.counts, sc.blames(f)
	case leaves:
		cond.counts, cond.suspect = sc.exits, sc.suspect
	}
	w.list(stmts, sc, cond)
}

func (w *walker) define(cmd *syntax.FuncDecl, sc *scope) {
	names := cmd.Names
	if cmd.Name != nil {
		names = append(names, cmd.Name)
	}
	for _, name := range names {
		sc.funcs[name.Value] = function{cmd.Body, w.src}
	}
}

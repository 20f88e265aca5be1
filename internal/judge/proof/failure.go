package proof

import (
	"slices"
	"strings"
)

// Failures are those that are open at the end, and those that were red before
// the turn's first edit already and still are (Before). Each stands once, by the
// newest check that shows it.
func (t Turn) Failures() []Open {
	l := ledger{Turn: t, closers: t.closers(), red: t.redBefore(), at: map[Failure]int{}}
	for _, at := range t.inTime() {
		k := &t.Checks[at]
		if k.Outcome != Failed || k.Own || k.Build || k.Base {
			continue
		}
		for _, f := range k.opens() {
			if !l.closed(f, k) {
				l.add(Open{Failure: f, By: at, Before: l.before(f, k)})
			}
		}
	}
	return slices.DeleteFunc(l.all, func(o Open) bool { return o.By < 0 || !o.Before && t.old(o) })
}

// ledger collects what is open. A long turn has thousands of checks and of names:
// what is asked of each name is found once.
type ledger struct {
	Turn
	closers []*Check         // those that can close something
	red     map[Failure]bool // what was red before the first edit
	all     []Open
	at      map[Failure]int // the place in all of what is named
}

// closers are the checks that can close a failure: they passed, or they name all
// that failed.
func (t Turn) closers() (list []*Check) {
	for i := range t.Checks {
		if k := &t.Checks[i]; !k.Base && (k.Outcome == Passed || k.Outcome == Failed && k.tellsAll()) {
			list = append(list, k)
		}
	}
	return list
}

// redBefore is what checks named before the turn's first edit, or while its changes
// were put away.
func (t Turn) redBefore() map[Failure]bool {
	red := map[Failure]bool{}
	for i := range t.Checks {
		if k := &t.Checks[i]; k.Outcome == Failed && (k.Base || t.First.Later(k.At)) {
			for _, f := range k.Failures {
				red[f.what()] = true
			}
		}
	}
	return red
}

// inTime are the checks in the order in which they ended: that of the log says
// nothing of calls that ran at once.
func (t Turn) inTime() []int {
	order := make([]int, len(t.Checks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := t.Checks[a].At, t.Checks[b].At; {
		case x.Later(y):
			return 1
		case y.Later(x):
			return -1
		}
		return 0
	})
	return order
}

// opens are what a failed check leaves open: what it names, and all that it
// takes where something may be missing.
func (k Check) opens() []Failure {
	all := slices.Clip(k.Failures)
	if len(all) == 0 || !k.Complete {
		all = append(all, Failure{})
	}
	return all
}

// add puts a failure into the list, in the place of the same one that an older
// check showed.
func (l *ledger) add(o Open) {
	at, known := l.at[o.what()]
	if o.Unnamed() {
		at, known = l.covered(o)
	}
	if !known {
		l.at[o.what()] = len(l.all)
		l.all = append(l.all, o)
		return
	}
	was := l.all[at]
	if !l.Checks[o.By].At.Later(l.Checks[was.By].At) {
		o.By = was.By
	}
	o.Before = o.Before || was.Before
	l.all[at] = o
}

// covered is the place of an unnamed failure whose check a newer one takes in; all
// others that it takes in are dropped.
func (l *ledger) covered(o Open) (at int, known bool) {
	for i, was := range l.all {
		switch {
		case was.By < 0 || !was.Unnamed() || !l.Checks[o.By].covers(l.Checks[was.By]):
		case known:
			l.all[i].By = -1
		default:
			at, known = i, true
		}
	}
	return at, known
}

// before reports whether the same failure was shown before the turn's first
// edit, and this is a later showing of it.
func (l *ledger) before(f Failure, k *Check) bool {
	return f.what() != (Failure{}) && !l.First.None() && !l.First.Later(k.At) && l.red[f.what()]
}

// old reports whether a failure was shown before the turn's first edit only.
func (t Turn) old(o Open) bool { return !t.First.None() && t.First.Later(t.Checks[o.By].At) }

// closed reports whether a later check shows that what failed is right again.
func (l *ledger) closed(f Failure, first *Check) bool {
	if f.File != "" && slices.Contains(l.Brief, f.File) {
		return true
	}
	if l.Missing(f) {
		return false
	}
	return slices.ContainsFunc(l.closers, func(k *Check) bool { return k.At.Later(first.At) && k.closes(f, first) })
}

// Missing reports whether what failed may be a test that the turn took out, or
// may lie in a test file that it deleted.
func (t Turn) Missing(f Failure) bool {
	if f.Test != "" && slices.ContainsFunc(t.Lost, func(lost Failure) bool {
		return within(f.Test, lost.Test) && (f.File == lost.File || f.File == "" && (!f.Placed || Inside(Folder(lost.File), f.Package)))
	}) {
		return true
	}
	return slices.ContainsFunc(t.Gone, func(file string) bool {
		return f.File == file || f.File == "" && f.Placed && f.Test != "" && f.Package == Folder(file)
	})
}

// within reports whether what failed is a test that a file has by its bare name:
// that test, one of its cases, or it in a group or a class.
func within(failed, test string) bool {
	for _, apart := range []string{" > ", "::", "#"} {
		if at := strings.LastIndex(failed, apart); at >= 0 {
			failed = failed[at+len(apart):]
		}
	}
	rest, ok := strings.CutPrefix(failed, test)
	return ok && test != "" && (rest == "" || rest[0] == '/' || rest[0] == '[')
}

// closes reports whether a later check closes a failure that the first one
// opened. What was named is closed by a pass that takes it, or by a failed check
// that takes it, ran to its end and names all that failed, but not this. All that
// a check took is closed by one that takes as much.
func (k *Check) closes(f Failure, first *Check) bool {
	switch {
	case k.Outcome != Passed && !(k.Outcome == Failed && k.tellsAll() && !slices.ContainsFunc(k.Failures, f.isIn)):
		return false
	case k.Build && !first.Build:
		return false
	case k.same(*first):
		return true
	case f.what() == (Failure{}):
		return k.covers(*first)
	}
	return k.takes(f, *first)
}

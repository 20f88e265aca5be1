package debrief

import (
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/agent"
)

// open is a check whose last run failed, with what of it no later run has shown to
// pass.
type open struct {
	*check
	failures []failure // none: all that it takes
	before   bool      // the same was red before the turn's first edit, or without its changes
}

// reds are the checks that failed last: of the runs of one command the newest
// counts, and what it names as failed is closed by a later run that takes it.
// Rule: docs/spec.md, "What failed last".
func (t *turn) reds() []open {
	all := t.checks()
	var list []open
	for i, k := range all {
		again := func(later *check) bool {
			switch {
			case later.kind != k.kind:
				return false
			case later.is == failed && later.onTree() && later.asWideAs(k):
				return true // red as well, and of all that this one took
			}
			settled := later.is == passed || later.is == failed
			return later.same(k) && (settled || later.is == unseen && k.kind != kindTests)
		}
		superseded := slices.ContainsFunc(all[i+1:], again) && !slices.ContainsFunc(k.failures, t.lost)
		if k.is != failed || !k.onTree() || superseded || !t.matters(k) {
			continue
		}
		o := open{check: k}
		left := func(f failure) bool {
			return !t.triedOut(f) && (t.lost(f) || !slices.ContainsFunc(all[i+1:], func(later *check) bool { return later.closes(f, k) }))
		}
		if (len(k.failures) == 0 || !k.complete) && !left(failure{}) {
			continue
		}
		for _, f := range k.failures {
			if left(f) {
				o.failures = append(o.failures, f)
			}
		}
		if k.complete && len(o.failures) == 0 {
			continue
		}
		o.before = t.redBefore(o)
		list = append(list, o)
	}
	return list
}

// matters reports whether a red check says something of the turn's work: tests do;
// what builds or lints does where it names a file that the turn changed, or nothing.
func (t *turn) matters(k *check) bool {
	if k.kind == kindTests || t.first().none() {
		return k.kind == kindTests
	}
	return k.call.names(k.call.Output()) || k.kind == kindBuild && len(k.failures) == 0
}

// closes reports whether a later check shows that what failed is right again: a pass
// that takes it; or a failed run that takes it, names all that failed, but not this.
// The zero failure is all that the other one took.
func (k *check) closes(f failure, other *check) bool {
	switch {
	case !k.onTree() || other.kind == kindTests && k.kind != kindTests:
		return false
	case k.is == failed && k.complete && !k.stops:
		if slices.ContainsFunc(k.failures, f.may) {
			return false
		}
	case k.is != passed:
		return false
	}
	if f == (failure{}) {
		return k.asWideAs(other)
	}
	return k.same(other) || k.takesFailure(f, other)
}

// may reports whether another failure names the same, or a part of it that may be
// the same: a failed package holds a failed test.
func (f failure) may(other failure) bool {
	test := f.test == other.test || f.test == "" || other.test == ""
	file := f.file == other.file || f.file == "" || other.file == ""
	pkg := f.pkg == other.pkg || !f.placed || !other.placed
	return test && file && pkg
}

// redBefore reports whether a check was red before the turn's first edit, or while
// its changes were put away, with all that is open of it.
func (t *turn) redBefore(o open) bool {
	first := t.first()
	old := func(k *check) bool { return k.is == failed && (k.base || !first.none() && first.later(k.at)) }
	if old(o.check) {
		return true
	}
	if len(o.failures) == 0 {
		return slices.ContainsFunc(t.checks(), func(k *check) bool { return old(k) && k.same(o.check) })
	}
	return !slices.ContainsFunc(o.failures, func(f failure) bool {
		return !slices.ContainsFunc(t.checks(), func(k *check) bool { return old(k) && slices.ContainsFunc(k.failures, f.is) })
	})
}

// is reports whether two failures name the same, whatever else the runner prints.
func (f failure) is(other failure) bool {
	f.printed, other.printed = "", ""
	return f == other
}

// first is the turn's first edit of a file that is changed at its end.
func (t *turn) first() moment {
	return t.firstEdit.get(func() moment {
		var all []moment
		for _, c := range t.calls {
			for _, e := range c.edits {
				if slices.ContainsFunc(t.files, func(f file) bool { return e.names(f.File) }) {
					all = append(all, c.moment(e.command))
				}
			}
		}
		for _, f := range t.files {
			all = append(all, f.last)
		}
		return slices.MinFunc(known(all), moment.compare)
	})
}

// lost reports whether what failed may be a test that the turn took out, emptied or
// skips: no later pass shows that it is right.
func (t *turn) lost(f failure) bool {
	for _, x := range t.files {
		gone := x.Deleted && x.Home.Test && t.renamed(x.Path) == ""
		ofFolder := f.file == "" && f.placed && f.test != "" && f.pkg == folderOf(x.Path)
		if gone && (f.file == x.Path || ofFolder) {
			return true
		}
		for _, name := range slices.Concat(x.Thin.Gone, x.Thin.Empty, x.Thin.Skipped) {
			in := f.file == x.Path || f.file == "" && (!f.placed || inside(folderOf(x.Path), f.pkg))
			if f.test != "" && in && partOf(f.test, name) {
				return true
			}
		}
	}
	return false
}

// partOf reports whether what failed is a test that a file has by its bare name:
// that test, one of its cases, or it in a group or a class.
func partOf(failed, test string) bool {
	for _, apart := range []string{" > ", "::", "#"} {
		if at := strings.LastIndex(failed, apart); at >= 0 {
			failed = failed[at+len(apart):]
		}
	}
	rest, ok := strings.CutPrefix(failed, test)
	return ok && test != "" && (rest == "" || strings.IndexAny(rest, "/[") == 0)
}

// isOf reports whether a check is the one that a need names as red.
func (k *check) isOf(n *agent.Need) bool {
	return n.Kind == string(ClassRed) && cut(k.cmd.text, ruleShown) == n.Check && k.dir == n.Dir && k.onTree()
}

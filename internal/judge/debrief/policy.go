package debrief

import (
	"cmp"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/tools"
)

// stands tells how a file stands at the end of a turn: what was seen to run on it
// since its last change. The first class that fits, in the order in which they are
// asked for.
// Rule: docs/spec.md, "What holds".
func (t *turn) stands(f file) Class {
	var took, blind, static bool
	for _, k := range t.checks() {
		switch {
		case t.covers(k, f) && k.is == passed:
			return classCovered
		case !k.onTree() || !k.at.after(f.last):
		case k.kind == kindTests && k.is == failed && t.takes(k, f):
			took = true
		case k.kind == kindTests && k.is == unseen && t.takes(k, f):
			blind = true
		case k.kind != kindTests && k.answered() && k.speaksOf(f):
			static = true
		}
	}
	switch {
	case !f.Home.Manifest:
		return ClassNowhere
	case took:
		return ClassRed
	case blind, t.blindSince(f.last), f.Home.Served && (f.Home.Test || inTests(f.Path)): // a server, a browser or a database is not ours to ask for
		return ClassUnseen
	case len(t.ownTests(f, true)) > 0 || f.Home.PackageTests && f.Home.Packaged:
		return ClassOwnIdle
	case t.ranSince(f):
		return classRan
	case static:
		return ClassStatic
	case f.Home.Tested:
		return ClassIdle
	case t.declared(f).Run != "":
		return ClassUntested
	}
	return ClassUnknown
}

// answered reports whether a check has said something of the code: it did not break off
// before it had looked at it.
func (k *check) answered() bool {
	return k.is == passed || k.is == unseen || k.is == failed && len(k.failures) > 0
}

// judge are the facts of the turn's work, those that hold first.
// Rule: docs/spec.md, "What holds".
func (t *turn) judge() (facts []Fact, by string) {
	t.leaveSame()
	files := t.judged()
	if len(files) == 0 && len(t.files) == 0 {
		return nil, ""
	}
	groups := map[Class][]file{}
	for _, f := range files {
		open := t.unclosed(f)
		for _, n := range open {
			if !t.redAgain(n) {
				facts = t.leftFact(facts, f, n)
			}
		}
		s := t.stands(f)
		speaks := !slices.ContainsFunc(open, func(n *agent.Need) bool { return !n.Asked })
		if f.earlier {
			speaks = s == classCovered && len(open) == 0
		}
		if speaks {
			groups[s] = append(groups[s], f) // else what was left open speaks for it
		}
	}
	for _, o := range t.reds() {
		facts = append(facts, t.redFact(o, files))
	}
	for _, c := range classes {
		for _, part := range t.byAsk(groups[c]) {
			facts = append(facts, t.fact(c, part))
		}
	}
	for i := range facts {
		if len(files) == 0 {
			facts[i].Excused = cmp.Or(facts[i].Excused, excusedNoCode)
		}
		t.excuse(&facts[i])
	}
	joinAsks(facts)
	holds := func(f Fact) bool { return f.Holds }
	facts = append(keep(facts, holds), slices.DeleteFunc(facts, holds)...)
	if len(groups[classCovered]) == len(files) && len(files) > 0 && len(facts) == 0 {
		by = t.coveredBy(files)
	}
	return facts, by
}

// leftFact adds a file to what the work before left open with it: nothing of this
// turn has closed that.
func (t *turn) leftFact(facts []Fact, f file, n *agent.Need) []Fact {
	same := func(x Fact) bool {
		return x.Inherited && string(x.Class) == n.Kind && x.Check == n.Check && x.Ask == n.Ask
	}
	at := slices.IndexFunc(facts, same)
	if at < 0 {
		at = len(facts)
		facts = append(facts, Fact{Class: Class(n.Kind), Check: n.Check, Line: n.Line, Ask: n.Ask, Dir: n.Dir, Inherited: true})
		if n.Asked {
			facts[at].Excused = excusedAsked
		}
	}
	facts[at].Files = append(facts[at].Files, f.Path)
	return facts
}

// closes reports whether a check of this turn closes what the work before left open
// with a file: it covers the file, it is the one that had failed, and passed, or the
// project has no tests and it is another check in the file's language. What failed is not closed by a run
// that chooses tests: which ones failed is not kept.
func (t *turn) closes(k *check, f file, n *agent.Need) bool {
	covers := t.covers(k, f) && !(n.Kind == string(ClassRed) && k.chooses())
	checks := n.Kind == string(ClassUntested) && k.onTree() && !k.cmd.unreadable && tools.Of(k.cmd.Words[0]).Ecosystem == f.ecosystem
	return k.is == passed && (covers || checks || k.isOf(n))
}

// unclosed is what the work before left open with a file and this turn has not closed.
func (t *turn) unclosed(f file) []*agent.Need {
	return keep(f.left, func(n *agent.Need) bool {
		return !slices.ContainsFunc(t.checks(), func(k *check) bool { return t.closes(k, f, n) })
	})
}

// redAgain reports whether the check that the work before left red has failed again:
// then that one speaks.
func (t *turn) redAgain(n *agent.Need) bool {
	return slices.ContainsFunc(t.reds(), func(o open) bool { return o.isOf(n) })
}

// classes are those of files that come to a fact, the gravest first. A red check is a
// fact of its own.
var classes = []Class{ClassOwnIdle, ClassIdle, ClassUntested, ClassUnseen, ClassStatic, ClassNowhere, ClassUnknown}

// judged are the files of code that the turn changed, and those that the work
// before left open. Of a file that changed again only what had failed counts: how it
// stands now says the rest.
func (t *turn) judged() []file { return t.judgedFiles.get(t.findJudged) }

func (t *turn) findJudged() (all []file) {
	for _, f := range t.files {
		if t.isCode(f.Path) && !f.tidy {
			all = append(all, f)
		}
	}
	for i := range t.Left {
		f := &t.Left[i]
		if !t.isCode(f.Path) {
			continue
		}
		at := slices.IndexFunc(all, func(x file) bool { return x.Path == f.Path })
		if at < 0 {
			at = len(all)
			all = append(all, t.withHome(file{File: f.File, last: beforeAll, earlier: true}))
		}
		if all[at].earlier || f.Need.Kind == string(ClassRed) {
			all[at].left = append(all[at].left, &f.Need)
		}
	}
	return all
}

// isCode reports whether a built-in rule that is in force judges a file's tests.
func (t *turn) isCode(path string) bool {
	return slices.ContainsFunc(t.Rules, func(r Rule) bool { return r.judged() && r.includes(path) })
}

// leaveSame drops the files in which nothing changed that a test would notice. Their
// earlier text is dear, so it is asked for only where something would be said of them.
func (t *turn) leaveSame() {
	said := len(t.reds()) > 0
	t.judgedFiles.is = keep(t.judged(), func(f file) bool {
		if s := t.stands(f); !said && (s == classCovered || s == classRan) {
			return true
		}
		return !t.same(f)
	})
}

// same reports whether nothing changed in a file that a test would notice.
func (t *turn) same(f file) bool {
	known := t.Same != nil && !f.Created && !f.Deleted
	return known && len(f.left) == 0 && t.Same(f.Path)
}

// excuse takes the hold from a fact that the person, or the session's means, excuse.
func (t *turn) excuse(f *Fact) {
	f.Holds = f.Class.holds() && f.Excused == ""
	if !f.Holds {
		return
	}
	switch w := t.wanted(); {
	case w.noTests && f.Class != ClassRed: // what ran and failed is known
		f.Excused = excusedNoTests
	case t.refused():
		f.Excused = excusedRefused
	case w.mayFail && f.Class == ClassRed:
		f.Excused = excusedMayFail
	case w.onlyLint && f.Class != ClassRed:
		f.Excused = excusedLint
	case t.NoShell:
		f.Excused = excusedNoShell
	case t.CheckedAfter:
		f.Excused = excusedChecked
	}
	f.Holds = f.Excused == ""
}

// wantsOf reads the prompts of a turn. Words in quotes and code are others'.
func wantsOf(prompts []string) (w wants) {
	for _, p := range prompts {
		for _, s := range sentences(unfenced(p)) {
			w.noTests = w.noTests || saysNoTests.said(s) && !saysContrary.said(s)
			w.mayFail = w.mayFail || saysMayFail.said(s)
		}
		w.onlyLint = w.onlyLint || saysOnlyLint.said(strings.TrimSpace(p))
	}
	return w
}

// quotation is what stands in double quotes on a line.
var quotation = lazily(`"[^"\n]*"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»`)

// unfenced is a text without its blocks of code and its quotations.
func unfenced(text string) string {
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(text) {
		is := strings.HasPrefix(strings.TrimSpace(line), "```")
		fenced = fenced != is
		if !fenced && !is && !strings.HasPrefix(strings.TrimSpace(line), ">") {
			b.WriteString(quotation().ReplaceAllString(line, " "))
		}
	}
	return b.String()
}

// wanted is what the person's words say of tests.
func (t *turn) wanted() wants {
	return t.wants.get(func() wants { return wantsOf(t.Prompts) })
}

// refused reports whether the person refused a test run of this turn, or broke it off,
// which a client may tell in the same words, and none ran after it.
func (t *turn) refused() bool {
	last := false
	for _, k := range t.checks() {
		if k.kind == kindTests {
			last = k.call.Interrupted && saysRefused.said(k.call.Call.Output)
		}
	}
	return last
}

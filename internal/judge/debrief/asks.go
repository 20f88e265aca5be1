package debrief

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/agent"
)

// byAsk sorts files by the command that would settle them.
func (t *turn) byAsk(files []file) (parts [][]file) {
	for _, f := range files {
		x := t.nearest(f.ecosystem, f.Path)
		at := slices.IndexFunc(parts, func(part []file) bool { return x.same(t.nearest(part[0].ecosystem, part[0].Path)) })
		if at < 0 {
			at, parts = len(parts), append(parts, nil)
		}
		parts[at] = append(parts[at], f)
	}
	return parts
}

// fact is what files come to that stand alike.
func (t *turn) fact(class Class, files []file) Fact {
	f := Fact{Class: class, Files: pathsOf(files)}
	test := t.ask(files)
	switch class {
	case ClassUntested:
		test = t.declared(files[0])
	case ClassOwnIdle:
		for _, x := range files {
			f.Tests = union(f.Tests, t.ownTests(x, true)...)
		}
		f.Tests = slices.DeleteFunc(f.Tests, func(test string) bool { return slices.Contains(f.Files, test) })
	}
	f.Ask, f.Dir, f.narrowed = test.Run, test.Dir, test.narrowed
	if v := t.ownRed(files[0].ecosystem); v != nil && class.holds() && f.Ask != "" {
		f.Ran = ran(v)
		if v.Before == agent.BeforeFailed {
			f.Excused = excusedAlike
		}
	}
	if class.holds() && !slices.ContainsFunc(files, func(x file) bool { return !t.prevented(x) }) {
		f.Excused = cmp.Or(f.Excused, excusedNotHere)
	}
	if f.Ask == "" && (class == ClassOwnIdle || class == ClassIdle) {
		if f.Class = ClassUnknown; len(t.notHere()) > 0 {
			f.Excused = "not installed here: " + list(t.notHere())
		}
	}
	return f
}

// ask is the command to ask for: the nearest to the files, for their packages only
// where the tool takes folders. What cannot run here is not asked for.
func (t *turn) ask(files []file) Test {
	x := t.nearest(files[0].ecosystem, files[0].Path)
	if t.Narrow != nil && x.Run != "" && !x.Accepted {
		if run := t.Narrow(x.Dir, x.Run, pathsOf(files)); run != "" {
			x.Run, x.narrowed = run, true
		}
	}
	return x
}

// joinAsks has facts that hold ask for one command where that of one takes all that the
// other's takes.
func joinAsks(facts []Fact) {
	joins := func(f Fact) bool { return f.Holds && f.narrowed }
	for i, one := range facts {
		for _, f := range facts {
			words := strings.Fields(f.Ask)
			beyond := func(word string) bool { return !slices.Contains(words, word) }
			if joins(one) && joins(f) && f.Dir == one.Dir && !slices.ContainsFunc(strings.Fields(facts[i].Ask), beyond) {
				facts[i].Ask = f.Ask
			}
		}
	}
}

// declared is the type check or build that a project without tests declares.
func (t *turn) declared(f file) Test {
	for _, x := range t.Declared {
		if x.Dir == f.Home.Project && (x.Ecosystem == "" || x.Ecosystem == f.ecosystem) {
			return x
		}
	}
	return Test{}
}

// redFact is a check that failed last.
func (t *turn) redFact(o open, files []file) Fact {
	f := Fact{Class: ClassRed, Check: o.cmd.text, Line: o.call.said(o.cmd).Line, Ask: o.cmd.text, Dir: o.dir, measured: o.call.own && o.call.Failed}
	for _, x := range files {
		if t.takes(o.check, x) || slices.ContainsFunc(x.left, o.isOf) {
			f.Files = append(f.Files, x.Path)
		}
	}
	for _, x := range o.failures {
		if name := cmp.Or(x.test, x.printed); name != "" && len(f.Names) < openShown {
			f.Names = append(f.Names, name)
		}
	}
	switch {
	case o.before:
		f.Excused = excusedBefore
	case t.admitted(o.at):
		f.Excused = excusedAdmitted
	case o.kind != kindTests && t.allCovered(files, o.at):
		f.Excused = excusedLater
	case o.cmd.unreadable:
		f.Excused = excusedUnread
	}
	return f
}

// prevented reports whether tests of a file were tried since its last change and their
// program is not here, no other test of its language ran, and the agent has said so.
func (t *turn) prevented(f file) bool {
	prevented := false
	for _, k := range t.checks() {
		switch {
		case k.kind != kindTests || !k.speaksOf(f):
		case k.is == passed || k.is == failed:
			return false
		case k.is == unrun && k.at.after(f.last) && t.takes(k, f):
			absent := absentIn(k.call)
			gone := slices.ContainsFunc(programs(k.cmd), func(p string) bool { return slices.Contains(absent, p) })
			prevented = prevented || gone && slices.ContainsFunc(t.since(k.at), untested)
		}
	}
	return prevented
}

// maxSaid bounds what is read of a text: what matters stands at its beginning or
// its end.
const maxSaid = 16 << 10

// sentences are the parts of a text, each with one thing to say.
func sentences(text string) []string {
	if len(text) > maxSaid {
		text = text[:maxSaid/2] + "\n" + text[len(text)-maxSaid/2:]
	}
	ends := func(r rune) bool { return strings.ContainsRune(".!?;\n。！？；", r) }
	all := strings.FieldsFunc(strings.ReplaceAll(text, "`", ""), ends)
	for i, s := range all {
		all[i] = strings.TrimSpace(s)
	}
	return all
}

// admits reports whether an agent's words say that something still fails: one of
// its sentences does, and does not say that it is mended.
func admits(words string) bool {
	return slices.ContainsFunc(sentences(words), func(s string) bool { return saysFails.said(s) && !saysMended.said(s) })
}

// untested reports whether an agent's words say that tests could not run, and nowhere
// that they passed.
func untested(words string) bool {
	all := sentences(words)
	return slices.ContainsFunc(all, saysUntested.said) && !slices.ContainsFunc(all, saysPassed.said)
}

// admitted reports whether the agent has said since a moment that something fails.
func (t *turn) admitted(since moment) bool {
	return slices.ContainsFunc(t.since(since), admits)
}

// since is what the agent has said since a moment.
func (t *turn) since(since moment) (texts []string) {
	for _, w := range t.Words {
		if w.At.IsZero() || !w.At.Before(since.At) {
			texts = append(texts, w.Text)
		}
	}
	return texts
}

// openShown bounds the failures that are named.
const openShown = 3

// coveredBy names the checks that passed and cover the files.
func (t *turn) coveredBy(files []file) string {
	var names []string
	for _, f := range files {
		for _, k := range slices.Backward(t.checks()) {
			if k.is == passed && t.covers(k, f) {
				names = union(names, quote(k.cmd.text))
				break
			}
		}
	}
	if len(names) > asksShown {
		names = append(names[:asksShown-1], fmt.Sprintf("%d more", len(names)-asksShown+1))
	}
	return join(names)
}

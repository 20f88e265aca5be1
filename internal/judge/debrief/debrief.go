// Package debrief decides whether a turn that ends has verified what it
// changed, and says what is missing. Evidence comes in (changed files, the
// turn's calls, the project's test commands), a decision and its words go out;
// nothing is read or run.
// Rule: docs/spec.md, "Rules".
package debrief

import (
	"fmt"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/agent"
)

// Read reads a turn's calls, as seen from the work tree at root. resolve is
// Input.Resolve.
func Read(root string, calls []agent.Call, resolve func(path string) string) *Reading {
	var r *Reading
	contained(func() {
		r = &Reading{newTurn(Input{Root: root, Calls: calls, CallsSeen: true, Resolve: resolve})}
		for _, c := range r.turn.calls {
			for _, cmd := range c.commands {
				contained(func() { cmd.natureOf() })
			}
		}
	})
	return r
}

// Edits are the files that the calls name as written, by an edit tool or in the
// shell, relative to the root, and those that they lead to through links.
// Patterns are left out.
func (r *Reading) Edits() (paths []string) {
	t := r.read().copy(r.read().Input)
	t.follow()
	for _, c := range t.calls {
		for _, e := range c.edits {
			if !strings.ContainsAny(e.path, "*?[{") {
				paths = union(paths, e.path)
			}
		}
	}
	return paths
}

// Look applies the rules to a turn. It changes nothing of its input, and the
// same input gives the same result. It never panics: a rule that does is left
// out, and if all fails the message is the generic one.
func Look(in Input) Result {
	return guarded(func(r *Result) { look(in, r) })
}

func look(in Input, r *Result) {
	if in.Rules == nil {
		in.Rules = Builtin()
	}
	t, files := ready(in)
	r.Files = files
	groups, added := categorise(in.Rules, t.files)
	all := slices.Concat(groups, added)
	for _, g := range all {
		if g.instead == "" {
			r.Categories = append(r.Categories, label(g.rule.Name))
		}
	}
	t.say(groups, added, r)
	r.sum()
}

// sum says what the parts of a result come to.
func (r *Result) sum() {
	r.AllClear = len(r.Actions)+len(r.Lines) == 0
	r.Message = ""
	if len(r.Actions)+len(r.Observations) > 0 {
		r.Message = orGeneric(func() string { return compose(*r) })
	}
}

// ready is the turn with its evidence, and whose work its files are.
func ready(in Input) (*turn, []agent.FileChange) {
	t := reading(in)
	if t.unnamed() {
		t.follow()
	}
	t.builds = t.read(slices.Concat(buildCommands, untestedEvidence(in.Rules)))
	files := t.changes()
	t.ranItself()
	for i, f := range t.files {
		t.files[i] = t.withHome(f)
	}
	return t, files
}

// Settled are those of other work's needs that checks of this turn close for each of
// their files, having begun after that was left open.
// Rule: docs/spec.md, "What work leaves open".
func Settled(in Input, needs []agent.Need, homes map[string]*Home) (closed []agent.Need) {
	contained(func() {
		in.Left = nil
		t, _ := ready(in)
		for _, n := range needs {
			left := func(path string) bool {
				f := t.withHome(file{File: File{Path: path, Home: homes[path]}, last: moment{At: n.Since.Time, Call: -1, Command: -1}})
				return !slices.ContainsFunc(t.checks(), func(k *check) bool { return k.at.after(f.last) && t.closes(k, f, &n) })
			}
			if len(n.Files) > 0 && !slices.ContainsFunc(n.Files, left) {
				closed = append(closed, n)
			}
		}
	})
	return closed
}

// say puts into words what the facts, the rules, Piton's own runs, the log check and
// the habits of the turn come to. What only adds (added) has no say in what the turn
// was: whether nothing but documents changed.
func (t *turn) say(groups, added []group, r *Result) {
	contained(func() { r.Facts, r.Passed = t.judge() })
	r.Judged = len(t.judged())
	r.Passing = slices.ContainsFunc(t.checks(), func(k *check) bool { return k.is == passed })
	findings := t.demanded(slices.Concat(groups, added))
	contained(func() { findings = append(findings, t.lookAtLogs(groups)...) })
	own, unsure := t.verified(r.Facts)
	demanded, advice := wording(findings)
	r.Evidence = t.evidence(findings)
	r.Actions = own
	for _, f := range r.Facts {
		switch text := f.text(); {
		case f.Holds && f.measured: // said among Piton's own runs
		case f.Holds:
			r.Actions = append(r.Actions, text+t.unread())
			r.Unproven = append(r.Unproven, f.Files...)
		case f.Excused != excusedAsked && f.Excused != excusedChecked:
			r.Lines = append(r.Lines, Line{f.line(), strings.Join([]string{string(f.Class), f.Check, f.Line, f.Ask, f.Excused}, "\x00")})
		}
	}
	r.Actions = append(r.Actions, demanded...)
	habits := []string{}
	if len(t.files) > 0 && !docsOnly(groups, t.files) {
		habits = append(t.observe(), t.astray()...)
	}
	r.OnlyAdded = len(r.Actions)+len(r.Lines)+len(unsure) == 0 && !slices.ContainsFunc(findings, func(f finding) bool {
		return f.instruction != "" && f.group.rule.Profile == "" && !f.group.rule.added()
	})
	_, peoples := wording(keep(findings, func(f finding) bool { return f.group.rule.Profile == "" })) // the advice of rules that are not built in
	for _, text := range slices.Concat(unsure, peoples) {
		r.Lines = append(r.Lines, Line{text, text})
	}
	r.Observations = slices.Concat(advice, unsure, habits)
	if t.Report {
		contained(func() { r.Rules = t.report(r.Facts, findings) })
	}
}

// evidence are the checks of the turn, and what people's rules looked for.
func (t *turn) evidence(findings []finding) (rows []agent.Evidence) {
	all := t.checks()
	for _, k := range all[max(0, len(all)-2*rowsKept):] {
		counts, why := t.counts(k)
		rows = append(rows, agent.Evidence{Category: string(k.kind), Command: cut(k.cmd.text, shown), Counts: counts, Why: why})
	}
	for _, f := range findings {
		rows = append(rows, f.rows...)
	}
	return rows
}

// counts reports whether a check passed that covers a changed file, and why it is taken
// for that.
func (t *turn) counts(k *check) (counts bool, why string) {
	why = k.why
	covers := func(f file) bool { return t.covers(k, f) }
	takes := func(f file) bool { return t.takes(k, f) }
	files := t.judged()
	switch {
	case k.away != "":
		return false, k.away
	case k.is != passed || len(files) == 0:
		return k.is == passed && k.kind == kindTests && !k.base, why
	case k.kind != kindTests:
		return false, why + "; it runs no tests"
	case slices.ContainsFunc(files, covers):
		if k.call.own {
			return true, why + "; Piton ran it"
		}
		return true, why + " after the last edit"
	case slices.ContainsFunc(files, takes):
		return false, why + ", but before the last edit"
	}
	return false, why + ", but takes none of the changed files"
}

// reading is the turn's calls as they were read before, or read now.
func reading(in Input) *turn {
	if in.Read == nil || !in.CallsSeen {
		return newTurn(in)
	}
	return in.Read.turn.copy(in)
}

// guarded is what look finds, or the generic message with the files found so
// far if it fails.
func guarded(look func(*Result)) Result {
	var r Result
	if !contained(func() { look(&r) }) {
		return Result{Files: r.Files, Generic: true, Message: Generic()}
	}
	return r
}

// orGeneric is what compose gives, or the generic message if it fails.
func orGeneric(compose func() string) (message string) {
	if !contained(func() { message = compose() }) || message == "" {
		return Generic()
	}
	return message
}

// report is what each rule saw that took a file of the agent's, and then what
// else was looked at.
func (t *turn) report(facts []Fact, findings []finding) (all []Report) {
	for _, f := range facts {
		verdict := "a line for the person: " + f.line()
		if f.Holds {
			verdict = "asks: " + f.line()
		}
		all = append(all, Report{Rule: string(f.Class), Files: f.Files, Instruction: f.Ask, Verdict: verdict, Asks: f.Holds})
	}
	for _, f := range findings {
		all = append(all, Report{Rule: f.group.rule.Name, Files: pathsOf(f.group.files), Instruction: f.wish, Evidence: f.rows, Verdict: f.verdict, Asks: f.asksFor()})
	}
	if len(t.Verified) > 0 {
		all = append(all, t.reportVerified())
	}
	if t.Item != "" {
		r := Report{Rule: "work item", Files: t.planned(), Instruction: "work on " + quote(t.Item)}
		switch {
		case len(t.Planned) == 0:
			r.Verdict = "falls away: its plan names no files"
		case len(r.Files) == 0:
			r.Verdict = "advice only: none of the changed files is planned"
		default:
			r.Verdict = fmt.Sprintf("kept to: %d of %d changed files planned", len(r.Files), len(t.files))
		}
		all = append(all, r)
	}
	for i := range all { // an empty list, and not null in JSON
		all[i].Files = append([]string{}, all[i].Files...)
		all[i].Evidence = append([]agent.Evidence{}, all[i].Evidence...)
	}
	return all
}

// reportVerified tells of the commands that Piton ran itself.
func (t *turn) reportVerified() Report {
	r := Report{Rule: "verify", Instruction: "Piton runs the configured commands", Verdict: "no failure"}
	for _, v := range t.Verified {
		row := agent.Evidence{Category: r.Rule, Command: cut(spaced(v.Command), shown), Counts: v.OK && v.Counts(), Why: Went(v)}
		if v.Cached && v.Unsure == "" {
			row.Why += " before, on the very same tree"
		}
		r.Evidence = append(r.Evidence, row)
	}
	if failed := len(t.ownFailures()); failed > 0 && len(t.files) > 0 {
		r.Asks, r.Verdict = true, fmt.Sprintf("asks: %d of %d failed", failed, len(t.Verified))
	}
	return r
}

// Unjudged notes that the turn wrote files in another work tree, and that nobody has
// judged them: then nothing is called clear.
func Unjudged(r Result, place string) Result {
	r.Passed, r.AllClear = "", false
	r.Lines = append(slices.Clip(r.Lines), Line{"files in " + quote(place) + " were changed too, and not judged", "not judged\x00" + place})
	return r
}

// Join adds to a result what another work tree of the same turn came to. place
// is how that tree is called, seen from the first.
func Join(r Result, place string, other Result) Result {
	r.Files, r.Actions, r.Lines, r.Facts = slices.Clip(r.Files), slices.Clip(r.Actions), slices.Clip(r.Lines), slices.Clip(r.Facts)
	r.Categories = union(slices.Clip(r.Categories), other.Categories...)
	r.Evidence = union(slices.Clip(r.Evidence), other.Evidence...)
	in := "In " + quote(place) + ": "
	for _, f := range other.Files {
		r.Files = append(r.Files, agent.FileChange{Path: place + "/" + f.Path, Whose: f.Whose})
	}
	for _, a := range other.Actions {
		r.Actions = append(r.Actions, in+a)
	}
	for _, l := range other.Lines {
		r.Lines = append(r.Lines, Line{in + l.Text, place + "\x00" + l.Finding})
	}
	for _, f := range other.Facts {
		f.Tree = place
		r.Facts = append(r.Facts, f)
	}
	if other.Judged > 0 && (r.Judged == 0 || other.Passed == "") {
		r.Passed = other.Passed
	}
	r.Judged += other.Judged
	r.Generic = r.Generic || other.Generic
	r.OnlyAdded = r.OnlyAdded && len(other.Actions) == 0
	r.sum()
	return r
}

// Commits reports whether the calls commit.
func (r *Reading) Commits() bool { return r.read().commits }

// Outside are the files outside of the work tree that the calls name as written, as
// whole paths.
func (r *Reading) Outside() []string { return r.read().outsiders }

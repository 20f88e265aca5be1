package debrief

import (
	"fmt"
	"slices"

	"github.com/piton-project/piton/internal/agent"
)

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
	r.Unresolved = r.Unresolved || other.Unresolved
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

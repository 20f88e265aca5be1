package debrief

import (
	"fmt"
	"slices"

	"github.com/piton-project/piton/internal/agent"
)

// report is what each rule saw that took a file of the agent's, and then what
// else was looked at.
func (t *turn) report(findings []finding, failures []*call, errorsAsk bool, astray string) []Report {
	var all []Report
	add := func(r Report) {
		if r.Files == nil {
			r.Files = []string{}
		}
		if r.Evidence == nil {
			r.Evidence = []agent.Evidence{}
		}
		all = append(all, r)
	}
	for _, f := range findings {
		r := Report{Rule: f.group.rule.Name, Instruction: f.wish, Evidence: f.rows, Verdict: f.verdict, Asks: f.asksFor()}
		for _, file := range f.group.files {
			r.Files = append(r.Files, file.Path)
		}
		add(r)
	}
	if r, any := t.reportVerified(); any {
		add(r)
	}
	if len(failures) > 0 {
		actions, _ := t.unresolved(failures, findings)
		covered := slices.ContainsFunc(failures, func(c *call) bool { return t.spokenOf(c, findings) })
		add(reportErrors(failures, errorsAsk, len(actions) > 0, covered))
	}
	if t.Item != "" {
		r := Report{Rule: "work item", Files: t.planned(), Instruction: "work on " + quote(t.Item)}
		switch {
		case len(t.Planned) == 0:
			r.Verdict = "falls away: its plan names no files"
		case astray != "":
			r.Verdict = "advice only: none of the changed files is planned"
		case len(r.Files) == 0:
			r.Verdict = "falls away: only documents changed"
		default:
			r.Verdict = fmt.Sprintf("kept to: %d of %d changed files planned", len(r.Files), len(t.files))
		}
		add(r)
	}
	return all
}

// reportErrors tells of the failed commands: whether they ask, else whether they
// would beside code, or something else asks for what makes them good.
func reportErrors(failures []*call, asks, would, covered bool) Report {
	r := Report{Rule: "errors", Instruction: "make failed commands good", Asks: asks}
	for _, c := range failures {
		r.Evidence = append(r.Evidence, agent.Evidence{Category: r.Rule, Command: cut(c.failing(), shown), Why: "failed, and has not succeeded since"})
	}
	switch {
	case asks:
		r.Verdict = "asks: failed commands have not succeeded since"
	case would:
		r.Verdict = "advice only: nothing but documents changed"
	case covered:
		r.Verdict = "covered by what is asked for anyway"
	default:
		r.Verdict = "advice only: what failed checks nothing of this work"
	}
	return r
}

// reportVerified tells of the commands that Piton ran itself.
func (t *turn) reportVerified() (r Report, any bool) {
	r = Report{Rule: "verify", Instruction: "Piton runs the configured commands"}
	for _, v := range t.Verified {
		row := agent.Evidence{Category: r.Rule, Command: cut(spaced(v.Command), shown), Counts: v.OK && !v.TimedOut, Why: "succeeded"}
		switch {
		case v.TimedOut:
			row.Why = "did not end within " + spell(v.TookMS)
		case !v.OK && v.ExitCode > 0:
			row.Why = fmt.Sprintf("failed, exit status %d", v.ExitCode)
		case !v.OK:
			row.Why = "failed"
		case v.Cached:
			row.Why = "succeeded before, on the very same tree"
		}
		r.Evidence = append(r.Evidence, row)
	}
	r.Verdict = "no failure"
	if failed := len(t.ownFailures()); failed > 0 {
		r.Asks, r.Verdict = true, fmt.Sprintf("asks: %d of %d failed", failed, len(t.Verified))
	}
	return r, len(t.Verified) > 0
}

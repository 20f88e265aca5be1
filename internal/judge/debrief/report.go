package debrief

import (
	"fmt"

	"github.com/piton-project/piton/internal/agent"
)

// report is what each rule saw that took a file of the agent's, and then what
// else was looked at.
func (t *turn) report(facts []Fact, findings []finding) []Report {
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
	for _, f := range facts {
		verdict := "a line for the person: " + f.line()
		if f.Holds {
			verdict = "asks: " + f.line()
		}
		add(Report{Rule: string(f.Class), Files: f.Files, Instruction: f.Ask, Verdict: verdict, Asks: f.Holds})
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
		add(r)
	}
	return all
}

// reportVerified tells of the commands that Piton ran itself.
func (t *turn) reportVerified() (r Report, any bool) {
	r = Report{Rule: "verify", Instruction: "Piton runs the configured commands"}
	for _, v := range t.Verified {
		row := agent.Evidence{Category: r.Rule, Command: cut(spaced(v.Command), shown), Counts: v.OK && v.Counts(), Why: Went(v)}
		if v.Cached && v.Unsure == "" {
			row.Why += " before, on the very same tree"
		}
		r.Evidence = append(r.Evidence, row)
	}
	r.Verdict = "no failure"
	if failed := len(t.ownFailures()); failed > 0 && len(t.files) > 0 {
		r.Asks, r.Verdict = true, fmt.Sprintf("asks: %d of %d failed", failed, len(t.Verified))
	}
	return r, len(t.Verified) > 0
}

package runs

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/screen"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/verbs"
)

func showCommand(con console) *cobra.Command {
	return cli.Asks(&cobra.Command{
		Use:   "show RUN",
		Short: "Show a run: its plan with states and durations, and what to do now",
		Long: `Draw the plan of a run with the state and the duration of each step. Steps with a line
beside them can run at the same time. It says whether the process that works on the
run is alive, what the run waits for, and which command matters now.`,
		Example:           "  piton runs show run_7m2k\n  piton runs show nightly --json",
		ValidArgsFunction: con.completeRuns,
	}, func(c *cobra.Command, r piton.RunRefRequest) error {
		v, err := con.App().ShowRun(c.Context(), r)
		v.Hint = verbs.CommandLine(v.Hint)
		return cli.Answer(con, v, err, cli.Paged(con, c, con.printRun))
	})
}

// printRun draws a run.
func (con console) printRun(v planruns.RunView) error {
	r := v.Run
	var b strings.Builder
	head := fmt.Sprintf("%s  %s", r.ID, screen.Line(r.Label()))
	if r.Branch != "" && r.Branch != "main" {
		head += " (" + screen.Line(r.Branch) + ")"
	}
	fmt.Fprintf(&b, "%s\n", con.Bold(head))
	state := fmt.Sprintf("%s, %d of %s", State(r), r.Done, screen.Counted(r.Total, "step"))
	if r.WorkMS > 0 {
		state += ", " + states.Took(r.WorkMS)
	}
	if c := cost(r.Usage, r.CostUSD); c != "" {
		state += ", " + c
	}
	room := 70
	if w := con.Width(); w > 0 {
		room = min(room, w-13)
	}
	began := "Began"
	if r.Status == piton.RunQueued {
		began = "Queued"
	}
	rows := [][2]string{{"Status", con.byStatus(r.Status, state)}, {"Owner", con.owner(r)}, {"Plan", con.ShortPath(r.PlanFile, room)}, {"Folder", con.ShortPath(r.Dir, room)}, {began, con.When(r.CreatedAt)}, {"Checkpoint", v.Checkpoint}}
	for _, row := range rows {
		if row[1] != "" {
			fmt.Fprintf(&b, "%-11s %s\n", row[0]+":", row[1])
		}
	}
	b.WriteString("\n" + con.drawSteps(v.Steps))
	for _, q := range v.Questions {
		fmt.Fprintf(&b, "\nStep %s asks:\n%s\n", screen.Line(q.StepID), indent(screen.Clean(q.Text)))
		if a := q.Answer; a != nil {
			fmt.Fprintf(&b, "%s\n", con.answerWords(*a))
		}
	}
	unanswered := slices.ContainsFunc(v.Questions, func(q planruns.Question) bool { return q.Answer == nil })
	if v.Error != "" && (unanswered || r.Status != piton.RunWaiting) {
		fmt.Fprintf(&b, "\nWhy it ended: %s\n", con.Red(screen.Clean(v.Error)))
	}
	if v.Hint != "" {
		fmt.Fprintf(&b, "\nNext: %s\n", screen.Clean(v.Hint))
	}
	return con.Print(b.String())
}

// answerWords says how a person has answered a question.
func (con console) answerWords(a piton.Answer) string {
	text := "Rejected"
	if a.Approved {
		text = "Approved"
	}
	if a.By != "" {
		text += " by " + screen.Line(a.By)
	}
	text += ", " + con.When(a.At)
	if a.Words != "" {
		text += ": " + screen.Line(screen.Clean(a.Words))
	}
	return text
}

// owner is the process that works on a run.
func (con console) owner(r planruns.RunRow) string {
	if r.Alive == "" {
		return ""
	}
	text := fmt.Sprintf("process %d", r.Owner.PID)
	if host, _ := os.Hostname(); r.Owner.Host != "" && r.Owner.Host != host {
		text += " on " + screen.Line(r.Owner.Host)
	}
	switch r.Alive {
	case caller.OwnerDead:
		return text + ", dead"
	case caller.OwnerUnknown:
		return text + ", not visible from here; its lease ends " + con.When(r.LeaseUntil)
	}
	return text + ", alive"
}

// printPreview shows what a run would do.
func (con console) printPreview(p planruns.RunPreview) error {
	what := "Would run"
	if ref := cmp.Or(p.Run, p.Checkpoint); ref != "" {
		what = "Would continue " + ref + " of"
	}
	text := fmt.Sprintf("%s %s: %s\n\n%s", what, screen.Line(cmp.Or(p.Plan, p.Workflow, "the plan")), screen.Counted(len(p.Steps), "step"), con.drawSteps(p.Steps))
	for i, s := range p.Steps {
		if i == 0 {
			text += "\nAs the plan writes it:\n"
		}
		text += fmt.Sprintf("  %s (%s)\n%s\n", screen.Line(s.ID), screen.Line(s.Action), indent(indent(screen.Clean(s.Does))))
		for _, more := range [][2]string{{"for each of", s.ForEach}, {"undone by", s.Undo}} {
			if more[1] != "" {
				text += indent(indent(more[0]+": "+screen.Clean(more[1]))) + "\n"
			}
		}
	}
	if err := con.Print(text); err != nil {
		return err
	}
	con.Say("Nothing was run.")
	return nil
}

// drawSteps draws the steps of a plan, and below them those that undo others.
func (con console) drawSteps(list []planruns.RunStep) string {
	undoes := func(s planruns.RunStep) bool { return s.Undoes != "" }
	steps := slices.DeleteFunc(withoutMany(list), undoes)
	undo := slices.DeleteFunc(withoutMany(list), func(s planruns.RunStep) bool { return !undoes(s) })
	text := con.drawStages(steps)
	if len(undo) > 0 {
		text += "\nUndo:\n" + con.drawStages(undo)
	}
	return text
}

// drawStages draws steps stage by stage: a line beside steps joins those that can run at the
// same time.
func (con console) drawStages(steps []planruns.RunStep) string {
	slices.SortStableFunc(steps, func(a, b planruns.RunStep) int { return a.Stage - b.Stage })
	stages := map[int][]string{}
	id := 4
	for _, s := range steps {
		stages[s.Stage] = append(stages[s.Stage], s.ID)
		id = max(id, min(screen.Columns(screen.Line(s.ID)), 28))
	}
	width := con.Width()
	if width <= 0 || !con.ForPerson() {
		width = 160
	}
	var b strings.Builder
	for i, s := range steps {
		first := i == 0 || steps[i-1].Stage != s.Stage
		last := i == len(steps)-1 || steps[i+1].Stage != s.Stage
		left := con.bracket(first, last) + " "
		b.WriteString(left + con.sign(s.Status) + " " + con.stepLine(s, id, width-4, after(s, stages[s.Stage-1])) + "\n")
	}
	return b.String()
}

// maxItems is how many items of a step are all shown; of more those that are completed or
// have not begun are only counted.
const maxItems = 20

// withoutMany leaves out what is only counted.
func withoutMany(list []planruns.RunStep) []planruns.RunStep {
	many := map[string]bool{}
	for _, s := range list {
		many[s.ID] = s.Items != nil && *s.Items > maxItems
	}
	return slices.DeleteFunc(slices.Clone(list), func(s planruns.RunStep) bool {
		return many[s.Of] && (s.Status == runner.Completed || s.Status == runner.Pending)
	})
}

// bracket joins the steps of a stage.
func (con console) bracket(first, last bool) string {
	signs := [3]string{"┌", "│", "└"}
	if !con.Unicode() {
		signs = [3]string{",", "|", "`"}
	}
	switch {
	case first && last:
		return " "
	case first:
		return signs[0]
	case last:
		return signs[2]
	}
	return signs[1]
}

// after says which steps a step waits for, where these are not just the whole
// stage before it.
func after(s planruns.RunStep, before []string) string {
	deps, all := slices.Sorted(slices.Values(s.Dependencies)), slices.Sorted(slices.Values(before))
	if len(deps) == 0 || slices.Equal(deps, all) {
		return ""
	}
	return "after " + strings.Join(s.Dependencies, ", ")
}

// stepLine is a step in at most so many columns: its id, state and duration stay,
// its texts are cut.
func (con console) stepLine(s planruns.RunStep, id, width int, after string) string {
	name := screen.Short(s.ID, id)
	name += strings.Repeat(" ", max(id-screen.Columns(name), 0))
	var parts []string
	switch {
	case s.Interrupted:
		parts = append(parts, "interrupted")
	case s.Status != runner.Completed && s.Status != runner.Pending:
		parts = append(parts, stepWords(s.Status))
	}
	if s.Items != nil {
		parts = append(parts, fmt.Sprintf("%d of %s", s.ItemsDone, screen.Counted(*s.Items, "item")))
	}
	if n := len(s.Artifacts); n > 0 {
		parts = append(parts, screen.Counted(n, "artifact"))
	}
	if ms := s.DurationMS; ms > 0 {
		parts = append(parts, states.Took(ms))
	} else if s.Status == runner.Running && !s.Interrupted && !s.StartedAt.IsZero() {
		parts = append(parts, states.Took(con.Now().Sub(s.StartedAt.Time).Milliseconds()))
	}
	if c := cost(s.Usage, s.CostUSD); c != "" {
		parts = append(parts, c)
	}
	if s.Attempt > 1 {
		parts = append(parts, fmt.Sprintf("attempt %d", s.Attempt))
	}
	for _, text := range []string{screen.Line(screen.Clean(s.Reason)), screen.Line(s.Description), after} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	rest := screen.CutEnd(strings.Join(parts, "  "), width-id-2)
	return strings.TrimRight(name+"  "+rest, " ")
}

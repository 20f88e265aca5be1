package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/verbs"
)

// The tools of runs only read: what a run does is a person's to say.

// listedRuns are runs in words.
func listedRuns(list planruns.RunList) *reply {
	out := &reply{head: fmt.Sprintf("%d runs, newest first.", len(list.Runs))}
	for _, x := range list.Runs {
		out.line(runLine(x))
	}
	if list.More {
		out.note("older ones are left out: since, status, open and workflow choose among them, limit shows up to 100")
	}
	return out
}

// runLine is a run on one line.
func runLine(r planruns.RunRow) string {
	return strings.Join(strings.Fields(fmt.Sprintf("%s · %s · %s · %d of %d steps · begun %s · %s", r.ID, r.Label(), r.Word(), r.Done, r.Total, r.CreatedAt, r.Says())), " ")
}

// shownRun is a run in words.
func shownRun(r planruns.RunView) *reply {
	out := &reply{head: fmt.Sprintf("The run %s has done %d of %d steps.", r.Run.ID, r.Run.Done, r.Run.Total)}
	out.line(fmt.Sprintf("Run %s\nPlan: %s, in %s", runLine(r.Run), r.Run.Plan, r.Run.Dir))
	for _, x := range [][2]string{{"Error", r.Error}, {"Newest checkpoint", r.Checkpoint}} {
		if x[1] != "" {
			out.line(x[0] + ": " + x[1])
		}
	}
	steps := shownSteps(r.Steps)
	for _, s := range steps {
		out.line(stepLine(s))
	}
	for _, q := range r.Questions {
		out.line(fmt.Sprintf("Step %s asks a person:\n%s", q.StepID, q.Text))
	}
	if n := len(r.Steps); n > len(steps) {
		out.note(fmt.Sprintf("%d of %d steps are shown, the first of those that are not over; the command `piton runs show %s --json` in a shell prints all", len(steps), n, r.Run.ID))
	}
	if r.Hint != "" {
		out.note("for the user: " + verbs.ForModel(r.Hint))
	}
	return out
}

// stepLine is a step on one line.
func stepLine(s planruns.RunStep) string {
	text := fmt.Sprintf("- %s · %s", s.ID, strings.ReplaceAll(string(s.Status), "_", " "))
	if s.Interrupted {
		text += " when its process died"
	}
	if s.Attempt > 1 {
		text += fmt.Sprintf(" · attempt %d", s.Attempt)
	}
	if s.DurationMS > 0 {
		text += " · " + (time.Duration(s.DurationMS) * time.Millisecond).String()
	}
	for _, more := range []string{s.Description, s.Reason} {
		if more != "" {
			text += " · " + more
		}
	}
	return strings.Join(strings.Fields(text), " ")
}

// shownSteps are the steps of a run that fit an answer: where not all do, those that are not
// over, which tell most.
func shownSteps(all []planruns.RunStep) (list []planruns.RunStep) {
	if len(all) <= maxPage {
		return all
	}
	for _, s := range all {
		if over := s.Status == "completed" || s.Status == "skipped"; !over && len(list) < maxPage {
			list = append(list, s)
		}
	}
	return list
}

// shownLogs are logs in words.
func shownLogs(l planruns.RunLogs) *reply {
	out := &reply{head: fmt.Sprintf("%d logs of %s.", len(l.Logs), l.RunID)}
	for _, x := range l.Logs {
		out.line(fmt.Sprintf("Step %s, attempt %d:\n%s", x.StepID, x.Attempt, x.Text))
	}
	return out
}

// runLog shows the end of what was written: the newest logs go first where not all fits.
func runLog(ctx context.Context, c call, in piton.RunLogsRequest) (*reply, error) {
	all, err := c.RunLogs(ctx, in)
	left, cut, first := in.MaxBytes, 0, 0
	for i, l := range slices.Backward(all.Logs) {
		kept := tail(l.Text, left)
		cut += len(l.Text) - len(kept)
		if all.Logs[i].Text = kept; left <= 0 {
			first = max(first, i+1)
		}
		left -= len(kept)
	}
	all.Logs = all.Logs[first:]
	out := shownLogs(all)
	if cut > 0 {
		out.note(fmt.Sprintf("the first %d bytes are left out: step chooses one step, maxBytes shows up to %d, and the command `piton runs logs %s` in a shell prints all", cut, maxState, all.RunID))
	}
	return out, err
}

// tail is the end of a text, of at most so many bytes.
func tail(text string, most int) string {
	from := max(len(text)-most, 0)
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[from:]
}

// shownWaiting is what is unfinished, in words.
func shownWaiting(w app.WaitingList) *reply {
	out := &reply{head: "Nothing waits for the user."}
	if len(w.Waiting) > 0 {
		out.head = fmt.Sprintf("%d things wait for the user, who answers in a terminal of their own.", len(w.Waiting))
	}
	if more := len(w.Work) - len(w.Waiting); more > 0 {
		out.head += fmt.Sprintf(" Unfinished besides: %d.", more)
	}
	for _, x := range w.Work {
		out.line(workLine(x))
	}
	return out
}

// workLine is a piece of unfinished work in a line.
func workLine(x app.Work) string {
	row := fmt.Sprintf("- %s · %s · `%s`", x.Kind, x.Text, x.Command)
	if !x.Since.IsZero() {
		row += " · since " + x.Since.String()
	}
	return row
}

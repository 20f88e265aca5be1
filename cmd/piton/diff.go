package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/wI2L/jsondiff"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/history"
)

func diffCommand(con *console) *cobra.Command {
	return &cobra.Command{
		Use:   "diff ID|NAME [ID|NAME]",
		Short: "Show what changed from one checkpoint to another",
		Long: `Show what changed from one checkpoint to another; with one id, from its parent to
it. A name is the one given by 'piton save --name'. The records are compared
first, then the states: + added, - removed, ~ changed. Long values are cut. With
--json the change of the states is RFC 6902.

The exit status is 0 also when they differ.`,
		Example:           "  piton diff chk_1a6b chk_7m2k\n  piton diff chk_7m2k --json | jq .patch",
		Args:              oneOrTwo,
		ValidArgsFunction: con.completeTwoIDs,
		RunE: func(c *cobra.Command, args []string) error {
			to := append(args, "")[1]
			if con.json {
				x, err := con.app().Compare(c.Context(), args[0], to)
				return answer(con, x, err, nil)
			}
			// The values that were replaced are shown too.
			x, err := con.app().Pair(c.Context(), args[0], to)
			if err != nil {
				return err
			}
			return con.printDiff(x)
		},
	}
}

// oneOrTwo takes one id or two.
func oneOrTwo(c *cobra.Command, args []string) error {
	if len(args) > 2 {
		return piton.Errorf(piton.Invalid, c.CommandPath(), seeHelp(c), "two ids at most, not %d", len(args))
	}
	check := one(piton.CheckpointPrefix)
	if len(args) < 2 {
		return check(c, args)
	}
	for i := range args {
		if err := check(c, args[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// Bounds of the changes that diff shows a person: of one top key, and in all.
const (
	maxOfKey   = 20
	maxChanges = 200
	maxValue   = 80 // characters of a value
)

// printDiff writes a comparison for people: the records first, then the states
// by their top keys.
func (con *console) printDiff(x history.Pair) error {
	patch, err := app.Operations(x.FromState, x.State)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", con.bold(fmt.Sprintf("%s → %s", x.From.ID, x.To.ID)))
	if rows := recordChanges(x.From, x.To); len(rows) > 0 {
		fmt.Fprintf(&b, "\n%s\n", con.bold("Record"))
		for _, r := range rows {
			fmt.Fprintf(&b, "  %s %s: %s → %s\n", con.yellow("~"), r[0], orDash(r[1]), orDash(r[2]))
		}
	}
	if len(patch) == 0 {
		b.WriteString("\nThe states are the same.\n")
		return con.print(b.String())
	}
	fmt.Fprintf(&b, "\n%s\n", con.bold("State"))
	left := maxChanges
	for _, group := range byTopKey(patch) {
		shown := min(len(group), maxOfKey, left)
		left -= shown
		for _, o := range group[:shown] {
			b.WriteString("  " + con.operation(o) + "\n")
		}
		if n := len(group) - shown; n > 0 && shown > 0 {
			fmt.Fprintf(&b, "  … and %d more at %s\n", n, short(topKey(group[0].Path), maxValue))
		}
		if left == 0 {
			b.WriteString("  … and more\n")
			break
		}
	}
	if left == 0 || strings.Contains(b.String(), "\n  … and ") {
		fmt.Fprintf(&b, "All of it: piton diff %s %s --json\n", x.From.ID, x.To.ID)
	}
	return con.print(b.String())
}

// operation is one change on a line.
func (con *console) operation(o jsondiff.Operation) string {
	path := short(string(cleanJSON([]byte(o.Path))), 120)
	old, now := value(o.OldValue), value(o.Value)
	switch o.Type {
	case jsondiff.OperationAdd:
		return con.green("+ " + path + ": " + cut(now, 0))
	case jsondiff.OperationRemove:
		return con.red("- " + path + ": " + cut(old, 0))
	}
	from := common(old, now)
	return fmt.Sprintf("%s %s: %s → %s", con.yellow("~"), path, con.red(cut(old, from)), con.green(cut(now, from)))
}

// value writes a value as JSON that is safe on a terminal.
func value(v any) []rune {
	var b strings.Builder
	if err := writeJSON(&b, v); err != nil {
		return []rune("?")
	}
	return []rune(string(cleanJSON([]byte(strings.TrimRight(b.String(), "\n")))))
}

// common is how much two long values have in common at their beginning.
func common(x, y []rune) int {
	if max(len(x), len(y)) <= maxValue {
		return 0
	}
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return max(n-maxValue/4, 0)
}

// cut shows a value from a place on, as far as there is room.
func cut(v []rune, from int) string {
	left, right := "", ""
	if from > 0 {
		left = "…"
	}
	v = v[min(from, len(v)):]
	if len(v) > maxValue {
		v, right = v[:maxValue], "…"
	}
	return left + string(v) + right
}

// byTopKey groups operations by the state's keys, in their order.
func byTopKey(patch jsondiff.Patch) []jsondiff.Patch {
	var groups []jsondiff.Patch
	for i, o := range patch {
		if i == 0 || topKey(o.Path) != topKey(patch[i-1].Path) {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], o)
	}
	return groups
}

func topKey(path string) string {
	key, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return "/" + key
}

// recordChanges lists what two records say differently: what, was, is.
func recordChanges(x, y piton.Checkpoint) [][3]string {
	var rows [][3]string
	was, is := recordRows(x), recordRows(y)
	for i := range was {
		if was[i][1] != is[i][1] {
			rows = append(rows, [3]string{was[i][0], short(was[i][1], maxValue), short(is[i][1], maxValue)})
		}
	}
	return rows
}

func recordRows(c piton.Checkpoint) [][2]string {
	number, phase := "", ""
	if c.StepNumber != nil {
		number = strconv.Itoa(*c.StepNumber)
	}
	if c.PhaseNumber > 0 {
		phase = fmt.Sprintf("%d of %d", c.PhaseNumber, c.PhaseTotal)
	}
	return [][2]string{
		{"Workflow", c.Label()}, {"Type", c.WorkflowType}, {"Branch", c.Branch}, {"Step", c.StepName}, {"Step number", number},
		{"Phase", phase}, {"Progress", percent(c.Progress)}, {"Name", c.Name}, {"Description", c.Description}, {"Task", c.TaskSummary},
		{"Tags", strings.Join(c.Tags, ", ")}, {"Trigger", string(c.Trigger)}, {"Completed", utc(c.CompletedAt)}, {"Session", c.SessionID},
		{"Made by", madeBy(c)}, {"Git", gitOf(c)},
	}
}

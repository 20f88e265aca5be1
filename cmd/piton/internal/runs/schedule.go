package runs

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/app/schedules"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
	"github.com/piton-project/piton/internal/span"
	"github.com/piton-project/piton/internal/verbs"
)

func scheduleCommand(con console) *cobra.Command {
	c := &cobra.Command{
		Use:   "schedule",
		Short: "Have plans run at set times",
		Long: `Have plans run at set times. 'piton serve' begins the runs; what it missed while it did
not run is caught up, or told as missed. A person adds a schedule: a plan that has the
key 'schedule' does not run by it until then.`,
		Example: "  piton runs schedule add nightly.yaml --cron '0 2 * * *'\n  piton runs schedule list",
		Args:    cli.KnownCommand,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(scheduleAddCommand(con), scheduleListCommand(con))
	for _, x := range []struct {
		verb, short, long string
		do                func(*app.App, context.Context, piton.ScheduleRefRequest) (schedules.View, error)
		print             func(schedules.View) error
	}{
		{"show", "Show a schedule, its times and its plan", "Show a schedule: when it is due next, its policies, what has become of its times, and\nthe plan as it was added.", (*app.App).ShowSchedule, con.printSchedule},
		{"pause", "Pause a schedule", "Pause a schedule: it begins no runs until it is resumed. Runs that it has begun go on,\nand what comes meanwhile is not caught up.", (*app.App).PauseSchedule, con.scheduleIs("paused")},
		{"resume", "Resume a paused schedule", "Have a paused schedule go on at the next of its times. A person does this.", (*app.App).ResumeSchedule, con.scheduleIs("resumed")},
		{"trigger", "Begin a run of a schedule now", "Begin a run of a schedule now, beside its times, also while it is paused. 'piton serve'\nqueues it within seconds.", (*app.App).TriggerSchedule, con.scheduleIs("will begin a run")},
		{"remove", "Remove a schedule", "Remove a schedule. Its runs stay. A person does this.", (*app.App).RemoveSchedule, con.scheduleIs("removed")},
	} {
		c.AddCommand(cli.Asks(&cobra.Command{
			Use: x.verb + " SCHEDULE", Short: x.short, Long: x.long + "\nSCHEDULE is a name or an id.", Example: "  piton runs schedule " + x.verb + " nightly", ValidArgsFunction: con.completeSchedules,
		}, func(c *cobra.Command, r piton.ScheduleRefRequest) error {
			v, err := x.do(con.App(), c.Context(), r)
			v.Hint = verbs.CommandLine(v.Hint)
			return cli.Answer(con, v, err, x.print)
		}))
	}
	return c
}

func scheduleAddCommand(con console) *cobra.Command {
	var dir string
	c := cli.Asks(&cobra.Command{
		Use:   "add PLAN",
		Short: "Add a schedule of a plan",
		Long: `Add a schedule of a PLAN, a file in YAML or JSON (- for standard input). The plan is kept
as it is now: when its file has changed, 'add PLAN --replace' takes it over. When it is
due says --cron, else the plan's own key 'schedule'. A person does this.

What is left out: a time at which the last run is still at work is skipped (--overlap
skip), and of the times that passed while no daemon ran, within a day, the last one
begins a run (--catch-up one).`,
		Example: `  piton runs schedule add nightly.yaml
  piton runs schedule add report.yaml --cron '0 7 * * 1-5' --timezone Europe/Rome
  piton runs schedule add backup.yaml --cron @hourly --input day={date} --overlap queue`,
		Args: cli.Takes("give its file, as in: piton runs schedule add PLAN --cron '0 2 * * *'"),
	}, func(c *cobra.Command, asked piton.ScheduleRequest) error {
		r := schedules.AddRequest{ScheduleRequest: asked, File: c.Flags().Arg(0), Dir: dir}
		var err error
		if r.Plan, err = con.readInput(c.Context(), r.File, "the plan"); err != nil {
			return err
		}
		v, err := con.App().AddSchedule(c.Context(), r)
		v.Hint = verbs.CommandLine(v.Hint)
		return cli.Answer(con, v, err, con.scheduleIs("added"))
	})
	c.Flags().StringVar(&dir, "dir", "", "the `DIR` where the steps work (default: where the plan says)")
	return c
}

func scheduleListCommand(con console) *cobra.Command {
	return cli.Asks(&cobra.Command{
		Use:   "list",
		Short: "List schedules with their next times",
		Long: `List schedules by their names: when they are due next, in their own time zone and by the
clock of this machine, how their last run stands, and what was missed or skipped.`,
		Example: "  piton runs schedule list\n  piton runs schedule list --project . --json",
		Args:    cli.None("a schedule: 'piton runs schedule show %s'"),
	}, func(c *cobra.Command, r piton.SchedulesRequest) error {
		list, err := con.App().ListSchedules(c.Context(), r)
		list.Hint = verbs.CommandLine(list.Hint)
		return cli.Answer(con, list, err, cli.Paged(con, c, con.printSchedules))
	})
}

func (con console) printSchedules(list schedules.List) error {
	if len(list.Schedules) == 0 {
		con.Say("No schedules. 'piton runs schedule add --help' says how to add one.")
		return nil
	}
	t := screen.NewTable(screen.Wording("Name"), screen.Wording("When"), screen.Wording("Next"), screen.Wording("Last"), screen.Wording("Notes").Spared())
	for _, v := range list.Schedules {
		t.Add(screen.Line(v.Name), screen.Line(timesText(v)), nextText(v), con.lastText(v), screen.Line(notes(v)))
	}
	err := con.PrintTable(t)
	if err == nil {
		con.SayHint(list.Hint)
	}
	return err
}

// scheduleIs prints what has become of a schedule, and when it is due next.
func (con console) scheduleIs(what string) func(schedules.View) error {
	return func(v schedules.View) error {
		text := fmt.Sprintf("%s: %s.", screen.Line(v.Name), what)
		if len(v.NextTimes) > 0 {
			text += " Next: " + nextText(v) + "."
		}
		return con.printed(text+"\n", v.Hint)
	}
}

func (con console) printSchedule(v schedules.View) error {
	rows := [][2]string{
		{"schedule", v.ID}, {"when", timesText(v)}, {"next", nextText(v)}, {"overlap", string(v.Overlap)},
		{"catch up", fmt.Sprintf("%s, within %s", v.CatchUp, span.Text(time.Duration(v.Within)*time.Millisecond))}, {"workflow", v.Workflow}, {"folder", v.Dir}, {"plan", v.PlanFile},
		{"last run", strings.TrimSpace(v.LastRun + " " + con.lastText(v))}, {"runs begun", fmt.Sprint(v.Begun)}, {"notes", notes(v)},
	}
	var b strings.Builder
	fmt.Fprintln(&b, con.Bold(screen.Line(v.Name)))
	for _, r := range rows {
		if r[1] != "" {
			fmt.Fprintf(&b, "  %-10s  %s\n", r[0], screen.Line(screen.Clean(r[1])))
		}
	}
	fmt.Fprintf(&b, "\n%s", indent(screen.Clean(strings.TrimRight(v.Plan, "\n")))+"\n")
	return con.printed(b.String(), v.Hint)
}

// timesText is when a schedule is due, as it was written.
func timesText(v schedules.View) string {
	var list []string
	for i, t := range v.Times {
		text := t.Cron
		if i == len(v.Times)-1 || v.Times[i+1].Timezone != t.Timezone {
			text += " " + t.Timezone
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// nextIn are times as a clock shows them: "Mon 30 Nov 02:00, Tue 1 Dec 02:00 CET".
func nextIn(times []piton.Time, zone *time.Location) string {
	var list []string
	for _, t := range times {
		list = append(list, t.In(zone).Format("Mon 2 Jan 15:04"))
	}
	if len(list) == 0 {
		return ""
	}
	return strings.Join(list, ", ") + times[0].In(zone).Format(" MST")
}

// nextText is the times to come in the schedule's zone and, where that shows something else,
// by the clock of this machine.
func nextText(v schedules.View) string {
	if v.Paused {
		return "paused"
	}
	zone, err := time.LoadLocation(v.Times[0].Timezone)
	if err != nil {
		zone = time.UTC
	}
	there, here := nextIn(v.NextTimes, zone), nextIn(v.NextTimes, time.Local)
	if there != here {
		there += " (here " + here + ")"
	}
	return there
}

// lastText is how the last run of a schedule stands.
func (con console) lastText(v schedules.View) string {
	if v.LastRun == "" {
		return ""
	}
	status := "deleted"
	if v.LastStatus != "" {
		status = planruns.StatusWord(v.LastStatus)
	}
	return status + ", " + con.Ago(v.LastAt)
}

// notes are what a person is to know of a schedule.
func notes(v schedules.View) string {
	var list []string
	for _, n := range []struct {
		count int64
		word  string
	}{{int64(len(v.Pending)), "waiting"}, {v.Missed, "missed"}, {v.Skipped, "skipped"}, {v.Failed, "not begun"}} {
		if n.count > 0 {
			list = append(list, fmt.Sprint(n.word, " ", n.count))
		}
	}
	if len(list) > 0 && v.Begun > 0 {
		list = append(list, fmt.Sprint("ran ", v.Begun))
	}
	if v.Error != "" {
		list = append(list, v.Error)
	}
	return strings.Join(list, ", ")
}

// completeSchedules offers the names of schedules.
func (con console) completeSchedules(c *cobra.Command, args []string, begin string) (words []string, _ cobra.ShellCompDirective) {
	if len(args) == 0 {
		list, _ := con.App().ListSchedules(c.Context(), piton.SchedulesRequest{})
		for _, v := range list.Schedules {
			if strings.HasPrefix(v.Name, begin) {
				words = append(words, v.Name+"\t"+screen.Short(timesText(v), 60))
			}
		}
	}
	return words[:min(len(words), cli.MaxOffered)], cobra.ShellCompDirectiveNoFileComp
}

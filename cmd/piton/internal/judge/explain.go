package judge

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/cmd/piton/internal/files"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/insight"
	"github.com/piton-project/piton/internal/app/marks"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/screen"
	"github.com/piton-project/piton/internal/states"
)

// ExplainCommand is explain.
func ExplainCommand(of *cli.Console) *cobra.Command {
	con := console{of}
	var all, ofFiles, check bool
	c := cli.Asks(&cobra.Command{
		Use:   "explain [SESSION]",
		Short: "Show why an agent was held or let go",
		Long: `Show what was decided at the last stops, newest first, and why: timers, files,
evidence, budget. Without SESSION it shows those of the agent that runs this
command, else of this project's sessions; with --all those of all projects.
--files shows which command of an agent changed which files that were not committed.
With --check the exit status is 0 where the last of these stops was let go because
tests that cover all that changed were seen to pass, 3 where there is none, else 10.`,
		Example:           "  piton explain\n  piton explain ses_9p4q --limit 3 --json\n  piton explain --limit 1 --check",
		Args:              cli.AtMostOne(piton.SessionPrefix),
		ValidArgsFunction: con.CompleteSessions,
	}, func(c *cobra.Command, r piton.ExplainRequest) error {
		if ofFiles && check {
			return piton.Errorf(piton.Invalid, c.CommandPath(), "give one of them", "--check is about stops, and --files about files")
		}
		if ofFiles {
			x, err := con.App().ExplainFiles(c.Context(), r)
			return cli.Answer(con, x, err, cli.Paged(con, c, func(x marks.FilesWork) error { return files.PrintWork(con.Console, x) }))
		}
		explain := con.App().ExplainHere
		if all {
			explain = con.App().Explain
		}
		x, err := explain(c.Context(), r)
		if check && err == nil {
			if x.Last == "" {
				return piton.Errorf(piton.NotFound, "read the last verdict", "'piton doctor' says whether the hooks run", "no stop has been judged here yet")
			}
			if x.Last != agent.ReasonClear {
				con.Status = cli.Behind
			}
		}
		return cli.Answer(con, x, err, cli.Paged(con, c, con.printDecisions))
	})
	c.Flags().BoolVar(&all, "all", false, "the stops of all projects")
	c.Flags().BoolVar(&check, "check", false, "end with status 10 unless the last stop was let go as verified")
	c.Flags().BoolVar(&ofFiles, "files", false, "which command changed which files")
	return c
}

// Decisions prints decisions as 'piton explain' does.
func Decisions(con *cli.Console) func(insight.Explanation) error { return console{con}.printDecisions }

// printDecisions shows decisions, and how often there was which reason in all.
func (con console) printDecisions(x insight.Explanation) error {
	if len(x.Decisions) == 0 && x.Elsewhere > 0 {
		con.Advise("No stop has been judged in this project yet. In others: %d: 'piton explain --all'.", x.Elsewhere)
		return nil
	}
	if x.Unseen != "" {
		con.Advise("Piton saw no stop of this session: 'piton list --session %s' shows what is known of it.", x.Unseen)
		if x.Log != "" {
			con.Advise("'piton judge replay %s' judges its turns by the rules of now.", screen.Line(screen.Quote(x.Log)))
		}
		return nil
	}
	if len(x.Decisions) == 0 {
		con.Advise("No stop has been judged yet. 'piton doctor' says whether the hooks run.")
		return nil
	}
	var b strings.Builder
	for _, d := range x.Decisions {
		con.writeDecision(&b, d, x.Roots[d.Session])
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "Of %s: %s\n", screen.Counted(x.Stops, "stop"), tally(x.Reasons))
	mode := insight.ModesText(x.Modes)
	if mode != debrief.ModeOn {
		mode += " ('piton config' shows where it was set)"
	}
	fmt.Fprintf(&b, "Mode here: %s\n", mode)
	err := con.Print(con.Wrapped(b.String(), screen.RowIndent, commandsOf(x.Decisions)...))
	if err == nil && x.Decisions[0].Held {
		con.Advise("Was a hold wrong? 'piton rules test' shows the result of each rule; 'piton rules accept CMD' adds a command that runs the tests.")
	}
	return err
}

// tally writes how often agents were held and let go, and why, the largest count first.
func tally(counts map[agent.Reason]int) string {
	reasons := slices.SortedFunc(maps.Keys(counts), func(x, y agent.Reason) int {
		return cmp.Or(counts[y]-counts[x], cmp.Compare(x, y))
	})
	var texts []string
	for _, r := range reasons {
		texts = append(texts, fmt.Sprintf("%d %s", counts[r], Outcome(r)))
	}
	return strings.Join(texts, "; ")
}

// Outcome says what a reason led to, as 'explain' and 'stats' count it.
func Outcome(r agent.Reason) string {
	switch r {
	case agent.ReasonHeld:
		return "held"
	case agent.ReasonGeneric:
		return "held because " + insight.Why(r)
	}
	return "let go because " + screen.Line(insight.Why(r))
}

func (con console) writeDecision(b *strings.Builder, d agent.Decision, root string) {
	who := screen.Line(d.Session)
	if d.Agent != "" {
		who += " (" + screen.Line(d.Agent) + ")"
	}
	fmt.Fprintf(b, "%s, %s ago  %s  turn %d: %s, because %s\n", con.When(d.At), con.Age(d.At), who, d.Turn, con.verdict(d.Held), screen.Line(insight.Why(d.Reason)))
	if root != "" {
		fmt.Fprintf(b, "  work tree   %s\n", con.ShortPath(root, 80))
	}
	if !d.TurnStart.IsZero() {
		fmt.Fprintf(b, "  timer       %s of work since %s\n", states.Age(time.Duration(d.ElapsedMS)*time.Millisecond), con.When(d.TurnStart))
	}
	screen.Rows(b, "files", d.Files, fileText)
	if len(d.Categories) > 0 {
		screen.TextRows(b, "categories", []string{strings.Join(d.Categories, ", ")})
	}
	screen.Rows(b, "evidence", d.Evidence, evidenceText)
	screen.Rows(b, "verified", d.Verified, verifiedText)
	screen.TextRows(b, "actions", d.Actions)
	screen.TextRows(b, "noticed", d.Observations)
	screen.TextRows(b, "told", d.Lines)
	screen.TextRows(b, "left open", leftOpen(d))
	screen.TextRows(b, "notes", d.Notes)
	fmt.Fprintf(b, "  budget      %d of %d holds left\n", d.BudgetLeft, agent.MaxHolds)
}

// leftOpen is what a decision left open and none of its actions says.
func leftOpen(d agent.Decision) (texts []string) {
	for _, n := range d.Open {
		if !slices.ContainsFunc(d.Actions, func(action string) bool { return strings.HasPrefix(action, n.Text) }) {
			texts = append(texts, n.Text)
		}
	}
	return texts
}

// commandsOf are the commands that decisions name without quotes, and the files.
func commandsOf(decisions []agent.Decision) (list []string) {
	for _, d := range decisions {
		for _, e := range d.Evidence {
			list = append(list, screen.Line(e.Command))
		}
		for _, v := range d.Verified {
			list = append(list, screen.Line(v.Command))
		}
		for _, f := range d.Files {
			list = append(list, screen.Line(f.Path))
		}
	}
	return list
}

func (con console) verdict(held bool) string {
	if held {
		return con.Yellow(HeldWords(held))
	}
	return con.Green(HeldWords(held))
}

func fileText(f agent.FileChange) string {
	if f.Whose == agent.OwnerForeign {
		return f.Path + " (not this agent's)"
	}
	return f.Path
}

func evidenceText(e agent.Evidence) string {
	verdict := "does not count"
	if e.Counts {
		verdict = "counts"
	}
	return fmt.Sprintf("%s: %s %s (%s)", e.Category, e.Command, verdict, e.Why)
}

// verifiedText is what Piton ran itself and how it ended.
func verifiedText(v agent.Verified) string {
	text := v.Command + " " + debrief.Went(v)
	if v.Cached {
		text += ", run before on the very same tree"
	}
	return fmt.Sprintf("%s (%s)", text, time.Duration(v.TookMS)*time.Millisecond)
}

// HeldWords are what was decided at a stop, in words.
func HeldWords(held bool) string {
	if held {
		return "held"
	}
	return "let go"
}

package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/history"
)

func explainCommand(a *app) *cobra.Command {
	var limit int
	c := &cobra.Command{
		Use:   "explain [SESSION]",
		Short: "Show why an agent was held or let go",
		Long: `Show what was decided at the last stops, newest first, and why: timers, files,
evidence, budget. Without SESSION: those of the agent that runs this command,
else of all sessions.`,
		Example: "  piton explain\n  piton explain ses_9p4q --limit 3 --json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			st, err := a.open(c.Context(), true)
			if missing(err) {
				return a.printDecisions(nil)
			}
			if err != nil {
				return err
			}
			session := a.currentSession(c.Context())
			if len(args) == 1 {
				s, err := st.Session(c.Context(), args[0])
				if err != nil {
					return err
				}
				session = s.ID
			}
			list, err := st.Decisions(c.Context(), session, limit)
			if err != nil {
				return err
			}
			return a.printDecisions(list)
		},
	}
	c.Flags().IntVar(&limit, "limit", 5, "at most so many, 0 for all")
	return c
}

func (a *app) printDecisions(list []piton.Decision) error {
	if a.json {
		if list == nil {
			list = []piton.Decision{}
		}
		return a.printJSON(map[string]any{"decisions": list})
	}
	if len(list) == 0 {
		fmt.Fprintln(a.err, "No stop has been looked at yet.")
		return nil
	}
	for i, d := range list {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		a.printDecision(d)
	}
	return nil
}

// why says each reason in a sentence.
var why = map[string]string{
	piton.ReasonHeld:       "something was changed and is not verified",
	piton.ReasonGeneric:    "git could not be asked, and the agent has edited files",
	piton.ReasonAudit:      "it would have been held, but the mode is audit",
	piton.ReasonClear:      "nothing is left unverified",
	piton.ReasonNothing:    "the agent changed no file in this turn",
	piton.ReasonShort:      "the turn was shorter than debrief.min_turn",
	piton.ReasonNoTurn:     "no prompt was seen, so there is no turn",
	piton.ReasonNoTool:     "the activity timer has seen no tool use",
	piton.ReasonBudget:     "it was held twice already for this prompt",
	piton.ReasonNoActivity: "nothing has happened since the last hold",
	piton.ReasonNotice:     "there are only observations",
	piton.ReasonMarker:     "the way out was taken",
	piton.ReasonBackground: "a subagent is still at work",
	piton.ReasonOff:        "debriefs are switched off",
	piton.ReasonMoved:      "the session moved on while it was looked at",
}

func (a *app) printDecision(d piton.Decision) {
	verdict := a.green("let go")
	if d.Held {
		verdict = a.yellow("held")
	}
	fmt.Fprintf(a.out, "%s  %s  turn %d: %s, because %s\n", d.At, d.Session, d.Turn, verdict, firstOf(why[d.Reason], d.Reason))
	if !d.TurnStart.IsZero() {
		fmt.Fprintf(a.out, "  timer       %s of work since %s\n", history.Age(time.Duration(d.ElapsedMS)*time.Millisecond), d.TurnStart)
	}
	rows(a, "files", d.Files, func(f piton.FileChange) string {
		if f.Whose == piton.OwnerForeign {
			return f.Path + " (not this agent's)"
		}
		return f.Path
	})
	if len(d.Categories) > 0 {
		fmt.Fprintf(a.out, "  categories  %s\n", strings.Join(d.Categories, ", "))
	}
	rows(a, "evidence", d.Evidence, func(e piton.Evidence) string {
		verdict := "does not count"
		if e.Counts {
			verdict = "counts"
		}
		return fmt.Sprintf("%s: %s %s (%s)", e.Category, e.Command, verdict, e.Why)
	})
	text := func(s string) string { return s }
	rows(a, "actions", d.Actions, text)
	rows(a, "noticed", d.Observations, text)
	rows(a, "notes", d.Notes, text)
	fmt.Fprintf(a.out, "  budget      %d of %d holds left\n", d.BudgetLeft, piton.MaxHolds)
}

// rowsShown bounds each list of a decision.
const rowsShown = 12

// rows prints a list under a label.
func rows[T any](a *app, label string, list []T, text func(T) string) {
	for i, x := range list {
		if i == rowsShown {
			fmt.Fprintf(a.out, "  %-10s  and %d more\n", "", len(list)-i)
			break
		}
		fmt.Fprintf(a.out, "  %-10s  %s\n", label, short(text(x), 160))
		label = ""
	}
}

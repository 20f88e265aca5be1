package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/client/clients"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/states"
)

func explainCommand(a *app) *cobra.Command {
	var limit int
	c := &cobra.Command{
		Use:   "explain [SESSION]",
		Short: "Show why an agent was held or let go",
		Long: `Show what was decided at the last stops, newest first, and why: timers, files,
evidence, budget. Without SESSION: those of the agent that runs this command,
else of all sessions.`,
		Example:           "  piton explain\n  piton explain ses_9p4q --limit 3 --json",
		Args:              atMostOne(piton.SessionPrefix),
		ValidArgsFunction: a.completeSessions,
		RunE: func(c *cobra.Command, args []string) error {
			if err := atLeastZero(c, limit); err != nil {
				return err
			}
			st, err := a.open(c.Context(), true)
			if missing(err) {
				return a.printDecisions(nil, 0, nil)
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
			list, err := st.Decisions(c.Context(), session, 0)
			if err != nil {
				return err
			}
			return a.printDecisions(list, limit, func(id string) string {
				s, _ := st.Session(c.Context(), id)
				return s.Root
			})
		},
	}
	c.Flags().IntVar(&limit, "limit", 5, "at most so many, 0 for all")
	return c
}

// printDecisions shows the newest, and how often there was which reason in all.
// root gives the work tree of a session.
func (a *app) printDecisions(list []agent.Decision, limit int, root func(session string) string) error {
	reasons := map[string]int{}
	for _, d := range list {
		reasons[string(d.Reason)]++
	}
	all := len(list)
	if limit > 0 {
		list = list[:min(limit, len(list))]
	}
	here, err := workTree()
	if err != nil {
		return err
	}
	modes := a.modes(here)
	if a.json {
		if list == nil {
			list = []agent.Decision{}
		}
		return a.printJSON(map[string]any{"decisions": list, "reasons": reasons, "modes": modes})
	}
	if len(list) == 0 {
		fmt.Fprintln(a.err, "No stop has been looked at yet. 'piton doctor' tells whether the hooks run.")
		return nil
	}
	var b strings.Builder
	for i, d := range list {
		if i > 0 {
			b.WriteString("\n")
		}
		a.writeDecision(&b, d, root(d.Session))
	}
	fmt.Fprintf(&b, "\nOf %d stops: %s\n", all, tally(reasons))
	mode := modesText(modes)
	if mode != debrief.ModeOn {
		mode += " ('piton config' shows where it was set)"
	}
	fmt.Fprintf(&b, "Mode here: %s\n", mode)
	if _, err = io.WriteString(a.out, b.String()); err == nil && list[0].Held {
		fmt.Fprintln(a.err, "Held for nothing? 'piton rules test' shows what each rule makes of it; 'piton rules accept CMD' adds a command that runs the tests.")
	}
	return err
}

// modes are those in force in a work tree, by agent.
func (a *app) modes(root string) map[string]string {
	set := a.config(root).Debrief
	modes := map[string]string{}
	for _, c := range clients.All {
		modes[c.Name()] = set.ModeOf(c.Name())
	}
	return modes
}

// modesText names one mode, or each agent's where they differ.
func modesText(modes map[string]string) string {
	var each []string
	same := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(modes)) {
		each = append(each, name+" "+modes[name])
		same[modes[name]] = true
	}
	if len(same) == 1 {
		return strings.Fields(each[0])[1]
	}
	return strings.Join(each, ", ")
}

// tally writes counts, the largest first.
func tally(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(x, y string) int {
		return cmp.Or(counts[y]-counts[x], strings.Compare(x, y))
	})
	for i, n := range names {
		names[i] = fmt.Sprintf("%d %s", counts[n], line(n))
	}
	return strings.Join(names, ", ")
}

// why says each reason in a sentence.
var why = map[agent.Reason]string{
	agent.ReasonHeld:       "something was changed and is not verified",
	agent.ReasonGeneric:    "git could not be asked, and the agent has edited files",
	agent.ReasonAudit:      "it would have been held, but the mode is audit",
	agent.ReasonClear:      "nothing is left unverified",
	agent.ReasonNothing:    "the agent changed no file in this turn",
	agent.ReasonShort:      "the turn was shorter than debrief.min_turn",
	agent.ReasonNoTurn:     "no prompt was seen, so there is no turn",
	agent.ReasonNoTool:     "the activity timer has seen no tool use",
	agent.ReasonBudget:     "it was held twice already for this prompt",
	agent.ReasonNoActivity: "nothing has happened since the last hold",
	agent.ReasonNotice:     "there are only observations",
	agent.ReasonMarker:     "the way out was taken",
	agent.ReasonBackground: "a subagent is still at work",
	agent.ReasonOff:        "debriefs are switched off",
	agent.ReasonCancelled:  "a person stopped the agent; the turn goes on with the next prompt",
	agent.ReasonLetter:     "a hold is on its way to this agent already",
	agent.ReasonOwnText:    "a letter would have answered Piton's own text",
	agent.ReasonMoved:      "the same stop was told twice, or the session moved on while it was looked at",
}

func (a *app) writeDecision(b *strings.Builder, d agent.Decision, root string) {
	verdict := a.green("let go")
	if d.Held {
		verdict = a.yellow("held")
	}
	who := line(d.Session)
	if d.Agent != "" {
		who += " (" + line(d.Agent) + ")"
	}
	fmt.Fprintf(b, "%s, %s ago  %s  turn %d: %s, because %s\n", d.At, states.Age(time.Since(d.At.Time)), who, d.Turn, verdict, firstOf(why[d.Reason], line(string(d.Reason))))
	if root != "" {
		fmt.Fprintf(b, "  work tree   %s\n", a.shortPath(root, 80))
	}
	if !d.TurnStart.IsZero() {
		fmt.Fprintf(b, "  timer       %s of work since %s\n", states.Age(time.Duration(d.ElapsedMS)*time.Millisecond), d.TurnStart)
	}
	rows(b, "files", d.Files, fileText)
	if len(d.Categories) > 0 {
		rows(b, "categories", []string{strings.Join(d.Categories, ", ")}, text)
	}
	rows(b, "evidence", d.Evidence, evidenceText)
	rows(b, "verified", d.Verified, verifiedText)
	rows(b, "actions", d.Actions, text)
	rows(b, "noticed", d.Observations, text)
	rows(b, "notes", d.Notes, text)
	fmt.Fprintf(b, "  budget      %d of %d holds left\n", d.BudgetLeft, agent.MaxHolds)
}

// rowsShown bounds each list of a decision.
const rowsShown = 12

// rows writes a list under a label.
func rows[T any](b *strings.Builder, label string, list []T, text func(T) string) {
	for i, x := range list {
		if i == rowsShown {
			fmt.Fprintf(b, "  %-10s  and %d more\n", "", len(list)-i)
			break
		}
		fmt.Fprintf(b, "  %-10s  %s\n", label, short(text(x), 160))
		label = ""
	}
}

func text(s string) string { return s }

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
	verdict := "passed"
	switch {
	case v.TimedOut:
		verdict = "did not end in time"
	case !v.OK:
		verdict = fmt.Sprintf("failed with exit status %d", v.ExitCode)
	}
	if v.Cached {
		verdict += ", run before on the very same tree"
	}
	return fmt.Sprintf("%s %s (%s)", v.Command, verdict, time.Duration(v.TookMS)*time.Millisecond)
}

package judge

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/insight"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
	"github.com/piton-project/piton/internal/states"
)

// ReplayCommand is judge.
func ReplayCommand(of *cli.Console) *cobra.Command {
	con := console{of}
	c := &cobra.Command{
		Use:   "judge",
		Short: "Measure the debriefs on recorded sessions",
		Long: `The judge decides at an agent's stop whether its changes were verified. 'piton
rules test' shows what it made of the last turn; 'piton judge replay' runs whole
recorded sessions through it.`,
		Args: cli.KnownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(replayCommand(con))
	return c
}

func replayCommand(con console) *cobra.Command {
	var q insight.ReplayRequest
	var quiet bool
	c := &cobra.Command{
		Use:   "replay FILE...",
		Short: "Judge recorded sessions turn by turn",
		Long: `Run recorded sessions through the judge, turn by turn, and show which turns would
have been held, which let go, and why. FILE is a log of Claude Code, Gemini CLI or
Codex CLI, or a folder of logs. Nothing is written, and nothing of a session is
run.

Without hooks and git, a turn's files are those that its calls name. --tree names
the work tree as it is now: then the project's own test commands count too. The
paths in the log may be those of another machine. Each turn is judged as the first
stop of its prompt.

--labels FILE holds the verdicts against those of a person: a line of JSON per stop,
{"session": "NAME", "turn": 3, "label": "hold"} (or "arguable", "fine"), NAME being the
log's file name without its extension. The precision and the recall of the holds are
printed then.`,
		Example: `  piton judge replay ~/.claude/projects/-home-ann-app --tree ~/app
  piton judge replay ~/.codex/sessions/2026/11 --sums
  piton judge replay session.jsonl --agent claude --json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return piton.Errorf(piton.Invalid, c.CommandPath(), "name a log or a folder: piton judge replay ~/.claude/projects", "no log was named")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			q.Files = args
			x, err := con.App().Replay(c.Context(), q, con.Progress("sessions"))
			con.SayProblems(x.Problems)
			for _, u := range x.Unread {
				con.Say("piton: warning: %s was not read: %s", screen.Line(u.File), screen.Line(u.Why))
			}
			return cli.Answer(con, x, err, cli.Paged(con, c, func(x insight.ReplayedLogs) error { return con.printReplayed(x, quiet, q.Tree != "") }))
		},
	}
	c.Flags().StringVar(&q.Agent, "agent", "", "the `CLIENT` that wrote the logs, where their form does not tell: claude, gemini or codex")
	c.Flags().StringVar(&q.Tree, "tree", "", "the `DIR` of the work tree that the sessions worked in")
	c.Flags().StringVar(&q.Labels, "labels", "", "a `FILE` that says which stops should be held, to measure the judge against")
	c.Flags().BoolVar(&quiet, "sums", false, "print the sums only")
	return c
}

func (con console) printReplayed(x insight.ReplayedLogs, sums, tree bool) error {
	var b strings.Builder
	for _, s := range x.Sessions {
		if sums {
			break
		}
		fmt.Fprintf(&b, "%s (%s)\n", con.Bold(con.ShortPath(s.File, 100)), screen.Line(s.Agent))
		for _, t := range s.Turns {
			con.writeReplayed(&b, t)
		}
		if len(s.Turns) == 0 {
			fmt.Fprintf(&b, "no turn that can be read as one of %s\n", screen.Line(s.Agent))
		}
		b.WriteString("\n")
	}
	b.WriteString(replayedSums(x.Sums))
	if s := x.Score; s != nil {
		b.WriteString(scoreText(*s))
	}
	if err := con.Print(con.Wrapped(b.String(), screen.RowIndent)); err != nil {
		return err
	}
	defer con.sayUnjudged(x, tree)
	if len(x.Sums.Rules) == 0 {
		return nil
	}
	t := screen.NewTable(screen.Wording("Rule"), screen.Whole("Saw"), screen.Whole("Asked"), screen.Whole("Held alone"))
	for _, r := range x.Sums.Rules {
		t.Add(screen.Line(r.Rule), strconv.Itoa(r.Saw), strconv.Itoa(r.Asked), strconv.Itoa(r.Alone))
	}
	return con.PrintTable(t)
}

// replayWords say what came of a turn.
var replayWords = map[insight.ReplayVerdict]string{
	insight.ReplayHeld:    "held",
	insight.ReplayOpen:    "let go with something open",
	insight.ReplayNotice:  "let go with a notice",
	insight.ReplayClear:   "let go",
	insight.ReplayFine:    "let go",
	insight.ReplayNothing: "let go",
	insight.ReplayPassed:  "let go",
	insight.ReplayBroken:  "broken off by a person or a failed request, so there was no stop",
}

// replayedSums writes how many turns came to what.
func replayedSums(x insight.ReplaySums) string {
	held := x.Verdicts[insight.ReplayHeld]
	text := fmt.Sprintf("%s, %s, %s: %d held, %d let go", screen.Counted(x.Sessions, "session"), screen.Counted(x.Turns, "turn"), screen.Counted(x.Stops, "stop"), held, x.Stops-held)
	var kinds []string
	for _, k := range []struct {
		verdict insight.ReplayVerdict
		words   string
	}{
		{insight.ReplayOpen, "with something open"}, {insight.ReplayNotice, "with a notice"}, {insight.ReplayClear, "with tests that passed"}, {insight.ReplayFine, "with nothing that asks for a check"},
		{insight.ReplayNothing, "with no file changed"}, {insight.ReplayPassed, "not looked at"},
	} {
		if n := x.Verdicts[k.verdict]; n > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", n, k.words))
		}
	}
	if len(kinds) > 0 {
		text += " (" + strings.Join(kinds, ", ") + ")"
	}
	if n := x.Verdicts[insight.ReplayBroken]; n > 0 {
		text += fmt.Sprintf("; %d broken off", n)
	}
	return text + "\n"
}

// scoreText says how the judge stands against labels.
func scoreText(s insight.Score) string {
	text := fmt.Sprintf("%s labelled, %d held: %d right, %d wrong, %d arguable\n", screen.Counted(s.Labelled, "stop"), s.Held, s.Right, s.Wrong, s.Arguable)
	if s.Right+s.Wrong > 0 {
		text += fmt.Sprintf("precision: %d of %d holds, %s\n", s.Right, s.Right+s.Wrong, portionText(s.Precision))
	}
	if s.Worthy > 0 {
		text += fmt.Sprintf("recall: %d of %s labelled hold, %s; called clear: %d\n", s.Right, screen.Counted(s.Worthy, "stop"), portionText(s.Recall), s.ClearBad)
	}
	return text
}

func portionText(p insight.Portion) string {
	return fmt.Sprintf("%.0f %% (95 %%: %.0f to %.0f)", 100*p.Share, 100*p.Low, 100*p.High)
}

// sayUnjudged says what kept turns from being judged as a hook would have judged
// them, where the person can change that.
func (con console) sayUnjudged(x insight.ReplayedLogs, tree bool) {
	reasons := map[agent.Reason]int{}
	for _, s := range x.Sessions {
		for _, t := range s.Turns {
			reasons[t.Reason]++
		}
	}
	if s := x.Score; s != nil && s.Unmatched > 0 {
		con.Say("piton: warning: %s not counted, because these logs have no such stop", screen.Counted(s.Unmatched, "label"))
	}
	if reasons[agent.ReasonNoCheck] > 0 && !tree {
		con.Advise("Without the work tree no test command of the project is known, so that nothing asks for tests: name it with --tree DIR.")
	}
	if n := reasons[agent.ReasonShort]; n > 0 {
		con.Advise("%s not looked at, because the turn was shorter than debrief.min_turn: PITON_DEBRIEF_MIN_TURN=0s before this command judges short turns too.", screen.Counted(n, "stop"))
	}
}

// writeReplayed writes one turn; where nothing changed, in one line.
func (con console) writeReplayed(b *strings.Builder, t insight.ReplayedTurn) {
	verdict := replayWords[t.Verdict]
	if t.Verdict == insight.ReplayHeld {
		verdict = con.Yellow(verdict)
	}
	why := ""
	if t.Reason != "" {
		why = ", because " + screen.Line(insight.Why(t.Reason))
	}
	fmt.Fprintf(b, "turn %d: %s%s  \"%s\" (%s, %s)\n", t.Turn, verdict, why, screen.Short(t.Prompt, 60), states.Age(t.Took()), screen.Counted(t.Calls, "call"))
	if len(t.Files) == 0 {
		return
	}
	screen.Rows(b, "files", t.Files, fileText)
	screen.Rows(b, "evidence", t.Evidence, evidenceText)
	screen.TextRows(b, "actions", t.Actions)
	screen.TextRows(b, "noticed", t.Observations)
	screen.TextRows(b, "told", t.Lines)
	screen.TextRows(b, "notes", t.Notes)
}

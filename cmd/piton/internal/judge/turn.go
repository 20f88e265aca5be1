package judge

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/insight"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
	"github.com/piton-project/piton/internal/states"
)

func testCommand(con console) *cobra.Command {
	var file, save string
	c := &cobra.Command{
		Use:   "test [SESSION]",
		Short: "Show the result of each rule for the last turn, or for a recorded one",
		Long: `Show, for the last turn in this project (or of SESSION), what each rule saw and
decided, with the rules in force now, and whether the agent would be held. Nothing
is written and nothing is run. The turn is read again from the transcript and from
git, as the work tree is now. --save keeps it, with its secrets removed, and
--turn reads it back.`,
		Example:           "  piton rules test\n  piton rules test ses_9p4q --save turn.json\n  piton rules test --turn turn.json --json",
		Args:              cli.AtMostOne(piton.SessionPrefix),
		ValidArgsFunction: con.CompleteSessions,
		RunE: func(c *cobra.Command, args []string) error {
			session := append(args, "")[0]
			if file != "" && session+save != "" {
				return piton.Errorf(piton.Invalid, c.CommandPath(), "leave the others out", "--turn reads a turn that was recorded; SESSION and --save record one")
			}
			test := func() (insight.TestedTurn, error) { return con.App().TestTurn(c.Context(), session, save) }
			if file != "" {
				test = func() (insight.TestedTurn, error) { return con.App().TestRecorded(c.Context(), file) }
			}
			x, err := test()
			con.SayProblems(x.Problems)
			if err == nil && save != "" {
				con.Say("Kept in %s", screen.Line(save))
			}
			return cli.Answer(con, x, err, cli.Paged(con, c, con.printTested))
		},
	}
	c.Flags().StringVar(&file, "turn", "", "read the turn from `FILE`, where --save has put it")
	c.Flags().StringVar(&save, "save", "", "keep the turn in `FILE`, which must not exist")
	return c
}

func (con console) printTested(x insight.TestedTurn) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Turn %d of %s in %s: %s of work, %d calls\n", x.Turn, cmp.Or(screen.Line(x.Session), "a recorded session"), con.ShortPath(x.Root, 60), states.Age(time.Duration(x.ElapsedMS)*time.Millisecond), x.Calls)
	screen.Rows(&b, "files", x.Files, fileText)
	screen.TextRows(&b, "tests", x.Tests)
	for _, p := range x.Rules {
		fmt.Fprintf(&b, "\n%s: %s\n", con.Bold(screen.Line(p.Rule)), screen.Line(p.Verdict))
		screen.TextRows(&b, "files", p.Files)
		if p.Instruction != "" {
			screen.TextRows(&b, "asks for", []string{p.Instruction})
		}
		screen.Rows(&b, "evidence", p.Evidence, evidenceText)
	}
	b.WriteString("\n")
	screen.TextRows(&b, "no rule", x.Unruled())
	if len(x.Files) > 0 {
		screen.TextRows(&b, "idle rules", x.Idle())
	}
	screen.Rows(&b, "evidence", x.Unlisted(), evidenceText)
	screen.TextRows(&b, "actions", x.Actions)
	screen.TextRows(&b, "noticed", x.Observations)
	screen.TextRows(&b, "told", x.Lines)
	screen.TextRows(&b, "notes", x.Notes)
	fmt.Fprintf(&b, "The agent would be %s, because %s\n", con.verdict(x.Held), screen.Line(insight.Why(x.Reason)))
	return con.Print(con.Wrapped(b.String(), screen.RowIndent))
}

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
	"github.com/piton-project/piton/internal/states"
)

func lettersCommand(con console) *cobra.Command {
	c := &cobra.Command{
		Use:   "letters",
		Short: "List messages that wait for delivery or were given up; try again or drop them",
		Long: `List letters: messages from Piton to agents and listeners. First those that were
given up (parked) with their last error, then those that wait. A letter is given up
after eight attempts, or when nobody can tell whether it has arrived.

'piton flush' delivers what is due; so does 'piton serve', all the time.`,
		Example: "  piton letters\n  piton letters retry\n  piton letters drop ltr_7m2k9x4q0v8r3t5w",
		Args:    cli.KnownCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := con.App().Letters(c.Context())
			return cli.Answer(con, list, err, cli.Paged(con, c, con.printLetters))
		},
	}
	c.AddCommand(lettersChangeCommand(con, "retry", "Try again to deliver letters; without ids all that were given up",
		"Have letters carried again, with as many attempts as new ones: those with these ids, or\nall that were given up. Look first whether they still make sense.",
		(*app.App).RetryLetters, "again waiting"))
	c.AddCommand(lettersChangeCommand(con, "drop", "Drop letters; without ids all that were given up",
		"Drop letters that nobody needs any more: those with these ids, or all that were given\nup. They are not delivered.",
		(*app.App).DropLetters, "dropped"))
	return c
}

func lettersChangeCommand(con console, verb, short, long string, change func(*app.App, context.Context, piton.LettersRequest) (app.LetterList, error), done string) *cobra.Command {
	return cli.Asks(&cobra.Command{
		Use:     verb + " [LETTER]...",
		Short:   short,
		Long:    long,
		Example: "  piton letters " + verb + "\n  piton letters " + verb + " ltr_7m2k9x4q0v8r3t5w",
	}, func(c *cobra.Command, r piton.LettersRequest) error {
		list, err := change(con.App(), c.Context(), r)
		return cli.Answer(con, list, err, func(list app.LetterList) error {
			if len(list.Letters) == 0 {
				con.Say("No letter was given up.")
				return nil
			}
			for _, l := range list.Letters {
				if err := con.Print(l.ID + ": " + done + "\n"); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func (con console) printLetters(list app.LetterList) error {
	if len(list.Letters) == 0 {
		con.Say("No letter waits, and none was given up.")
		return nil
	}
	t := screen.NewTable(screen.Whole("ID"), screen.Wording("Kind"), screen.Wording("To"), screen.Wording("State"), screen.Wording("Last error").Spared())
	parked := false
	for _, l := range list.Letters {
		parked = parked || !l.ParkedAt.IsZero()
		t.Add(l.ID, screen.Line(string(l.Kind)), recipient(l), con.letterState(l), screen.Line(screen.Clean(l.Reason)))
	}
	err := con.PrintTable(t)
	if err == nil && parked {
		con.Say("'piton letters retry' tries again those that were given up, 'piton letters drop' drops them.")
	}
	return err
}

// recipient says whom a letter is for.
func recipient(l app.Letter) string {
	if name, ok := strings.CutPrefix(l.To, "listener:"); ok {
		return "the listener " + screen.Line(name)
	}
	return "the agent of " + screen.Line(l.SessionID)
}

// letterState says whether a letter waits, and since when it is given up.
func (con console) letterState(l app.Letter) string {
	tries := fmt.Sprintf(", %s", screen.Counted(l.Attempts, "attempt"))
	if !l.ParkedAt.IsZero() {
		return "given up " + con.Age(l.ParkedAt) + " ago" + tries
	}
	if wait := l.Due.Sub(con.Now()); wait > 0 {
		return "waiting, due in " + states.Age(wait) + tries
	}
	return "waiting" + tries
}

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/installation"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
)

func trustCommand(con console) *cobra.Command {
	var show, list, revoke bool
	c := &cobra.Command{
		Use:   "trust",
		Short: "Allow a project's settings to run commands and to switch Piton off",
		Long: `Show the file .piton.yaml of this project, or what has changed in it since it was
trusted. Ask whether it may run commands (debrief.verify, listeners), switch Piton off
(debrief.mode, checkpoints.enabled, ...), and ask for less than without it. Without
trust the file can only ask for more. Trust is for the exact bytes that are shown:
a changed file needs trust again.

It needs a terminal, and is refused inside an agent: there is no --yes.`,
		Example: "  piton trust\n  piton trust --show\n  piton trust --list --json\n  piton trust --revoke",
		Args:    cli.None("go to the project's folder and give no argument"),
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case list:
				x, err := con.App().Trusts()
				return cli.Answer(con, x, err, con.printTrusts)
			case show:
				x, err := con.App().TrustStatus()
				return cli.Answer(con, x, err, con.printTrust)
			case revoke:
				x, err := con.App().Revoke(c.Context())
				return cli.Answer(con, x, err, func(x installation.Trust) error {
					return con.Print(screen.Line(x.Path) + " is not trusted any more.\n")
				})
			}
			return con.giveTrust(c.Context())
		},
	}
	c.Flags().BoolVar(&show, "show", false, "tell whether this project's file is trusted, and change nothing")
	c.Flags().BoolVar(&list, "list", false, "list all files that are trusted")
	c.Flags().BoolVar(&revoke, "revoke", false, "take the trust in this project's file back")
	c.MarkFlagsMutuallyExclusive("show", "list", "revoke")
	return c
}

// giveTrust shows a person the file, or what has changed in it, and asks.
func (con console) giveTrust(ctx context.Context) error {
	q, err := con.App().AskTrust(ctx)
	if piton.CodeOf(err) == piton.Invalid && q.Path == "" {
		return err // an agent asks
	}
	if !screen.IsTerminal(con.In) || !con.ForPerson() {
		return piton.Errorf(piton.Invalid, "trust the project's file", "run it in a terminal, without --json; 'piton trust --show' tells how it stands", "a person has to see the file and answer, and there is no terminal")
	}
	if err != nil {
		return err
	}
	if q.Trusted {
		return con.Print(fmt.Sprintf("%s is trusted already, since %s.\n", screen.Line(q.Path), con.When(q.At)))
	}
	var b strings.Builder
	switch {
	case q.Diff != "":
		fmt.Fprintf(&b, "%s has changed since it was trusted (%s):\n\n%s", screen.Line(q.Path), con.When(q.At), con.ColourDiff(screen.Clean(q.Diff)))
	case q.Known:
		fmt.Fprintf(&b, "%s has changed since it was trusted (%s):\n\n%s\n", screen.Line(q.Path), con.When(q.At), screen.Clean(strings.TrimRight(string(q.Text), "\n")))
	default:
		fmt.Fprintf(&b, "%s:\n\n%s\n", screen.Line(q.Path), screen.Clean(strings.TrimRight(string(q.Text), "\n")))
	}
	for _, err := range q.LeftOut {
		fmt.Fprintf(&b, "%s: %s\n", con.Yellow("left out all the same"), screen.Clean(err.Error()))
	}
	if len(q.Keys) == 0 {
		b.WriteString("\nNothing in it needs trust; with it the words of its rules are not quoted as untrusted.\n")
	} else {
		fmt.Fprintf(&b, "\nWith trust these keys count too: %s.\n", strings.Join(q.Keys, ", "))
	}
	said := func(title string, list []string) {
		for _, text := range list {
			fmt.Fprintf(&b, "%s  %s\n", title, screen.Line(text))
			title = ""
		}
	}
	said("Piton would run at stops:\n", q.Runs) // last, however long the file is
	said("Piton would tell these what agents say and do:\n", q.Tells)
	agreed, err := con.Yes(b.String()+"Trust this file?", con.Lines(ctx))
	if err != nil {
		return err
	}
	if !agreed {
		return con.Print("Not trusted; nothing has changed.\n")
	}
	if err := con.App().Trust(q); err != nil {
		return err
	}
	return con.Print(fmt.Sprintf("Trusted: %s. When it changes, 'piton trust' asks again.\n", screen.Line(q.Path)))
}

func (con console) printTrust(x installation.Trust) error {
	var text string
	switch {
	case x.Trusted && x.Known:
		text = fmt.Sprintf("%s is trusted, since %s.\n", screen.Line(x.Path), con.When(x.At))
	case x.Trusted:
		text = screen.Line(x.Path) + " is trusted, by another work tree of its repository.\n"
	case x.Known:
		text = fmt.Sprintf("%s has changed since it was trusted (%s); 'piton trust' asks again.\n", screen.Line(x.Path), con.When(x.At))
		if x.Stood {
			text += "Until then, what it asked for as it was trusted still counts.\n"
		}
	default:
		text = screen.Line(x.Path) + " is not trusted; 'piton trust' asks.\n"
	}
	if len(x.LeftOut) > 0 {
		text += fmt.Sprintf("Left out of it as it is now, until then: %s.\n", strings.Join(x.LeftOut, ", "))
	}
	return con.Print(text)
}

func (con console) printTrusts(list installation.TrustList) error {
	if len(list.Files) == 0 {
		con.Say("No project's file is trusted.")
		return nil
	}
	t := screen.NewTable(screen.PathWise("File"), screen.Whole("Trusted"), screen.Whole("Now"))
	for _, r := range list.Files {
		now := "as it was"
		if !r.Trusted {
			now = "changed or gone"
		}
		t.Add(screen.Line(r.Path), con.When(r.At), now)
	}
	return con.PrintTable(t)
}

package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/demo"
	"github.com/piton-project/piton/internal/screen"
)

func demoCommand(con console) *cobra.Command {
	var keep bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show an agent held and let go, and a killed program resumed",
		Long: `Show the main job in a temporary folder, in a few seconds. An agent edits a file
and wants to stop without running the tests. It is held, runs them and is let go.
Then a program is killed in the middle of a save, and its work is resumed from the
last checkpoint.

The agent is a recorded session of the real Claude Code with scripted model
output. The hook program, git, the tests, the saves, the kill and the resume are
real. Each step is checked: if one fails, the demo exits 1. It needs Go and git,
no network, and leaves nothing behind.`,
		Example: "  piton demo\n  piton demo --json\n  piton demo --keep",
		Args:    cli.KnownCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			fit := func(line string) string {
				if w := con.Width(); w > 3 {
					return screen.CutEnd(line, w-3)
				}
				return line
			}
			o := demo.Options{Out: con.Out, Err: con.Err, Live: screen.IsTerminal(con.Err), Keep: keep, Getenv: con.Getenv, Paint: demo.Paint{Bold: con.Bold, Green: con.Green, Red: con.Red, Yellow: con.Yellow, Fit: fit}}
			if con.JSON {
				o.Out = io.Discard
			}
			seen, err := demo.Run(c.Context(), o)
			return cli.Answer(con, seen, err, func(demo.Seen) error { return nil }) // it was told already
		},
	}
	c.Flags().BoolVar(&keep, "keep", false, "keep the temporary folder and print its path")
	var from int
	saver := &cobra.Command{
		Use: "saver", Hidden: true, Args: cobra.NoArgs, // the program that the demo kills
		RunE: func(c *cobra.Command, _ []string) error { return demo.Save(c.Context(), con.App(), from, con.Out) },
	}
	saver.Flags().IntVar(&from, "from", 1, "the first file")
	c.AddCommand(saver, demoClientCommand(con))
	return c
}

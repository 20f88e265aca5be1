package main

import (
	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
)

func exportCommand(con console) *cobra.Command {
	var file string
	c := cli.Asks(&cobra.Command{
		Use:   "export",
		Short: "Write checkpoints with their states to a file",
		Long: `Write checkpoints with their states, including archived ones, to a file that
'piton import' reads, here or on another machine: compressed JSON lines with a sum
for each line, or plain lines with --lines. 'zstd -dc FILE' shows the content.

Without a filter it exports the whole project (the one here, or of --project; all
projects with --all). A damaged checkpoint is left out and named, and the command
exits 5. A checkpoint whose archive file cannot be reached is left out too, and
the command exits 6. An existing file is not overwritten.`,
		Example: `  piton export --workflow import --output import.jsonl.zst
  piton export --all --lines --output - | gzip > backup.gz`,
		Args: cli.None("to write to it: --output %s; to export a workflow's: --workflow %s"),
	}, func(c *cobra.Command, asked piton.ExportRequest) error {
		r := app.ExportRequest{ExportRequest: asked, File: file, LeftOut: con.sayLeftOut}
		if r.File == "" || r.File == "-" && con.ForPerson() && !r.Lines {
			return piton.Errorf(piton.Invalid, c.CommandPath(), "give --output FILE, or --output - into a pipe", "no output file is given")
		}
		nothing := "nothing was written to " + r.File
		toStdout := r.File == "-"
		if toStdout {
			r.File, r.Out, nothing = "", con.Out, "what stands on stdout is not whole"
		}
		out, err := con.App().Export(c.Context(), r)
		if err != nil && out.Begun {
			con.SoFar = nothing
		}
		switch {
		case err != nil:
			return err
		case out.Damaged:
			con.Status = cli.StatusOf(piton.Corrupt)
		case len(out.LeftOut) > 0:
			con.Status = cli.StatusOf(piton.Unavailable)
		}
		if toStdout {
			return nil
		}
		return cli.Answer(con, out, nil, func(out app.Exported) error {
			con.Say("Exported %s to %s.", screen.Counted(out.Checkpoints, "checkpoint"), out.File)
			if n := len(out.LeftOut); n > 0 {
				con.Say("Left out: %d.", n)
			}
			return nil
		})
	})
	c.Flags().StringVarP(&file, "output", "o", "", "the `FILE` to write; - for stdout")
	for _, f := range []string{"open", "cursor"} {
		_ = c.Flags().MarkHidden(f)
	}
	return c
}

// sayLeftOut says which checkpoint an export has left out, and why.
func (con console) sayLeftOut(x piton.Checkpoint, err error) {
	what := "is damaged"
	if piton.CodeOf(err) == piton.Unavailable {
		what = "cannot be reached"
	}
	if !con.JSON {
		con.Say("piton: %s %s and was left out: %s", x.ID, what, screen.Clean(caller.Message(err)))
	}
}

package runs

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/planruns"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/screen"
)

func artifactsCommand(con console) *cobra.Command {
	var output string
	c := cli.Asks(&cobra.Command{
		Use:   "artifacts RUN [NAME]",
		Short: "List the files that the steps of a run have left, or write one out",
		Long: `List the artifacts of a run: the files that its steps have left, which the store keeps
with the run. --output writes the one of that NAME to a new file; - is the standard output.`,
		Example:           "  piton runs artifacts run_7m2k\n  piton runs artifacts nightly report -o report.html",
		ValidArgsFunction: con.completeRuns,
	}, func(c *cobra.Command, r piton.RunArtifactsRequest) error {
		if output != "" {
			return con.writeArtifact(c, r, output)
		}
		x, err := con.App().RunArtifacts(c.Context(), r)
		return cli.Answer(con, x, err, cli.Paged(con, c, con.printArtifacts))
	})
	c.Flags().StringVarP(&output, "output", "o", "", "write the artifact to this `file`, which is not there yet")
	return c
}

// printArtifacts lists artifacts.
func (con console) printArtifacts(x planruns.RunArtifacts) error {
	if len(x.Artifacts) == 0 {
		con.Say("The steps of this run have left no artifacts.")
		return nil
	}
	t := screen.NewTable(screen.Wording("Step"), screen.Wording("Name"), screen.PathWise("Path"), screen.Whole("Bytes"), screen.Whole("SHA-256"))
	for _, f := range x.Artifacts {
		t.Add(screen.Line(f.StepID), screen.Line(f.Name), screen.Line(f.Path), fmt.Sprint(f.Size), screen.Line(f.Sum[:min(12, len(f.Sum))]))
	}
	return con.PrintTable(t)
}

// writeArtifact writes the content of an artifact to a new file, with its permissions.
func (con console) writeArtifact(c *cobra.Command, r piton.RunArtifactsRequest, output string) error {
	x, content, err := con.App().ReadArtifact(c.Context(), r)
	if err != nil {
		return err
	}
	if output == "-" {
		return con.Print(string(content))
	}
	mode, _ := strconv.ParseUint(x.Mode, 8, 32)
	f, err := os.OpenFile(output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, os.FileMode(mode)&0o755)
	if err == nil {
		_, err = f.Write(content)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return &piton.Error{Code: piton.Invalid, Op: "write an artifact", Hint: "name a file that can be written and is not there yet", Err: err}
	}
	con.Say("Wrote %s, %d bytes.", screen.Line(output), x.Size)
	return nil
}

// Package runs is the commands of runs of plans: piton run and piton runs.
package runs

import "github.com/piton-project/piton/internal/cli"

// console is what the commands share, with what they print.
type console struct{ *cli.Console }

// printed prints a text, and what to do now.
func (con console) printed(text, hint string) error {
	err := con.Print(text)
	if err == nil {
		con.SayHint(hint)
	}
	return err
}

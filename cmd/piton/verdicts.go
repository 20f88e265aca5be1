package main

import (
	"fmt"
	"strings"

	"github.com/piton-project/piton"
)

// printVerdicts prints a line a checkpoint: what is done with it, and why.
func (con *console) printVerdicts(rows []piton.Verdict, width int) error {
	var b strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&b, "%s  %-*s  %s\n", row.ID, width, row.Action, line(row.Reason))
	}
	return con.print(b.String())
}

package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
)

func versionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  none(""),
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				return a.printJSON(map[string]string{"version": piton.Version(), "go": runtime.Version()})
			}
			_, err := fmt.Fprintln(a.out, "piton "+piton.Version())
			return err
		},
	}
}

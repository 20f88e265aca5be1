package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/cli"
)

// versions is what 'piton version' prints.
type versions struct {
	Go      string `json:"go"`
	Version string `json:"version"`
}

func versionCommand(con console) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cli.None(""),
		RunE: func(*cobra.Command, []string) error {
			return cli.Answer(con, versions{runtime.Version(), piton.Version()}, nil, func(v versions) error { return con.Print("piton " + v.Version + "\n") })
		},
	}
}

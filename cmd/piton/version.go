package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/installation"
	"github.com/piton-project/piton/internal/cli"
)

// versions is what 'piton version' prints.
type versions struct {
	Go      string `json:"go"`
	Version string `json:"version"`
}

func versionCommand(con console) *cobra.Command {
	var sums string
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Print the version. With --check it is compared with the newest one that a file
names, the SHA256SUMS of a release or of several; nothing is fetched. The exit
status is 10 where the file has a newer version, else 0.`,
		Example: "  piton version\n  piton version --check SHA256SUMS",
		Args:    cli.None(""),
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("check") {
				x, err := con.App().CompareRelease(c.Context(), sums)
				if x.This == "older" {
					con.Status = cli.Behind
				}
				return cli.Answer(con, x, err, con.comparison)
			}
			return cli.Answer(con, versions{runtime.Version(), piton.Version()}, nil, func(v versions) error { return con.Print("piton " + v.Version + "\n") })
		},
	}
	c.Flags().StringVar(&sums, "check", "", "compare with the newest version that `FILE` names")
	return c
}

// comparison says how this version stands to the newest one of a file.
func (con console) comparison(x installation.Comparison) error {
	switch x.This {
	case "older":
		return con.Print("piton " + x.Version + "; " + x.Newest + " is newer\n")
	case "newer":
		return con.Print("piton " + x.Version + " is newer than " + x.Newest + "\n")
	}
	return con.Print("piton " + x.Version + " is the newest version there\n")
}

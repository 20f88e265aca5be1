//go:build man

package main

import (
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/cli"
)

// buildCommands are the commands that only the build of Piton needs.
func buildCommands() []*cobra.Command { return []*cobra.Command{manCommand()} }

// manCommand writes the man pages, for packages and releases (make man). Nobody
// else needs it: help does not list it, and only a program that is built with the tag
// man has it. Its libraries would take 0.3 ms of each start of each command.
func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the man pages of all commands into a directory",
		Hidden: true,
		Args:   cli.Takes("name a directory"),
		RunE: func(c *cobra.Command, args []string) error {
			const op = "write the man pages"
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return &piton.Error{Code: piton.Unavailable, Op: op, Hint: "name a directory that can be written to", Err: err}
			}
			none := time.Unix(0, 0).UTC() // the same pages from the same source
			header := &doc.GenManHeader{Section: "1", Source: "piton " + piton.Version(), Manual: "Piton", Date: &none}
			root := c.Root()
			root.DisableAutoGenTag = true
			asMarkdown(root)
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return &piton.Error{Code: piton.Unavailable, Op: op, Hint: "name a directory that can be written to", Err: err}
			}
			return nil
		},
	}
}

// asMarkdown escapes what the texts of a command and those below it do not mean as
// Markdown, which is what the pages are made from.
func asMarkdown(c *cobra.Command) {
	c.Long = strings.NewReplacer("<", `\<`, "*", `\*`, "_", `\_`).Replace(c.Long)
	for _, below := range c.Commands() {
		asMarkdown(below)
	}
}

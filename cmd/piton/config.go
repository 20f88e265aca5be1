package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/app/installation"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/screen"
	"github.com/piton-project/piton/internal/verbs"
)

func configCommand(con console) *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "Show each setting in force here and where it comes from; change them",
		Long: `Show each setting in force in this project, its value and where it comes from:
built-in, the user's file, the project's file, the environment or a flag. Settings
that could not be used are shown too. docs/config.md explains the keys. The commands
below read and change single keys; 'piton schema settings' and 'piton schema project'
print the JSON Schemas of the files.`,
		Example: "  piton config\n  piton config --json",
		Args:    cli.KnownCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			x, err := con.App().Settings()
			for i, p := range x.Problems {
				x.Problems[i].Hint = verbs.CommandLine(p.Hint)
			}
			return cli.Answer(con, x, err, cli.Paged(con, c, con.printConfig))
		},
	}
	c.AddCommand(configGetCommand(con), configSetCommand(con), configUnsetCommand(con), configEditCommand(con))
	return c
}

func (con console) printConfig(x installation.Settings) error {
	t := screen.NewTable(screen.Whole("Key"), screen.PathWise("From"), screen.Wording("Value"))
	for _, v := range x.Keys {
		from := screen.Line(v.From)
		if v.From != config.BuiltIn {
			from = con.HomePath(v.From)
		}
		t.Add(v.Key, from, screen.Line(flat(v.Value)))
	}
	if err := con.PrintTable(t); err != nil {
		return err
	}
	for _, p := range x.Problems {
		con.Say("%s: %s", con.Yellow("left out"), screen.Line(p.Message))
	}
	if con.ForPerson() {
		con.sayFile("Your own file", x.UserFile)
		con.sayFile("This project's", x.ProjectFile)
	}
	return nil
}

// sayFile tells a person where a settings file lies or would lie.
func (con console) sayFile(name, path string) {
	there := ""
	if _, err := os.Lstat(path); err != nil {
		there = " (not there yet)"
	}
	con.Say("%s: %s%s", name, con.ShortPath(path, max(con.Width()-len(name)-len(there)-3, 20)), there)
}

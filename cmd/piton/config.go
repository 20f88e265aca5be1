package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/verbs"
)

func configCommand(con *console) *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "Show each setting in force here and where it comes from; change them",
		Long: `Show each setting in force in this project, its value and where it comes from:
built-in, the user's file, the project's file, the environment or a flag. Settings
that could not be used are shown too. docs/config.md explains the keys. The commands
below read and change single keys; 'piton schema settings' and 'piton schema project'
print the JSON Schemas of the files.`,
		Example: "  piton config\n  piton config --json",
		Args:    knownSubcommand,
		RunE: func(c *cobra.Command, _ []string) error {
			x, err := con.app().Settings()
			for i, p := range x.Problems {
				x.Problems[i].Hint = verbs.CommandLine(p.Hint)
			}
			return answer(con, x, err, paged(con, c, con.printConfig))
		},
	}
	c.AddCommand(configGetCommand(con), configSetCommand(con), configUnsetCommand(con), configEditCommand(con))
	return c
}

func (con *console) printConfig(x app.Settings) error {
	t := table{columns: []column{whole("Key"), pathWise("From"), wording("Value")}}
	for _, v := range x.Keys {
		from := line(v.From)
		if v.From != config.BuiltIn {
			from = con.homePath(v.From)
		}
		t.add(v.Key, from, line(flat(v.Value)))
	}
	if err := con.printTable(t); err != nil {
		return err
	}
	for _, p := range x.Problems {
		con.say("%s: %s", con.yellow("left out"), line(p.Message))
	}
	if con.forPerson() {
		con.sayFile("Your own file", x.UserFile)
		con.sayFile("This project's", x.ProjectFile)
	}
	return nil
}

// sayFile tells a person where a settings file lies or would lie.
func (con *console) sayFile(name, path string) {
	there := ""
	if _, err := os.Lstat(path); err != nil {
		there = " (not there yet)"
	}
	con.say("%s: %s%s", name, con.shortPath(path, max(con.width()-len(name)-len(there)-3, 20)), there)
}

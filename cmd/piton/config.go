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
	show := func(c *cobra.Command, _ []string) error {
		x, err := con.App().Settings()
		for i, p := range x.Problems {
			x.Problems[i].Hint = verbs.CommandLine(p.Hint)
		}
		return cli.Answer(con, x, err, cli.Paged(con, c, con.printConfig))
	}
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
		RunE:    show,
	}
	list := &cobra.Command{Use: "list", Short: "Show each setting, as 'piton config' alone does", Args: cli.None("to read one: piton config get %s"), RunE: show}
	c.AddCommand(list, configPathCommand(con), configGetCommand(con), configSetCommand(con), configUnsetCommand(con), configEditCommand(con))
	return c
}

func configPathCommand(con console) *cobra.Command {
	var which whichFile
	c := &cobra.Command{
		Use: "path", Short: "Print where your settings file lies, or the project's",
		Long:    "Print the path of your own settings file, or with --scope project of .piton.yaml in\nthis project, whether the file is there or not.",
		Example: "  piton config path\n  piton config path --scope project",
		Args:    cli.None("a key is read by: piton config get %s"),
		RunE: func(c *cobra.Command, _ []string) error {
			inProject, err := which.project(c)
			if err != nil {
				return err
			}
			x, err := con.App().Settings()
			p := configPath{Path: x.UserFile}
			if inProject {
				p.Path = x.ProjectFile
			}
			_, missing := os.Lstat(p.Path)
			p.Exists = missing == nil
			return cli.Answer(con, p, err, func(p configPath) error { return con.Print(p.Path + "\n") })
		},
	}
	which.flag(c)
	return c
}

// configPath is what 'piton config path' answers.
type configPath struct {
	Path   string `json:"path"`
	Exists bool   `json:"exists"`
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

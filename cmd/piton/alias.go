package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"mvdan.cc/sh/v3/shell"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/installation"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/screen"
)

// aliasRow is one alias as 'piton alias list' answers.
type aliasRow struct {
	Name    string `json:"name"`
	Command string `json:"command"` // what it stands for, without "piton"
}

// aliasList is what 'piton alias list' answers.
type aliasList struct {
	Aliases []aliasRow `json:"aliases"`
}

func aliasCommand(con console) *cobra.Command {
	c := &cobra.Command{
		Use:   "alias",
		Short: "Give a command with its options a name of your own",
		Long: `Give a command with its options a name of your own. It stands in your settings file
under 'aliases'. What is typed behind the name is added at the end. An alias stands for
a command of piton, never for another program, and cannot take the name of a command.
It is the first word: options come behind it.`,
		Example: "  piton alias set mine 'list --open --project .'\n  piton mine --json\n  piton alias delete mine",
		Args:    cli.KnownCommand,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(
		&cobra.Command{Use: "list", Short: "List your aliases", Args: cli.None(""), RunE: func(*cobra.Command, []string) error {
			return cli.Answer(con, con.aliases(), nil, con.printAliases)
		}},
		&cobra.Command{Use: "set NAME COMMAND", Short: "Add an alias, or change it", Args: cli.Takes("write piton alias set NAME 'COMMAND'; the command in quotes"), RunE: con.setAlias},
		&cobra.Command{Use: "delete NAME", Short: "Remove an alias", Args: cli.Takes("write piton alias delete NAME; 'piton alias list' shows them"), RunE: con.deleteAlias})
	return c
}

// aliases are the user's own commands.
func (con console) aliases() aliasList {
	list := aliasList{Aliases: []aliasRow{}}
	caller := app.New(con.AppOptions()) // its own: the console's is made after the flags were read
	defer caller.Close()
	for _, text := range caller.Config("").Aliases {
		if name, words, ok := config.SplitAlias(text); ok {
			list.Aliases = append(list.Aliases, aliasRow{name, words})
		}
	}
	return list
}

func (con console) printAliases(list aliasList) error {
	t := screen.NewTable(screen.Whole("Name"), screen.Wording("Command"))
	for _, x := range list.Aliases {
		t.Add(x.Name, screen.Line(x.Command))
	}
	if len(list.Aliases) == 0 {
		con.Say("No aliases. 'piton alias set NAME COMMAND' adds one.")
		return nil
	}
	return con.PrintTable(t)
}

func (con console) setAlias(c *cobra.Command, args []string) error {
	name, words, ok := config.SplitAlias(args[0] + "=" + strings.TrimPrefix(strings.TrimSpace(args[1]), "piton "))
	if !ok {
		return piton.Errorf(piton.Invalid, c.CommandPath(), "a name has small letters, digits and -, as in: piton alias set mine 'list --open'", "%q cannot be the name of an alias", args[0])
	}
	if known, _, err := c.Root().Find([]string{name}); err == nil && known != c.Root() {
		return piton.Errorf(piton.Conflict, c.CommandPath(), "choose another name", "%q is a command of piton", name)
	}
	split, err := aliasWords(words)
	if err != nil {
		return err
	}
	if known, _, err := c.Root().Find(split); err != nil || known == c.Root() {
		return piton.Errorf(piton.Invalid, c.CommandPath(), "'piton help' lists the commands", "%q is not a command of piton", split[0])
	}
	return con.changeAliases(c, name, &aliasRow{name, words})
}

func (con console) deleteAlias(c *cobra.Command, args []string) error {
	if !slices.ContainsFunc(con.aliases().Aliases, func(x aliasRow) bool { return x.Name == args[0] }) {
		return piton.Errorf(piton.NotFound, c.CommandPath(), "'piton alias list' shows them", "there is no alias %q", args[0])
	}
	return con.changeAliases(c, args[0], nil)
}

// changeAliases writes the aliases with the one of a name in place of what it was; nil: without.
func (con console) changeAliases(c *cobra.Command, name string, to *aliasRow) error {
	var texts []string
	rows := slices.DeleteFunc(con.aliases().Aliases, func(x aliasRow) bool { return x.Name == name })
	if to != nil {
		rows = append(rows, *to)
	}
	for _, x := range rows {
		texts = append(texts, x.Name+" = "+x.Command)
	}
	change, err := installation.ConfigChange{Key: "aliases"}, error(nil)
	var x installation.ConfigChanged
	if len(texts) == 0 {
		x, err = con.App().UnsetConfig(c.Context(), change)
	} else {
		list, _ := json.Marshal(texts)
		change.Value = string(list)
		x, err = con.App().SetConfig(c.Context(), change)
	}
	return cli.Answer(con, x, err, func(x installation.ConfigChanged) error {
		if to == nil {
			return con.printConfigChanged(x, "Removed the alias "+name)
		}
		return con.printConfigChanged(x, "Set the alias "+name)
	})
}

// aliasWords splits the command of an alias as a shell would, but runs nothing.
func aliasWords(text string) ([]string, error) {
	runs := strings.ContainsAny(text, "$`<>|&;(){}*?[]~#\\\n")
	var words []string
	var err error
	if !runs {
		words, err = shell.Fields(text, func(string) string { return "" })
	}
	if runs || err != nil || len(words) == 0 {
		return nil, piton.Errorf(piton.Invalid, "read the alias", "write the words of a command of piton; a word with blanks stands in quotes", "%q has something that only a shell can run", text)
	}
	return words, nil
}

// execAlias puts the command of an alias at the beginning of the arguments in the place of
// this process, whose own command line then says what runs: who may approve depends on it.
func (con console) execAlias(root *cobra.Command, args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return nil
	}
	if known, _, err := root.Find(args[:1]); err == nil && known != root {
		return nil
	}
	for _, x := range con.aliases().Aliases {
		if x.Name != args[0] {
			continue
		}
		words, err := aliasWords(x.Command)
		if err != nil {
			return err
		}
		if known, _, err := root.Find(words[:1]); err != nil || known == root {
			return piton.Errorf(piton.Invalid, "read the alias", "'piton alias delete "+x.Name+"' removes it", "%q is not a command of piton", words[0])
		}
		self, err := os.Executable()
		if err == nil {
			err = syscall.Exec(self, slices.Concat([]string{"piton"}, words, args[1:]), os.Environ())
		}
		return &piton.Error{Code: piton.Unavailable, Op: "run " + x.Command, Hint: "type the command itself", Err: err}
	}
	return nil
}

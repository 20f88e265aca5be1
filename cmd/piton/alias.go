package main

import (
	"encoding/json"
	"maps"
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

// aliasList is what 'piton alias list' answers.
type aliasList struct {
	Aliases map[string]string `json:"aliases"` // by their name: what it stands for, without "piton"
}

func aliasCommand(con console) *cobra.Command {
	c := &cobra.Command{
		Use:   "alias",
		Short: "Give a command with its options a name of your own",
		Long: `Give a command with its options a name of your own. It stands in your settings file
under 'aliases'. What is typed behind the name is added at the end. An alias stands for
a command of piton, never for another program, and cannot take the name of a command.
An alias is the first word: options come behind it.`,
		Example: "  piton alias set mine list --open --project .\n  piton mine --json\n  piton alias delete mine",
		Args:    cli.KnownCommand,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	set := &cobra.Command{Use: "set NAME COMMAND...", Short: "Add an alias, or change it", RunE: con.setAlias, Args: func(c *cobra.Command, args []string) error {
		if len(args) > 1 {
			return nil
		}
		return piton.Errorf(piton.Invalid, c.CommandPath(), "write: piton alias set NAME COMMAND", "name an alias and its command")
	}}
	set.Flags().SetInterspersed(false) // behind the name all is the command's
	c.AddCommand(set,
		&cobra.Command{Use: "list", Short: "List your aliases", Args: cli.None(""), RunE: func(*cobra.Command, []string) error {
			return cli.Answer(con, aliasList{con.aliases()}, nil, con.printAliases)
		}},
		&cobra.Command{Use: "delete NAME", Short: "Remove an alias", Args: keyAnd(0, "piton alias delete NAME; 'piton alias list' shows them"), RunE: con.deleteAlias})
	return c
}

// aliases are the user's own commands, by their names.
func (con console) aliases() map[string]string {
	list := map[string]string{}
	caller := app.New(con.AppOptions()) // its own: the console's is made after the flags were read
	defer caller.Close()
	for _, text := range caller.Config("").Aliases {
		name, words, _ := config.SplitAlias(text)
		list[name] = words
	}
	return list
}

func (con console) printAliases(list aliasList) error {
	if len(list.Aliases) == 0 {
		con.Say("No aliases. 'piton alias set NAME COMMAND' adds one.")
		return nil
	}
	t := screen.NewTable(screen.Whole("Name"), screen.Wording("Command"))
	for _, name := range slices.Sorted(maps.Keys(list.Aliases)) {
		t.Add(name, screen.Line(list.Aliases[name]))
	}
	return con.PrintTable(t)
}

func (con console) setAlias(c *cobra.Command, args []string) error {
	text := strings.TrimPrefix(strings.TrimSpace(args[1]), "piton ")
	if len(args) > 2 {
		text = screen.Quote(args[1:]...)
	}
	name, text, ok := config.SplitAlias(args[0] + "=" + text)
	if !ok {
		return piton.Errorf(piton.Invalid, c.CommandPath(), "a name has small letters, digits and -, as in: piton alias set mine list --open", "%q cannot be the name of an alias", args[0])
	}
	if known, _, err := c.Root().Find([]string{name}); err == nil && known != c.Root() {
		return piton.Errorf(piton.Conflict, c.CommandPath(), "choose another name", "%q is a command of piton", name)
	}
	if _, err := aliasWords(c.Root(), text); err != nil {
		return err
	}
	list := con.aliases()
	list[name] = text
	return con.writeAliases(c, list, "Set the alias "+name)
}

func (con console) deleteAlias(c *cobra.Command, args []string) error {
	list := con.aliases()
	if list[args[0]] == "" {
		return piton.Errorf(piton.NotFound, c.CommandPath(), "'piton alias list' shows them", "there is no alias %q", args[0])
	}
	delete(list, args[0])
	return con.writeAliases(c, list, "Removed the alias "+args[0])
}

func (con console) writeAliases(c *cobra.Command, list map[string]string, done string) error {
	texts := []string{}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		texts = append(texts, name+" = "+list[name])
	}
	value, _ := json.Marshal(texts)
	x, err := con.App().SetConfig(c.Context(), installation.ConfigChange{Key: "aliases", Value: string(value)})
	return cli.Answer(con, x, err, func(x installation.ConfigChanged) error { return con.printConfigChanged(x, done) })
}

// aliasWords splits the command of an alias as a shell would, but runs nothing.
func aliasWords(root *cobra.Command, text string) ([]string, error) {
	runs := strings.ContainsAny(text, "$`<>|&;(){}*?[]~#\\\n")
	var words []string
	var err error
	if !runs {
		words, err = shell.Fields(text, func(string) string { return "" })
	}
	if runs || err != nil || len(words) == 0 {
		return nil, piton.Errorf(piton.Invalid, "read the alias", "write the words of a command of piton; a word with blanks stands in quotes", "%q has something that only a shell can run", text)
	}
	if known, _, err := root.Find(words); err != nil || known == root {
		return nil, piton.Errorf(piton.Invalid, "read the alias", "'piton help' lists the commands, 'piton alias delete NAME' removes an alias", "%q is not a command of piton", words[0])
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
	text, ok := con.aliases()[args[0]]
	if !ok {
		return nil
	}
	words, err := aliasWords(root, text)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err == nil {
		err = syscall.Exec(self, slices.Concat([]string{"piton"}, words, args[1:]), os.Environ())
	}
	return &piton.Error{Code: piton.Unavailable, Op: "run " + text, Hint: "type the command itself", Err: err}
}

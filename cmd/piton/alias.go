package main

import (
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"mvdan.cc/sh/v3/shell"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/config"
)

// execAlias puts the command of an alias (the setting 'aliases') at the beginning of the
// arguments in the place of this process, whose own command line then says what runs: who may
// approve depends on it. An alias stands for a command of piton and takes the name of none.
func (con console) execAlias(root *cobra.Command, args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return nil
	}
	if known, _, err := root.Find(args[:1]); err == nil && known != root {
		return nil
	}
	caller := app.New(con.AppOptions()) // its own: the console's is made after the flags were read
	defer caller.Close()
	for _, alias := range caller.Config("").Aliases {
		name, text, _ := config.SplitAlias(alias)
		if name != args[0] {
			continue
		}
		words, err := aliasWords(root, strings.TrimPrefix(text, "piton "))
		if err != nil {
			return err
		}
		self, err := os.Executable()
		if err == nil {
			err = syscall.Exec(self, slices.Concat([]string{"piton"}, words, args[1:]), os.Environ())
		}
		return &piton.Error{Code: piton.Unavailable, Op: "run " + text, Hint: "type the command itself", Err: err}
	}
	return nil
}

// aliasWords splits the command of an alias as a shell would, but runs nothing.
func aliasWords(root *cobra.Command, text string) ([]string, error) {
	runs := strings.ContainsAny(text, "$`<>|&;(){}*?[]~#\\\n")
	var words []string
	var err error
	if !runs {
		words, err = shell.Fields(text, func(string) string { return "" })
	}
	const hint = "change the setting: 'piton config get aliases' shows it"
	if runs || err != nil || len(words) == 0 {
		return nil, piton.Errorf(piton.Invalid, "read the alias", hint, "%q has something that only a shell can run; a word with blanks stands in quotes", text)
	}
	if known, _, err := root.Find(words); err != nil || known == root {
		return nil, piton.Errorf(piton.Invalid, "read the alias", hint, "%q is not a command of piton", words[0])
	}
	return words, nil
}

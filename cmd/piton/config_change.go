package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/app/installation"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/screen"
)

// whichFile is the flag that chooses the settings file to change.
type whichFile struct{ scope string }

func (x *whichFile) flag(c *cobra.Command) {
	c.Flags().StringVar(&x.scope, "scope", "user", "whose settings: `user|project`; the project's are for everyone who works on it")
}

func (x whichFile) project(c *cobra.Command) (bool, error) {
	if x.scope != "user" && x.scope != "project" {
		return false, piton.Errorf(piton.Invalid, c.CommandPath(), "the scopes are user and project", "unknown scope %q", x.scope)
	}
	return x.scope == "project", nil
}

func completeKeys(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return config.Keys(), cobra.ShellCompDirectiveNoFileComp
}

func configGetCommand(con console) *cobra.Command {
	return &cobra.Command{
		Use: "get KEY", Short: "Print one setting as it is in force here",
		Long:              "Print the value of one setting that is in force in this project. With --json it\nsays where the value comes from, too.",
		Example:           "  piton config get debrief.min_turn",
		Args:              cli.Takes("write piton config get KEY; 'piton config' lists the keys"),
		ValidArgsFunction: completeKeys,
		RunE: func(_ *cobra.Command, args []string) error {
			v, err := con.App().ConfigValue(args[0])
			return cli.Answer(con, v, err, func(v config.Value) error { return con.Print(strings.TrimPrefix(flat(v.Value), "-") + "\n") })
		},
	}
}

func configSetCommand(con console) *cobra.Command {
	var which whichFile
	c := &cobra.Command{
		Use: "set KEY VALUE", Short: "Set one setting in your own file, or in the project's",
		Long: `Set one setting in your own settings file, or with --scope project in .piton.yaml. The
value is checked before anything is written. The rest of the file stays as it is,
comments included. A list is written [a, b].

A project's file does not become trusted by this: keys that need trust count after
'piton trust'. Inside an agent your own file cannot be changed.`,
		Example:           "  piton config set debrief.min_turn 1m\n  piton config set --scope project debrief.tests '[make check]'",
		Args:              cli.Takes("write piton config set KEY VALUE; put a list into quotes: '[a, b]'"),
		ValidArgsFunction: completeKeys,
		RunE: func(c *cobra.Command, args []string) error {
			inProject, err := which.project(c)
			if err != nil {
				return err
			}
			x, err := con.App().SetConfig(c.Context(), installation.ConfigChange{Key: args[0], Value: args[1], Project: inProject})
			return cli.Answer(con, x, err, func(x installation.ConfigChanged) error { return con.printConfigChanged(x, "Set "+args[0]) })
		},
	}
	which.flag(c)
	return c
}

func configUnsetCommand(con console) *cobra.Command {
	var which whichFile
	c := &cobra.Command{
		Use: "unset KEY", Short: "Remove one setting from your own file, or from the project's",
		Long:              "Remove one setting from your own settings file, or with --scope project from\n.piton.yaml. The rest of the file stays as it is, comments included. Inside an agent\nyour own file cannot be changed.",
		Example:           "  piton config unset debrief.min_turn",
		Args:              cli.Takes("write piton config unset KEY"),
		ValidArgsFunction: completeKeys,
		RunE: func(c *cobra.Command, args []string) error {
			inProject, err := which.project(c)
			if err != nil {
				return err
			}
			x, err := con.App().UnsetConfig(c.Context(), installation.ConfigChange{Key: args[0], Project: inProject})
			return cli.Answer(con, x, err, func(x installation.ConfigChanged) error { return con.printConfigChanged(x, "Removed "+args[0]) })
		},
	}
	which.flag(c)
	return c
}

func (con console) printConfigChanged(x installation.ConfigChanged, done string) error {
	text := fmt.Sprintf("%s in %s.\n", done, screen.Line(x.File))
	if !x.Changed {
		text = fmt.Sprintf("Nothing to do in %s.\n", screen.Line(x.File))
	}
	if err := con.Print(text); err != nil {
		return err
	}
	if x.NeedsTrust {
		con.Say("It does not count yet: 'piton trust' shows you the file and asks.")
	} else if x.Instead != nil {
		con.Say("In force here is another value: %s, from %s.", screen.Line(flat(x.Instead.Value)), screen.Line(x.Instead.From))
	}
	return nil
}

func configEditCommand(con console) *cobra.Command {
	var which whichFile
	c := &cobra.Command{
		Use: "edit", Short: "Edit your own settings file, or the project's, and check it",
		Long: `Open your own settings file, or with --scope project .piton.yaml, in the editor that
$VISUAL or $EDITOR names (else vi). The editor gets a copy: the file is replaced only
if all of the text can be used. It needs a terminal and is refused inside an agent.`,
		Example: "  piton config edit\n  piton config edit --scope project",
		Args:    cli.None("the file is chosen by --scope"),
		RunE: func(c *cobra.Command, _ []string) error {
			inProject, err := which.project(c)
			if err != nil {
				return err
			}
			if !con.Person() {
				return piton.Errorf(piton.Invalid, c.CommandPath(), "'piton config set KEY VALUE' needs no terminal", "an editor needs a terminal, without --json")
			}
			next := con.Lines(c.Context())
			x, err := con.App().EditConfig(c.Context(), inProject, func(path string, text []byte) ([]byte, error) {
				return con.edited(path, text)
			}, func(wrong error) bool {
				ok, err := con.Yes(screen.Clean(caller.Message(wrong))+"\nNothing was written. Edit it again?", next)
				return ok && err == nil
			})
			return cli.Answer(con, x, err, func(x installation.ConfigChanged) error { return con.printConfigChanged(x, "Changed the settings") })
		},
	}
	which.flag(c)
	return c
}

// edited has a person edit a copy of a file, and returns its text.
func (con console) edited(path string, text []byte) ([]byte, error) {
	const op = "edit the settings"
	dir, err := os.MkdirTemp("", "piton-edit-")
	if err != nil {
		return nil, &piton.Error{Code: piton.Unavailable, Op: op, Err: err}
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, filepath.Base(path))
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, &piton.Error{Code: piton.Unavailable, Op: op, Err: err}
	}
	editor := strings.Fields(cmp.Or(strings.TrimSpace(con.Getenv("VISUAL")), strings.TrimSpace(con.Getenv("EDITOR")), "vi"))
	x := exec.Command(editor[0], append(editor[1:], file)...)
	x.Stdin, x.Stdout, x.Stderr = con.In, con.Out, con.Err
	if err := errors.Join(screen.Attend(x)); err != nil {
		return nil, piton.Errorf(piton.Unavailable, op, "name your editor in VISUAL or EDITOR", "the editor %s has failed, and nothing was written: %w", editor[0], err)
	}
	text, err = os.ReadFile(file)
	if err != nil {
		return nil, &piton.Error{Code: piton.Unavailable, Op: op, Err: err}
	}
	return text, nil
}

// flat writes a value on one line.
func flat(v any) string {
	b, ok := v.(json.RawMessage)
	if !ok {
		return fmt.Sprint(v)
	}
	var s string
	if json.Unmarshal(b, &s) == nil {
		return screen.OrDash(s)
	}
	if string(b) == "[]" {
		return "-"
	}
	return string(b)
}

package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/kind"
)

func schemaCommand(con console) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [KIND]",
		Short: "Print the JSON Schema of a kind of state",
		Long: `Print the JSON Schema (draft 2020-12) that validates the states of a kind when they
are saved. Without KIND it lists them. A state of any other type may be any
JSON object. The schema of the kind plan is for the files of plans too: an editor
that is given it knows their keys. settings and project are the schemas of your own
settings file and of a project's .piton.yaml; a file that Piton makes names its schema
in the first line.`,
		Example:   "  piton schema\n  piton schema plan > plan.schema.json",
		ValidArgs: append(kind.Names(), settingsSchemas...),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return piton.Errorf(piton.Invalid, c.CommandPath(), cli.SeeHelp(c), "one kind at a time, not %d: %s", len(args), strings.Join(args, " "))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				list, err := app.Kinds()
				return cli.Answer(con, list, err, cli.Paged(con, c, con.printKinds))
			}
			text, err := schemaNamed(args[0])
			return cli.Answer(con, json.RawMessage(text), err, cli.Paged(con, c, func(text json.RawMessage) error { return con.Print(string(text)) }))
		},
	}
}

// settingsSchemas are the schemas of settings files.
var settingsSchemas = []string{"settings", "project"}

// schemaNamed is the schema of a kind of state, or of a settings file.
func schemaNamed(name string) ([]byte, error) {
	if slices.Contains(settingsSchemas, name) {
		return config.Schema(name == "project"), nil
	}
	text, err := kind.Schema(name)
	if err != nil {
		e := *caller.AsError(err)
		e.Hint += "; settings and project are the schemas of settings files"
		err = &e
	}
	return text, err
}

func (con console) printKinds(list app.KindList) error {
	var b strings.Builder
	for _, r := range list.Kinds {
		fmt.Fprintf(&b, "%-10s %s\n", r.Kind, r.Title)
	}
	fmt.Fprintf(&b, "%-10s %s\n%-10s %s\n", "settings", "Your own settings file", "project", "A project's .piton.yaml")
	return con.Print(b.String())
}

package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/kind"
)

func schemaCommand(con *console) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [KIND]",
		Short: "Print the JSON Schema of a kind of state",
		Long: `Print the JSON Schema (draft 2020-12) that validates the states of a kind when they
are saved. Without KIND it lists the kinds. A state of any other type may be any
JSON object.`,
		Example:   "  piton schema\n  piton schema plan > plan.schema.json",
		ValidArgs: kind.Names(),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return piton.Errorf(piton.Invalid, c.CommandPath(), seeHelp(c), "one kind at a time, not %d: %s", len(args), strings.Join(args, " "))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				list, err := app.Kinds()
				return answer(con, list, err, con.printKinds)
			}
			text, err := kind.Schema(args[0])
			return answer(con, json.RawMessage(text), err, func(text json.RawMessage) error { return con.print(string(text)) })
		},
	}
}

func (con *console) printKinds(list app.KindList) error {
	var b strings.Builder
	for _, r := range list.Kinds {
		fmt.Fprintf(&b, "%-10s %s\n", r.Kind, r.Title)
	}
	return con.print(b.String())
}

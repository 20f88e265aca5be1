package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/kind"
)

func schemaCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [KIND]",
		Short: "Print the JSON Schema of a kind of state",
		Long: `Print the JSON Schema (draft 2020-12) that the states of a kind are held against
when they are saved. Without KIND the kinds are listed. A state of any other
type may be any JSON object.`,
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
				return a.printKinds()
			}
			text, err := kind.Schema(args[0])
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(json.RawMessage(text))
			}
			_, err = a.out.Write(text)
			return err
		},
	}
}

func (a *app) printKinds() error {
	type row struct {
		Kind  string `json:"kind"`
		Title string `json:"title"`
	}
	var rows []row
	for _, name := range kind.Names() {
		var s struct{ Title string }
		text, err := kind.Schema(name)
		if err == nil {
			err = json.Unmarshal(text, &s)
		}
		if err != nil {
			return err
		}
		rows = append(rows, row{name, s.Title})
	}
	if a.json {
		return a.printJSON(map[string]any{"kinds": rows})
	}
	for _, r := range rows {
		if _, err := fmt.Fprintf(a.out, "%-10s %s\n", r.Kind, r.Title); err != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/config"
)

func configCommand(con *console) *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "Show each setting in force here and where it comes from",
		Long: `Show each setting in force in this project, its value and where it comes from:
built-in, the user's file, the project's file, the environment or a flag. Settings
that could not be used are shown too. docs/config.md explains the keys.`,
		Example: "  piton config\n  piton config --json",
		Args:    none("the settings lie in files and in the environment; 'piton config' only shows them"),
		RunE: func(*cobra.Command, []string) error {
			x, err := con.app().Settings()
			for i, p := range x.Problems {
				x.Problems[i].Hint = commandLine(p.Hint)
			}
			return answer(con, x, err, con.printConfig)
		},
	}
}

func (con *console) printConfig(x app.Settings) error {
	table := [][]string{{"Key", "From", "Value"}}
	for _, v := range x.Keys {
		from := line(v.From)
		if v.From != config.BuiltIn {
			from = con.shortPath(v.From, maxLayer(con.width()))
		}
		table = append(table, []string{v.Key, from, line(flat(v.Value))})
	}
	con.narrow(table)
	if err := con.table(table); err != nil {
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

// maxLayer bounds the path of a layer, in characters, on a terminal so wide.
func maxLayer(width int) int {
	if width == 0 {
		return 1000
	}
	return max(width-len("debrief.hold_on_observations")-30, 16)
}

// narrow cuts the last column so that no line is wider than the terminal.
func (con *console) narrow(table [][]string) {
	width := con.width()
	if width == 0 {
		return
	}
	columns := widthsOf(table)
	for _, row := range table {
		row[2] = short(row[2], max(width-columns[0]-columns[1]-4, 20))
	}
}

// flat writes a value on one line.
func flat(v any) string {
	b, ok := v.(json.RawMessage)
	if !ok {
		return fmt.Sprint(v)
	}
	var s string
	if json.Unmarshal(b, &s) == nil {
		return orDash(s)
	}
	if string(b) == "[]" {
		return "-"
	}
	return string(b)
}

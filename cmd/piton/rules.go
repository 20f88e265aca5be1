package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/redact"
)

func rulesCommand(con *console) *cobra.Command {
	c := &cobra.Command{
		Use:   "rules",
		Short: "Show, test and extend the rules for debriefs",
		Long: `The rules sort changed files into categories, and say what must be done after a
change and which commands prove it. There are built-in rules, the user's and the
project's (docs/config.md, "Rules").`,
		Args: knownSubcommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(rulesListCommand(con), rulesAcceptCommand(con), rulesTestCommand(con))
	return c
}

func rulesListCommand(con *console) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the rules in force in this project",
		Long:    "List the rules in force in this project, in the order in which they are applied,\nand where each comes from. {test} stands for the command that runs the tests of\nthe changed files.",
		Example: "  piton rules list\n  piton rules list --json",
		Args:    none("to see what the rules make of a session: piton rules test %s"),
		RunE: func(*cobra.Command, []string) error {
			list, err := con.app().Rules()
			con.sayProblems(list.Problems)
			return answer(con, list, err, con.printRules)
		},
	}
}

func (con *console) printRules(list app.RuleList) error {
	table := [][]string{{"Rule", "Precedence", "From", "Asks for", "Proven by"}}
	for _, r := range list.Rules {
		from := r.From
		if from != config.BuiltIn {
			from = con.shortPath(from, 40)
		}
		if r.Untrusted {
			from += " (not trusted)"
		}
		instruction, _ := redact.Text(r.Instruction)
		evidence, _ := redact.Text(strings.Join(r.Evidence, ", "))
		table = append(table, []string{short(r.Name, 40), strconv.Itoa(r.Precedence), from, orDash(short(instruction, 60)), orDash(short(evidence, 40))})
	}
	if err := con.table(con.fitted(table, 0, 2, 3, 4)); err != nil {
		return err
	}
	if len(list.Found) > 0 {
		con.say("{test} was found to be: %s", line(strings.Join(list.Found, ", ")))
	} else if len(list.Accepted)+len(list.Besides) == 0 {
		con.say("{test} is nothing here: no test command was found. 'piton rules accept CMD' names one.")
	}
	if len(list.Accepted) > 0 {
		con.say("Test commands that were accepted: %s", line(strings.Join(list.Accepted, ", ")))
	}
	if len(list.Besides) > 0 {
		con.say("Asked for besides, because the project's file names them and is not trusted: %s", line(strings.Join(list.Besides, ", ")))
	}
	return nil
}

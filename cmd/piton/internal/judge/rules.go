package judge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/installation"
	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/screen"
)

// RulesCommand is rules.
func RulesCommand(of *cli.Console) *cobra.Command {
	con := console{of}
	c := &cobra.Command{
		Use:   "rules",
		Short: "Show, test and extend the rules for debriefs",
		Long: `The rules sort changed files into categories, and say what must be done after a
change and which commands prove it. There are built-in rules, the user's and the
project's (docs/config.md, "Rules").`,
		Args: cli.KnownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(listCommand(con), acceptCommand(con), ignoreCommand(con), verifyCommand(con), testCommand(con))
	return c
}

func listCommand(con console) *cobra.Command {
	var all bool
	c := cli.Asks(&cobra.Command{
		Use:     "list",
		Short:   "List the rules in force in this project",
		Long:    "List the rules in force in this project, in the order in which they are applied,\nand where each comes from: your own, and the built-in ones of what the project has.\n--all lists the other built-in rules too, JSON always (\"here\" tells them apart). The commands that run this project's tests are filled in:\nwhere several are named, the one nearest to the changed file is asked for. In JSON,\n\"instruction\" and \"evidence\" are as the rules have them, with {test} in place of\nthese commands; \"asks\" and \"proven_by\" are what is asked for here.",
		Example: "  piton rules list\n  piton rules list --all\n  piton rules list --json",
		Args:    cli.None("to see what the rules make of a session: piton rules test %s"),
	}, func(c *cobra.Command, r piton.RulesRequest) error {
		list, err := con.App().Rules(c.Context(), r)
		con.SayProblems(list.Problems)
		return cli.Answer(con, list, err, cli.Paged(con, c, func(list installation.RuleList) error { return con.printRules(list, all) }))
	})
	c.Flags().BoolVar(&all, "all", false, "list the built-in rules of other languages and tools too")
	return c
}

// maxProofs bounds the commands that are shown of a rule; JSON has all.
const maxProofs = 8

// printRules prints a row a rule. On a terminal what it asks for stands below, in full.
func (con console) printRules(list installation.RuleList, all bool) error {
	t := screen.NewTable(screen.Wording("Rule"), screen.Whole("Precedence"), screen.PathWise("From"), screen.Wording("Asks for").Under(), screen.Wording("Proven by").Under())
	elsewhere := 0
	for _, r := range list.Rules {
		if !r.Here && !all {
			elsewhere++
			continue
		}
		from := r.From
		if from != config.BuiltIn {
			from = con.HomePath(from)
		}
		if r.Untrusted {
			from += " (not trusted)"
		}
		asks := r.Asks
		if asks == "" && r.Instruction != "" && !r.Untested {
			asks = "nothing until a test command is known"
		}
		asks, _ = redact.Text(asks)
		proofs := r.ProvenBy
		if more := len(proofs) - maxProofs; more > 0 {
			proofs = append(slices.Clone(proofs[:maxProofs]), fmt.Sprintf("and %d more", more))
		}
		evidence, _ := redact.Text(strings.Join(proofs, ", "))
		t.Add(screen.Line(r.Name), strconv.Itoa(r.Precedence), from, screen.Line(asks), screen.Line(evidence))
	}
	if len(t.Rows) > 0 {
		if err := con.PrintTable(t); err != nil {
			return err
		}
	}
	if elsewhere > 0 {
		con.Advise("Left out: %d built-in, for files that this project does not have. 'piton rules list --all' lists them too.", elsewhere)
	}
	if len(list.Found) > 0 {
		con.Advise("Test commands that were found: %s", screen.Line(strings.Join(list.Found, ", ")))
	} else if len(list.Accepted) == 0 {
		con.Advise(noTests)
	}
	if len(list.Accepted) > 0 {
		con.Advise("Test commands that were accepted: %s", screen.Line(strings.Join(list.Accepted, ", ")))
	}
	return nil
}

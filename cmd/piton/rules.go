package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/judge/project"
	"github.com/piton-project/piton/internal/redact"
)

func rulesCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "rules",
		Short: "Show, test and add to the rules that stops are looked at by",
		Long: `The rules sort changed files into categories, say what is to be done after a
change, and which commands prove it done. There are built-in ones, the user's
and the project's (docs/config.md, "Rules").`,
		Args: knownSubcommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(rulesListCommand(a), rulesAcceptCommand(a), rulesTestCommand(a))
	return c
}

func rulesListCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the rules that are in force in this project",
		Long:    "List the rules that are in force in this project, in the order in which they\nask, and where each came from. {test} stands for the command that runs the tests\nof the files at hand.",
		Example: "  piton rules list\n  piton rules list --json",
		Args:    none("to see what the rules make of a session: piton rules test %s"),
		RunE: func(*cobra.Command, []string) error {
			root, err := workTree()
			if err != nil {
				return err
			}
			return a.printRules(a.heeded(root), root)
		},
	}
}

// heeded are the settings of a work tree; what cannot be used of them is said,
// and the rest counts as it does in a hook.
func (a *app) heeded(root string) config.Config {
	c := a.config(root)
	for _, err := range c.Problems {
		if !a.json {
			fmt.Fprintf(a.err, "piton: warning: %s\n", clean(err.Error()))
		}
	}
	return c
}

// ruleJSON is a rule as docs/json.md has it, with the names it has in a file.
type ruleJSON struct {
	Name        string      `json:"name"`
	From        string      `json:"from,omitempty"`
	Profile     string      `json:"profile,omitempty"`
	Precedence  int         `json:"precedence"`
	Include     []string    `json:"include"`
	Exclude     []string    `json:"exclude,omitempty"`
	Instruction string      `json:"instruction,omitempty"`
	Evidence    []string    `json:"evidence,omitempty"`
	Then        *followJSON `json:"then,omitempty"`
	Ecosystem   string      `json:"ecosystem,omitempty"`
	Advice      bool        `json:"advice,omitempty"`
	Sole        bool        `json:"sole,omitempty"`
	Rest        bool        `json:"rest,omitempty"`
	Off         bool        `json:"off,omitempty"`
	Untrusted   bool        `json:"untrusted,omitempty"`
}

type followJSON struct {
	Instruction string   `json:"instruction"`
	Evidence    []string `json:"evidence"`
}

func ruleOf(r debrief.Rule, from string) ruleJSON {
	out := ruleJSON{r.Name, from, r.Profile, r.Precedence, append([]string{}, r.Include...), r.Exclude, r.Instruction, r.Evidence, nil, r.Ecosystem, r.Advice, r.Sole, r.Rest, r.Off, r.Untrusted}
	if r.Then != nil {
		out.Then = &followJSON{r.Then.Instruction, append([]string{}, r.Then.Evidence...)}
	}
	return out
}

// inForce are the rules by precedence, each with its layer.
func inForce(cfg config.Config) []ruleJSON {
	rules := []ruleJSON{}
	for _, r := range cfg.Debrief.InForce() {
		from := config.BuiltIn
		if at, ok := cfg.Layers[r.Name]; ok && r.Profile == "" {
			from = at
		}
		if r.Untrusted {
			from = cfg.Project.Path
		}
		rules = append(rules, ruleOf(r, from))
	}
	slices.SortStableFunc(rules, func(x, y ruleJSON) int { return x.Precedence - y.Precedence })
	return rules
}

func (a *app) printRules(cfg config.Config, root string) error {
	rules := inForce(cfg)
	if a.json {
		return a.printJSON(map[string]any{"rules": rules})
	}
	table := [][]string{{"Rule", "Precedence", "From", "Asks for", "Proven by"}}
	for _, r := range rules {
		from := r.From
		if from != config.BuiltIn {
			from = a.shortPath(from, 40)
		}
		if r.Untrusted {
			from += " (not trusted)"
		}
		instruction, _ := redact.Text(r.Instruction)
		evidence, _ := redact.Text(strings.Join(r.Evidence, ", "))
		table = append(table, []string{short(r.Name, 40), strconv.Itoa(r.Precedence), from, firstOf(short(instruction, 60), "-"), firstOf(short(evidence, 40), "-")})
	}
	if err := a.table(a.fitted(table, 0, 2, 3, 4)); err != nil {
		return err
	}
	if found := testsFound(root); len(found) > 0 {
		fmt.Fprintf(a.err, "{test} was found to be: %s\n", strings.Join(found, ", "))
	} else if len(cfg.Debrief.Tests)+len(cfg.Debrief.Besides) == 0 {
		fmt.Fprintln(a.err, "{test} is nothing here: no test command was found. 'piton rules accept CMD' names one.")
	}
	if tests := cfg.Debrief.Tests; len(tests) > 0 {
		fmt.Fprintf(a.err, "Test commands that were accepted: %s\n", line(strings.Join(tests, ", ")))
	}
	if more := cfg.Debrief.Besides; len(more) > 0 {
		fmt.Fprintf(a.err, "Asked for besides, because the project's file names them and is not trusted: %s\n", line(strings.Join(more, ", ")))
	}
	return nil
}

// testsFound are the commands that run the tests of a work tree, in back-ticks,
// and where.
func testsFound(root string) []string {
	var list []string
	for _, t := range project.TestCommands(root) {
		run, _ := redact.Text(t.Run)
		if run == "" {
			continue
		}
		run = "`" + run + "`"
		if t.Dir != "" {
			run += " in " + t.Dir
		}
		list = append(list, line(run))
	}
	return list
}

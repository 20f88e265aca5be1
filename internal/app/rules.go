package app

import (
	"slices"

	"github.com/piton-project/piton/internal/config"
	"github.com/piton-project/piton/internal/judge/debrief"
)

// RuleList is the rules that are in force in the caller's work tree, in the order
// in which they ask.
type RuleList struct {
	Rules    []Rule   `json:"rules"`
	Found    []string `json:"-"` // the commands that {test} stands for (TestCommands)
	Accepted []string `json:"-"` // test commands that somebody has named
	Besides  []string `json:"-"` // test commands of a file that is not trusted
	Problems []error  `json:"-"` // settings that were left out
}

// Rule is a rule with the names it has in a file.
type Rule struct {
	Name        string   `json:"name"`
	From        string   `json:"from,omitempty"`
	Profile     string   `json:"profile,omitempty"`
	Precedence  int      `json:"precedence"`
	Include     []string `json:"include"`
	Exclude     []string `json:"exclude,omitempty"`
	Instruction string   `json:"instruction,omitempty"`
	Evidence    []string `json:"evidence,omitempty"`
	Then        *Follow  `json:"then,omitempty"`
	Ecosystem   string   `json:"ecosystem,omitempty"`
	Advice      bool     `json:"advice,omitempty"`
	Sole        bool     `json:"sole,omitempty"`
	Rest        bool     `json:"rest,omitempty"`
	Off         bool     `json:"off,omitempty"`
	Untrusted   bool     `json:"untrusted,omitempty"`
}

// Follow is what a rule asks for once it is proven.
type Follow struct {
	Instruction string   `json:"instruction"`
	Evidence    []string `json:"evidence"`
}

// Rules lists the rules that are in force. What cannot be used of the settings is
// named, and the rest counts as it does in a hook.
func (a *App) Rules() (RuleList, error) {
	root, err := a.Root()
	if err != nil {
		return RuleList{}, err
	}
	c := a.config(root)
	out := RuleList{Rules: []Rule{}, Found: TestCommands(root), Accepted: c.Debrief.Tests, Besides: c.Debrief.Besides, Problems: c.Problems}
	for _, r := range c.Debrief.InForce() {
		from := config.BuiltIn
		if at, ok := c.Layers[r.Name]; ok && r.Profile == "" {
			from = at
		}
		if r.Untrusted {
			from = c.Project.Path
		}
		out.Rules = append(out.Rules, ruleOf(r, from))
	}
	slices.SortStableFunc(out.Rules, func(x, y Rule) int { return x.Precedence - y.Precedence })
	return out, nil
}

func ruleOf(r debrief.Rule, from string) Rule {
	out := Rule{r.Name, from, r.Profile, r.Precedence, append([]string{}, r.Include...), r.Exclude, r.Instruction, r.Evidence, nil, r.Ecosystem, r.Advice, r.Sole, r.Rest, r.Off, r.Untrusted}
	if r.Then != nil {
		out.Then = &Follow{r.Then.Instruction, append([]string{}, r.Then.Evidence...)}
	}
	return out
}

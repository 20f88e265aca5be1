package debrief

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

// What people's own rules demand holds as they say. What the built-in ones say of
// other files than code is noticed, and never a reason to hold.

// demanded applies the rules to their categories. One that cannot be looked at is
// left out.
func (t *turn) demanded(groups []group) []finding { return demandedBy(groups, t.demandOf) }

func demandedBy(groups []group, look func(group) finding) []finding {
	var all []finding
	for _, g := range groups {
		f := finding{group: g, verdict: "left out: it could not be looked at"}
		contained(func() { f = look(g) })
		all = append(all, f)
	}
	return all
}

// demandOf looks for a category's evidence in the turn's calls.
func (t *turn) demandOf(g group) finding {
	asks := t.asks(g.rule, g.files)
	f := finding{group: g, wish: fill(g.rule, asks, " and ")}
	switch {
	case g.instead != "":
		f.verdict = "covered by " + g.instead
	case g.rule.judged():
		f.verdict = "judged by what ran"
	case g.rule.Instruction == "":
		f.verdict = "nothing is asked for"
	case f.wish == "", g.rule.tests() && len(asks) == 0 && len(g.expand()) == 0:
		f.wish, f.verdict = words(g.rule, g.rule.Instruction), "falls away: no test command exists here"
	}
	if f.verdict != "" {
		return f
	}
	s := search{category: label(g.rule.Name), patterns: g.expand(), since: newest(g.files)}
	if f.rows = t.search(&s); s.proof == "" && g.rule.tests() {
		code := keep(g.files, func(f file) bool { return !f.tidy }) // what was only tidied needs none
		if done := t.coveredAt(code); !done.none() {
			s.proof, s.at = "a test run", done
		}
	}
	if s.proof != "" {
		return t.then(f, s)
	}
	f.demand = demand{subjects: []subject{subjectOf(g)}, instruction: f.wish, advice: g.rule.advises()}
	switch {
	case s.unavailable != "" && !g.rule.runsTests():
		f.advice, f.instruction = true, quote(s.unavailable)+" cannot run here, so this is unproven"
		f.verdict = "advice only: " + quote(s.unavailable) + " cannot run here"
	case f.advice:
		f.verdict = "advice only"
	default:
		f.missing = missing(g.rule) + s.attempt + t.unread()
		f.verdict = "asks: " + f.missing
	}
	return f
}

// advises reports whether a rule notices, and asks for nothing.
func (r Rule) advises() bool { return r.Advice || len(r.Evidence) == 0 || r.Profile != "" }

// then looks for what the evidence demands in its turn.
func (t *turn) then(f finding, first search) finding {
	next := f.group.rule.Then
	if next == nil || len(next.Evidence) == 0 {
		f.verdict = "proved by " + quote(first.proof)
		return f
	}
	s := search{category: label(f.group.rule.Name), patterns: next.Evidence, since: first.at}
	f.rows = append(f.rows, t.search(&s)...)
	if s.proof != "" {
		f.verdict = "proved by " + quote(first.proof) + " and then " + quote(s.proof)
		return f
	}
	f.wish = words(f.group.rule, next.Instruction)
	f.demand = demand{subjects: []subject{subjectOf(f.group)}, instruction: f.wish, advice: f.group.rule.advises()}
	f.missing = quote(first.proof) + " has run, but no " + quote(next.Evidence[0]) + " has succeeded since" + s.attempt + t.unread()
	f.verdict = "asks: " + f.missing
	return f
}

// rowsKept bounds the evidence noted for a category; the newest says most.
const rowsKept = 5

// search looks for a command that one of the patterns names, and that succeeded
// since a moment.
type search struct {
	category string
	patterns []string
	since    moment
	prints   bool // what the command prints says nothing of how it went: it shows logs

	proof       string // what proves it
	at          moment // when it did
	attempt     string // what became of the newest one that does not
	unavailable string // a command that could not run here
}

// search notes what it finds.
func (t *turn) search(s *search) (rows []agent.Evidence) {
	patterns := t.read(s.patterns)
	for _, c := range slices.Backward(t.calls) {
		for _, cmd := range slices.Backward(c.matching(patterns)) {
			is, why := s.went(c, cmd)
			if s.unavailable == "" && is == unrun && c.impossible() {
				s.unavailable = cmd.text
			}
			if away := t.elsewhere(c, cmd); away != "" && is == passed && t.kindOf(cmd) == kindTests {
				is, why = unrun, away
			}
			late := c.shows(cmd.at).after(s.since)
			row := agent.Evidence{Category: s.category, Command: cut(cmd.text, shown), Counts: is == passed && late, Why: why}
			switch {
			case row.Counts:
				row.Why += " after the last edit"
				s.proof, s.at = cmd.text, c.moment(cmd.at)
			case is == passed:
				row.Why += ", but before the last edit"
			case len(rows) == 0:
				s.attempt = " (the last try " + why + ")"
			}
			if len(rows) < rowsKept {
				rows = append(rows, row)
			}
		}
	}
	slices.Reverse(rows)
	return rows
}

// went is how a command went that a person's rule asks for. Of one that runs no tests a
// line that ended well is enough, also where it hides the command's status.
func (s *search) went(c *call, cmd *command) (is outcome, why string) {
	if c.turn.kindOf(cmd) == kindTests {
		return c.went(cmd, kindTests)
	}
	is, why = c.went(cmd, kindBuild)
	ended := !c.Background && !c.EndedAt.IsZero() && cmd.Status != shell.Background
	shown := (s.prints || !c.Cut) && !cmd.Silenced()
	if is == unseen && ended && shown && c.ok() {
		return passed, "its exit status is hidden, and nothing says that it failed"
	}
	return is, why
}

// matching are the call's commands that one of the patterns names.
func (c *call) matching(patterns shell.Patterns) []*command {
	return keep(c.commands, func(cmd *command) bool { return cmd.fits(patterns) })
}

// unread says that a run may have taken place all the same: what the agent ran
// could not be read.
func (t *turn) unread() string {
	switch {
	case !t.CallsSeen:
		return ", as far as is known (what ran in this turn could not be read)"
	case t.Partial:
		return ", as far as is known (not all that ran in this turn could be read)"
	}
	return ""
}

// missing says what has not happened since the change.
func missing(r Rule) string {
	switch {
	case r.runsTests():
		return "no test run has passed since"
	case r.Evidence[0] == testMark:
		return "nothing has checked them since"
	}
	return "no " + quote(r.Evidence[0]) + " has succeeded since"
}

// leastWindow is the shortest time that the logs are asked for, in minutes.
const leastWindow = 2

// lookAtLogs is the log check, where it is configured and something changed
// that runs: neither tests alone nor documents alone.
// Rule: docs/spec.md, "Rules".
func (t *turn) lookAtLogs(groups []group) []finding {
	if t.LogCheck == "" {
		return nil
	}
	log := finding{group: group{rule: Rule{Name: "log check", Untrusted: t.Untrusted}}}
	asks := false
	seen := map[string]bool{}
	for _, g := range groups {
		if g.rule.docs() || g.instead != "" {
			continue
		}
		for _, f := range g.files {
			asks = asks || t.mayLog(g.rule, f)
			if !seen[f.Path] {
				seen[f.Path] = true
				log.group.files = append(log.group.files, f)
			}
		}
	}
	window := max(leastWindow, int((t.Elapsed+time.Minute-1)/time.Minute)) // since the turn's start, rounded up
	line := fmt.Sprintf("%s --since %dm", t.LogCheck, window)
	if log.wish = "run " + quoteTo(line, ruleShown); t.Untrusted {
		log.wish = named(line, "to look at them")
	}
	if !asks {
		log.verdict = "falls away: nothing changed but tests, documents and files of no category"
		return []finding{log}
	}
	s := search{category: log.group.rule.Name, patterns: []string{t.LogCheck}, since: newest(log.group.files), prints: true}
	log.rows = t.search(&s)
	switch {
	case s.proof != "":
		log.verdict = "proved by " + quote(s.proof)
	case s.unavailable != "":
		log.demand = demand{advice: true, missing: "the logs were not looked at", instruction: quote(s.unavailable) + " cannot run here"}
		log.verdict = "advice only: " + log.instruction
	default:
		log.demand = demand{instruction: log.wish, missing: "the logs have not been looked at since the last edit" + s.attempt + t.unread()}
		log.verdict = "asks: " + log.missing
	}
	return []finding{log}
}

// mayLog reports whether a change of a file can show in logs: what runs reads it, and
// it says something else than before. A document is read by nothing that runs, whatever
// category it is in besides, unless a rule demands that something be done with it.
func (t *turn) mayLog(r Rule, f file) bool {
	if f.Home.Test || r.Sole || isDocument(f.Path) && !t.demandsDoing(r) {
		return false
	}
	return !t.same(f)
}

// isDocument reports whether the built-in rule for documents includes a file, and it is
// no code.
func isDocument(path string) bool {
	at := slices.IndexFunc(builtin, Rule.docs)
	return at >= 0 && builtin[at].includes(path) && tools.EcosystemOf(path) == ""
}

// demandsDoing reports whether a rule demands a command that is not a check: a restart, say.
func (t *turn) demandsDoing(r Rule) bool {
	does := func(pattern string) bool {
		commands := t.commandsOf(agent.Call{Kind: agent.CallShell, Command: pattern})
		return pattern != testMark && !slices.ContainsFunc(commands, func(cmd *command) bool { return t.kindOf(cmd) != noCheck })
	}
	return !r.Advice && slices.ContainsFunc(r.Evidence, does)
}

// categorise sorts the agent's files into the rules' categories, by precedence;
// among equals the rules' own order holds. The categories of rules that only add
// stand apart: nothing in them changes what the others take or ask for.
func categorise(rules []Rule, files []file) (groups, added []group) {
	groups = sorted(keep(rules, func(r Rule) bool { return !r.Untested && !r.added() }), nil, files)
	return groups, sorted(keep(rules, func(r Rule) bool { return !r.Untested && r.added() }), groups, files)
}

// sorted makes the categories of some rules, beside those of others.
func sorted(rules []Rule, beside []group, files []file) (groups []group) {
	taken := map[string]bool{}
	for _, g := range beside {
		g.takes(taken)
	}
	for _, rest := range []bool{false, true} {
		for _, r := range rules {
			if r.Rest != rest || r.Sole {
				continue
			}
			contained(func() {
				g := group{rule: r, files: keep(files, func(f file) bool { return !(rest && taken[f.Path]) && r.includes(f.Path) })}
				if len(g.files) > 0 {
					groups = append(groups, g)
				}
			})
		}
		for _, g := range groups {
			g.takes(taken)
		}
	}
	for _, r := range rules {
		if r.Sole {
			contained(func() { groups = sole(r, beside, groups, files) })
		}
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(a.rule.Precedence, b.rule.Precedence) })
	return groups
}

// takes notes the files that a rule for the rest has no more claim on.
func (g group) takes(taken map[string]bool) {
	for _, f := range g.files {
		taken[f.Path] = taken[f.Path] || !g.rule.Rest && !g.rule.added()
	}
}

// sole gives the rule its category if every file is in it or a document. It
// then speaks for the rules that ask for no more than a test run.
func sole(r Rule, beside, groups []group, files []file) []group {
	docs := map[string]bool{}
	for _, g := range slices.Concat(beside, groups) {
		for _, f := range g.files {
			docs[f.Path] = docs[f.Path] || g.rule.docs()
		}
	}
	others := keep(files, func(f file) bool { return !docs[f.Path] })
	if len(others) == 0 || slices.ContainsFunc(others, func(f file) bool { return !r.includes(f.Path) }) {
		return groups
	}
	for i, g := range groups {
		if !g.rule.Sole && g.rule.runsTests() && !r.added() {
			groups[i].instead = r.title()
		}
	}
	return append(groups, group{rule: r, files: others})
}

// docsOnly tells whether nothing but documents changed.
func docsOnly(groups []group, files []file) bool {
	return len(files) > 0 && len(groups) == 1 && groups[0].rule.docs() && len(groups[0].files) == len(files)
}

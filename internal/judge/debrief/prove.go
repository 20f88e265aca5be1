package debrief

import (
	"fmt"
	"slices"
	"time"
)

// proveEach applies prove to each category. A rule that cannot be looked at is
// left out.
func proveEach(groups []group, prove func(group) finding) []finding {
	var all []finding
	for _, g := range groups {
		f := finding{group: g, verdict: "left out: it could not be looked at"}
		contained(func() { f = prove(g) })
		all = append(all, f)
	}
	return all
}

// proveOne looks for a category's evidence in the turn's calls.
func (t *turn) proveOne(g group) finding {
	patterns, asks := t.expand(g)
	f := finding{group: g, wish: fill(g.rule, asks)}
	switch {
	case g.instead != "":
		f.verdict = "covered by " + g.instead
		return f
	case g.rule.Instruction == "":
		f.verdict = "nothing is asked for"
		return f
	case f.wish == "", len(patterns) == 0 && len(g.rule.Evidence) > 0:
		f.wish, f.verdict = words(g.rule, g.rule.Instruction), "falls away: no test command exists here"
		return f
	}
	f.demand = demand{
		subjects: []subject{subjectOf(g)}, patterns: patterns, asks: asks,
		testRun: g.rule.runsTests(), advice: g.rule.Advice || len(g.rule.Evidence) == 0,
	}
	s := search{category: label(g.rule.Name), patterns: patterns, since: newest(g.files), test: f.testRun, first: g.rule.Then != nil}
	if g.rule.tests() {
		s.files = t.wantings(g.files)
	}
	at, found := t.search(&s)
	if s.stands {
		f.stands = s.proof
	}
	if f.rows = s.rows; !found && g.rule.tests() {
		t.onlyLeft(&f, &s)
	}
	switch {
	case !found && s.unavailable != "" && !f.testRun:
		f.advice = true
		f.instruction = quote(s.unavailable) + " cannot run here, so this is unproven"
		f.verdict = "advice only: " + quote(s.unavailable) + " cannot run here"
	case !found && f.advice:
		f.instruction, f.verdict = f.wish, "advice only"
	case !found:
		f.instruction, f.missing, f.tried = f.wish, s.missing(g.rule)+t.unseen(), s.tried
		f.verdict = "asks: " + f.missing
	case g.rule.Then != nil && len(g.rule.Then.Evidence) > 0:
		t.proveNext(&f, s.proof, at)
	default:
		f.settle(s.proved())
	}
	return f
}

// onlyLeft keeps of a finding the files that no check meets.
func (t *turn) onlyLeft(f *finding, s *search) {
	f.left = left(s.files)
	if f.asks = t.asks(f.group.rule, f.left); s.beside != "" || len(f.left) < len(f.group.files) {
		f.asks = t.narrow(f.asks, f.left) // the rest has been run
	}
	f.wish = fill(f.group.rule, f.asks)
	f.subjects = []subject{subjectOf(group{rule: f.group.rule, files: f.left})}
}

// proveNext looks for what the evidence demands in its turn.
func (t *turn) proveNext(f *finding, first string, since moment) {
	then := f.group.rule.Then
	f.wish, f.asks, f.testRun = words(f.group.rule, then.Instruction), nil, false
	s := search{category: label(f.group.rule.Name), patterns: then.Evidence, since: since}
	if t.demand(f, &s, quote(first)+" has run, but no "+quote(then.Evidence[0])+" has succeeded since") {
		f.settle("proved by " + quote(first) + " and then " + quote(s.proof))
	}
}

// demand looks for evidence, and demands it where there is none: missing says
// what has not happened.
func (t *turn) demand(f *finding, s *search, missing string) (found bool) {
	_, found = t.search(s)
	f.rows = append(f.rows, s.rows...)
	if found {
		f.settle(s.proved())
		return true
	}
	f.instruction, f.missing, f.patterns, f.tried = f.wish, missing+s.attempt+t.unseen(), s.patterns, s.tried
	f.verdict = "asks: " + f.missing
	return false
}

// unseen says that a run may have taken place all the same: what the agent ran
// could not be read.
func (t *turn) unseen() string {
	if t.CallsSeen {
		return ""
	}
	return ", as far as is known (what ran in this turn could not be read)"
}

// missing says what has not happened since the change.
func (s *search) missing(r Rule) string {
	if s.attempt == "" && s.beside != "" && r.runsTests() {
		return "no test run that takes them has passed since (" + quote(s.beside) + " takes none of them)"
	}
	return missing(r) + s.attempt
}

func missing(r Rule) string {
	switch {
	case r.runsTests():
		return "no test run has passed since"
	case r.Evidence[0] == testMark:
		return "nothing has checked them since"
	}
	return "no " + quote(r.Evidence[0]) + " has succeeded since"
}

// testsBesides asks for the tests that an untrusted project's file names, besides
// those that the rules ask for: it may add to what is asked for, and takes
// nothing's place.
// Rule: docs/spec.md, "Rules".
func (t *turn) testsBesides(groups []group) (finding, bool) {
	f := finding{group: group{rule: Rule{Name: "tests of the project's settings", Untrusted: true}}}
	for _, run := range t.Besides {
		if !slices.ContainsFunc(t.Tests, func(x Test) bool { return x.Run == run && x.Dir == "" }) {
			f.patterns = append(f.patterns, run)
		}
	}
	for _, g := range groups {
		if g.rule.tests() && !g.rule.added() {
			f.group.files = append(f.group.files, g.files...)
		}
	}
	if len(f.patterns) == 0 || len(f.group.files) == 0 {
		return finding{}, false
	}
	f.wish = named(f.patterns[0], "for its tests")
	s := search{category: f.group.rule.Name, patterns: f.patterns, since: newest(f.group.files), test: true}
	t.demand(&f, &s, quote(f.patterns[0])+" has not succeeded since the last edit")
	return f, true
}

// leastWindow is the shortest time that the logs are asked for, in minutes.
const leastWindow = 2

// lookAtLogs is the log check, where it is configured and something changed
// that runs: neither tests alone nor documents alone.
// Rule: docs/spec.md, "Rules".
func (t *turn) lookAtLogs(groups []group) (finding, bool) {
	if t.LogCheck == "" {
		return finding{}, false
	}
	log := finding{group: group{rule: Rule{Name: "log check"}}}
	asks := false
	seen := map[string]bool{}
	for _, g := range groups {
		if g.rule.docs() || g.instead != "" {
			continue
		}
		asks = asks || !g.rule.Sole
		for _, f := range g.files {
			if !seen[f.Path] {
				seen[f.Path] = true
				log.group.files = append(log.group.files, f)
			}
		}
	}
	line := fmt.Sprintf("%s --since %dm", t.LogCheck, window(t.Elapsed))
	if log.wish = "run " + quoteTo(line, ruleShown); t.Untrusted {
		log.wish = named(line, "to look at them")
	}
	log.group.rule.Untrusted = t.Untrusted
	if !asks {
		log.verdict = "falls away: nothing changed but tests, documents and files of no category"
		return log, true
	}
	s := search{category: log.group.rule.Name, patterns: []string{t.LogCheck}, since: newest(log.group.files), prints: true}
	if !t.demand(&log, &s, "the logs have not been looked at since the last edit") && s.unavailable != "" {
		log.demand = demand{advice: true, missing: "the logs were not looked at", instruction: quote(s.unavailable) + " cannot run here"}
		log.verdict = "advice only: " + log.instruction
	}
	return log, true
}

// window is the time since the turn's start in minutes, rounded up.
func window(elapsed time.Duration) int {
	return max(leastWindow, int((elapsed+time.Minute-1)/time.Minute))
}

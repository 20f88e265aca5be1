package debrief

import (
	"path"
	"slices"
	"strings"

	"github.com/piton-project/piton"
)

// rowsKept bounds the evidence noted for a category; the newest says most.
const rowsKept = 5

// demand is an instruction of a category whose evidence is missing.
type demand struct {
	subjects    []subject
	missing     string   // "no test run has passed since"
	instruction string   // "" for none
	patterns    []string // what would prove it
	asks        []Test   // the test commands it names
	tried       *call    // the failed call that it speaks of
	testRun     bool     // it asks for a test run and nothing else
	advice      bool
}

// subject is a category with the names of its files.
type subject struct{ name, files string }

// finding is what a rule came to: a demand, or why there is none.
type finding struct {
	demand
	group   group
	wish    string // the rule's instruction, filled in
	rows    []piton.Evidence
	verdict string
}

// asksFor tells whether the finding makes an action.
func (f finding) asksFor() bool { return f.instruction != "" && !f.advice }

// settle takes the demand back.
func (f *finding) settle(why string) { f.demand, f.verdict = demand{}, why }

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
	case f.wish == "":
		f.wish, f.verdict = words(g.rule, g.rule.Instruction), "falls away: no test command exists here"
		return f
	}
	f.demand = demand{
		subjects: []subject{subjectOf(g)}, patterns: patterns, asks: asks,
		testRun: g.rule.runsTests(), advice: g.rule.Advice || len(g.rule.Evidence) == 0,
	}
	s := search{category: label(g.rule.Name), patterns: patterns, since: newest(g.files), test: f.testRun, first: g.rule.Then != nil}
	proof, found := t.search(&s)
	f.rows = s.rows
	switch {
	case !found && s.unavailable != "" && !f.testRun:
		f.advice = true
		f.instruction = quote(s.unavailable) + " cannot run here, so this is unproven"
		f.verdict = "advice only: " + quote(s.unavailable) + " cannot run here"
	case !found && f.advice:
		f.instruction, f.verdict = f.wish, "advice only"
	case !found:
		f.instruction, f.missing, f.tried = f.wish, missing(g.rule)+s.attempt, s.tried
		f.verdict = "asks: " + f.missing
	case g.rule.Then != nil && len(g.rule.Then.Evidence) > 0:
		t.proveNext(&f, s.proof, proof)
	default:
		f.settle("proved by " + quote(s.proof) + ", which " + s.why)
	}
	return f
}

// proveNext looks for what the evidence demands in its turn.
func (t *turn) proveNext(f *finding, first string, since moment) {
	then := f.group.rule.Then
	s := search{category: label(f.group.rule.Name), patterns: then.Evidence, since: since}
	_, found := t.search(&s)
	f.rows = append(f.rows, s.rows...)
	if found {
		f.settle("proved by " + quote(first) + " and then " + quote(s.proof))
		return
	}
	f.wish = words(f.group.rule, then.Instruction)
	f.instruction, f.patterns, f.asks, f.testRun, f.tried = f.wish, s.patterns, nil, false, s.tried
	f.missing = quote(first) + " has run, but no " + quote(s.patterns[0]) + " has succeeded since" + s.attempt
	f.verdict = "asks: " + f.missing
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

// search looks for evidence in the turn.
type search struct {
	category string
	patterns []string
	since    moment
	test     bool // a test run is looked for
	prints   bool // what the command prints says nothing of how it went: it shows logs
	first    bool // the earliest one that counts is looked for, else the newest

	rows        []piton.Evidence
	proof       string // the command that counts
	why         string
	attempt     string // what became of the newest one that does not
	tried       *call  // if it failed
	unavailable string // a command whose program is not there
}

// search finds a command that counts.
func (t *turn) search(s *search) (at moment, found bool) {
	for _, c := range slices.Backward(t.calls) {
		if c.Kind != piton.CallShell || len(s.rows) >= rowsKept && (found && !s.first || !c.moment(len(c.commands)).after(s.since)) {
			continue // nothing that would still be noted
		}
		for _, cmd := range slices.Backward(c.matching(s.patterns)) {
			v := c.judge(cmd)
			if s.prints {
				v = c.judgeBare(cmd)
			}
			late := c.moment(cmd.at).after(s.since)
			row := piton.Evidence{Category: s.category, Command: cut(cmd.text, shown), Counts: v.counts && late, Why: v.why}
			switch {
			case row.Counts:
				row.Why += " after the last edit" + t.scope(c, cmd)
				if !found || s.first {
					at, found, s.proof, s.why = c.moment(cmd.at), true, cmd.text, row.Why
				}
			case v.counts:
				row.Why += ", but before the last edit"
			case len(s.rows) == 0:
				if s.attempt = c.attempt(v, s.test); v.failed {
					s.tried = c
				}
			}
			if !v.counts && late && s.unavailable == "" && unavailable(c.Output) {
				s.unavailable = cmd.text
			}
			if len(s.rows) < rowsKept {
				s.rows = append(s.rows, row)
			}
		}
	}
	slices.Reverse(s.rows)
	return at, found
}

// matching are the call's commands that one of the patterns names.
func (c *call) matching(patterns []string) []*command {
	var found []*command
	for _, cmd := range c.commands {
		if cmd.matches(patterns...) {
			found = append(found, cmd)
		}
	}
	return found
}

// attempt says in brackets how the newest run went that proves nothing.
func (c *call) attempt(v verdict, test bool) string {
	if !v.failed {
		return " (the last try " + v.why + ")"
	}
	kind, line := nameError(c.Output, test)
	if line != "" {
		kind += ", " + quote(line)
	}
	return " (the last try failed: " + kind + ")"
}

// scope says what narrows a run that counts.
func (t *turn) scope(c *call, cmd *command) string {
	note := ""
	if c.own {
		note = "; Piton ran it"
	}
	if only := narrowed(cmd.Words); only != "" {
		note = "; a scoped run (" + cut(only, shown) + ")"
	}
	if rel, ok := t.relative(c.Dir, path.Join(cmd.Dir, ".")); ok && rel != "." {
		note += "; in " + cut(rel, shown)
	}
	return note
}

// narrowed is the first word that keeps a test run from being whole.
func narrowed(words []string) string {
	for i, w := range words {
		switch {
		case i == 0:
		case slices.Contains([]string{"-run", "-k", "-t", "-g", "--grep", "--filter", "--tests", "-pl", "-p", "--testNamePattern", "--test", "-m"}, w):
			if i+1 < len(words) {
				return w + " " + words[i+1]
			}
		case strings.HasPrefix(w, "-run=") || strings.HasPrefix(w, "--filter=") || strings.HasPrefix(w, "--grep="):
			return w
		case strings.HasPrefix(w, "-") || w == "./..." || w == "." || w == "..." || strings.HasPrefix(w, "//..."):
		case strings.Contains(w, "/") || strings.Contains(w, "::") || ecosystemOf(w) != "":
			return w
		}
	}
	return ""
}

// newest is the last edit of the files. An edit by a call says more than a
// file's time, which the user may have changed since.
func newest(files []file) moment {
	last := nowhere
	for _, f := range files {
		if last.none() || !f.last.none() && f.last.later(last) {
			last = f.last
		}
	}
	return last
}

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
	missing     string // "no test run has passed since"
	instruction string
	patterns    []string // what would prove it
	asks        []Test   // the test commands it names
	tried       *call    // the failed call that it speaks of
	testRun     bool     // it asks for a test run and nothing else
	advice      bool
}

// subject is a category with the names of its files.
type subject struct{ name, files string }

// proveEach applies prove to each category. A rule that cannot be looked at is
// left out.
func proveEach(groups []group, prove func(group) (demand, []piton.Evidence)) (demands []demand, evidence []piton.Evidence) {
	for _, g := range groups {
		contained(func() {
			d, rows := prove(g)
			evidence = append(evidence, rows...)
			if d.instruction != "" {
				demands = append(demands, d)
			}
		})
	}
	return demands, evidence
}

// proveOne looks for a category's evidence in the turn's calls.
func (t *turn) proveOne(g group) (demand, []piton.Evidence) {
	patterns, asks := t.expand(g)
	d := demand{
		subjects: []subject{subjectOf(g)}, patterns: patterns, asks: asks,
		testRun: g.rule.Instruction == runTests, advice: g.rule.Advice || len(g.rule.Evidence) == 0,
	}
	instruction := fill(g.rule, asks)
	if instruction == "" {
		return demand{}, nil
	}
	s := search{category: label(g.rule.Name), patterns: patterns, since: newest(g.files)}
	proof, found := t.search(&s)
	switch {
	case !found && s.unavailable != "" && !d.testRun:
		d.advice = true
		d.instruction = quote(s.unavailable) + " cannot run here, so this is unproven"
	case !found && d.advice:
		d.instruction = instruction
	case !found:
		d.instruction, d.missing, d.tried = instruction, missing(g.rule)+s.attempt, s.tried
	case g.rule.Then != nil && len(g.rule.Then.Evidence) > 0:
		follow := search{category: label(g.rule.Name), patterns: g.rule.Then.Evidence, since: proof}
		if _, ok := t.search(&follow); !ok {
			d.instruction = words(g.rule, g.rule.Then.Instruction)
			d.patterns, d.asks, d.testRun, d.tried = follow.patterns, nil, false, follow.tried
			d.missing = quote(s.proof) + " has run, but no " + quote(follow.patterns[0]) + " has succeeded since" + follow.attempt
		}
		s.rows = append(s.rows, follow.rows...)
	}
	return d, s.rows
}

// missing says what has not happened since the change.
func missing(r Rule) string {
	switch {
	case r.Instruction == runTests:
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

	rows        []piton.Evidence
	proof       string // the command that counts
	attempt     string // what became of the newest one that does not
	tried       *call  // if it failed
	unavailable string // a command whose program is not there
}

// search finds the newest command that counts.
func (t *turn) search(s *search) (at moment, found bool) {
	for _, c := range slices.Backward(t.calls) {
		if c.Kind != piton.CallShell || len(s.rows) >= rowsKept && (found || !c.moment(len(c.commands)).after(s.since)) {
			continue // nothing that would still be noted
		}
		for _, cmd := range slices.Backward(c.matching(s.patterns)) {
			v := c.judge(cmd)
			late := c.moment(cmd.at).after(s.since)
			row := piton.Evidence{Category: s.category, Command: cut(cmd.text, shown), Counts: v.counts && late, Why: v.why}
			switch {
			case row.Counts:
				row.Why += " after the last edit" + t.scope(c, cmd)
				if !found {
					at, found, s.proof = c.moment(cmd.at), true, cmd.text
				}
			case v.counts:
				row.Why += ", but before the last edit"
			case len(s.rows) == 0:
				if s.attempt = c.attempt(v); v.failed {
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
func (c *call) attempt(v verdict) string {
	if !v.failed {
		return " (the last try " + v.why + ")"
	}
	kind, line := nameError(c.Output, true)
	if line != "" {
		kind += ", " + quote(line)
	}
	return " (the last try failed: " + kind + ")"
}

// scope says what narrows a run that counts.
func (t *turn) scope(c *call, cmd *command) string {
	note := ""
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

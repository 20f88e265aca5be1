package debrief

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
		f.settle(s.proved())
	}
	return f
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
	f.instruction, f.missing, f.patterns, f.tried = f.wish, missing+s.attempt, s.patterns, s.tried
	f.verdict = "asks: " + f.missing
	return false
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

package debrief

import (
	"path"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/proof"
	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/judge/tools"
)

// rowsKept bounds the evidence noted for a category; the newest says most.
const rowsKept = 5

// search looks for evidence in the turn.
type search struct {
	category string
	patterns []string
	since    moment
	test     bool       // a test run is looked for
	prints   bool       // what the command prints says nothing of how it went: it shows logs
	first    bool       // the earliest one that counts is looked for, else the newest
	files    []*wanting // that a test run is asked for: one counts that meets one of them

	rows        []agent.Evidence
	proof       string // the command that counts
	why         string
	stands      bool   // it is a build that stands for tests, which there are none of
	attempt     string // what became of the newest one that does not
	tried       *call  // if it failed
	unavailable string // a command whose program is not there
	beside      string // a test run in time that takes none of the files left
}

// search finds a command that counts; where files need tests, all that count,
// and it is found if no file is left.
func (t *turn) search(s *search) (at moment, found bool) {
	patterns := t.read(s.patterns)
	for _, c := range slices.Backward(t.calls) {
		if c.Kind != agent.CallShell || len(s.rows) >= rowsKept && (found && !s.first || !c.moment(len(c.commands)).After(s.oldest())) {
			continue // nothing that would still be noted
		}
		for _, cmd := range slices.Backward(c.matching(patterns)) {
			v := c.judge(cmd)
			if v.counts {
				if why := t.elsewhere(c, cmd); why != "" && cmd.look().tests != 0 {
					v = verdict{why: why}
				}
			}
			if s.prints {
				v = c.judgeBare(cmd)
			}
			late := c.shows(cmd.at).After(s.since)
			check, takes := -1, true
			if i, ok := t.asCheck(s, c, cmd); ok {
				check = i
				takes, late = t.meet(i, s.files)
			}
			row := agent.Evidence{Category: s.category, Command: cut(cmd.text, shown), Counts: (v.counts || check >= 0) && late && takes, Why: v.why}
			switch {
			case row.Counts:
				if v.failed {
					row.Why = "failed, but not in these files,"
				}
				row.Why += " after the last edit" + t.scope(c, cmd)
				if s.proof == "" || s.first {
					at, s.proof, s.why = c.moment(cmd.at), cmd.text, row.Why
				}
				if check < 0 {
					meetAll(s.files)
				}
				found = len(left(s.files)) == 0
			case v.counts && late:
				if row.Why += ", but takes nothing of what changed"; v.sure && s.beside == "" {
					s.beside = cmd.text
				} else if !v.sure {
					row.Why += "; after a failure it would have to say what passed"
				}
			case v.counts:
				row.Why += ", but before the last edit"
			case len(s.rows) == 0:
				if s.attempt = c.attempt(v, s.test); v.failed {
					s.tried = c
				}
			}
			if !v.counts && s.unavailable == "" && unavailable(c.Output()) {
				s.unavailable = cmd.text
			}
			if len(s.rows) < rowsKept {
				s.rows = append(s.rows, row)
			}
		}
	}
	slices.Reverse(s.rows)
	if !found && len(s.files) > 0 && len(left(s.files)) == 0 {
		s.why, found = "nothing but their layout or comments changed", true
	}
	if !found && len(s.files) > 0 {
		if by := t.metByBuild(s); by != "" && len(left(s.files)) == 0 {
			s.proof, s.why, s.stands, found = by, "there are no tests for these files", true, true
		}
	}
	return at, found
}

// asCheck is a command as a check of the model, where files need one. What was
// judged by other rules (another machine, a stash) counts for nothing there.
func (t *turn) asCheck(s *search, c *call, cmd *command) (at int, ok bool) {
	if len(s.files) == 0 {
		return 0, false
	}
	m := t.weighed()
	at, ok = m.of(c, cmd)
	return at, ok && !m.Checks[at].Build
}

// meetAll notes that a command which is no test run proves what was asked for.
func meetAll(files []*wanting) {
	for _, f := range files {
		f.way = proof.Holds
	}
}

// oldest is the edit before which nothing counts.
func (s *search) oldest() moment {
	oldest := s.since
	for _, f := range s.files {
		if f.way == proof.Not && oldest.Later(f.need.Since) {
			oldest = f.need.Since
		}
	}
	return oldest
}

// proved says what counts.
func (s search) proved() string {
	if s.proof == "" {
		return "nothing is asked for: " + s.why
	}
	if strings.HasPrefix(s.why, "succeeded") {
		return "proved by " + quote(s.proof) + ", which " + s.why
	}
	return "proved by " + quote(s.proof) + " (" + s.why + ")"
}

// matching are the call's commands that one of the patterns names.
func (c *call) matching(patterns shell.Patterns) []*command {
	var found []*command
	for _, cmd := range c.commands {
		if cmd.fits(patterns) {
			found = append(found, cmd)
		}
	}
	return found
}

// attempt says in brackets how the newest run went that proves nothing.
func (c *call) attempt(v verdict, test bool) string {
	if strings.HasPrefix(v.why, "its ") && !v.failed {
		return " (the last try: " + v.why + ")"
	}
	if !v.failed {
		return " (the last try " + v.why + ")"
	}
	switch kind, line := nameError(c.Output(), test); {
	case line == "" && kind == "error":
		return " (the last try failed)"
	case line == "":
		return " (the last try failed: " + kind + ")"
	case kind == "error":
		return " (the last try failed: " + quote(line) + ")"
	default:
		return " (the last try failed: " + kind + ", " + quote(line) + ")"
	}
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

// narrowed is the first word that keeps a test run from being whole, with its
// value.
func narrowed(words []string) string {
	for i, w := range words[min(1, len(words)):] {
		if name, _, joined := strings.Cut(w, "="); joined && tools.Among(tools.ByName, name) {
			return w
		}
		switch {
		case tools.Among(tools.ByPart, w):
			if i+2 < len(words) {
				return w + " " + words[i+2]
			}
		case strings.HasPrefix(w, "-") || w == "./..." || w == "." || w == "..." || strings.HasPrefix(w, "//..."):
		case strings.Contains(w, "/") || strings.Contains(w, "::") || tools.EcosystemOf(w) != "":
			return w
		}
	}
	return ""
}

// metByBuild notes which of the files left a build or a check of types meets, where
// no test can show more. It names the command.
func (t *turn) metByBuild(s *search) (by string) {
	m := t.weighed()
	for at, k := range m.Checks {
		if !k.Build || len(left(s.files)) == 0 {
			continue
		}
		if met, _ := t.meet(at, s.files); met {
			by = k.Name
			s.rows = append(s.rows, agent.Evidence{Category: s.category, Command: cut(k.Name, shown), Counts: true, Why: "succeeded after the last edit; the project has no tests for these files, so its build counts"})
		}
	}
	return by
}

package debrief

import (
	"path"
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/agent"
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
	test     bool // a test run is looked for
	prints   bool // what the command prints says nothing of how it went: it shows logs
	first    bool // the earliest one that counts is looked for, else the newest

	rows        []agent.Evidence
	proof       string // the command that counts
	why         string
	attempt     string // what became of the newest one that does not
	tried       *call  // if it failed
	unavailable string // a command whose program is not there
}

// search finds a command that counts.
func (t *turn) search(s *search) (at moment, found bool) {
	patterns := t.read(s.patterns)
	for _, c := range slices.Backward(t.calls) {
		if c.Kind != agent.CallShell || len(s.rows) >= rowsKept && (found && !s.first || !c.moment(len(c.commands)).after(s.since)) {
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
			late := c.moment(cmd.at).after(s.since)
			row := agent.Evidence{Category: s.category, Command: cut(cmd.text, shown), Counts: v.counts && late, Why: v.why}
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
			if !v.counts && late && s.unavailable == "" && unavailable(c.Output()) {
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

// proved says what counts.
func (s search) proved() string {
	if strings.HasPrefix(s.why, "succeeded") {
		return "proved by " + quote(s.proof) + ", which " + s.why
	}
	return "proved by " + quote(s.proof) + " (" + s.why + ")"
}

// matching are the call's commands that one of the patterns names.
func (c *call) matching(patterns []*shell.Pattern) []*command {
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

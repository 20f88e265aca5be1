// Package debrief decides whether a turn that ends has verified what it
// changed, and says what is missing. Evidence comes in (changed files, the
// turn's calls, the project's test commands), a decision and its words go out;
// nothing is read or run.
// Rule: docs/spec.md, "Rules".
package debrief

import (
	"slices"
	"strings"

	"github.com/piton-project/piton/internal/agent"
)

// Read reads a turn's calls, as seen from the work tree at root. resolve is
// Input.Resolve.
func Read(root string, calls []agent.Call, resolve func(path string) string) *Reading {
	var r *Reading
	contained(func() {
		r = &Reading{newTurn(Input{Root: root, Calls: calls, CallsSeen: true, Resolve: resolve})}
		for _, c := range r.turn.calls {
			for _, cmd := range c.commands {
				contained(func() { cmd.kind() })
			}
		}
	})
	return r
}

// Edits are the files that the calls name as written, by an edit tool or in the
// shell, relative to the root, and those that they lead to through links.
// Patterns are left out.
func (r *Reading) Edits() []string {
	var paths []string
	if r == nil {
		return nil
	}
	t := r.turn.copy(r.turn.Input)
	t.follow()
	for _, c := range t.calls {
		for _, e := range c.edits {
			if !strings.ContainsAny(e.path, "*?[{") && !slices.Contains(paths, e.path) {
				paths = append(paths, e.path)
			}
		}
	}
	return paths
}

// Look applies the rules to a turn. It changes nothing of its input, and the
// same input gives the same result. It never panics: a rule that does is left
// out, and if all fails the message is the generic one.
func Look(in Input) Result {
	return guarded(func(r *Result) { look(in, r) })
}

func look(in Input, r *Result) {
	if in.Rules == nil {
		in.Rules = Builtin()
	}
	t := reading(in)
	if t.unnamed() {
		t.follow()
	}
	for _, rule := range in.Rules {
		if rule.Untested && !rule.added() {
			for _, pattern := range rule.Evidence {
				t.builds.Add(t.pattern(pattern))
			}
		}
	}
	r.Files = t.changes()
	t.ranItself()
	groups := categorise(in.Rules, t.files)
	for _, g := range groups {
		if g.instead == "" {
			r.Categories = append(r.Categories, label(g.rule.Name))
		}
	}
	failures := t.failures()
	r.Unresolved = slices.ContainsFunc(failures, func(c *call) bool { return c.tests() || !c.slight() })
	if len(t.files) > 0 {
		t.say(groups, failures, r)
	} else {
		r.Observations = t.errorsAlone(failures)
	}
	r.AllClear = len(r.Actions)+len(r.Observations) == 0
	if !r.AllClear {
		r.Message = orGeneric(func() string { return compose(*r, titles(groups), in.Exit) })
	}
}

// say puts into words what the rules, Piton's own runs, the log check, failed
// commands and the habits of the turn come to.
func (t *turn) say(groups []group, failures []*call, r *Result) {
	findings := t.wanted(proveEach(groups, t.proveOne))
	for _, look := range []func([]group) (finding, bool){t.lookAtLogs, t.testsBesides} {
		contained(func() {
			if more, ok := look(groups); ok {
				findings = append(findings, more)
			}
		})
	}
	for _, f := range findings {
		r.Evidence = append(r.Evidence, f.rows...)
		if f.stands != "" && r.Stands == "" {
			r.Stands = quote(f.stands)
		}
	}
	r.Verified = slices.ContainsFunc(r.Evidence, func(e agent.Evidence) bool { return e.Counts })
	r.Unresolved = r.Unresolved || len(t.ownFailures()) > 0
	failed, unsure := t.verified()
	demanded, advice := wording(findings)
	left, slight := t.unresolved(failures, findings)
	r.Unproven = t.unproven(findings, failures)
	r.Actions = slices.Concat(failed, demanded)
	r.Observations = slices.Concat(advice, unsure)
	quiet := docsOnly(groups, t.files)
	if quiet {
		r.Observations = append(r.Observations, left...)
	} else {
		r.Actions = append(r.Actions, left...)
	}
	r.Observations = slices.Concat(r.Observations, slight, t.observe())
	astray := ""
	if !quiet {
		contained(func() { astray = t.astray() })
	}
	if astray != "" {
		r.Observations = append(r.Observations, astray)
	}
	_, trusted := wording(slices.DeleteFunc(slices.Clone(findings), func(f finding) bool { return f.group.rule.added() }))
	r.OnlyAdded = len(r.Actions) == 0 && len(r.Observations) > 0 && len(r.Observations) == len(advice) && len(trusted) == 0
	if t.Report {
		contained(func() { r.Rules = t.report(findings, failures, len(left) > 0 && !quiet, astray) })
	}
}

// errorsAlone are the errors of a turn that changed no file: a deployment that
// failed. They are noticed, and never hold.
func (t *turn) errorsAlone(failures []*call) []string {
	failed, _ := t.unresolved(failures, nil)
	for i, text := range failed {
		failed[i], _, _ = strings.Cut(text, ": make it good")
	}
	if other := t.otherErrors(); other != "" {
		failed = append(failed, other)
	}
	return failed
}

// reading is the turn's calls as they were read before, or read now.
func reading(in Input) *turn {
	if in.Read == nil || !in.CallsSeen {
		return newTurn(in)
	}
	return in.Read.turn.copy(in)
}

// guarded is what look finds, or the generic message with the files found so
// far if it fails.
func guarded(look func(*Result)) Result {
	var r Result
	if !contained(func() { look(&r) }) {
		return Result{Files: r.Files, Generic: true, Message: Generic()}
	}
	return r
}

// orGeneric is what compose gives, or the generic message if it fails.
func orGeneric(compose func() string) (message string) {
	if !contained(func() { message = compose() }) || message == "" {
		return Generic()
	}
	return message
}

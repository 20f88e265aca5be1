// Package debrief decides whether a turn that ends has verified what it
// changed, and says what is missing. Evidence comes in (changed files, the
// turn's calls, the project's test commands), a decision and its words go out;
// nothing is read or run.
// Rule: docs/spec.md, "Rules".
package debrief

import (
	"slices"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/agent"
)

// Input is the evidence of one turn.
type Input struct {
	Root      string // the work tree, absolute; paths of calls are seen from it
	Files     []File
	Calls     []agent.Call // in the order they began
	CallsSeen bool         // the transcript could be read; else nothing speaks against an action
	Partial   bool         // the calls do not reach back to the turn's beginning
	Tests     []Test
	Rules     []Rule   // Builtin() when nil
	Exit      string   // path of the marker file that lets a stop through
	Read      *Reading // of these Calls, where it was begun before; may be nil

	// Clean takes the secrets out of a call's output before anything of it is
	// quoted: few outputs are, and to look through all of them is dear. Nil: they
	// hold none.
	Clean func(text string) string

	// Resolve is an absolute path without symbolic links. It is asked only where a
	// call's path fits no file as it is. Nil: there are no links.
	Resolve func(path string) string

	Doubts    []Doubt          // about ways to run tests
	Others    []string         // files that other sessions' calls name as edited, relative to Root: foreign, unless a call names them
	Elapsed   time.Duration    // the work since the turn's start
	LogCheck  string           // Settings.LogCheck
	Untrusted bool             // an untrusted project's file names it (Settings.LogCheckUntrusted)
	Besides   []string         // Settings.Besides
	Item      string           // the active work item's name; empty: none
	Planned   []string         // the files that its plan names
	Verified  []agent.Verified // what Piton has run itself
	Report    bool             // fill in Result.Rules
}

// Reading is what the calls' command lines say. It needs nothing else, so that
// it can be done while git is asked for the files.
type Reading struct{ turn *turn }

// Read reads a turn's calls, as seen from the work tree at root. resolve is
// Input.Resolve.
func Read(root string, calls []agent.Call, resolve func(path string) string) *Reading {
	var r *Reading
	contained(func() {
		r = &Reading{newTurn(Input{Root: root, Calls: calls, CallsSeen: true, Resolve: resolve})}
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

// File is a file that differs from the turn's beginning.
type File struct {
	Path      string    `json:"path"` // relative to Root, with slashes
	Created   bool      `json:"created,omitempty"`
	Deleted   bool      `json:"deleted,omitempty"`   // and Created: it was there when the turn began, but never in HEAD
	Committed bool      `json:"committed,omitempty"` // its change is in a commit of this turn
	ModTime   time.Time `json:"mod_time,omitzero"`   // zero if not known
}

// Test is a command that runs tests, as project.TestCommand has it.
type Test struct {
	Run       string   `json:"run"`
	Matches   []string `json:"matches,omitempty"`
	Ecosystem string   `json:"ecosystem,omitempty"`
	Dir       string   `json:"dir,omitempty"`
	Accepted  bool     `json:"-"` // by the settings: asked for before those that are found
}

// Result is the decision and its reasons.
type Result struct {
	Files        []agent.FileChange // all of them, with their owners
	Categories   []string           // of the agent's files, by precedence
	Actions      []string           // what is unproven; none: the stop is let through
	Observations []string           // what was noticed; alone they are a notice
	Evidence     []agent.Evidence
	AllClear     bool     // no action and no observation
	OnlyAdded    bool     // nothing but rules of an untrusted project's file observed anything
	Unresolved   bool     // a command failed and never succeeded after
	Rules        []Report // what each rule saw; where Input.Report asks for it
	Generic      bool     // the rules themselves failed; Message is Generic()
	Message      string   // for the agent; empty when all clear
}

// Report is what one rule saw and decided.
type Report struct {
	Rule        string           `json:"rule"`
	Files       []string         `json:"files"`
	Instruction string           `json:"instruction,omitempty"`
	Evidence    []agent.Evidence `json:"evidence"`
	Verdict     string           `json:"verdict"` // a sentence
	Asks        bool             `json:"asks"`    // it made an action
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
	r.Files = t.changes()
	t.ranItself()
	groups := categorise(in.Rules, t.files)
	for _, g := range groups {
		if g.instead == "" {
			r.Categories = append(r.Categories, label(g.rule.Name))
		}
	}
	failures := t.failures()
	r.Unresolved = len(failures) > 0
	if len(t.files) > 0 {
		t.say(groups, failures, r)
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
	contained(func() {
		if log, ok := t.lookAtLogs(groups); ok {
			findings = append(findings, log)
		}
	})
	contained(func() {
		if more, ok := t.testsBesides(groups); ok {
			findings = append(findings, more)
		}
	})
	for _, f := range findings {
		r.Evidence = append(r.Evidence, f.rows...)
	}
	r.Unresolved = r.Unresolved || len(t.ownFailures()) > 0
	failed, unsure := t.verified()
	demanded, advice := wording(findings)
	left := t.unresolved(failures, findings)
	r.Actions = slices.Concat(failed, demanded)
	r.Observations = slices.Concat(advice, unsure)
	quiet := docsOnly(groups, t.files)
	if quiet {
		r.Observations = append(r.Observations, left...)
	} else {
		r.Actions = append(r.Actions, left...)
	}
	r.Observations = append(r.Observations, t.observe()...)
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

// contained runs f and reports whether it went through; a rule's slip must not
// stop the others.
func contained(f func()) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	f()
	return true
}

// orGeneric is what compose gives, or the generic message if it fails.
func orGeneric(compose func() string) (message string) {
	if !contained(func() { message = compose() }) || message == "" {
		return Generic()
	}
	return message
}

package app

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/turn"
)

// OpenNeed is something that work left open, and whose work that is.
type OpenNeed struct {
	agent.Need
	Session  string `json:"session"`            // `ses_…`
	Agent    string `json:"agent,omitempty"`    // absent: a caller's own session
	Workflow string `json:"workflow,omitempty"` // absent: nothing was captured yet
}

// says is what was left open, by whom, and what would close it.
func (n OpenNeed) says() string {
	var more []string
	if n.Agent != "" {
		more = append(more, "by "+n.Agent)
	}
	if n.Ask != "" {
		more = append(more, strings.TrimSuffix("`"+n.Ask+"` in `"+n.Dir+"`", " in ``")+" would close it")
	}
	return strings.TrimSuffix(n.Text+" ("+strings.Join(more, "; ")+")", " ()")
}

// openNeeds is what the work of a project leaves open, the last seen first.
func (a Checkpoints) openNeeds(ctx context.Context, project string) ([]OpenNeed, error) {
	st, err := a.Local(ctx, true)
	if caller.Missing(err) || project == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := st.Sessions(ctx, store.SessionQuery{Project: project, Limit: caller.MaxSessions})
	if err != nil {
		return nil, err
	}
	return needsOf(list), nil
}

// needsOf is what the work of sessions leaves open. What another one of them has taken
// over counts there.
func needsOf(list []agent.Session) (all []OpenNeed) {
	inherited := func(by string) bool {
		return slices.ContainsFunc(list, func(s agent.Session) bool { return s.ID == by && (s.Took == nil || s.Took.Asked) })
	}
	for _, s := range list {
		if s.TakenBy != "" && inherited(s.TakenBy) {
			continue
		}
		for _, n := range s.Open {
			all = append(all, needOf(s, n))
		}
	}
	return all
}

func needOf(s agent.Session, n agent.Need) OpenNeed {
	return OpenNeed{Need: n, Session: s.ID, Agent: s.Agent, Workflow: s.WorkflowID}
}

// needsHere is openNeeds of the project of a folder; "" is the caller's.
func (a Checkpoints) needsHere(ctx context.Context, dir string) ([]OpenNeed, error) {
	if dir == "" && !a.Placed() {
		return nil, nil
	}
	p, err := a.Project(ctx, dir, false)
	if err != nil {
		return nil, caller.UnlessMissing(err)
	}
	return a.openNeeds(ctx, p.ID)
}

// IgnoreRequest names what a person closes of what work left open.
type IgnoreRequest struct {
	Files []string // globs on paths relative to the work tree; none: all that the project's work left open
	Why   string   // the person's words; kept in the log of events
}

// Ignored is what was closed.
type Ignored struct {
	Needs []OpenNeed `json:"needs"`          // what was closed
	Left  int        `json:"left"`           // how much is still open
	Held  []OpenNeed `json:"held,omitempty"` // what agents are held for in turns that go on, which is not closed
}

// IgnoreNeeds closes what work of the caller's project left open, without proof.
// Only a person may.
// Rule: docs/spec.md, "What work leaves open".
func (a Checkpoints) IgnoreNeeds(ctx context.Context, r IgnoreRequest) (Ignored, error) {
	const op = "ignore what is open"
	out := Ignored{Needs: []OpenNeed{}}
	if err := a.ByPerson(ctx, op, "what an agent left open is not closed by an agent's word"); err != nil {
		return out, err
	}
	if strings.TrimSpace(r.Why) == "" {
		return out, piton.Errorf(piton.Invalid, op, "say why: --why 'the page was looked at by hand'", "no reason was given")
	}
	for _, glob := range r.Files {
		if _, err := path.Match(glob, ""); err != nil {
			return out, piton.Errorf(piton.Invalid, op, "close its brackets", "%q is not a glob", glob)
		}
	}
	all, err := a.needsHere(ctx, "")
	if err != nil {
		return out, err
	}
	if out.Held, err = a.heldNeeds(ctx, r.Files); err != nil {
		return out, err
	}
	known := slices.Concat(all, out.Held)
	for _, glob := range r.Files {
		if len(known) > 0 && !slices.ContainsFunc(known, func(n OpenNeed) bool { return names(n, glob) }) {
			return out, piton.Errorf(piton.NotFound, op, "'piton list --open' shows what is open", "nothing that is open names a file that matches %q", glob)
		}
	}
	for _, n := range all {
		if namesAny(n, r.Files) {
			out.Needs = append(out.Needs, n)
		}
	}
	out.Left = len(all) - len(out.Needs)
	return out, a.closeNeeds(ctx, out.Needs, r.Why)
}

// heldNeeds is what the live sessions of the caller's project are held for that names such
// files, in turns that go on.
func (a Checkpoints) heldNeeds(ctx context.Context, globs []string) (list []OpenNeed, err error) {
	p, err := a.Project(ctx, "", false)
	if err != nil {
		return nil, caller.UnlessMissing(err)
	}
	st, err := a.Local(ctx, true)
	if err != nil {
		return nil, caller.UnlessMissing(err)
	}
	sessions, err := st.Sessions(ctx, store.SessionQuery{Project: p.ID, Limit: caller.MaxSessions})
	for _, s := range sessions {
		if !s.TurnOpen || s.Holds == 0 || !turn.Alive(s, a.Now()) {
			continue
		}
		last, err := st.Decisions(ctx, s.ID, 1)
		if err != nil {
			return list, err
		}
		if len(last) == 0 || !last[0].Held {
			continue
		}
		for _, n := range last[0].Open {
			earlier := slices.ContainsFunc(s.Open, func(was agent.Need) bool { return was.Text == n.Text })
			if x := needOf(s, n); !earlier && namesAny(x, globs) {
				list = append(list, x)
			}
		}
	}
	return list, err
}

// names reports whether a need names a file that a glob, or its path, fits; a glob
// without a slash fits in every folder.
func names(n OpenNeed, glob string) bool {
	return slices.ContainsFunc(n.Files, func(file string) bool {
		fits, _ := path.Match(glob, file)
		base, _ := path.Match(glob, path.Base(file))
		return fits || base || glob == file
	})
}

// namesAny reports whether a need names a file that one of the globs fits; without globs
// any need does.
func namesAny(n OpenNeed, globs []string) bool {
	return len(globs) == 0 || slices.ContainsFunc(globs, func(glob string) bool { return names(n, glob) })
}

// closeNeeds takes needs out of their sessions, and notes the person's words.
func (a Checkpoints) closeNeeds(ctx context.Context, needs []OpenNeed, why string) error {
	if len(needs) == 0 {
		return nil
	}
	st, err := a.Local(ctx, false)
	if err != nil {
		return err
	}
	return st.Update(ctx, func(tx store.LocalTx) error {
		for _, id := range sessionsOf(needs) {
			s, err := tx.Session(ctx, id)
			if err != nil {
				return err
			}
			var closed []string
			s.Open = slices.DeleteFunc(s.Open, func(n agent.Need) bool {
				is := slices.ContainsFunc(needs, func(x OpenNeed) bool { return x.Session == id && x.Text == n.Text })
				if is {
					closed = append(closed, n.Text)
				}
				return is
			})
			if err := tx.PutSession(ctx, redact.Value(s)); err != nil {
				return err
			}
			e := store.LogEvent{At: a.Now(), Kind: store.NeedsIgnored, Session: id, Project: s.Project, Workflow: s.WorkflowID, Data: map[string]any{"why": why, "closed": closed}}
			if err := tx.Log(ctx, redact.Value(e)); err != nil {
				return err
			}
		}
		return nil
	})
}

func sessionsOf(needs []OpenNeed) (ids []string) {
	for _, n := range needs {
		if !slices.Contains(ids, n.Session) {
			ids = append(ids, n.Session)
		}
	}
	return ids
}

// mayComplete refuses to let an agent complete work that has left something open: a
// person's word closes that.
func (a Checkpoints) mayComplete(ctx context.Context, workflow string) ([]OpenNeed, error) {
	st, err := a.Local(ctx, true)
	if err != nil {
		return nil, caller.UnlessMissing(err)
	}
	list, err := st.Sessions(ctx, store.SessionQuery{Limit: caller.MaxSessions})
	if err != nil {
		return nil, err
	}
	open := slices.DeleteFunc(needsOf(list), func(n OpenNeed) bool { return n.Workflow == "" || n.Workflow != workflow })
	if len(open) == 0 {
		return nil, nil
	}
	why := "this work has left something open: " + open[0].Text
	return open, a.ByPerson(ctx, "complete the workflow", why)
}

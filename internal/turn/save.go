package turn

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/store"
)

// capture drafts a checkpoint of the session as it is now, or was when its last
// turn ended, and what its work leaves open.
func (h *handler) capture(ctx context.Context, s agent.Session, why piton.Trigger, also ...agent.Call) (d history.Draft, open []agent.Need, err error) {
	turn, err := h.store.Turn(ctx, s.ID, s.Turn)
	if err != nil {
		return d, nil, err
	}
	s = h.inherit(ctx, s)
	f := h.gather(ctx, s, turn, h.status(ctx, s.Root), also...)
	r := debrief.Look(h.input(ctx, s, h.inForce(s, f), turn, f, h.at))
	at := ended(s, turn, h.at)
	open = openNeeds(r, s, at)
	return h.draft(ctx, s, f, r, open, why, at), open, nil
}

// ended is when the session's turn ended; now, where it has not.
func ended(s agent.Session, turn agent.Turn, now piton.Time) piton.Time {
	if !s.TurnOpen && !turn.EndedAt.IsZero() {
		return turn.EndedAt
	}
	return now
}

// draft drafts the checkpoint of a session as it stands at a time.
func (h *handler) draft(ctx context.Context, s agent.Session, f found, r debrief.Result, open []agent.Need, why piton.Trigger, at piton.Time) history.Draft {
	before := h.before(ctx, s)
	own := owned(r.Files)
	if f.gitErr != nil {
		own = f.links.edited(s.Root, f.script.Calls) // all that is known
	}
	d, _ := drafted(s, f, before, r, open, own, at)
	d.Trigger = why
	return d
}

// drafted drafts the checkpoint of a session as it stands at a time, with its state.
func drafted(s agent.Session, f found, before sessionState, r debrief.Result, open []agent.Need, own []string, at piton.Time) (history.Draft, sessionState) {
	x := stateOf(s, f, before, r, open, own)
	state, err := marshal(x)
	if err != nil {
		// Only a decision carried over can be unmarshalable; it was read as JSON.
		state = []byte("{}")
	}
	return history.Draft{SaveRequest: piton.SaveRequest{Type: piton.TypeSession, InProject: piton.InProject{Project: s.Project}, Description: joined(changedSince(s.SavedAt, before.FilesModified, own, f), openWords(open)), Task: piton.Cut(x.TaskSummary, 1000), Step: &s.Turn, State: state, Progress: progress(x.Todos), DurationMS: s.Worked(at.Time).Milliseconds(), TokenUsage: &x.TokenUsage}, Collected: true, Origin: piton.Origin{Agent: s.Agent, ClientVersion: cmp.Or(s.ClientVersion, f.script.ClientVersion), GitHead: x.GitHead, GitBranch: x.GitBranch}}, x
}

// before is what the session's state begins with: its newest one, and what it has
// taken over.
func (h *handler) before(ctx context.Context, s agent.Session) sessionState {
	return h.left(ctx, s, h.newest(ctx, s))
}

// newest is the newest state of the session's own workflow; of a damaged one
// its nearest intact ancestor. What cannot be read is as if it were not there.
func (h *handler) newest(ctx context.Context, s agent.Session) sessionState {
	var x sessionState
	if s.WorkflowID == "" {
		return x
	}
	last, err := h.keeper(h.store).Load(ctx, history.Selector{Workflow: s.WorkflowID, Branch: piton.MainBranch}, true)
	if piton.CodeOf(err) == piton.NotFound {
		return x // all deleted
	}
	if err == nil {
		err = json.Unmarshal(last.State, &x)
	}
	if err != nil {
		h.log().WarnContext(ctx, "the state before cannot be read", "session", s.ID, "err", err)
	}
	return x
}

// prepare does the slow part of a session's save.
func (h *handler) prepare(ctx context.Context, s agent.Session, d history.Draft) (*store.Prepared, error) {
	p, _, err := h.keeper(h.store).Prepare(d)
	if err != nil {
		return nil, err
	}
	if p, err = h.store.Checkpoints.Prepare(ctx, p); err != nil {
		return nil, err
	}
	p.Record.SessionID, p.Record.SessionName = s.ID, history.SessionName(s)
	p.Keep = true
	return &p, nil
}

// Capture is the state a hook would save for a session now.
func (t Turns) Capture(ctx context.Context, s agent.Session) ([]byte, error) {
	h := t.handler(agent.Event{})
	if err := h.open(ctx); err != nil {
		return nil, err
	}
	d, _, err := h.capture(ctx, s, piton.TriggerManual)
	return d.State, err
}

// carry lets what was saved here be carried to another store, where there is
// one: later, because a hook waits for no network; and bounds the session's checkpoints,
// where they are to be bounded.
func (t Turns) carry(session string) {
	if t.Later == nil {
		return
	}
	if t.Store != "" {
		t.Later("flush")
	}
	if t.Bound {
		t.Later("prune", "--session", session, "--max-time", pruneFor)
	}
}

// pruneFor is how long a pruning that nobody asked for may archive and delete;
// the next one goes on from there.
const pruneFor = "1m"

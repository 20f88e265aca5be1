package turn

import (
	"cmp"
	"context"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/judge/shell"
	"github.com/piton-project/piton/internal/store"
)

// use looks at a tool that is about to run, before the agent goes on: the state
// is saved ahead of a command that can destroy something. Any other use is
// recorded only where the timer begins with it; nothing is opened for the rest.
func (h *handler) use(ctx context.Context) error {
	risk, risky := riskOf(h.event)
	marked := h.guard(ctx, risky)
	if !risky && h.settings(root(h.event)).Timer != agent.TimerActivity {
		return nil
	}
	s, err := h.used(ctx)
	if err != nil || !risky || s.Turn == 0 {
		return err
	}
	err = h.save(ctx, s, piton.TriggerPreRisky, aheadOf(h.event.Command, risk, marked.ID))
	h.joined(ctx, marked)
	return err
}

// tool records a tool that is done, and saves the state when it is due. What is
// reported for the marks only counts where every tool does.
func (h *handler) tool(ctx context.Context) error {
	defer h.lookAfter(ctx)()
	if h.event.MarksOnly && h.settings(root(h.event)).Timer != agent.TimerActivity {
		return nil
	}
	s, err := h.used(ctx)
	if err != nil || !s.TurnOpen || h.event.Subagent != "" {
		return err
	}
	if why := s.DueSave(h.event.Call, h.at); why != "" {
		return h.save(ctx, s, why, "", h.edit()...)
	}
	return nil
}

// used records a tool's use.
func (h *handler) used(ctx context.Context) (agent.Session, error) {
	return h.record(ctx, func(s agent.Session) agent.Session {
		if e := h.event; e.Kind == agent.EventToolDone && (e.Call == agent.CallEdit || e.Call == agent.CallShell) {
			s.WorkedAt = h.at
		}
		return s.Waited(h.at, h.event.Took).Used(h.at)
	})
}

// edit is the call that the event reports as done: the client may write it into
// its log later, as Gemini CLI always does. To have it twice changes nothing.
func (h *handler) edit() []agent.Call {
	e := h.event
	if len(e.Paths) == 0 || e.Failed {
		return nil
	}
	return []agent.Call{{Tool: e.Tool, Kind: agent.CallEdit, Dir: e.Cwd, Paths: e.Paths, StartedAt: h.at.Add(-e.Took), EndedAt: h.at.Time}}
}

// keep records an event and saves the state as it is.
func (h *handler) keep(ctx context.Context, why piton.Trigger) error {
	s, err := h.record(ctx, unchanged)
	if err != nil || s.Turn == 0 || h.event.Subagent != "" {
		return err
	}
	if err := h.save(ctx, s, why, cut(h.event.Error, maxError)); err != nil || why != piton.TriggerPreCompact {
		return err
	}
	h.daily(ctx)
	return h.remind(ctx, s)
}

func unchanged(s agent.Session) agent.Session { return s }

// end records the session's end. It may be reported 0, 1 or 3 times; the state is
// saved at the first.
func (h *handler) end(ctx context.Context) error {
	s, err := h.record(ctx, unchanged)
	if err != nil || h.over || s.Turn == 0 {
		return err
	}
	defer h.daily(ctx)
	return h.save(ctx, s, piton.TriggerSessionEnd, "")
}

// maxOutputs bounds the subagents whose last words a session keeps.
const maxOutputs = 20

// note records an event that changes little. Where work passes to a subagent or
// comes back, the state is saved.
func (h *handler) note(ctx context.Context) error {
	e := h.event
	s, err := h.record(ctx, func(s agent.Session) agent.Session {
		if e.Kind != agent.EventSubagentStop {
			return s
		}
		out, role := cut(e.LastOutput, maxOutput), cmp.Or(e.Role, e.Subagent, "subagent")
		if out == "" || len(s.Outputs) >= maxOutputs && s.Outputs[role] == "" {
			return s
		}
		if s.Outputs == nil {
			s.Outputs = map[string]string{}
		}
		s.Outputs[cut(role, maxRole)] = out
		return s
	})
	said := handoff(e)
	if err != nil || said == "" || !s.TurnOpen || !s.MaySave(piton.TriggerAgentHandoff, h.at) {
		return err
	}
	return h.save(ctx, s, piton.TriggerAgentHandoff, said)
}

// record writes the session as change leaves it, and the event, and returns the
// session. One that is known is read in the transaction only.
func (h *handler) record(ctx context.Context, change func(agent.Session) agent.Session) (s agent.Session, err error) {
	if err := h.open(ctx); err != nil {
		return s, err
	}
	known := false
	apply := func(now agent.Session) *outcome {
		known = true
		s = change(h.seen(now))
		return h.outcome(s)
	}
	if err := h.commit(ctx, agent.Session{}, apply); known || piton.CodeOf(err) != piton.NotFound {
		return s, err
	}
	was, err := h.session(ctx)
	if err != nil {
		return was, err
	}
	err = h.commit(ctx, was, apply)
	return s, err
}

// save captures the session's state and keeps it, outside of a decision. said
// is what the checkpoint's description begins with; also see gather.
func (h *handler) save(ctx context.Context, s agent.Session, why piton.Trigger, said string, also ...agent.Call) error {
	if !h.saves(why) {
		return nil
	}
	d, open, err := h.capture(ctx, s, why, also...)
	if err != nil {
		return err
	}
	d.Description = joined(said, d.Description)
	p, err := h.prepare(ctx, s, d)
	if err != nil {
		return err
	}
	defer h.carry(s.ID)
	return h.commit(ctx, s, func(now agent.Session) *outcome {
		if !now.MaySave(why, h.at) || agent.Limited(why) && now.SavedAt != s.SavedAt {
			return nil // of tools that end at once one saves
		}
		if why == piton.TriggerSessionEnd && now.TurnOpen { // no stop will say it
			now.Open = open
		}
		h.saved = p.Record.ID
		return &outcome{session: now, checkpoint: p}
	})
}

// PrunedAt is the mark of when a pruning that nobody asked for began last.
const PrunedAt = "pruned_at"

// pruneEvery is the time between two prunings that nobody asked for.
const pruneEvery = 24 * time.Hour

// PruneDue tells whether it is time for one. last is the mark; one that is yet to come
// is that of a clock that was set back.
func PruneDue(last int64, now piton.Time) bool {
	return last == 0 || now.Millis()-last >= pruneEvery.Milliseconds() || last > now.Millis()
}

// daily lets the store be pruned where a day has passed since the last time
// (docs/spec.md, "prune"). The first day counts from the first look, when
// there is nothing old.
func (h *handler) daily(ctx context.Context) {
	if !h.Daily || h.Later == nil {
		return
	}
	now := h.at.Millis()
	last, err := h.store.Mark(ctx, PrunedAt)
	if err != nil || !PruneDue(last, h.at) {
		return
	}
	if err := h.store.Update(ctx, func(tx store.LocalTx) error { return tx.SetMark(ctx, PrunedAt, now) }); err != nil {
		h.log().WarnContext(ctx, "the day of pruning was not noted", "err", err)
		return
	}
	if last != 0 {
		h.Later("prune", "--max-time", pruneFor)
	}
}

// riskOf is what a shell tool's line can destroy.
func riskOf(e agent.Event) (shell.Risk, bool) {
	if e.Call != agent.CallShell || e.Command == "" {
		return shell.Risk{}, false
	}
	return shell.Risky(e.Command)
}

// aheadOf says what a checkpoint was made ahead of, and where the files are.
func aheadOf(line string, r shell.Risk, marked string) string {
	detail := r.Detail
	if clean := cleaned(line); clean != line {
		// The detail may be cut in the middle of a secret, which is not known as
		// one then.
		clear, _ := shell.Risky(clean)
		detail = clear.Detail
	}
	if detail == "" {
		detail = "a command"
	} else {
		detail = "`" + inline(detail) + "`"
	}
	files := "it keeps the state, not the files"
	if marked != "" {
		files = "the files that were not committed are in " + marked
	}
	return "before " + detail + " (" + r.Kind + "); " + files
}

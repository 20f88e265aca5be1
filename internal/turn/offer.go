package turn

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/history"
)

// maxDeclined is how many sessions are offered the same work and go on with
// something else; then it is offered to no more of them. 'piton list --open' and
// 'piton resume' still have it. One session may have had a quick question first,
// and so may the next; who has ignored it a third time does not want it.
const maxDeclined = 3

// maxLooked bounds the open heads among which one is looked for that was not
// declined.
const maxLooked = 20

// unfinished is the newest unfinished work that a session is to be offered, and how
// many more there are; without an ID there is none. What a person started the client
// to resume is not offered: the client gets its brief.
func (h *handler) unfinished(ctx context.Context, s agent.Session) (c piton.Checkpoint, more int, err error) {
	k := h.keeper(h.store)
	for _, limit := range []int{1, maxLooked} {
		open, rest, err := k.Detect(ctx, s.Project, s.ID, limit)
		if err != nil {
			return c, 0, err
		}
		var wanted []piton.Checkpoint
		for _, c := range open {
			n, err := h.store.Mark(ctx, declinedMark(c.ID))
			if err != nil {
				return c, 0, err
			}
			if n < maxDeclined && c.ID != h.event.Resumes {
				wanted = append(wanted, c)
			}
		}
		if len(wanted) > 0 {
			return wanted[0], len(wanted) - 1 + rest, nil
		}
		if rest == 0 {
			break
		}
	}
	return c, 0, nil
}

// declinedMark is where it is counted how many sessions went on without the work of
// a checkpoint. A later save of the same work begins anew.
func declinedMark(checkpoint string) string { return "declined:" + checkpoint }

// declined counts a session that was offered work and has ended a turn without it.
func (h *handler) declined(ctx context.Context, was agent.Session, d agent.Decision) {
	if was.Offer == "" || d.Held || d.Reason.LeavesOpen() {
		return
	}
	n, err := h.store.Mark(ctx, declinedMark(was.Offer))
	if err == nil {
		err = h.commit(ctx, was, func(now agent.Session) *outcome {
			if now.Offer != was.Offer || now.TurnOpen {
				return nil // it was taken over, or the turn goes on
			}
			now.Offer = ""
			return &outcome{session: now, mark: declinedMark(was.Offer), count: n + 1}
		})
	}
	if err != nil {
		h.log().WarnContext(ctx, "a declined offer was not counted", "session", was.ID, "checkpoint", was.Offer, "err", err)
	}
}

// offer is what an agent is told of unfinished work; after is what came after its
// last save, run the unfinished run whose head it is, if it is one. far: it lies in
// another store, and was seen there when this machine last carried its work there.
func offer(c piton.Checkpoint, far bool, run piton.Run, more int, after string) string {
	var b strings.Builder
	b.WriteString(agent.Prefix + inline(history.Offer(c)))
	if more > 0 {
		b.WriteString(" and " + strconv.Itoa(more) + " more ('piton list --open')")
	}
	b.WriteString("\nIt was saved " + c.CreatedAt.String())
	if far {
		b.WriteString(" in a store that is shared with other machines, and nobody was at work on it when this one last looked. ")
	} else {
		b.WriteString(" and nobody is at work on it. ")
	}
	if run.ID != "" {
		status := string(run.Status)
		if run.Status == piton.RunRunning {
			status = "interrupted" // its owner is dead
		}
		waits := run.Status == piton.RunWaiting && run.DueAt.IsZero()
		if waits || run.Status == piton.RunInDoubt || strings.HasPrefix(string(run.Cause), "budget") {
			fmt.Fprintf(&b, "It is a run of a plan that waits for somebody, with %d of %d steps done. Mention it once: `piton runs show %s` says for what, and with which command the user answers. Otherwise do what they ask.", run.Done, run.Total, run.ID)
			return b.String()
		}
		fmt.Fprintf(&b, "It is a run of a plan, %s, with %d of %d steps done. Resuming is the user's decision: mention it once, and only if they want it run `piton run --resume %s`, which repeats nothing that is completed. Otherwise do what they ask.", status, run.Done, run.Total, run.ID)
		return b.String()
	}
	b.WriteString(after + "Resuming is the user's decision: mention it once, and only if they want it run `piton resume " + c.ID + "` and go on from the brief it prints. Otherwise do what they ask.")
	return b.String()
}

// afterSave says in a sentence what the session of a checkpoint did after it; ""
// for nothing.
func (h *handler) afterSave(ctx context.Context, s agent.Session, c piton.Checkpoint) string {
	if !ofAgent(c) {
		return ""
	}
	l, err := h.keeper(h.store).Load(ctx, history.Selector{ID: c.ID}, true)
	if err != nil {
		return "" // another machine's, or damaged: the resume tells
	}
	x := h.Since(ctx, s.Root, l.Checkpoint, l.State)
	switch {
	case x == nil:
		return ""
	case !x.Known:
		return "What came after that save is not known: " + x.Why + ". "
	}
	var did []string
	var changed, removed []string
	for _, f := range x.Files {
		switch {
		case f.Saved:
		case f.Is == history.FileDeleted:
			removed = append(removed, f.Path)
		default:
			changed = append(changed, f.Path)
		}
	}
	if len(changed) > 0 {
		did = append(did, "changed "+namedFiles(changed))
	}
	if len(removed) > 0 {
		did = append(did, "removed "+namedFiles(removed))
	}
	if n := len(x.Commands); n > 0 {
		did = append(did, "ran "+count(n, "command"))
	}
	if x.Asked != "" {
		did = append(did, "was asked: "+strconv.Quote(inline(piton.Cut(x.Asked, maxNamed))))
	}
	if len(did) == 0 {
		return ""
	}
	return "After that save its agent " + strings.Join(did, ", ") + "; the brief has it. "
}

package app

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/courier"
	"github.com/piton-project/piton/internal/judge/debrief"
	"github.com/piton-project/piton/internal/pane"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/tmux"
)

// AttachRequest names the tmux pane in which a session's client runs.
type AttachRequest struct {
	Session string // by our id or the client's
	Pane    string // %3
	Socket  string // path of the tmux server's socket; empty: the caller's own server, else tmux's default
}

// Restarted is a session whose client was started again.
type Restarted struct {
	SessionID string     `json:"session_id"`
	Agent     string     `json:"agent"`
	Pane      Pane       `json:"pane"`                // as it is now
	Command   []string   `json:"command"`             // what was started
	Ended     int        `json:"ended"`               // processes of the old client that have ended
	Killed    int        `json:"killed"`              // those of them that did not end when they were asked to
	LetterID  string     `json:"letter_id,omitempty"` // the debrief, `ltr_…`; absent: debriefs are off
	DueAt     piton.Time `json:"due_at,omitzero"`     // when the debrief is due; absent: debriefs are off
}

// restartDelay is when the debrief after a restart is due.
const restartDelay = 5 * time.Second

// Attach notes the tmux pane in which a session's client runs, so that letters can
// be typed into it and the client can be started again in it. Only a person does
// this: it is not for servers. Invalid for what is not a pane, Conflict where
// something else runs in it.
func (a Agents) Attach(ctx context.Context, r AttachRequest) (Attached, error) {
	const op = "attach a pane"
	if err := a.ByPerson(ctx, op, "an agent cannot say where another one is typed to"); err != nil {
		return Attached{}, err
	}
	around, _ := tmux.Around(a.Options.Getenv)
	s, err := a.changePane(ctx, r.Session, func(p pane.Panes, s agent.Session) (*agent.Pane, error) {
		return p.Find(ctx, s, cmp.Or(r.Socket, around), r.Pane)
	})
	return attached(s), err
}

// Detach forgets the pane of a session.
func (a Agents) Detach(ctx context.Context, session string) (Attached, error) {
	s, err := a.changePane(ctx, session, func(pane.Panes, agent.Session) (*agent.Pane, error) { return nil, nil })
	return attached(s), err
}

// changePane gives a session another pane.
func (a Agents) changePane(ctx context.Context, ref string, find func(pane.Panes, agent.Session) (*agent.Pane, error)) (agent.Session, error) {
	st, err := a.Local(ctx, true)
	if err != nil {
		return agent.Session{}, err
	}
	s, err := st.Session(ctx, ref)
	if err != nil {
		return s, err
	}
	panes := a.panes(st.Local())
	at, err := find(panes, s)
	if err != nil {
		return s, err
	}
	return panes.Put(ctx, s.ID, at)
}

// Restart ends the client of a session, with all that it has started, and starts
// it again in the same pane with its own way to resume. The debrief follows 5 s
// later, as a letter. Invalid where no pane is attached, or where the caller runs
// inside the client that it would end; Conflict where the pane holds something
// else; Unavailable where tmux or the client cannot be started. A key has it tried once,
// however that ends: Conflict when it is asked for again.
func (a Agents) Restart(ctx context.Context, r piton.RestartRequest) (Restarted, error) {
	session := r.Session
	st, err := a.Local(ctx, true)
	if err != nil {
		return Restarted{}, err
	}
	s, err := st.Session(ctx, session)
	if err != nil {
		return Restarted{}, err
	}
	letter, err := a.restartLetter(s)
	if err != nil {
		return Restarted{}, err
	}
	if err := a.restartOnce(ctx, st.Local(), s.ID, r.Key); err != nil {
		return Restarted{}, err
	}
	above := []int{os.Getpid()}
	for _, p := range a.Options.Ancestors() {
		above = append(above, p.PID)
	}
	done, err := a.panes(st.Local()).Restart(ctx, s, letter, above)
	if err != nil {
		return Restarted{}, err
	}
	x := Restarted{SessionID: s.ID, Agent: s.Agent, Pane: paneOf(done.Pane), Command: done.Command, Ended: done.Ended, Killed: done.Killed}
	if letter != nil {
		x.LetterID, x.DueAt = letter.ID, letter.Due
		a.later(ctx, "flush", "--wait")
	}
	return x, nil
}

// restartOnce notes the caller's key before the client is ended.
func (a Agents) restartOnce(ctx context.Context, st *store.Local, session, key string) error {
	op := "restart the agent of " + session
	if key == "" {
		return nil
	}
	if err := caller.CheckKey(op, key); err != nil {
		return err
	}
	k := piton.StartKey{Scope: "restart " + session, Key: key, Ref: session, At: a.Now()}
	err := st.Checkpoints.Save(ctx, func(tx store.Tx) error { return tx.Runs.PutStartKey(ctx, redact.Value(k)) })
	if piton.CodeOf(err) == piton.Conflict {
		err = piton.Errorf(piton.Conflict, op, "'sessions "+session+"' shows how it stands; another key restarts it again", "it was restarted under the key %q before, or that was tried", key)
	}
	return err
}

// restartLetter is the debrief after a restart of a session's client; nil where debriefs
// are off for it.
func (a Agents) restartLetter(s agent.Session) (*agent.Letter, error) {
	if a.debriefsOff(s) {
		return nil, nil
	}
	body, err := json.Marshal(agent.RestartLetter{Text: debrief.Generic()})
	return &agent.Letter{ID: piton.NewID(piton.LetterPrefix), SessionID: s.ID, Kind: agent.LetterRestart, Key: string(agent.LetterRestart), Due: piton.At(a.Options.Now().Add(restartDelay)), Body: string(body)}, err
}

// panes are this machine's panes, for whoever carries letters to agents.
func (a Agents) panes(st *store.Local) pane.Panes {
	return pane.Panes{Local: st, Queue: courier.Start, Off: a.debriefsOff, Now: a.Options.Now}
}

// debriefsOff reports whether the settings of a session's work tree switch debriefs off
// for its agent.
func (a Agents) debriefsOff(s agent.Session) bool {
	return a.ConfigNow(s.Root).Debrief.ModeOf(s.Agent) == debrief.ModeOff
}

// Carriers carry letters to agents and to listeners.
func (a Agents) Carriers(st *store.Local) map[agent.LetterKind]courier.Carrier {
	p, l := a.panes(st), a.announcer()
	return map[agent.LetterKind]courier.Carrier{agent.LetterHold: p, agent.LetterRestart: p, agent.LetterAnnounce: l, agent.LetterEvent: l}
}

// later starts piton behind us, for what takes its time.
func (a Agents) later(ctx context.Context, args ...string) {
	self, err := os.Executable()
	if err == nil {
		err = proc.Detach(append([]string{self}, args...), "", nil)
	}
	if err != nil {
		a.Options.Log.WarnContext(ctx, "piton was not started for "+strings.Join(args, " "), "err", err)
	}
}

package app

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/app/caller"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/setup"
	"github.com/piton-project/piton/internal/store"
)

// Letter is a letter that is not done, or that was given up.
type Letter struct {
	ID        string           `json:"id"`                   // `ltr_…`
	SessionID string           `json:"session_id,omitempty"` // the session that it concerns
	To        string           `json:"to,omitempty"`         // `listener:NAME`; absent: it is for the session's agent
	Kind      agent.LetterKind `json:"kind"`
	Status    string           `json:"status"`             // `waiting`, or `parked`: given up
	Due       piton.Time       `json:"due,omitzero"`       // when it is tried next; while it is being carried, when another courier may take it; absent: it is parked
	Expires   piton.Time       `json:"expires,omitzero"`   // when it is dropped, if it was not delivered; absent: it does not expire
	Attempts  int              `json:"attempts"`           // how often it was tried
	Critical  bool             `json:"critical,omitempty"` // no later letter takes its place
	Reason    string           `json:"reason,omitempty"`   // the last attempt's error
	ParkedAt  piton.Time       `json:"parked_at,omitzero"` // when it was given up; absent: it waits
	Body      json.RawMessage  `json:"body,omitempty"`     // what it says, without secrets; absent: it is not JSON
}

// LetterList is a list of letters.
type LetterList struct {
	Letters []Letter `json:"letters"` // first those that were given up, the last first, then those that wait, in the order they are due in
}

// What a letter is.
const (
	letterWaits  = "waiting"
	letterParked = "parked"
)

func asLetter(l agent.Letter) Letter {
	x := Letter{ID: l.ID, SessionID: l.SessionID, To: l.To, Kind: l.Kind, Status: letterWaits, Due: l.Due, Expires: l.Expires, Attempts: l.Attempts, Critical: l.Critical}
	_, x.Reason, _ = strings.Cut(l.Outcome, ": ")
	if !l.DoneAt.IsZero() {
		x.Status, x.Due, x.ParkedAt = letterParked, piton.Time{}, l.DoneAt
	}
	if json.Valid([]byte(l.Body)) {
		x.Body = json.RawMessage(l.Body)
	}
	return x
}

// Letters are those that were given up, the last first, and those that wait, in
// the order they are due in.
func (a Agents) Letters(ctx context.Context) (LetterList, error) {
	out := LetterList{Letters: []Letter{}}
	st, err := a.Local(ctx, true)
	if err != nil {
		return out, caller.UnlessMissing(err)
	}
	parked, err := st.ParkedLetters(ctx, 0)
	if err != nil {
		return out, err
	}
	waiting, err := st.Letters(ctx, piton.Time{}, 0)
	for _, l := range append(parked, waiting...) {
		out.Letters = append(out.Letters, asLetter(l))
	}
	return out, err
}

// RetryLetters has letters carried again, from the first attempt on; where none
// is named all that were given up. It returns them as they are then.
func (a Agents) RetryLetters(ctx context.Context, r piton.LettersRequest) (LetterList, error) {
	return a.changeLetters(ctx, r.Letters, func(tx store.LocalTx, l agent.Letter) error {
		return tx.Retry(ctx, l.ID, a.Now())
	})
}

// DropLetters ends letters that nobody needs any more; where none is named all
// that were given up. It returns them as they were before.
func (a Agents) DropLetters(ctx context.Context, r piton.LettersRequest) (LetterList, error) {
	list, err := a.changeLetters(ctx, r.Letters, func(tx store.LocalTx, l agent.Letter) error {
		if l.DoneAt.IsZero() && l.To == "" {
			if err := a.ByPerson(ctx, "drop "+l.ID, "it waits for the agent that it holds"); err != nil {
				return err
			}
		}
		if err := tx.Drop(ctx, l.ID, a.Now(), redact.Name("a person dropped it")); err != nil || l.SessionID == "" {
			return err
		}
		s, err := tx.Session(ctx, l.SessionID)
		if err != nil {
			return caller.UnlessMissing(err)
		}
		return tx.PutSession(ctx, redact.Value(s.Settled(l, false, a.Now())))
	})
	return list, err
}

// changeLetters changes letters, all or none.
func (a Agents) changeLetters(ctx context.Context, ids []string, change func(store.LocalTx, agent.Letter) error) (LetterList, error) {
	out := LetterList{Letters: []Letter{}}
	st, err := a.Local(ctx, true)
	if caller.Missing(err) && len(ids) == 0 {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	if len(ids) == 0 {
		parked, err := st.ParkedLetters(ctx, 0)
		if err != nil {
			return out, err
		}
		for _, l := range parked {
			ids = append(ids, l.ID)
		}
	}
	var letters []agent.Letter
	for _, id := range ids {
		l, err := st.Letter(ctx, id)
		if err != nil {
			return out, err
		}
		letters = append(letters, l)
	}
	err = st.Update(ctx, func(tx store.LocalTx) error {
		for _, l := range letters {
			if err := change(tx, l); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return out, err
	}
	for _, l := range letters {
		if now, err := st.Letter(ctx, l.ID); err == nil && now.DoneAt.IsZero() {
			l = now
		}
		out.Letters = append(out.Letters, asLetter(l))
	}
	return out, nil
}

// letterOverdue is how long a letter that is due may wait before doctor says so.
const letterOverdue = 10 * time.Minute

// checkLetters names letters that do not arrive.
func (a Agents) checkLetters(ctx context.Context) setup.Check {
	check := setup.Check{Name: "letters", OK: true, Detail: "all were delivered"}
	list, err := a.Letters(ctx)
	if err != nil {
		check.Detail = "cannot be read"
		return check // the store has its own check
	}
	parked, overdue := 0, 0
	var last Letter
	for _, l := range list.Letters {
		switch {
		case l.Status == letterParked:
			if parked++; parked == 1 {
				last = l
			}
		case l.Due.Before(a.Now().Add(-letterOverdue)):
			overdue++
		}
	}
	switch {
	case parked > 0:
		check.Warn = true
		check.Detail = fmt.Sprintf("%d given up; the last, ", parked) + last.ID + " (" + string(last.Kind) + "): " + last.Reason
		check.Hint = "'piton letters' shows them; 'piton letters retry' tries again, 'piton letters drop' removes them from this list"
	case overdue > 0:
		check.Warn = true
		check.Detail = fmt.Sprintf("%d have been due for more than ten minutes: nobody carries them, or they fail", overdue)
		check.Hint = "'piton flush' delivers them; 'piton letters' says what went wrong before"
	case len(list.Letters) > 0:
		check.Detail = fmt.Sprintf("none was given up; %d waiting", len(list.Letters))
	}
	return check
}

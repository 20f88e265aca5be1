package storetest

import (
	"errors"
	"fmt"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
)

func turnsKept(s *suite, st *store.Local) {
	const session = "ses_0000000000000001"
	want := agent.Turn{SessionID: session, N: 2, StartedAt: at(1), Baseline: []byte("a\x00b")}
	update(s, st, func(tx store.LocalTx) error {
		if err := tx.PutTurn(s.ctx, redact.Value(agent.Turn{SessionID: session, N: 1, StartedAt: at(0)})); err != nil {
			return err
		}
		return tx.PutTurn(s.ctx, redact.Value(want))
	})
	turn := func(n int) agent.Turn {
		s.Helper()
		got, err := st.Turn(s.ctx, session, n)
		if err != nil {
			s.Fatal(err)
		}
		return got
	}
	equal(s, "turn", turn(2), want)
	equal(s, "turn that was not seen", turn(3), agent.Turn{})
	if got := turn(1).Baseline; got != nil {
		s.Errorf("baseline that was not seen: got %q, want nil", got)
	}
	want.EndedAt, want.Baseline = at(9), nil
	update(s, st, func(tx store.LocalTx) error { return tx.PutTurn(s.ctx, redact.Value(want)) })
	equal(s, "turn put again", turn(2), want)
	empty := agent.Turn{SessionID: session, N: 4, Baseline: []byte{}}
	update(s, st, func(tx store.LocalTx) error { return tx.PutTurn(s.ctx, redact.Value(empty)) })
	if got := turn(4).Baseline; got == nil {
		s.Error("an empty baseline: got nil (not seen), want it empty (seen, nothing changed)")
	}
}

func decisionsKept(s *suite, st *store.Local) {
	full := agent.Decision{
		At: at(1), Session: "ses_0000000000000001", Turn: 3, Held: true, Reason: agent.ReasonHeld, Categories: []string{"go"}, Actions: []string{"run 'make test'"},
		Observations: []string{"x"}, TurnStart: at(0), ElapsedMS: 77, Files: []agent.FileChange{{Path: "ä.go", Whose: agent.OwnerAgent}},
		Evidence: []agent.Evidence{{Category: "go", Command: "go test", Why: "failed"}}, BudgetLeft: 1, Message: "m", Notes: []string{"n"},
	}
	update(s, st, func(tx store.LocalTx) error {
		for i := range 5 {
			d := full
			d.Turn = i
			if i%2 == 1 {
				d = agent.Decision{At: at(-i), Session: "ses_0000000000000002", Turn: i, Reason: agent.ReasonClear}
			}
			if err := tx.Decide(s.ctx, redact.Value(d)); err != nil {
				return err
			}
		}
		return nil
	})
	for _, c := range []struct {
		name, session string
		limit         int
		want          string
	}{
		{"all, newest first", "", 0, "[4 3 2 1 0]"}, {"limit", "", 2, "[4 3]"}, {"of a session", "ses_0000000000000002", 0, "[3 1]"},
		{"of a session, limit", "ses_0000000000000001", 1, "[4]"}, {"of nobody", "ses_9", 0, "[]"},
	} {
		list, err := st.Decisions(s.ctx, c.session, c.limit)
		if err != nil {
			s.Fatal(err)
		}
		var turns []int
		for _, d := range list {
			turns = append(turns, d.Turn)
		}
		equal(s, c.name, fmt.Sprint(turns), c.want)
		if c.session == full.Session {
			full.Turn = 4
			equal(s, "decision", list[0], full)
		}
	}
}

func decisionsBounded(s *suite, st *store.Local) {
	update(s, st, func(tx store.LocalTx) error {
		for i := range agent.DecisionsKept + 3 {
			if err := tx.Decide(s.ctx, redact.Value(agent.Decision{At: at(i), Session: "ses_1", Turn: i})); err != nil {
				return err
			}
		}
		return nil
	})
	list, err := st.Decisions(s.ctx, "", 0)
	if err != nil || len(list) != agent.DecisionsKept || list[0].Turn != agent.DecisionsKept+2 {
		s.Fatalf("got %d decisions (%v), want the newest %d", len(list), err, agent.DecisionsKept)
	}
}

func verifiedKept(s *suite, st *store.Local) {
	want := agent.Verified{Command: "make test", ExitCode: 2, At: at(1), TookMS: 7, Output: "FAIL: \"x\" 🧗\n"}
	put := func(key string, v agent.Verified) {
		s.Helper()
		update(s, st, func(tx store.LocalTx) error { return tx.PutVerified(s.ctx, key, redact.Value(v)) })
	}
	there := func(key string) (agent.Verified, bool) {
		s.Helper()
		v, err := st.Verified(s.ctx, key)
		if err != nil {
			s.wantCode(err, piton.NotFound)
		}
		return v, err == nil
	}
	if _, ok := there("a"); ok {
		s.Error("a command that has not run: got a result, want none")
	}
	put("a", agent.Verified{Command: "make test", At: at(0)})
	put("a", want)
	got, _ := there("a")
	equal(s, "what was put last", got, want)
	update(s, st, func(tx store.LocalTx) error {
		for i := range agent.VerifiedKept {
			if err := tx.PutVerified(s.ctx, fmt.Sprint("k", i), redact.Value(agent.Verified{At: at(2 + i)})); err != nil {
				return err
			}
		}
		return nil
	})
	if _, ok := there("a"); ok {
		s.Errorf("the oldest of %d: got it, want it dropped", agent.VerifiedKept+1)
	}
	for _, key := range []string{"k0", fmt.Sprint("k", agent.VerifiedKept-1)} {
		if _, ok := there(key); !ok {
			s.Errorf("%s: got nothing, want it kept", key)
		}
	}
}

func updateRollsBack(s *suite, st *store.Local) {
	x := full("ses_0000000000000001")
	err := st.Update(s.ctx, func(tx store.LocalTx) error {
		for _, err := range []error{
			tx.PutSession(s.ctx, redact.Value(x)), tx.PutTurn(s.ctx, redact.Value(agent.Turn{SessionID: x.ID, N: 1, StartedAt: at(0)})),
			tx.Decide(s.ctx, redact.Value(agent.Decision{At: at(0), Session: x.ID})), tx.Post(s.ctx, redact.Value(agent.Letter{ID: "ltr_1"})),
			tx.PutWorkflow(s.ctx, redact.Value(piton.Workflow{ID: "wf_0000000000000001", Name: "w", Type: "x", Project: "p"})),
		} {
			if err != nil {
				s.Errorf("inside the transaction: got %v, want no error", err)
			}
		}
		got, err := tx.SessionByClient(s.ctx, x.Agent, x.ClientID)
		equal(s, "session inside the transaction", got, x)
		return errors.Join(err, errStop)
	})
	if !errors.Is(err, errStop) {
		s.Errorf("update: got %v, want the error of its func", err)
	}
	_, err = st.Session(s.ctx, x.ID)
	s.wantCode(err, piton.NotFound)
	_, err = st.Checkpoints.Workflow(s.ctx, "w", "p")
	s.wantCode(err, piton.NotFound)
	turn, err := st.Turn(s.ctx, x.ID, 1)
	equal(s, "turn", turn, agent.Turn{})
	if err != nil {
		s.Fatal(err)
	}
	list, err := st.Decisions(s.ctx, "", 0)
	equal(s, "decisions", len(list), 0)
	if err != nil {
		s.Fatal(err)
	}
}

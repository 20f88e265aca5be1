package runner

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/testkit/draw"
	"github.com/piton-project/piton/internal/testkit/need"
	"github.com/piton-project/piton/internal/testkit/pgtest"
	"github.com/piton-project/piton/internal/testkit/runtest"
)

// TestWordsSurviveKills kills runners at random moments, for each word of plans, and
// resumes their runs until they have ended.
func TestWordsSurviveKills(t *testing.T) {
	for name, address := range map[string]func(t *testing.T) string{
		"SQLite":     func(t *testing.T) string { return filepath.Join(t.TempDir(), "piton.db") },
		"PostgreSQL": func(t *testing.T) string { return pgtest.DSN(t) },
	} {
		for _, w := range runtest.Words {
			t.Run(name+"/"+w.Name, func(t *testing.T) {
				seed := draw.Seed()
				t.Logf("seed %d", seed)
				k := kills{T: t, rnd: rand.New(rand.NewPCG(seed, 1)), most: need.Many(3, 40)}
				begun := time.Now()
				for k.killed < k.most && (need.Many(0, 1) == 1 || time.Since(begun) < 2*time.Second || k.runs == 0) {
					k.address, k.ledger = address(t), filepath.Join(t.TempDir(), "ledger")
					k.word(w)
				}
				t.Logf("%d kills over %d runs; %d steps in doubt, %d of them had taken effect; repeated: 0, lost: 0", k.killed, k.runs, k.doubts, k.took)
			})
		}
	}
}

// word goes through one run of a word's plan.
func (k *kills) word(w runtest.Word) {
	k.runs++
	again := job{Store: k.address, Ledger: k.ledger, Word: w.Plan, Start: true}
	for round := 0; ; round++ {
		if round > 500 {
			k.Fatal("the run comes to no end")
		}
		k.life(again)
		s, err := openStore(k.Context(), k.address)
		if err != nil {
			k.Fatal(err)
		}
		k.settle(s)
		run, state := k.outer(s)
		over := run.Status == w.Status && (run.Status.Ended() || run.Status == piton.RunFailed)
		if over {
			k.ended(s, w, state)
		} else if run.ID != "" {
			k.signals(s, run)
			again = job{Store: k.address, Ledger: k.ledger, Word: w.Plan, Again: Again{Run: run.ID, Given: map[string]any{}}}
			k.decide(state, &again)
		}
		s.Close()
		if over {
			return
		}
	}
}

// outer is the run that is no step's.
func (k *kills) outer(s *sqlstore.Store) (run piton.Run, state State) {
	runs, err := s.Runs().Runs(k.Context(), piton.RunQuery{})
	if err != nil {
		k.Fatal(err)
	}
	for _, r := range runs {
		if r.Parent == "" {
			run = r
		}
	}
	if run.ID == "" {
		return run, state
	}
	r := Runner{Keeper: history.Keeper{Store: s}}
	if state, err = ReadState(k.Context(), r.Keeper, run.CheckpointID); err != nil {
		k.Fatal(err)
	}
	return run, state
}

// signals sends the signals that a run waits for, each once, however often it is asked.
func (k *kills) signals(s *sqlstore.Store, run piton.Run) {
	for n := range 2 {
		a := Signal(run.ID, "go", fmt.Sprint(n), []byte(fmt.Sprint(n+1)), "me", piton.At(time.Now()))
		if err := s.Save(k.Context(), func(tx store.Tx) error { return tx.Runs.AnswerRun(k.Context(), redact.Value(a)) }); err != nil && piton.CodeOf(err) != piton.Conflict {
			k.Fatal(err)
		}
	}
}

// decide says of each step in doubt what the ledger says: the effect of its newest key.
func (k *kills) decide(state State, again *job) {
	for _, x := range state.Plan {
		if x.Status != InDoubt {
			continue
		}
		k.doubts++
		if key := piton.DeriveID("key_", state.Run, x.ID, fmt.Sprint(x.Round)); strings.Contains(k.lines(), "effect "+x.ID+" "+key) {
			k.took++
			again.Again.Took, again.Again.Given[x.ID] = append(again.Again.Took, x.ID), "given"
		} else {
			again.Again.Redo = append(again.Again.Redo, x.ID)
		}
	}
}

// ended looks at a run that has ended.
func (k *kills) ended(s *sqlstore.Store, w runtest.Word, state State) {
	runs, err := s.Runs().Runs(k.Context(), piton.RunQuery{})
	if err != nil {
		k.Fatal(err)
	}
	text, err := json.Marshal(state)
	if err != nil {
		k.Fatal(err)
	}
	for _, wrong := range w.Wrong(k.lines(), text, len(runs)) {
		k.Errorf("%s: %s\n%s", wrong, statuses(state), k.lines())
	}
}

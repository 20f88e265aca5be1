package runner

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/testkit/draw"
	"github.com/piton-project/piton/internal/testkit/need"
	"github.com/piton-project/piton/internal/testkit/pgtest"
)

// word is a word of plans, with what must have come of its plan when that has ended,
// however often it was killed: the steps that have taken effect, as often as they did, each
// time under a key of its own; those in brackets may have done so more often, because
// what has failed is tried again when a run is resumed, and what runs after a doubt runs again. And which of them did only after which others.
type word struct {
	name, plan, order string
	after             string // "b>a": b last after a last
	status            piton.RunStatus
	runs              int // in the store; 0: 1
}

var crashWords = []word{
	{name: "for_each", status: piton.RunCompleted, after: "each.0>list all>each.7 all>each.0", order: "list each.0 each.1 each.2 each.3 each.4 each.5 each.6 each.7 all",
		plan: `{name: w, steps: [{id: list, action: do}, {id: each, needs: [list], for_each: {from: 1, to: 8}, parallel: 1, action: do}, {id: all, needs: [each], action: do, with: {of: "${{ steps.each.output }}"}}]}`},
	{name: "matrix", status: piton.RunCompleted, order: "m.0 m.1 m.2 m.3",
		plan: `{name: w, steps: [{id: m, matrix: {a: [1, 2], b: [3, 4]}, parallel: 1, action: do, with: {of: "${{ matrix.a }}${{ matrix.b }}"}}]}`},
	{name: "plan", status: piton.RunCompleted, order: "a x y z b", after: "x>a b>y b>a", runs: 2,
		plan: `{name: w, plans: {c: {type: chain, steps: [{id: x, action: do, effect: idempotent}, {id: y, action: do, effect: idempotent}], finally: [{id: z, action: do, effect: idempotent}]}},
			type: chain, steps: [{id: a, action: do}, {id: sub, plan: c}, {id: b, action: do, with: {of: "${{ steps.sub.output.y }}"}}]}`},
	{name: "finally after success", status: piton.RunCompleted, order: "a b (f) (g)", after: "b>a f>b",
		plan: `{name: w, type: chain, steps: [{id: a, action: do}, {id: b, action: do}], finally: [{id: f, action: do}, {id: g, action: do}]}`},
	{name: "finally after a failure", status: piton.RunFailed, order: "a (f)", after: "f>a",
		plan: `{name: w, type: chain, steps: [{id: a, action: do}, {id: fail, action: do, effect: idempotent}, {id: b, action: do}], finally: [{id: f, action: do}]}`},
	{name: "wait", status: piton.RunCompleted, order: "a b",
		plan: `{name: w, type: chain, steps: [{id: a, action: do}, {id: w, wait: 0.2}, {id: b, action: do, with: {of: "${{ steps.w.output.until }}"}}]}`},
	{name: "signal", status: piton.RunCompleted, order: "a b c",
		plan: `{name: w, type: chain, steps: [{id: a, action: do}, {id: s, wait: {signal: go}}, {id: b, action: do}, {id: t, wait: {signal: go}}, {id: c, action: do, with: {of: "${{ steps.s.output.payload + steps.t.output.payload }}"}}]}`},
	{name: "repeat", status: piton.RunCompleted, order: "a r r r r r b", after: "b>r r>a",
		plan: `{name: w, type: chain, steps: [{id: a, action: do}, {id: r, action: do, repeat: {until: iteration == 5}}, {id: b, action: do}]}`},
	{name: "artifacts", status: piton.RunCompleted, order: "left each.0 each.1 each.2 use all", after: "use>left all>each.2",
		plan: `{name: w, type: chain, steps: [{id: left, action: do, artifacts: {app: left.txt}}, {id: each, for_each: [1, 2, 3], action: do, artifacts: ["each.*.txt"]},
			{id: use, action: do, with: {read: "${{ steps.left.artifacts.app }}", want: "left\n"}}, {id: all, action: do, with: {read: "${{ steps.each.artifacts[2][\"each.2.txt\"] }}", want: "each.2\n"}}]}`},
	{name: "undo", status: piton.RunFailed, order: "a b c e.0 e.1 e.1.undo e.0.undo c.undo a.undo (f)", after: "a.undo>c.undo c.undo>e.0.undo c.undo>e.1.undo e.0.undo>e.0",
		plan: `{name: w, type: chain, on_failure: undo, steps: [{id: a, action: do, undo: {action: do}}, {id: b, action: do}, {id: c, action: do, undo: {action: do}}, {id: e, for_each: [1, 2], parallel: 1, action: do, undo: {action: do}}, {id: fail, action: do, effect: idempotent}],
			finally: [{id: f, action: do}], parallel: 1}`},
}

// wordActions are the actions of such plans: what is called fail does.
func wordActions(ledger *os.File) map[string]action.Action {
	does := ledgerAction(ledger)
	return map[string]action.Action{"wait": action.Waiting{},
		"do": action.Func(plan.Once, func(ctx context.Context, c action.Call) (any, error) {
			if c.Step == "fail" {
				return nil, errors.New("it never works")
			}
			if file, is := c.Parameters["read"].(string); is {
				if text, err := os.ReadFile(file); err != nil || string(text) != c.Parameters["want"] {
					return nil, fmt.Errorf("got %q, %w", text, err)
				}
			}
			for range c.Artifacts {
				if err := os.WriteFile(filepath.Join(c.Dir, c.Step+".txt"), []byte(c.Step+"\n"), 0o600); err != nil {
					return nil, err
				}
			}
			r, err := does.Do(ctx, c)
			return r, err
		})}
}

// TestWordsSurviveKills kills runners at random moments, for each word of plans, and
// resumes their runs until they have ended.
func TestWordsSurviveKills(t *testing.T) {
	for name, address := range map[string]func(t *testing.T) string{
		"SQLite":     func(t *testing.T) string { return filepath.Join(t.TempDir(), "piton.db") },
		"PostgreSQL": func(t *testing.T) string { return pgtest.DSN(t) },
	} {
		for _, w := range crashWords {
			t.Run(name+"/"+w.name, func(t *testing.T) {
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
func (k *kills) word(w word) {
	k.runs++
	again := job{Store: k.address, Ledger: k.ledger, Word: w.plan, Start: true}
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
		over := run.Status == w.status && (run.Status.Ended() || run.Status == piton.RunFailed)
		if over {
			k.ended(s, w, state)
		} else if run.ID != "" {
			k.signals(s, run)
			again = job{Store: k.address, Ledger: k.ledger, Word: w.plan, Again: Again{Run: run.ID, Given: map[string]any{}}}
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
	if state, err = r.stateOf(k.Context(), run.CheckpointID); err != nil {
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
func (k *kills) ended(s *sqlstore.Store, w word, state State) {
	keys := map[string]int{}
	var order []string
	for line := range strings.Lines(k.lines()) {
		f := strings.Fields(line)
		if f[0] != "effect" {
			continue
		}
		if keys[f[2]]++; keys[f[2]] == 1 {
			order = append(order, f[1])
		}
	}
	want := map[string]int{}
	for _, id := range strings.Fields(w.order) {
		if bare := strings.Trim(id, "()"); bare != id {
			order = slices.DeleteFunc(order, func(x string) bool { return x == bare })
			continue
		}
		want[id]++
	}
	got := map[string]int{}
	for _, id := range order {
		got[id]++
	}
	if diff := cmp.Diff(want, got); diff != "" {
		k.Errorf("effects (-want +got)\n%s%s\n%s", diff, statuses(state), k.lines())
	}
	for _, pair := range strings.Fields(w.after) {
		b, a, _ := strings.Cut(pair, ">")
		if first, last := strings.LastIndex(k.lines(), "effect "+b+" "), strings.LastIndex(k.lines(), "effect "+a+" "); first < last {
			k.Errorf("%s has taken effect before %s, in\n%s", b, a, k.lines())
		}
	}
	for key, n := range keys {
		if n > 1 && w.name != "plan" {
			k.Errorf("the key %s has taken effect %d times, in\n%s", key, n, k.lines())
		}
	}
	runs, err := s.Runs().Runs(k.Context(), piton.RunQuery{})
	if err != nil || len(runs) != max(w.runs, 1) {
		k.Errorf("got %d runs, %v", len(runs), err)
	}
	seen := map[string]bool{}
	for _, r := range state.Results {
		if seen[r.StepID] {
			k.Errorf("step %s has two results", r.StepID)
		}
		seen[r.StepID] = true
	}
	if r := state.result("c"); w.name == "signal" && (r == nil || len(state.Signals) != 2) {
		k.Errorf("got %+v and the signals %v", r, state.Signals)
	}
}

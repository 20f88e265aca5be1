package postgres_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/testkit/need"
	"github.com/piton-project/piton/internal/testkit/pgtest"
)

// ledger is what was acknowledged, as a user would remember it.
type ledger struct {
	sync.Mutex
	live map[string]string // id to the state it was saved with
	seqs map[string][]int64
}

func (l *ledger) add(c piton.Checkpoint, state string) {
	l.Lock()
	defer l.Unlock()
	l.live[c.ID] = state
	l.seqs[c.WorkflowID] = append(l.seqs[c.WorkflowID], c.Seq)
}

// any picks a live checkpoint; take makes it nobody's first.
func (l *ledger) any(rnd *rand.Rand, take bool) (id, state string) {
	l.Lock()
	defer l.Unlock()
	skip := 0
	if len(l.live) > 0 {
		skip = rnd.IntN(len(l.live))
	}
	for id, state = range l.live {
		if skip--; skip < 0 {
			break
		}
	}
	if take {
		delete(l.live, id)
	}
	return id, state
}

func (l *ledger) holds(id string) bool {
	l.Lock()
	defer l.Unlock()
	_, ok := l.live[id]
	return ok
}

// TestNoBlobIsLostBetweenAppendsAndDeletes races saves, forks, deletes and
// loads of a few equal states, so that a delete often sweeps the blobs that a
// save is just sharing. With the lock of lockBranches taken out it lost states
// in each of four short runs.
func TestNoBlobIsLostBetweenAppendsAndDeletes(t *testing.T) {
	rounds := need.Many(40, 150)
	const pools = 4
	dsn := pgtest.DSN(t)
	var stores []*sqlstore.Store
	for range pools {
		stores = append(stores, open(t, dsn))
	}
	states := make([]string, 5)
	for i := range states {
		states[i] = string(words(uint64(i), 3000))
	}
	flows := []string{workflow(t, stores[0]), workflow(t, stores[0])}
	l := &ledger{live: map[string]string{}, seqs: map[string][]int64{}}
	// For every other save a delete is due; loads go on until the last one.
	due, done := make(chan bool, pools*rounds), make(chan bool)
	var savers, others sync.WaitGroup
	saver := func(seed uint64, step func(*rand.Rand) error) {
		savers.Go(func() {
			rnd := rand.New(rand.NewPCG(seed, 3))
			for n := range rounds {
				if err := step(rnd); err != nil {
					t.Error(err)
					return
				}
				if n%2 > 0 {
					due <- true
				}
			}
		})
	}
	until := func(seed uint64, next func() bool, step func(*rand.Rand) error) {
		others.Go(func() {
			rnd := rand.New(rand.NewPCG(seed, 3))
			for next() {
				if err := step(rnd); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	isDue := func() bool { return <-due }
	goOn := func() bool {
		select {
		case <-done:
			return false
		default:
			return true
		}
	}
	for i, s := range stores {
		saver(uint64(i), func(rnd *rand.Rand) error {
			state := states[rnd.IntN(len(states))]
			p := prepared(flows[rnd.IntN(len(flows))], state)
			if parent, _ := l.any(rnd, false); parent != "" && rnd.IntN(4) == 0 {
				c, err := s.Checkpoint(t.Context(), parent)
				if piton.CodeOf(err) == piton.NotFound {
					return nil
				}
				if err != nil {
					return err
				}
				p.Fork, p.Record.WorkflowID, p.Record.ParentID, p.Record.Branch = true, c.WorkflowID, parent, piton.NewID("b")
			}
			c, err := save(t, s, p)
			if p.Fork && piton.CodeOf(err) == piton.NotFound {
				return nil // deleted meanwhile
			}
			if err != nil {
				return fmt.Errorf("append: %w", err)
			}
			l.add(c, state)
			return nil
		})
		until(uint64(i)+100, isDue, func(rnd *rand.Rand) error {
			ids := []string{}
			for range 1 + rnd.IntN(2) {
				if id, _ := l.any(rnd, true); id != "" {
					ids = append(ids, id)
				}
			}
			err := s.Save(t.Context(), func(tx store.Tx) error {
				_, err := tx.Delete(t.Context(), ids)
				return err
			})
			if err != nil {
				return fmt.Errorf("delete %s: %w", ids, err)
			}
			return nil
		})
		until(uint64(i)+200, goOn, func(rnd *rand.Rand) error {
			id, want := l.any(rnd, false)
			if id == "" {
				return nil
			}
			got, err := s.State(t.Context(), id)
			if err == nil && string(got) != want {
				return fmt.Errorf("load %s: got another state", id)
			}
			if err != nil && (piton.CodeOf(err) != piton.NotFound || l.holds(id)) {
				return fmt.Errorf("load: %w", err)
			}
			return nil
		})
	}
	savers.Wait()
	close(due)
	close(done)
	others.Wait()
	for id, want := range l.live {
		if got, err := stores[0].State(t.Context(), id); err != nil || string(got) != want {
			t.Errorf("load %s: got %d bytes, %v, want its state", id, len(got), err)
		}
	}
	for flow, seqs := range l.seqs {
		wantNumbers(t, flow, seqs)
	}
	wantSound(t, stores[0])
	t.Logf("%d checkpoints are left of %d", len(l.live), len(l.seqs[flows[0]])+len(l.seqs[flows[1]]))
}

// TestBranchMadeBetweenTwoQuestions: a save finds no branch, and before it goes on
// another has made it. The save takes no number that nothing gets.
func TestBranchMadeBetweenTwoQuestions(t *testing.T) {
	dsn := pgtest.DSN(t)
	s, other := open(t, dsn), open(t, dsn+"&application_name=other")
	flow := workflow(t, s)
	meanwhile, err := s.DB.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer meanwhile.Rollback()
	// The save stops at the workflow, behind the question for the branch.
	if _, err := meanwhile.ExecContext(t.Context(), `LOCK TABLE workflows IN EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	var c piton.Checkpoint
	done := make(chan error, 1)
	go func() {
		var err error
		c, err = save(t, other, prepared(flow, `{}`))
		done <- err
	}()
	blocked(t, s, "other", done)
	if _, err := meanwhile.ExecContext(t.Context(), `INSERT INTO branches (workflow_id, name, head_id, appended) VALUES ($1, 'main', '', 0)`, flow); err != nil {
		t.Fatal(err)
	}
	if err := meanwhile.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil || c.Seq != 1 || c.Ordinal != 1 {
		t.Errorf("got the numbers %d and %d, %v, want the first", c.Seq, c.Ordinal, err)
	}
	wantSound(t, s)
}

// TestFirstCheckpointThatWasNotPrepared: a large state that nobody has packed begins a
// workflow, and only a name that is taken is called that.
func TestFirstCheckpointThatWasNotPrepared(t *testing.T) {
	s := open(t, pgtest.DSN(t))
	large := `{"text":"` + strings.Repeat("words ", 20<<10) + `"}`
	for i, want := range []piton.Code{"", piton.Conflict} {
		w := piton.Workflow{ID: piton.NewID(piton.WorkflowPrefix), Name: "flow", Type: piton.TypeCustom}
		err := s.Save(t.Context(), func(tx store.Tx) error {
			_, err := tx.Writer.(store.Beginner).Begin(t.Context(), redact.Value(w), redact.Value(prepared(w.ID, large)))
			return err
		})
		if piton.CodeOf(err) != want {
			t.Errorf("save %d: got %v, want %q", i+1, err, want)
		}
	}
	wantSound(t, s)
}

// blocked waits until the connection of an application waits for a lock, or
// until done.
func blocked(t *testing.T, s *sqlstore.Store, application string, done <-chan error) {
	t.Helper()
	for len(done) == 0 {
		if text(t, s, `SELECT COUNT(*)::text FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'`, application) != "0" {
			return
		}
	}
}

// TestForkAndDeleteOfItsParent lets each find the other half done: a fork
// never keeps a parent that is gone. Without lockParent both do.
func TestForkAndDeleteOfItsParent(t *testing.T) {
	dsn := pgtest.DSN(t)
	s, other := open(t, dsn), open(t, dsn+"&application_name=other")
	flow := workflow(t, s)
	root := mustSave(t, s, prepared(flow, `{"a":1}`))
	fork := func(parent, branch string) store.Prepared {
		p := prepared(flow, `{"c":1}`)
		p.Fork, p.Record.ParentID, p.Record.Branch = true, parent, branch
		return p
	}
	remove := func(s *sqlstore.Store, id string, then func()) error {
		return s.Save(t.Context(), func(tx store.Tx) error {
			_, err := tx.Delete(t.Context(), []string{id})
			then()
			return err
		})
	}

	parent := mustSave(t, s, prepared(flow, `{"b":1}`))
	done := make(chan error, 1)
	var forked piton.Checkpoint
	err := s.Save(t.Context(), func(tx store.Tx) (err error) {
		forked, err = tx.Append(t.Context(), redact.Value(fork(parent.ID, "first")))
		go func() { done <- remove(other, parent.ID, func() {}) }()
		blocked(t, s, "other", done)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if c, err := s.Checkpoint(t.Context(), forked.ID); err != nil || c.ParentID != root.ID {
		t.Errorf("the fork's parent: got %q, %v, want the nearest that is left, %s", c.ParentID, err, root.ID)
	}

	parent = mustSave(t, s, prepared(flow, `{"b":2}`))
	err = remove(s, parent.ID, func() {
		go func() { _, err := save(t, other, fork(parent.ID, "second")); done <- err }()
		blocked(t, s, "other", done)
	})
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, <-done, piton.NotFound)
	wantSound(t, s)
}

// TestSaversOfManyMachinesShareOneWorkflow saves under one new name from
// several pools at the same moment: one workflow, numbers without gaps.
func TestSaversOfManyMachinesShareOneWorkflow(t *testing.T) {
	const pools, rounds = 5, 8
	dsn := pgtest.DSN(t)
	var keepers []history.Keeper
	for range pools {
		keepers = append(keepers, history.Keeper{Store: open(t, dsn)})
	}
	for round := range rounds {
		name := fmt.Sprint("flow ", round)
		var mu sync.Mutex
		var seqs []int64
		flows := map[string]bool{}
		begin := make(chan struct{})
		var all sync.WaitGroup
		for i, k := range keepers {
			all.Go(func() {
				<-begin
				for n := range 3 {
					c, err := k.Save(t.Context(), history.Draft{SaveRequest: piton.SaveRequest{Workflow: name, InProject: piton.InProject{Project: "p"}, State: words(uint64(i*10+n), 200)}})
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					seqs, flows[c.WorkflowID] = append(seqs, c.Seq), true
					mu.Unlock()
				}
			})
		}
		close(begin)
		all.Wait()
		if len(flows) != 1 {
			t.Errorf("%s: got %d workflows, want one", name, len(flows))
		}
		wantNumbers(t, name, seqs)
	}
	wantSound(t, keepers[0].Store.(*sqlstore.Store))
}

// TestOneOfManyWithTheSameParentWins gives the same parent to all: one save
// lands, the others conflict, and no error is of another kind.
func TestOneOfManyWithTheSameParentWins(t *testing.T) {
	dsn := pgtest.DSN(t)
	first := open(t, dsn)
	flow := workflow(t, first)
	head := mustSave(t, first, prepared(flow, `{}`))
	for range 5 {
		results := make(chan error, 5)
		for range cap(results) {
			s := open(t, dsn)
			p := prepared(flow, `{"a":1}`)
			p.Parent = head.ID
			go func() { _, err := save(t, s, p); results <- err }()
		}
		won := 0
		for range cap(results) {
			switch err := <-results; {
			case err == nil:
				won++
			case piton.CodeOf(err) != piton.Conflict:
				t.Errorf("got %v, want a conflict", err)
			}
		}
		if won != 1 {
			t.Errorf("got %d saves, want one", won)
		}
		var err error
		if head, err = first.Head(t.Context(), flow, piton.MainBranch); err != nil {
			t.Fatal(err)
		}
	}
}

// lexicon holds nothing that looks like a secret.
var lexicon = strings.Fields("all work and no play makes a dull day over the hills far away where green rivers run to the sea")

// words is a JSON object of about n bytes, the same for the same seed.
func words(seed uint64, n int) []byte {
	rnd := rand.New(rand.NewPCG(seed, 7))
	b := fmt.Appendf(nil, `{"seed":%d,"todos":[`, seed)
	for len(b) < n {
		b = append(b, `{"content":"`...)
		for range 12 {
			b = append(append(b, lexicon[rnd.IntN(len(lexicon))]...), ' ')
		}
		b = append(b, `"},`...)
	}
	return append(b, `{}]}`...)
}

// prepared is what Append takes.
func prepared(workflow, state string) store.Prepared {
	sum := sha256.Sum256([]byte(state))
	return store.Prepared{State: redact.Unchecked(json.RawMessage(state)), Record: piton.Checkpoint{
		ID: piton.NewID(piton.CheckpointPrefix), InWorkflow: piton.InWorkflow{WorkflowID: workflow}, Trigger: piton.TriggerManual,
		CreatedAt: piton.At(time.Now()), OfState: piton.OfState{SHA256: hex.EncodeToString(sum[:]), SchemaVersion: 1},
	}}
}

// workflow adds a workflow and returns its id.
func workflow(t testing.TB, s *sqlstore.Store) string {
	t.Helper()
	id := piton.NewID(piton.WorkflowPrefix)
	err := s.Save(t.Context(), func(tx store.Tx) error {
		return tx.PutWorkflow(t.Context(), redact.Value(piton.Workflow{ID: id, Type: piton.TypeCustom}))
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func save(t testing.TB, s *sqlstore.Store, p store.Prepared) (c piton.Checkpoint, err error) {
	err = s.Save(t.Context(), func(tx store.Tx) (err error) {
		c, err = tx.Append(t.Context(), redact.Value(p))
		return err
	})
	return c, err
}

func mustSave(t testing.TB, s *sqlstore.Store, p store.Prepared) piton.Checkpoint {
	t.Helper()
	c, err := save(t, s, p)
	if err != nil {
		t.Fatalf("save: got %v, want no error", err)
	}
	return c
}

// wantNumbers fails unless the numbers are 1, 2, 3 and so on, each once.
func wantNumbers(t testing.TB, what string, seqs []int64) {
	t.Helper()
	slices.Sort(seqs)
	for i, n := range seqs {
		if n != int64(i)+1 {
			t.Errorf("%s: got the number %d in place %d of %d, want no gap and none twice", what, n, i+1, len(seqs))
			return
		}
	}
}

// wantSound fails unless every state loads, every parent is there, and the
// store finds no fault in itself.
func wantSound(t testing.TB, s *sqlstore.Store) {
	t.Helper()
	page, err := s.List(t.Context(), piton.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range page.Checkpoints {
		if _, err := s.State(t.Context(), c.ID); err != nil {
			t.Error(err)
		}
		if c.ParentID == "" {
			continue
		}
		if _, err := s.Checkpoint(t.Context(), c.ParentID); err != nil {
			t.Errorf("the parent of %s: %v", c.ID, err)
		}
	}
	faults, err := s.D.Check(t.Context(), s.DB)
	if err != nil || len(faults) > 0 {
		t.Errorf("check: got %v, %v, want no fault", faults, err)
	}
}

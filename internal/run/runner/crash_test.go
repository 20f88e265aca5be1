package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/store/postgres"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/testkit/draw"
	"github.com/piton-project/piton/internal/testkit/need"
	"github.com/piton-project/piton/internal/testkit/pgtest"
	"github.com/piton-project/piton/internal/testkit/runtest"
)

// childEnv makes the test binary work on a run: the address of its store, the file
// of what its steps did, and an Again as JSON.
const childEnv = "PITON_TEST_RUN_CHILD"

func TestMain(m *testing.M) {
	if job := os.Getenv(childEnv); job != "" {
		if err := child(job); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// job is what a child is to do.
type job struct {
	Store, Ledger string
	Again         Again
	Start         bool
	Word          string // the plan that is run, of TestWordsSurviveKills
	Ends          bool   // its steps end in all ways
	Hang          bool   // its steps run until they are ended, and its owner cannot be seen
	Full          string // a folder: runs fill the small file systems that are mounted there
	FullServer    bool   // runs fill the small file systems of a server
}

// fullServer fills file systems of a server, where a test can have some of its own.
var fullServer = func(context.Context) error { return errors.New("no file system of its own") }

// fullChild fills file systems, where a test can have some of its own.
var fullChild = func(context.Context, string) error { return errors.New("no file system of its own") }

func openStore(ctx context.Context, address string) (*sqlstore.Store, error) {
	if strings.HasPrefix(address, "postgres") {
		return postgres.Open(ctx, address, postgres.Options{Connect: time.Minute})
	}
	return sqlite.Open(ctx, address, sqlite.Options{})
}

// realOwner is this process, and whether another one runs.
func realOwner() (piton.Owner, func(piton.Owner) (bool, bool)) {
	return piton.Owner{PID: os.Getpid(), Host: "here"}, func(o piton.Owner) (bool, bool) { return syscall.Kill(o.PID, 0) == nil, true }
}

func child(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	ctx := context.Background()
	if j.FullServer {
		return fullServer(ctx)
	}
	if j.Full != "" {
		return fullChild(ctx, j.Full)
	}
	s, err := openStore(ctx, j.Store)
	if err != nil {
		return err
	}
	defer s.Close()
	ledger, err := os.OpenFile(j.Ledger, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	r := Runner{
		Keeper: history.Keeper{Store: s, Recent: &states.Recent{}}, Actions: map[string]action.Action{"do": runtest.Ledger(ledger)},
		Lease: 3 * time.Second, Poll: 20 * time.Millisecond,
	}
	r.Owner, r.Alive = realOwner()
	if j.Hang {
		r.Lease, r.Actions["do"] = time.Second, hanging(ledger)
		p := steps("a", "b", "c <- a")
		p.Parallel = 2
		if _, err = r.Start(ctx, Request{Plan: p}); piton.CodeOf(err) == piton.Conflict {
			fmt.Fprintln(ledger, "conflict")
			return nil
		}
		return fmt.Errorf("got %w, want a conflict", err)
	}
	if j.Word != "" {
		r.Actions = runtest.Actions(ledger)
		r.Logs = func(run string) string { return filepath.Join(filepath.Dir(j.Ledger), run) }
		r.Actions[plan.Child] = Nested(&r)
	}
	if j.Word != "" && j.Start {
		p, err := plan.Parse("p.yaml", []byte(j.Word), action.Known(r.Actions))
		if err == nil {
			_, err = r.Start(ctx, Request{Plan: p, Dir: filepath.Dir(j.Ledger)})
		}
		return err
	}
	if j.Ends {
		r.Actions["do"] = endsAction(ledger)
	}
	if j.Ends && j.Start {
		_, err = r.Start(ctx, Request{Plan: endsPlan()})
		return err
	}
	if j.Start {
		_, err = r.Start(ctx, Request{Plan: largePlan()})
		return err
	}
	if _, err = r.Resume(ctx, j.Again); j.Ends && piton.CodeOf(err) == piton.Conflict {
		err = nil // it was cancelled meanwhile
	}
	return err
}

// largePlan has 50 steps: seven lanes of seven, which cross, and an end. Every
// third step may happen only once, every third is pure.
func largePlan() plan.Plan {
	p := plan.Plan{Name: "large", Parallel: 4}
	for depth := range 7 {
		for lane := range 7 {
			x := plan.Step{ID: fmt.Sprintf("s%d-%d", depth, lane), Action: "do", Effect: []plan.Effect{plan.Once, plan.Pure, plan.Idempotent}[(depth+lane)%3]}
			if depth > 0 {
				x.Dependencies = []string{fmt.Sprintf("s%d-%d", depth-1, lane)}
				if other := fmt.Sprintf("s%d-%d", depth-1, (lane+depth)%7); other != x.Dependencies[0] {
					x.Dependencies = append(x.Dependencies, other)
				}
			}
			p.Steps = append(p.Steps, x)
		}
	}
	end := plan.Step{ID: "end", Action: "do", Effect: plan.Once}
	for lane := range 7 {
		end.Dependencies = append(end.Dependencies, fmt.Sprintf("s6-%d", lane))
	}
	p.Steps = append(p.Steps, end)
	return p
}

// hanging is an action that runs until it is ended.
func hanging(ledger *os.File) action.Action {
	return action.Func(plan.Once, func(ctx context.Context, c action.Call) (any, error) {
		fmt.Fprintf(ledger, "begin %s %s\n", c.Step, c.Key)
		<-ctx.Done()
		fmt.Fprintf(ledger, "ended %s %s\n", c.Step, c.Key)
		return nil, ctx.Err()
	})
}

// TestSuspendedOwner stops an owner that cannot be seen from here. When its lease
// has run out another one takes the run; the first, when it wakes, ends its steps,
// writes nothing and begins nothing.
func TestSuspendedOwner(t *testing.T) {
	k := kills{T: t, address: filepath.Join(t.TempDir(), "piton.db"), ledger: filepath.Join(t.TempDir(), "ledger"), completed: map[string]int{}}
	text, _ := json.Marshal(job{Store: k.address, Ledger: k.ledger, Hang: true})
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	for strings.Count(k.lines(), "begin ") < 2 {
		time.Sleep(5 * time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	s, err := openStore(t.Context(), k.address)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r := Runner{
		Keeper: history.Keeper{Store: s}, Owner: piton.Owner{PID: 7, Host: "there", Boot: "other"}, Lease: time.Second,
		Alive:   func(piton.Owner) (bool, bool) { return false, false },
		Actions: map[string]action.Action{"do": action.Func(plan.Pure, func(context.Context, action.Call) (any, error) { return "second", nil })},
	}
	runs, err := s.Runs().Runs(t.Context(), piton.RunQuery{})
	if err != nil || len(runs) != 1 {
		t.Fatalf("got %v, %v", runs, err)
	}
	g := Again{Run: runs[0].ID}
	for begun := time.Now(); ; {
		o, err := r.Resume(t.Context(), g)
		if err == nil && o.Success {
			break
		}
		inTransaction := piton.CodeOf(err) == piton.Unavailable // it was stopped in the middle of a write
		if !inTransaction && (piton.CodeOf(err) != piton.Conflict || !strings.Contains(err.Error(), "its lease is until")) || time.Since(begun) > 5*time.Minute {
			t.Fatalf("got %+v, %v, want a conflict until the lease has run out", o, err)
		}
		if inTransaction {
			cmd.Process.Signal(syscall.SIGCONT)
		}
		time.Sleep(50 * time.Millisecond)
		if inTransaction {
			cmd.Process.Signal(syscall.SIGSTOP)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || said.Len() > 0 {
		t.Errorf("the first owner: %v %s", err, said.String())
	}
	lines := k.lines()
	if strings.Count(lines, "ended ") != 2 || strings.Count(lines, "begin ") != 2 || !strings.HasSuffix(lines, "conflict\n") {
		t.Errorf("got\n%swant its two steps ended, and nothing begun", lines)
	}
	_, state := k.look(s)
	for _, x := range state.Results {
		if x.Output != "second" {
			t.Errorf("got the result %+v of the first owner", x)
		}
	}
}

// TestRunsSurviveKills kills runners at random moments and resumes their runs until
// they are completed: each result is recorded once, each step that may happen only
// once has happened once or was reported in doubt, nothing that was completed has
// run again, and no step has begun before those it depends on had taken effect.
func TestRunsSurviveKills(t *testing.T) {
	for name, address := range map[string]func(t *testing.T) string{
		"SQLite":     func(t *testing.T) string { return filepath.Join(t.TempDir(), "piton.db") },
		"PostgreSQL": func(t *testing.T) string { return pgtest.DSN(t) },
	} {
		t.Run(name, func(t *testing.T) {
			seed := draw.Seed()
			t.Logf("seed %d", seed)
			k := kills{T: t, rnd: rand.New(rand.NewPCG(seed, 0)), most: need.Many(20, 200)}
			begun := time.Now()
			for k.killed < k.most && (need.Many(0, 1) == 1 || time.Since(begun) < 5*time.Second || k.runs == 0) {
				k.address, k.ledger = address(t), filepath.Join(t.TempDir(), "ledger")
				k.one()
			}
			t.Logf("%d kills over %d runs of 50 steps; %d steps in doubt, %d of them had taken effect; repeated: 0, lost: 0", k.killed, k.runs, k.doubts, k.took)
		})
	}
}

type kills struct {
	*testing.T
	rnd                        *rand.Rand
	most                       int
	address, ledger            string
	killed, runs, doubts, took int
	completed                  map[string]int // a completed step, and how long the ledger was then
}

// one goes through one run.
func (k *kills) one() {
	k.runs++
	k.completed = map[string]int{}
	again := job{Store: k.address, Ledger: k.ledger, Start: true}
	for round := 0; ; round++ {
		if round > 2000 {
			k.Fatal("the run comes to no end")
		}
		k.life(again)
		s, err := openStore(k.Context(), k.address)
		if err != nil {
			k.Fatal(err)
		}
		k.settle(s)
		run, state := k.look(s)
		if run.ID == "" {
			s.Close()
			continue // it was killed before it had begun
		}
		done := run.Status == piton.RunCompleted
		if done {
			k.verify(s, run, state)
		}
		s.Close()
		if done {
			return
		}
		again = job{Store: k.address, Ledger: k.ledger, Again: Again{Run: run.ID}}
		for _, x := range state.Plan {
			if x.Status != InDoubt {
				continue
			}
			k.doubts++
			if strings.Contains(k.lines(), "effect "+x.ID+" ") {
				k.took++
				again.Again.Took = append(again.Again.Took, x.ID)
			} else {
				again.Again.Redo = append(again.Again.Redo, x.ID)
			}
		}
	}
}

// life lets a child work, and kills it while kills are left.
func (k *kills) life(j job) {
	text, err := json.Marshal(j)
	if err != nil {
		k.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		k.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var kill <-chan time.Time
	if k.killed < k.most {
		kill = time.After(time.Duration(10+k.rnd.IntN(190)) * time.Millisecond)
	}
	select {
	case err = <-ended:
	case <-kill:
		cmd.Process.Kill()
		<-ended
		k.killed++
		err = nil
	}
	if err != nil || said.Len() > 0 {
		k.Fatalf("a child failed by itself: %v %s", err, said.String())
	}
}

// settle waits until the server has ended what a killed child had sent: its last save
// may land after its death, and what is asked of the run must not be older than that.
func (k *kills) settle(s *sqlstore.Store) {
	if !strings.HasPrefix(k.address, "postgres") {
		return
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		var others int
		err := s.DB.QueryRowContext(k.Context(), `SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'piton' AND pid <> pg_backend_pid()`).Scan(&others)
		if err != nil || time.Now().After(end) {
			k.Fatalf("%d sessions of a killed child are left, %v", others, err)
		}
		if others == 0 {
			return
		}
	}
}

func (k *kills) lines() string {
	text, err := os.ReadFile(k.ledger)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		k.Fatal(err)
	}
	return string(text)
}

// look reads how the run stands, and notes what is completed by now.
func (k *kills) look(s *sqlstore.Store) (run piton.Run, state State) {
	runs, err := s.Runs().Runs(k.Context(), piton.RunQuery{})
	if err != nil || len(runs) > 1 {
		k.Fatalf("got %d runs, %v", len(runs), err)
	}
	if len(runs) == 0 {
		return run, state
	}
	r := Runner{Keeper: history.Keeper{Store: s}}
	if state, err = ReadState(k.Context(), r.Keeper, runs[0].CheckpointID); err != nil {
		k.Fatal(err)
	}
	length := len(strings.Split(k.lines(), "\n"))
	for _, x := range state.Plan {
		if _, known := k.completed[x.ID]; x.Status == Completed && !known {
			k.completed[x.ID] = length
		}
	}
	return runs[0], state
}

// verify looks at a completed run.
func (k *kills) verify(s *sqlstore.Store, run piton.Run, state State) {
	p := largePlan()
	effects, begins := map[string]int{}, map[string]int{}
	for n, line := range strings.Split(strings.TrimSpace(k.lines()), "\n") {
		word, rest, _ := strings.Cut(line, " ")
		id, _, _ := strings.Cut(rest, " ")
		if word == "effect" {
			effects[id]++
			continue
		}
		begins[id]++
		if at := k.completed[id]; at > 0 && n+1 > at {
			k.Errorf("step %s has begun again after it was completed", id)
		}
		i := slices.IndexFunc(p.Steps, func(x plan.Step) bool { return x.ID == id })
		for _, d := range p.Steps[i].Dependencies {
			if effects[d] == 0 {
				k.Errorf("step %s has begun before %s had ended", id, d)
			}
		}
	}
	for _, x := range p.Steps {
		if effects[x.ID] == 0 || x.Effect == plan.Once && effects[x.ID] != 1 {
			k.Errorf("step %s, %s, has taken effect %d times", x.ID, x.Effect, effects[x.ID])
		}
	}
	if len(state.Results) != len(p.Steps) || run.Done != len(p.Steps) {
		k.Errorf("got %d results and %d steps done, want %d", len(state.Results), run.Done, len(p.Steps))
	}
	k.recorded(s, run)
}

// recorded looks through all checkpoints: a result that is there stays as it is.
func (k *kills) recorded(s *sqlstore.Store, run piton.Run) {
	page, err := s.List(k.Context(), piton.Query{Workflow: run.WorkflowID})
	if err != nil {
		k.Fatal(err)
	}
	first := map[string]string{}
	r := Runner{Keeper: history.Keeper{Store: s}}
	for _, c := range slices.Backward(page.Checkpoints) {
		state, err := ReadState(k.Context(), r.Keeper, c.ID)
		if err != nil {
			k.Fatal(err)
		}
		here := map[string]string{}
		for _, x := range state.Results {
			text, err := encode(x.Output)
			if err != nil {
				k.Fatal(err)
			}
			if here[x.StepID] != "" {
				k.Errorf("checkpoint %s has two results of step %s", c.ID, x.StepID)
			}
			here[x.StepID] = x.CompletedAt.String() + string(text)
		}
		for id, was := range first {
			if here[id] != was {
				k.Errorf("checkpoint %s: the result of step %s was %s and is %s", c.ID, id, was, here[id])
			}
		}
		first = here
	}
}

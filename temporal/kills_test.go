package temporal

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/app/caller"
	pitonhistory "github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/run/runner"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/testkit/draw"
	"github.com/piton-project/piton/internal/testkit/need"
	"github.com/piton-project/piton/internal/testkit/pgtest"
	"github.com/piton-project/piton/internal/testkit/runtest"
)

// childEnv makes the test binary a worker: its job as JSON.
const childEnv = "PITON_TEST_TEMPORAL_WORKER"

// job is what a worker's process works with.
type job struct{ Address, Home, Store, Ledger, Host string }

func TestMain(m *testing.M) {
	if text := os.Getenv(childEnv); text != "" {
		if err := child(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	status := m.Run()
	if programs != "" {
		_ = os.RemoveAll(programs)
	}
	os.Exit(status)
}

// programs is the folder of what the tests have built; "": nothing was.
var programs string

func child(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	ledger, err := os.OpenFile(j.Ledger, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	ctx := withParent()
	c, err := client.DialContext(ctx, client.Options{HostPort: j.Address, Logger: quiet{}})
	if err != nil {
		return err
	}
	return NewWorker(Options{
		Client: c, Namespace: client.DefaultNamespace, App: j.app(), Actions: runtest.Actions(ledger), Host: j.Host,
		Heartbeat: 2 * time.Second, Poll: 100 * time.Millisecond, Events: 150,
	}).Run(ctx)
}

// withParent ends when the standard input does, which is that of the test.
func withParent() context.Context {
	ctx, end := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		end()
	}()
	return ctx
}

func (j job) app() caller.Options {
	return caller.Options{Home: j.Home, Store: j.Store, Getenv: os.Getenv}
}

type quiet struct{}

var _ log.Logger = quiet{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}

// server is a Temporal server of a test's own, a process with its data in a file.
type server struct {
	testing.TB
	file string
	port string
	cmd  *exec.Cmd
	out  io.Reader
}

var built = sync.OnceValues(func() (string, error) {
	var err error
	if programs, err = os.MkdirTemp("", "piton-programs"); err != nil {
		return "", err
	}
	path := filepath.Join(programs, "testserver")
	cmd := exec.Command("go", "build", "-o", path, ".")
	cmd.Dir = "testserver"
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the server: %w\n%s", err, out)
	}
	return path, nil
})

func newServer(t testing.TB) *server {
	s := &server{TB: t, file: filepath.Join(t.TempDir(), "temporal.db")}
	for tries := 0; ; tries++ {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		_, s.port, _ = net.SplitHostPort(l.Addr().String())
		l.Close()
		if s.start(); s.up() {
			break
		}
		s.kill() // another program has taken one of its ports
		if os.Remove(s.file + ".ports"); tries == 5 {
			t.Fatal("the server did not start")
		}
	}
	t.Cleanup(s.kill)
	return s
}

// up waits until the server says that it has started; false: it has ended.
func (s *server) up() bool {
	line, err := bufio.NewReader(s.out).ReadString('\n')
	go io.Copy(io.Discard, s.out)
	return err == nil && line != ""
}

func (s *server) address() string { return "127.0.0.1:" + s.port }

func (s *server) start() {
	path, err := built()
	if err != nil {
		need.Missing(s, err.Error())
	}
	s.cmd = exec.Command(path, s.file, s.port)
	s.cmd.Stderr = os.Stderr
	if _, err = s.cmd.StdinPipe(); err == nil {
		s.out, err = s.cmd.StdoutPipe()
	}
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		s.Fatal(err)
	}
}

func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

func (s *server) client() client.Client {
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		c, err := client.Dial(client.Options{HostPort: s.address(), Logger: quiet{}})
		if err == nil {
			s.Cleanup(c.Close)
			return c
		}
		if time.Now().After(end) {
			s.Fatal(err)
		}
	}
}

// rig is a store with runs, and workers that may be killed.
type rig struct {
	testing.TB
	job
	server  *server
	client  client.Client
	app     *app.App
	workers []*exec.Cmd

	mu           sync.Mutex
	doubts, took int
}

func newRig(t testing.TB, store string) *rig {
	r := &rig{TB: t, server: newServer(t)}
	r.client = r.server.client()
	r.job = job{Address: r.server.address(), Home: t.TempDir(), Store: store, Ledger: filepath.Join(t.TempDir(), "ledger")}
	r.app = app.New(r.job.app())
	t.Cleanup(r.app.Close)
	t.Cleanup(func() {
		for n := range r.workers {
			r.kill(n)
		}
	})
	return r
}

// work begins a worker; n is its number.
func (r *rig) work(n int) {
	text, err := json.Marshal(r.job)
	if err != nil {
		r.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), childEnv+"="+string(text)), os.Stderr
	if _, err = cmd.StdinPipe(); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		r.Fatal(err)
	}
	for len(r.workers) <= n {
		r.workers = append(r.workers, nil)
	}
	r.workers[n] = cmd
}

func (r *rig) kill(n int) {
	if cmd := r.workers[n]; cmd != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

// runner is one that leaves runs to the workers.
func (r *rig) runner() *runner.Runner {
	k, err := r.app.Keeper(r.Context(), false)
	if err != nil {
		r.Fatal(err)
	}
	// Actions run nowhere here.
	return &runner.Runner{Keeper: k, Actions: withPlans(runtest.Actions(nil)), Owner: caller.ThisOwner()}
}

func withPlans(all map[string]action.Action) map[string]action.Action {
	all[plan.Child] = action.Plan{}
	all[plan.Approve] = action.Approve{}
	return all
}

// begin leaves a run of a plan to the workers.
func (r *rig) begin(text string) string {
	o, err := r.runner().Start(r.Context(), runner.Request{Plan: r.read(text), New: true, Queue: true, Daemon: piton.EngineTemporal, Dir: r.Home})
	if err != nil {
		r.Fatal(err)
	}
	return o.RunID
}

func (r *rig) read(text string) plan.Plan {
	p, err := plan.Parse("p.yaml", []byte(text), action.Known(r.runner().Actions))
	if err != nil {
		r.Fatal(err)
	}
	return p
}

// stands is a run and its state, as JSON and read.
func (r *rig) stands(id string) (run piton.Run, text []byte, s runner.State) {
	k := r.runner().Keeper
	run, err := k.Store.Runs().Run(r.Context(), id)
	if err != nil {
		r.Fatal(err)
	}
	l, err := k.Load(r.Context(), pitonhistory.Selector{ID: run.CheckpointID}, false)
	if err == nil {
		err = json.Unmarshal(l.State, &s)
	}
	if err != nil {
		r.Fatal(err)
	}
	return run, l.State, s
}

// until waits until a run stands as is says, and helps it on as a person would: signals are
// sent, and what is in doubt is decided by the ledger.
func (r *rig) until(id string, is func(piton.Run, runner.State) bool) (piton.Run, []byte) {
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		run, text, s := r.stands(id)
		if is(run, s) {
			return run, text
		}
		if time.Now().After(end) {
			r.Fatalf("the run comes to no end: %s %s\n%s", run.Status, run.Error, text)
		}
		for n := range 2 {
			a := runner.Signal(id, "go", fmt.Sprint(n), []byte(fmt.Sprint(n+1)), "me", piton.At(time.Now()))
			r.save(func(tx store.Tx) error { return tx.Runs.AnswerRun(r.Context(), redact.Value(a)) })
		}
		if run.Status == piton.RunInDoubt {
			r.decide(id, s)
		}
	}
}

func (r *rig) save(do func(store.Tx) error) {
	if err := r.runner().Keeper.Store.Save(r.Context(), do); err != nil && piton.CodeOf(err) != piton.Conflict {
		r.Error(err)
	}
}

// decide says of each step in doubt what the ledger says.
func (r *rig) decide(id string, s runner.State) {
	g := runner.Again{Run: id, Queue: true, Daemon: piton.EngineTemporal, Given: map[string]any{}}
	for _, x := range s.Plan {
		if x.Status != runner.InDoubt {
			continue
		}
		r.mu.Lock()
		r.doubts++
		r.mu.Unlock()
		if key := piton.DeriveID("key_", s.Run, x.ID, fmt.Sprint(x.Round)); strings.Contains(r.lines(), "effect "+x.ID+" "+key) {
			r.mu.Lock()
			r.took++
			r.mu.Unlock()
			g.Took, g.Given[x.ID] = append(g.Took, x.ID), "given"
		} else {
			g.Redo = append(g.Redo, x.ID)
		}
	}
	if _, err := r.runner().Resume(r.Context(), g); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) lines() string {
	text, err := os.ReadFile(r.Ledger)
	if err != nil {
		return ""
	}
	return string(text)
}

// ledgerOf are the lines of a run and the runs of its steps, and how many runs these are.
func (r *rig) ledgerOf(id string) (string, int) {
	list, err := r.runner().Keeper.Store.Runs().Runs(r.Context(), piton.RunQuery{})
	if err != nil {
		r.Fatal(err)
	}
	own := map[string]bool{id: true}
	for _, x := range list {
		if x.Parent == id {
			own[x.ID] = true
		}
	}
	var lines strings.Builder
	for line := range strings.Lines(r.lines()) {
		if own[strings.Fields(line)[3]] {
			lines.WriteString(line)
		}
	}
	return lines.String(), len(own)
}

// TestWordsSurviveKills has two workers work on runs of each word of plans at once, and
// kills one of them again and again.
func TestWordsSurviveKills(t *testing.T) {
	seed := draw.Seed()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 2))
	for _, c := range []struct {
		name  string
		store func(*testing.T) string
	}{
		{"SQLite", func(*testing.T) string { return "" }},
		{"PostgreSQL", func(t *testing.T) string { return pgtest.DSN(t) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, c.store(t))
			r.work(0)
			r.work(1)
			histories, kills := 0, 0
			for histories < need.Many(len(runtest.Words), 250) {
				ids := map[string]runtest.Word{}
				for range need.Many(1, 3) {
					for _, w := range runtest.Words {
						ids[r.begin(w.Plan)] = w
						histories += max(w.Runs, 1)
					}
				}
				over := make(chan struct{})
				var all sync.WaitGroup
				for id, w := range ids {
					all.Go(func() {
						run, text := r.until(id, func(run piton.Run, _ runner.State) bool { return run.Status == w.Status })
						ledger, runs := r.ledgerOf(id)
						for _, wrong := range w.Wrong(ledger, text, runs) {
							t.Errorf("%s, %s: %s\n%s\n%s", w.Name, run.ID, wrong, ledger, text)
						}
					})
				}
				go func() { all.Wait(); close(over) }()
				for more := true; more; {
					select {
					case <-over:
						more = false
					case <-time.After(time.Duration(100+rnd.IntN(1000)) * time.Millisecond):
						n := rnd.IntN(2)
						r.kill(n)
						r.work(n)
						kills++
					}
				}
			}
			t.Logf("%d histories, %d kills of workers; %d steps in doubt, %d of them had taken effect; repeated: 0, lost: 0", histories, kills, r.doubts, r.took)
			r.replay()
		})
	}
}

// replay has all histories of the server replayed.
func (r *rig) replay() {
	x := worker.NewWorkflowReplayer()
	x.RegisterWorkflowWithOptions(Run, workflow.RegisterOptions{Name: workflowName})
	executions, continued := 0, 0
	list, err := r.runner().Keeper.Store.Runs().Runs(r.Context(), piton.RunQuery{})
	if err != nil {
		r.Fatal(err)
	}
	for _, run := range list {
		for id := ""; ; {
			h := r.history(run.ID, id)
			if err := x.ReplayWorkflowHistory(quiet{}, h); err != nil {
				r.Errorf("%s: %v", run.ID, err)
			}
			executions++
			if id = h.Events[0].GetWorkflowExecutionStartedEventAttributes().GetContinuedExecutionRunId(); id == "" {
				break
			}
			continued++
		}
	}
	r.Logf("%d histories replayed, %d of them continued as new", executions, continued)
}

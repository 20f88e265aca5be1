package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/run/action"
	"github.com/piton-project/piton/internal/run/plan"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/testkit/need"
)

func init() { fullChild = fillsDisk }

const errNoMount = "no file system of its own"

// TestFullDisk lets the disk become full in the middle of a run. Where there is room
// again soon, the run goes on; where there is none for longer, it ends as
// unavailable, and a later resume loses and repeats nothing that was told as
// completed.
func TestFullDisk(t *testing.T) {
	text, err := json.Marshal(job{Full: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || strings.Contains(string(out), errNoMount) {
		need.Missing(t, fmt.Sprintf("a mount name space of a test's own (%v %s)", err, out))
	}
	if err != nil {
		t.Fatalf("the child: got %v\n%s", err, out)
	}
	t.Logf("%s", out)
}

func fillsDisk(ctx context.Context, dir string) error {
	for _, soon := range []bool{true, false} {
		at := filepath.Join(dir, fmt.Sprint("room soon ", soon))
		if err := os.MkdirAll(at, 0o700); err != nil {
			return err
		}
		if err := syscall.Mount("tmpfs", at, "tmpfs", 0, "size=40m"); err != nil {
			return fmt.Errorf("%s: %w", errNoMount, err)
		}
		s, err := sqlite.Open(ctx, filepath.Join(at, "piton.db"), sqlite.Options{})
		if err != nil {
			return err
		}
		err = fullRun(ctx, s, at, 1<<20, soon)
		s.Close()
		if err != nil {
			return fmt.Errorf("room soon %v: %w", soon, err)
		}
	}
	return nil
}

// full is a run on a small disk.
type full struct {
	mu      sync.Mutex
	begun   map[string]int // how often each step has begun
	told    map[string]int // how often each step was told as completed
	refused int            // how often a save was refused
	ballast string
	soon    bool
}

// Handle makes room when the first save is refused, if that is to be soon.
func (f *full) Handle(_ context.Context, r slog.Record) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if strings.Contains(r.Message, "cannot be saved yet") {
		f.refused++
		if f.soon {
			os.Remove(f.ballast)
		}
	}
	return nil
}

func (f *full) Enabled(context.Context, slog.Level) bool { return true }
func (f *full) WithAttrs([]slog.Attr) slog.Handler       { return f }
func (f *full) WithGroup(string) slog.Handler            { return f }

// noise is an output that no compression makes smaller.
func (f *full) noise(_ context.Context, c action.Call) (any, error) {
	f.mu.Lock()
	f.begun[c.Step]++
	f.mu.Unlock()
	b := make([]byte, 12<<10)
	for i := range b {
		b[i] = byte('!' + rand.IntN(90))
	}
	return strings.ReplaceAll(string(b), "=", " "), nil
}

// fill leaves so many bytes on a file system.
func fill(dir, ballast string, left int) error {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return err
	}
	return os.WriteFile(ballast, make([]byte, max(int(fs.Bavail)*int(fs.Bsize)-left, 0)), 0o600)
}

// fullRun works on a run of a store in dir, where so many bytes are left.
func fullRun(ctx context.Context, s *sqlstore.Store, dir string, left int, soon bool) error {
	f := &full{begun: map[string]int{}, told: map[string]int{}, ballast: filepath.Join(dir, "ballast"), soon: soon}
	if err := fill(dir, f.ballast, left); err != nil {
		return err
	}
	r := &Runner{
		Keeper: history.Keeper{Store: s, Recent: &states.Recent{}}, Actions: map[string]action.Action{"do": action.Func(plan.Idempotent, f.noise)},
		Owner: piton.Owner{PID: os.Getpid(), Host: "here"}, Alive: func(piton.Owner) (bool, bool) { return false, true },
		Log: slog.New(f), Lease: map[bool]time.Duration{true: time.Minute, false: 500 * time.Millisecond}[soon], Poll: 20 * time.Millisecond,
		Events: func(e Event) {
			if e.Kind == StepCompleted {
				f.told[e.Step]++
			}
		},
	}
	p := plan.Plan{Name: "large"}
	for i := range 60 {
		x := plan.Step{ID: fmt.Sprintf("s%d", i), Action: "do"}
		if i > 0 {
			x.Dependencies = []string{p.Steps[i-1].ID}
		}
		p.Steps = append(p.Steps, x)
	}
	o, err := r.Start(ctx, Request{Plan: p})
	if f.refused == 0 {
		return fmt.Errorf("the disk was never full: %v, %v", err, o.Error)
	}
	before := len(f.told)
	if !soon {
		if piton.CodeOf(err) != piton.Unavailable {
			return fmt.Errorf("got %w, want unavailable", err)
		}
		os.Remove(f.ballast)
		list, errList := s.Runs().Runs(ctx, piton.RunQuery{})
		if errList != nil || len(list) != 1 {
			return fmt.Errorf("got %d runs, %w, want one", len(list), errList)
		}
		o, err = r.Resume(ctx, Again{Run: list[0].ID})
	}
	if err != nil || !o.Success || len(o.State.Results) != len(p.Steps) {
		return fmt.Errorf("got %+v with %d results, %w, want all done", o.Run, len(o.State.Results), err)
	}
	again := 0
	for _, x := range p.Steps {
		if f.told[x.ID] != 1 {
			return fmt.Errorf("step %s was told as completed %d times, want once", x.ID, f.told[x.ID])
		}
		again += f.begun[x.ID] - 1
	}
	// Of a chain at most the one step whose result could not be kept runs again.
	if most := map[bool]int{true: 0, false: 1}[soon]; again > most {
		return fmt.Errorf("%d steps ran again, want at most %d", again, most)
	}
	fmt.Printf("full after %d steps, refused %d times, %d steps ran again\n", before, f.refused, again)
	return nil
}

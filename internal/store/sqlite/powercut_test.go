package sqlite_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3/vfs"

	"github.com/piton-project/piton/internal/store/pages"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/testkit/crashtest"
	"github.com/piton-project/piton/internal/testkit/draw"
	"github.com/piton-project/piton/internal/testkit/need"
)

// cutsPerDisk is after how many cuts a new disk begins.
const cutsPerDisk = 10

// machine is a store on a disk whose power is cut again and again.
type machine struct {
	dir     string
	path    string
	disk    *disk
	rnd     *rand.Rand
	ledger  crashtest.Ledger
	options sqlite.Options
	life    int
	steps   int // of all lives
	alarms  int // logs that look damaged, and were torn
}

func newMachine(dir string, seed uint64, pragmas ...string) *machine {
	m := &machine{dir: dir, path: filepath.Join(dir, "piton.db"), rnd: rand.New(rand.NewPCG(seed, 13))}
	m.options = sqlite.Options{Wait: time.Second}.WithPragmas(pragmas...)
	m.power(newDisk(dir))
	return m
}

// power puts a disk in. Open asks the real file system whether there is a
// file, so one stands there for the disk's.
func (m *machine) power(d *disk) {
	m.life++
	m.disk = d
	os.Remove(m.path)
	if d.size(m.path) > 0 {
		os.WriteFile(m.path, []byte("x"), 0o600)
	}
	// What a power cut tears is not taken for damage.
	if d.size(m.path+"-wal") > 0 {
		log := filepath.Join(m.dir, "log")
		os.WriteFile(log+"-wal", d.names[m.path+"-wal"].data, 0o600)
		if pages.LogDamaged(log) {
			m.alarms++
		}
	}
}

// vfs is the disk as the store uses it.
func (m *machine) vfs() vfs.VFS {
	if m.options.KeepLog {
		return sqlite.LogVFS(m.disk)
	}
	return m.disk
}

// run works until the power goes and puts it on again; sometimes it has enough
// before and closes the store. A failure before the power goes is an error.
func (m *machine) run(ctx context.Context, left int) error {
	name := fmt.Sprint("disk ", m.dir, " ", m.life)
	vfs.Register(name, m.vfs())
	defer vfs.Unregister(name)
	m.disk.left = left
	s, err := sqlite.Open(ctx, m.path, m.options.WithVFS(name))
	if err == nil {
		some, enough := context.WithCancel(ctx)
		lines, most := 0, 1<<m.rnd.IntN(10)
		err = crashtest.Child(some, s, "", crashtest.All, m.rnd.Uint64()>>40, lineWriter(func(line string) {
			m.ledger.Read(line)
			if lines++; lines == most {
				enough()
			}
		}))
		enough()
		s.Close()
	}
	if err != nil && !m.disk.dead {
		return fmt.Errorf("the work ended before the power did: %w", err)
	}
	m.steps += m.disk.steps
	m.power(m.disk.after(m.rnd, m.memory()))
	return nil
}

// memory is a folder for the shared index of the next life.
func (m *machine) memory() string {
	dir := filepath.Join(m.dir, fmt.Sprint("memory ", m.life))
	os.Mkdir(dir, 0o700)
	return dir
}

// look opens what is left and looks for all that was acknowledged. With left
// the power goes once more while it does.
func (m *machine) look(ctx context.Context, left int) error {
	name := fmt.Sprint("disk ", m.dir, " ", m.life)
	vfs.Register(name, m.vfs())
	defer vfs.Unregister(name)
	m.disk.left = left
	err := func() error {
		s, err := sqlite.Open(ctx, m.path, m.options.WithVFS(name))
		if err != nil {
			return err
		}
		defer s.Close()
		if err := sound(ctx, s); err != nil {
			return err
		}
		return crashtest.Verify(ctx, s, &m.ledger)
	}()
	if left < 0 {
		m.disk.left = -1
		return err
	}
	m.disk.mu.Lock()
	m.disk.dead = true
	m.disk.mu.Unlock()
	m.power(m.disk.after(m.rnd, m.memory()))
	return m.look(ctx, -1)
}

// lineWriter calls itself for each line; every Write is whole lines.
type lineWriter func(line string)

func (w lineWriter) Write(b []byte) (int, error) {
	for line := range strings.Lines(string(b)) {
		w(line)
	}
	return len(b), nil
}

// cutOnce cuts the power at a random moment of work, sometimes again while the
// store is opened, and looks at what is left.
func (m *machine) cutOnce(ctx context.Context) error {
	if err := m.run(ctx, m.rnd.IntN(8<<m.rnd.IntN(9))); err != nil {
		return err
	}
	again := -1
	if m.rnd.IntN(4) == 0 {
		again = m.rnd.IntN(40)
	}
	return m.look(ctx, again)
}

// TestPowerCuts cuts the power at random moments of a working store.
func TestPowerCuts(t *testing.T) {
	n := need.Many(100, 4000)
	seed := draw.Seed()
	t.Logf("seed %d", seed)
	acknowledged, deleted, archived, doubt, steps := 0, 0, 0, 0, 0
	for disk, begun := 0, time.Now(); disk < n/cutsPerDisk && !need.Enough(begun); disk++ {
		m := newMachine(t.TempDir(), seed+uint64(disk))
		m.options.KeepLog = disk%2 == 1
		for cut := range cutsPerDisk {
			if err := m.cutOnce(t.Context()); err != nil {
				t.Fatalf("disk %d (seed %d), cut %d: %v", disk, seed+uint64(disk), cut, err)
			}
		}
		if m.alarms > 0 {
			t.Errorf("disk %d (seed %d): got %d torn logs taken for damaged ones", disk, seed+uint64(disk), m.alarms)
		}
		l := &m.ledger
		acknowledged, deleted, archived, doubt, steps = acknowledged+l.Acknowledged, deleted+l.Deleted, archived+l.Archived, doubt+l.InDoubt, steps+m.steps
	}
	t.Logf("%d cuts in %d writes and syncs; %d checkpoints acknowledged, %d deleted, %d archived, %d jobs cut off; lost: 0", n, steps, acknowledged, deleted, archived, doubt)
}

// TestPowerCutsFindALoss shows that the cuts would find a store that does not
// sync what it acknowledges.
func TestPowerCutsFindALoss(t *testing.T) {
	for _, pragma := range []string{"synchronous(off)", "synchronous(normal)"} {
		t.Run(pragma, func(t *testing.T) {
			for disk := range 40 {
				m := newMachine(t.TempDir(), uint64(disk), pragma)
				for cut := range cutsPerDisk {
					if err := m.cutOnce(t.Context()); err != nil {
						t.Logf("found on disk %d after %d cuts: %v", disk, cut+1, err)
						return
					}
				}
			}
			t.Error("got nothing lost in 400 cuts, want a loss found")
		})
	}
}

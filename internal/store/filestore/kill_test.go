package filestore

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/testkit/crashtest"
	"github.com/piton-project/piton/internal/testkit/need"
)

// childEnv names the folder that a test's own binary is to work on.
const childEnv = "PITON_TEST_CHILD"

func TestMain(m *testing.M) {
	dir := os.Getenv(childEnv)
	if dir == "" {
		os.Exit(m.Run())
	}
	if err := workChild(context.Background(), dir, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// workChild works on a store until it is killed. It takes a folder for the
// archive, the kinds of work and a seed.
func workChild(ctx context.Context, dir string, args []string) error {
	seed, err := strconv.ParseUint(args[2], 10, 64)
	if err != nil {
		return err
	}
	s, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	return crashtest.Child(ctx, s, args[0], crashtest.ParseMode(args[1]), seed, os.Stdout)
}

// saved is a store whose check follows a save, which removes what transactions
// have left that were cut off. All else is read as the kill left it.
type saved struct{ *Store }

func (s saved) Upkeep() store.Upkeep { return s }

func (s saved) Check(ctx context.Context) ([]string, error) {
	err := s.Save(ctx, func(tx store.Tx) error { return tx.Count(ctx, piton.Time{}, "", store.Counted{Name: "checked", N: 1}) })
	if err != nil {
		return nil, err
	}
	return s.Store.Check(ctx)
}

// TestNothingAcknowledgedIsLostByKill kills working processes, three at a time,
// at random moments and looks for everything they had acknowledged.
func TestNothingAcknowledgedIsLostByKill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	k := crashtest.Kills{
		Kills: need.Many(63, 2000), PerStore: 21, Savers: 2,
		New: func(t testing.TB) string { return filepath.Join(t.TempDir(), "made by the child", "store") },
		Command: func(address, cold string, m crashtest.Mode, seed uint64) *exec.Cmd {
			cmd := exec.Command(self, cold, m.String(), fmt.Sprint(seed))
			cmd.Env = append(os.Environ(), childEnv+"="+address)
			return cmd
		},
		Open: func(t testing.TB, address string) (store.Checkpoints, func()) {
			return saved{reopened(t, address)}, func() {}
		},
	}
	if testing.Short() {
		k.Kills = 20
	}
	k.Run(t, crashtest.All)
}

package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/store/sqlstore"
	"github.com/piton-project/piton/internal/testkit/crashtest"
	"github.com/piton-project/piton/internal/testkit/need"
)

// TestFullDisk lets a child fill a small file system of its own: it goes away
// with the child.
func TestFullDisk(t *testing.T) {
	cmd := command(t, "full", t.TempDir())
	cmd.SysProcAttr = ownMounts()
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || strings.Contains(string(out), errNoMount) {
		need.Missing(t, fmt.Sprintf("a mount name space of a test's own (%v %s)", err, out))
	}
	if err != nil {
		t.Fatalf("the child: got %v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// ownMounts gives a child mounts of its own, which go away with it.
func ownMounts() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
}

const errNoMount = "no file system of its own"

// fullChild fills a file system at first open and while saving, with more or
// less room each time, and looks whether anything is lost.
func fullChild(ctx context.Context, args []string) error {
	for kb := 0; kb <= 256; kb += 12 {
		dir := filepath.Join(args[0], fmt.Sprint("first ", kb))
		if err := small(dir, 768); err != nil {
			return err
		}
		if err := fillBut(dir, kb); err != nil {
			return err
		}
		if err := full(ctx, dir, false); err != nil {
			return fmt.Errorf("full at the first open but for %d KB: %w", kb, err)
		}
	}
	for kb := 100; kb <= 900; kb += 100 {
		dir := filepath.Join(args[0], fmt.Sprint("save ", kb))
		if err := small(dir, 1024+kb); err != nil {
			return err
		}
		if err := full(ctx, dir, true); err != nil {
			return fmt.Errorf("full with %d KB: %w", kb, err)
		}
	}
	return nil
}

// small mounts a file system of some KB.
func small(dir string, kb int) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dk", kb)); err != nil {
		return fmt.Errorf("%s: %w", errNoMount, err)
	}
	return nil
}

// fillBut leaves only some KB of a file system.
func fillBut(dir string, kb int) error {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return err
	}
	free := int(st.Bavail)*int(st.Bsize) - kb<<10
	return os.WriteFile(filepath.Join(dir, "ballast"), make([]byte, max(free, 0)), 0o600)
}

// full saves until there is no room, makes room, and saves again.
func full(ctx context.Context, dir string, ballast bool) error {
	path := filepath.Join(dir, "piton.db")
	if ballast {
		if err := os.WriteFile(filepath.Join(dir, "ballast"), make([]byte, 512<<10), 0o600); err != nil {
			return err
		}
	}
	var ledger crashtest.Ledger
	save := func(k history.Keeper) error {
		n := ledger.Acknowledged
		c, err := k.Save(ctx, history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", State: crashtest.State(uint64(n), 5000*(1+n%9))}})
		if err == nil {
			ledger.Keep(c.Checkpoint)
		}
		return err
	}
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	for err == nil {
		if err = save(history.Keeper{Store: s}); err != nil {
			defer s.Close()
		}
	}
	var e *piton.Error
	if !errors.As(err, &e) || e.Code != piton.Unavailable || !strings.Contains(e.Hint, "free some space") {
		return fmt.Errorf("got %v with the hint %q, want unavailable and what to do about a full disk", err, hint(err))
	}
	if s != nil {
		if err := crashtest.Verify(ctx, s, &ledger); err != nil {
			return fmt.Errorf("while it is full: %w", err)
		}
	}
	fmt.Printf("full after %d saves: %v\n", ledger.Acknowledged, err)
	if err := os.Remove(filepath.Join(dir, "ballast")); err != nil {
		return err
	}
	if s != nil {
		if err := save(history.Keeper{Store: s}); err != nil {
			return fmt.Errorf("the same store with room again: %w", err)
		}
	}
	again, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return fmt.Errorf("opened with room again: %w", err)
	}
	defer again.Close()
	if err := save(history.Keeper{Store: again}); err != nil {
		return err
	}
	if err := crashtest.Verify(ctx, again, &ledger); err != nil {
		return err
	}
	return sound(ctx, again)
}

// saveOne saves one checkpoint.
func saveOne(ctx context.Context, s *sqlstore.Store) error {
	_, err := history.Keeper{Store: s}.Save(ctx, history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", State: []byte(`{"a":1}`)}})
	return err
}

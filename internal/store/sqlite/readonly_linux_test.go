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

	"github.com/ncruces/go-sqlite3"

	"github.com/piton-project/piton/internal/store/localfs"
	"github.com/piton-project/piton/internal/store/sqlite"
	"github.com/piton-project/piton/internal/testkit/need"
)

// TestFullDiskThatIsOpenForReading: the reason is the disk, not the way it was opened.
func TestFullDiskThatIsOpenForReading(t *testing.T) {
	if localfs.Free("/proc") != 0 {
		need.Missing(t, "a folder without room")
	}
	err := sqlite.ErrorOf("/proc/piton.db", "update", sqlite3.READONLY)
	if !localfs.IsFull(err) || !strings.Contains(err.Error(), "cannot save: disk full") {
		t.Errorf("got %v, want that the disk is full", err)
	}
	if err := sqlite.ErrorOf(t.TempDir()+"/piton.db", "update", sqlite3.READONLY); localfs.IsFull(err) {
		t.Errorf("got %v, where the disk has room", err)
	}
}

// TestReadOnlyMount reads a store on a file system that is mounted for reading.
func TestReadOnlyMount(t *testing.T) {
	cmd := command(t, "mount", t.TempDir())
	cmd.SysProcAttr = ownMounts()
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || strings.Contains(string(out), errNoMount) {
		need.Missing(t, fmt.Sprintf("a mount name space of a test's own (%v %s)", err, out))
	}
	if want := "1 read, write: unavailable (it is open for reading"; err != nil || !strings.HasPrefix(string(out), want) {
		t.Fatalf("got %s, %v, want %q", out, err, want)
	}
}

// mountChild makes a store, mounts its file system for reading and reads it.
func mountChild(ctx context.Context, args []string) error {
	if err := small(args[0], 4096); err != nil {
		return err
	}
	path := filepath.Join(args[0], "piton.db")
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	if err := errors.Join(saveOne(ctx, s), s.Close()); err != nil {
		return err
	}
	if err := syscall.Mount("tmpfs", args[0], "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		return err
	}
	fmt.Println(reads(ctx, path))
	if names, err := os.ReadDir(args[0]); err != nil || len(names) != 3 {
		return fmt.Errorf("got the files %v, %v, want the store, its lock and its mark", names, err)
	}
	return nil
}

//go:build unix

package setup

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/piton-project/piton/internal/testkit/need"
)

func TestApplyKeepsOwner(t *testing.T) {
	if os.Getuid() != 0 {
		need.Missing(t, "only root can give files away")
	}
	path := filepath.Join(t.TempDir(), "f")
	write(t, path, "old", 0o600)
	must(t, os.Chown(path, 1234, 1235))
	must(t, Apply([]Change{{Path: path, Before: []byte("old"), After: []byte("new")}}))
	if uid, gid := ownerOf(t, path); uid != 1234 || gid != 1235 {
		t.Errorf("got owner %d:%d, want 1234:1235", uid, gid)
	}
}

func ownerOf(t testing.TB, path string) (uid, gid int) {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	s := info.Sys().(*syscall.Stat_t)
	return int(s.Uid), int(s.Gid)
}

//go:build amd64 || arm64

package archive_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/piton-project/piton/internal/store/archive"
	"github.com/piton-project/piton/internal/testkit/disktest"
)

// TestFolderReachesTheDisk watches a file of an archive being written and removed, at
// the system calls.
func TestFolderReachesTheDisk(t *testing.T) {
	disktest.Check(t, func(dir string, ack func()) error {
		f := archive.Folder{Dir: filepath.Join(dir, "made", "archive")}
		name, _, err := f.Write(context.Background(), sequence(some()))
		if err != nil {
			return err
		}
		ack()
		err = f.Remove(context.Background(), name)
		ack()
		return err
	}, nil, []string{".piton-archive-*"})
}

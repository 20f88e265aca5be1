//go:build amd64 || arm64

package filestore

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/testkit/disktest"
)

// TestSavesReachTheDisk watches a store being made, and two saves, at the system calls.
func TestSavesReachTheDisk(t *testing.T) {
	disktest.Check(t, func(dir string, ack func()) error {
		s, err := Open(filepath.Join(dir, "made", "store"), Options{})
		if err != nil {
			return err
		}
		for range 2 {
			if _, err := (history.Keeper{Store: s}).Save(context.Background(), history.Draft{Workflow: "w", State: []byte(`{}`)}); err != nil {
				return err
			}
			ack()
		}
		return nil
	}, []string{journalFile}, []string{".piton-journal.json.tmp", ".piton-ckpt-*", "*.jsonl"})
}

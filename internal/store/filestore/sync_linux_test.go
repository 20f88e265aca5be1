//go:build amd64 || arm64

package filestore

import (
	"path/filepath"
	"testing"

	"github.com/piton-project/piton/internal/testkit/disktest"
)

// TestSavesReachTheDisk watches a store being made, and two saves, at the system calls.
func TestSavesReachTheDisk(t *testing.T) {
	open := func(dir string) (*Store, error) { return Open(filepath.Join(dir, "store"), Options{}) }
	disktest.Check(t, disktest.Saves(open), []string{journalFile}, []string{".piton-journal.json.tmp", ".piton-ckpt-*", "*.jsonl"})
}

package store_test

import (
	"slices"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/store"
)

// TestImportedID: the ids of imported work never change, or the same work would
// be imported twice.
func TestImportedID(t *testing.T) {
	const want = "chk_nxnjjbs0kzdf31fz"
	got := store.ImportedID(piton.CheckpointPrefix, "plan", "run-7")
	if got != want || !piton.IsWholeID(piton.CheckpointPrefix, got) {
		t.Errorf("got %s, want %s", got, want)
	}
	if all := store.ImportedIDs(piton.CheckpointPrefix, "run-7"); len(all) != 3 || !slices.Contains(all, want) {
		t.Errorf("got %v, want one for each form, %s among them", all, want)
	}
}

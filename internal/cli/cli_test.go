package cli

import (
	"testing"

	"github.com/piton-project/piton"
)

// TestStatuses: each code has one status, each status one row.
func TestStatuses(t *testing.T) {
	codes, numbers := map[piton.Code]bool{}, map[int]bool{}
	for _, s := range Statuses() {
		if s.Code != "" && codes[s.Code] || numbers[s.Status] {
			t.Errorf("%d %s stands twice", s.Status, s.Code)
		}
		codes[s.Code], numbers[s.Status] = true, true
	}
	for _, c := range []piton.Code{piton.Internal, piton.Invalid, piton.NotFound, piton.Conflict, piton.Corrupt, piton.Unavailable} {
		if !codes[c] {
			t.Errorf("%s has no status", c)
		}
	}
}

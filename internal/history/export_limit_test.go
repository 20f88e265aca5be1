package history_test

import (
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
)

// A program that reads the newest states of a long workflow does not wait for all.
func TestExportOfTheNewest(t *testing.T) {
	s := open(t)
	line := make([]history.Saved, 5)
	for i := range line {
		line[i] = s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", Tags: []string{"t"}, State: []byte(`{}`)}})
	}
	for _, x := range []struct {
		limit  int
		before int64
		want   []history.Saved
	}{{2, 0, line[3:]}, {2, line[3].Ordinal, line[1:3]}, {9, 0, line}, {0, 0, line}} {
		entries, n, err := s.Keeper.Export(s.Context(), piton.Query{Workflow: line[0].WorkflowID, Tag: "t", Limit: x.limit, Before: x.before}, nil)
		if err != nil || n != len(x.want) {
			t.Fatalf("limit %d: got %d, %v, want %d", x.limit, n, err, len(x.want))
		}
		for e, err := range entries {
			if err != nil || e.Get().Checkpoint.ID != x.want[0].ID {
				t.Fatalf("limit %d: got %s, %v, want %s", x.limit, e.Get().Checkpoint.ID, err, x.want[0].ID)
			}
			x.want = x.want[1:]
		}
	}
}

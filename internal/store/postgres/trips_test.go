package postgres_test

import (
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store/postgres"
	"github.com/piton-project/piton/internal/testkit/pgtest"
)

// TestRoundTrips counts the round trips to the server: over a network they are what a
// verb takes.
func TestRoundTrips(t *testing.T) {
	line := pgtest.Count(t, pgtest.DSN(t))
	open(t, line.DSN) // makes the tables
	s, err := postgres.Open(t.Context(), line.DSN, postgres.Options{Connect: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	k := history.Keeper{Store: s}
	text := func(n int) string { return strings.Repeat("words and words ", n/16) }
	state := func(n string, size int) []byte { return []byte(`{"n":"` + n + `","text":"` + text(size) + `"}`) }
	save := func(d history.Draft) history.Saved {
		t.Helper()
		saved, err := k.Save(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		return saved
	}
	load := func(sel history.Selector) {
		t.Helper()
		if _, err := k.Load(t.Context(), sel, false); err != nil {
			t.Fatal(err)
		}
	}
	first := save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "flow", State: state("0", 1<<10)}})
	save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "grows", State: state("0", 8<<10)}})
	save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "of two blobs", State: []byte(`{"a":"` + strings.Repeat("x", 16<<10) + `","b":"` + strings.Repeat("y", 16<<10) + `"}`)}})
	for name, c := range map[string]struct {
		do   func()
		most int
	}{
		// A connection, the question for TLS and its refusal, another connection, the
		// start of the session, and one question for what the store is.
		"open": {func() { open(t, line.DSN) }, 5},
		"save": {func() {
			save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "flow", State: state("1", 1<<10)}})
		}, 3},
		"save by id, to a branch": {func() {
			save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: first.WorkflowID, Branch: piton.MainBranch, State: state("2", 1<<10)}})
		}, 3},
		"save of a state that grows": {func() {
			save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "grows", State: state("1", 9<<10)}})
		}, 3},
		"save to a new workflow":        {func() { save(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "new", State: state("1", 1<<10)}}) }, 3},
		"save to a workflow of no name": {func() { save(history.Draft{SaveRequest: piton.SaveRequest{State: state("1", 1<<10)}}) }, 2},
		"load by workflow":              {func() { load(history.Selector{Workflow: "flow"}) }, 1},
		"load by branch":                {func() { load(history.Selector{Workflow: "flow", Branch: piton.MainBranch}) }, 1},
		"load of a larger state":        {func() { load(history.Selector{Workflow: "of two blobs"}) }, 2},
		"load by id":                    {func() { load(history.Selector{ID: first.ID}) }, 1},
		"load by an id's beginning":     {func() { load(history.Selector{ID: first.ID[:len(first.ID)-1]}) }, 5},
		"list":                          {func() { must(t, listed(t, k, piton.Query{Limit: 20})) }, 1},
		"inspect":                       {func() { _, err := k.Inspect(t.Context(), first.ID); must(t, err) }, 3},
	} {
		t.Run(name, func(t *testing.T) {
			got := line.Trips(c.do)
			if got > c.most {
				t.Errorf("got %d round trips, want at most %d", got, c.most)
			}
		})
	}
}

func listed(t *testing.T, k history.Keeper, q piton.Query) error {
	_, err := k.List(t.Context(), q)
	return err
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

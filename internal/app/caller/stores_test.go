package caller

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/testkit/pgtest"
)

// callerOf is an application of its own, as each request of a daemon has one.
func callerOf(t *testing.T, s *Stores, home, store string) *Caller {
	t.Helper()
	return New(Options{Home: home, Store: store, Getenv: func(string) string { return "" }, Environ: []string{}, Stores: s})
}

// listed is the error of a list of the checkpoints.
func listed(t *testing.T, a *Caller) error {
	t.Helper()
	k, err := a.Keeper(t.Context(), true)
	if err == nil {
		_, err = k.List(t.Context(), piton.Query{})
	}
	return err
}

// Many callers of a process use the connections of one store. It is opened anew after
// its server was gone and where another one is named, and nothing is left at the end.
func TestStoresAreShared(t *testing.T) {
	cluster := pgtest.Own(t)
	line := pgtest.Count(t, cluster.Database(t))
	home, s := t.TempDir(), &Stores{}
	list := func() error {
		a := callerOf(t, s, home, line.DSN)
		defer a.Close()
		return listed(t, a)
	}
	if err := list(); err != nil {
		t.Fatal(err)
	}
	first := line.Conns()
	for range 10 {
		if err := list(); err != nil {
			t.Fatal(err)
		}
	}
	if got := line.Conns(); got != first {
		t.Errorf("ten callers more, one after another: got %d connections, want the %d of the first", got, first)
	}
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			if err := list(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()

	before := s.open
	cluster.Stop()
	if err := list(); piton.CodeOf(err) != piton.Unavailable {
		t.Errorf("without the server: got %v, want %s", err, piton.Unavailable)
	}
	if err := cluster.Start(); err != nil {
		t.Fatal(err)
	}
	if err := list(); err != nil || s.open == before {
		t.Errorf("the server is back: got %v, want no error and a store that was opened anew", err)
	}
	// Nobody has noticed that it was gone.
	before = s.open
	cluster.Stop()
	if err := cluster.Start(); err != nil {
		t.Fatal(err)
	}
	if err := list(); err != nil || s.open == before {
		t.Errorf("the server was gone while nobody called: got %v, want no error and a store that was opened anew", err)
	}

	before = s.open
	s.Renew()
	if err := list(); err != nil || s.open == before {
		t.Errorf("asked to renew: got %v, want no error and a store that was opened anew", err)
	}

	// Another store is named while somebody uses the first.
	was := callerOf(t, s, home, line.DSN)
	if err := listed(t, was); err != nil {
		t.Fatal(err)
	}
	old := s.open
	other := callerOf(t, s, home, cluster.Database(t))
	if err := listed(t, other); err != nil || s.open == old {
		t.Errorf("another store: got %v, want another one open", err)
	}
	if err := listed(t, was); err != nil {
		t.Errorf("who uses the first: got %v, want no error", err)
	}
	was.Close()
	if err := old.st.DB.PingContext(t.Context()); err == nil {
		t.Error("the first store is open after its last user")
	}

	s.Close()
	if err := listed(t, other); err != nil {
		t.Errorf("who uses a store at the end: got %v, want no error", err)
	}
	last := other.Shared
	other.Close()
	if _, err := last.List(t.Context(), piton.Query{}); err == nil {
		t.Error("a store is open at the end")
	}
	if err := list(); piton.CodeOf(err) != piton.Unavailable {
		t.Errorf("after the end: got %v, want %s", err, piton.Unavailable)
	}
}

// A caller that goes away while a store is being opened takes nothing from the others.
func TestStoreOutlivesItsFirstCaller(t *testing.T) {
	s, dsn := &Stores{}, pgtest.DSN(t)
	defer s.Close()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := s.take(gone, dsn, false); err != nil && piton.CodeOf(err) != piton.Unavailable {
		t.Errorf("got %v, want %s or no error", err, piton.Unavailable)
	}
	st, leave, err := s.take(t.Context(), dsn, false)
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := st.List(ctx, piton.Query{}); err != nil {
		t.Error(fmt.Errorf("list: %w", err))
	}
}

// A home has one number, also where several draw it at the same time.
func TestHomeIsDrawnOnce(t *testing.T) {
	for range 20 {
		home, ids := t.TempDir(), make([]string, 8)
		var all sync.WaitGroup
		for i := range ids {
			all.Go(func() {
				a := callerOf(t, &Stores{}, home, "")
				defer a.Close()
				_, err := a.Local(t.Context(), false)
				if err == nil {
					ids[i], err = a.HomeID(t.Context())
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if slices.Sort(ids); ids[0] == "" || ids[0] != ids[len(ids)-1] {
			t.Fatalf("got %q, want one", ids)
		}
	}
}

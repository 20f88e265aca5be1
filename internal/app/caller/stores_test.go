package caller

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app/place"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store/sqlstore"
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

// Callers of a process share the local file, which is opened anew where what lies at its
// path is another one, or where its log is gone.
func TestLocalFileIsShared(t *testing.T) {
	home, s := t.TempDir(), &Stores{}
	path := place.Database(home)
	save := func() *sqlstore.Store {
		t.Helper()
		a := callerOf(t, s, home, "")
		defer a.Close()
		k, err := a.Keeper(t.Context(), false)
		if err == nil {
			_, err = k.Save(t.Context(), history.Draft{SaveRequest: piton.SaveRequest{State: []byte(`{"a":1}`)}})
		}
		if err != nil {
			t.Fatal(err)
		}
		return a.LocalStore
	}
	kept := func(want int) {
		t.Helper()
		a := callerOf(t, nil, home, "")
		defer a.Close()
		k, err := a.Keeper(t.Context(), true)
		if err != nil {
			t.Fatal(err)
		}
		if page, err := k.List(t.Context(), piton.Query{}); err != nil || len(page.Checkpoints) != want {
			t.Fatalf("got %d checkpoints and %v, want %d", len(page.Checkpoints), err, want)
		}
	}
	first := save()
	if got := save(); got != first {
		t.Error("the second caller: got another store, want the open one")
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { save() })
	}
	all.Wait()
	kept(22)

	for _, x := range []struct {
		name   string
		change func() error
		want   int
	}{
		{"renewed", func() error { s.Renew(); return nil }, 24},
		{"a lost log", func() error { return os.Remove(path + "-wal") }, 26},
		{"another file", func() error {
			return errors.Join(os.Rename(path, path+".old"), os.Rename(path+"-wal", path+".old-wal"), os.Remove(path+".mark"), os.Remove(path+"-shm"))
		}, 1},
	} {
		was := save()
		if err := x.change(); err != nil {
			t.Fatal(x.name, err)
		}
		if save() == was {
			t.Errorf("%s: got the store of before, want one that was opened anew", x.name)
		}
		if err := was.DB.PingContext(t.Context()); err == nil {
			t.Errorf("%s: the store of before is open after its last user", x.name)
		}
		kept(x.want)
	}
	last := save()
	s.Close()
	if err := last.DB.PingContext(t.Context()); err == nil {
		t.Error("the file is open at the end")
	}
	if save() == last {
		t.Error("after the end: got the store of before, want one of the caller's own")
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

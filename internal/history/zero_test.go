package history_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/store"
)

// TestZeroKeeper calls every verb of a Keeper without a store: none panics, and
// each that returns an error says what is missing.
func TestZeroKeeper(t *testing.T) {
	noEntries := store.Entries(func(func(store.Entry, error) bool) {})
	given := map[reflect.Type]reflect.Value{
		reflect.TypeFor[context.Context](): reflect.ValueOf(t.Context()),
		reflect.TypeFor[store.Entries]():   reflect.ValueOf(noEntries),
	}
	// What says more than a zero value, so that no verb ends before it needs a store.
	drafts := map[string]any{
		"Find": history.Selector{ID: "chk_1"}, "Load": history.Selector{Name: "n", Project: "p"}, "Delete": history.Selector{ID: "chk_1"},
		"Complete": history.Selector{Workflow: "w"}, "Save": history.Draft{SaveRequest: piton.SaveRequest{State: []byte(`{}`)}}, "Fork": history.ForkDraft{ForkRequest: piton.ForkRequest{From: "chk_1"}},
	}
	noStore := map[string]bool{"Prepare": true, "AtWork": true} // AtWork finds nothing
	keeper := reflect.ValueOf(history.Keeper{})
	for i := range keeper.NumMethod() {
		name, method := keeper.Type().Method(i).Name, keeper.Method(i)
		t.Run(name, func(t *testing.T) {
			for _, full := range []bool{true, false} {
				var args []reflect.Value
				for in := range method.Type().Ins() {
					v, ok := given[in]
					if !ok {
						v = reflect.Zero(in)
					}
					if d, ok := drafts[name]; ok && full && in == reflect.TypeOf(d) {
						v = reflect.ValueOf(d)
					}
					args = append(args, v)
				}
				out := method.Call(args)
				err, _ := out[len(out)-1].Interface().(error)
				var e *piton.Error
				if noStore[name] {
					continue
				}
				if !errors.As(err, &e) {
					t.Fatalf("got %v, want a piton.Error", err)
				}
				if (full || drafts[name] == nil) && (e.Code != piton.Internal || !strings.Contains(err.Error(), "Keeper.Store is not set")) {
					t.Errorf("got %s, %v; want internal, and that the store is not set", e.Code, err)
				}
			}
		})
	}
}

// TestCompareWithoutDiff: states that nobody compared are not called the same.
func TestCompareWithoutDiff(t *testing.T) {
	s := open(t)
	s.Diff = nil
	one := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", State: []byte(`{"a":1}`)}})
	two := s.must(history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", State: []byte(`{"a":2}`)}})
	x, err := s.Compare(t.Context(), one.ID, two.ID)
	if piton.CodeOf(err) != piton.Internal || !strings.Contains(err.Error(), "Keeper.Diff is not set") || x.Patch != nil {
		t.Errorf("got the patch %s and %v, want an error that says what is missing", x.Patch, err)
	}
	// A pair needs no differ, and an inspection leaves the changes out.
	if p, err := s.Pair(t.Context(), one.ID, two.ID); err != nil || string(p.FromState) != `{"a":1}` {
		t.Errorf("got %s, %v; want both states", p.FromState, err)
	}
	if x, err := s.Inspect(t.Context(), two.ID); err != nil || x.Changes != nil {
		t.Errorf("got the changes %s, %v; want none", x.Changes, err)
	}
}

// TestKeeperWithoutOptions: a store alone is enough for every verb but Compare.
func TestKeeperWithoutOptions(t *testing.T) {
	s := open(t)
	k := history.Keeper{Store: s.store}
	ctx := t.Context()
	one, err := k.Save(ctx, history.Draft{SaveRequest: piton.SaveRequest{Workflow: "w", State: []byte(`{"a":1}`)}})
	if err != nil {
		t.Fatal(err)
	}
	entries, n, err := k.Export(ctx, piton.Query{}, nil)
	if err != nil || n != 1 {
		t.Fatalf("got %d entries, %v; want one", n, err)
	}
	_, err1 := k.Resume(ctx, history.Selector{Workflow: "w"})
	_, err2 := k.Import(ctx, func(yield func(store.Entry, error) bool) {
		for e, err := range entries {
			yield(e.Get(), err)
		}
	}, history.ImportOptions{})
	_, err3 := k.Prune(ctx, history.PruneOptions{})
	_, err4 := k.Purge(ctx, false, nil)
	_, err5 := k.Verify(ctx, history.VerifyOptions{Repair: true})
	_, err6 := k.Flush(ctx, nil)
	_, err7 := k.Search(ctx, "w", piton.Query{})
	_, err8 := k.Delete(ctx, history.Selector{ID: one.ID}, history.DeleteOptions{})
	if err := errors.Join(err1, err2, err3, err4, err5, err6, err7, err8); err != nil {
		t.Error(err)
	}
}

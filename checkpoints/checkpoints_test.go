package checkpoints_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/checkpoints"
	"github.com/piton-project/piton/internal/testkit/hometest"
)

// examples is where the examples put their stores.
var examples string

func TestMain(m *testing.M) { hometest.Main(m, func(dir string) { examples = dir }) }

func opened(t *testing.T, o checkpoints.Options) *checkpoints.Store {
	t.Helper()
	s, err := checkpoints.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Every store that the options can name does all that a program can ask.
func TestEveryStore(t *testing.T) {
	for _, kind := range []string{"", "sqlite:%s/own.db", "file:%s/files"} {
		t.Run(kind, func(t *testing.T) {
			home := t.TempDir()
			spec := kind
			if kind != "" {
				spec = fmt.Sprintf(kind, home)
			}
			ctx := t.Context()
			s := opened(t, checkpoints.Options{Home: home, Dir: home, Store: spec})
			w := checkpoints.Workflow[map[string]int]{Store: s, Name: "w"}
			for i := range 3 {
				if _, err := w.Save(ctx, fmt.Sprint(i), map[string]int{"i": i}); err != nil {
					t.Fatal(err)
				}
			}
			again := opened(t, checkpoints.Options{Home: home, Dir: home, Store: spec, MustExist: true})
			state, found, err := checkpoints.Workflow[map[string]int]{Store: again, Name: "w"}.Latest(ctx)
			if err != nil || !found || state["i"] != 2 {
				t.Errorf("got %v, %t, %v from a second Store, want the third state", state, found, err)
			}
			if _, err := again.Complete(ctx, checkpoints.Selector{Workflow: "w"}); err != nil {
				t.Error(err)
			}
			r, err := s.Delete(ctx, checkpoints.Selector{Workflow: "w"}, checkpoints.DeleteOptions{})
			if err != nil || r.Deleted != 3 {
				t.Errorf("got %d deleted and %v, want 3", r.Deleted, err)
			}
			if _, found, err := w.Latest(ctx); found || err != nil {
				t.Errorf("got %t and %v after everything was deleted, want nothing found", found, err)
			}
		})
	}
}

// The commands and the library are two doors to one store.
func TestZeroOptionsUseTheUsersStore(t *testing.T) {
	home := t.TempDir()
	t.Setenv("PITON_HOME", home)
	t.Chdir(t.TempDir())
	s := opened(t, checkpoints.Options{})
	if _, err := s.Save(t.Context(), piton.SaveRequest{Workflow: "w"}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(home + "/piton.db"); err != nil {
		t.Error(err)
	}
}

func TestManyGoroutines(t *testing.T) {
	home := t.TempDir()
	s := opened(t, checkpoints.Options{Home: home, Dir: home})
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			w := checkpoints.Workflow[map[string]int]{Store: s, Name: fmt.Sprint("w", n)}
			for i := range 10 {
				if _, err := w.Save(t.Context(), "", map[string]int{"i": i}); err != nil {
					t.Error(err)
				}
				if got, _, err := w.Latest(t.Context()); err != nil || got["i"] != i {
					t.Errorf("workflow %d: got %v and %v, want %d", n, got, err, i)
				}
			}
		})
	}
	all.Wait()
	count := 0
	for _, err := range s.List(t.Context(), checkpoints.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		count++
	}
	if count != 80 {
		t.Errorf("got %d checkpoints, want 80", count)
	}
}

func TestListLimits(t *testing.T) {
	home := t.TempDir()
	s := opened(t, checkpoints.Options{Home: home, Dir: home})
	const saved = 205 // more than a page
	for range saved {
		if _, err := s.Save(t.Context(), piton.SaveRequest{Workflow: "w"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	for limit, want := range map[int]int{0: saved, 1: 1, 200: 200, 201: 201, 300: saved} {
		var got []int64
		for c, err := range s.List(t.Context(), checkpoints.Filter{Limit: limit}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, c.Seq)
		}
		if len(got) != want || got[0] != saved || got[len(got)-1] != int64(saved-want+1) {
			t.Errorf("limit %d: got %d, want the newest %d", limit, len(got), want)
		}
	}
	for range s.List(t.Context(), checkpoints.Filter{}) {
		break // stopping early must not panic
	}
}

// What was not opened says so, and panics nowhere.
func TestNotOpen(t *testing.T) {
	ctx := context.Background()
	for name, s := range map[string]*checkpoints.Store{"nil": nil, "zero": {}} {
		v := reflect.ValueOf(s)
		for i := range v.NumMethod() {
			method := v.Type().Method(i)
			if method.Name == "Close" || method.Name == "Project" || method.Name == "List" {
				continue
			}
			args := []reflect.Value{reflect.ValueOf(ctx)}
			for n := 2; n < method.Type.NumIn(); n++ {
				args = append(args, reflect.Zero(method.Type.In(n)))
			}
			out := v.Method(i).Call(args)
			err, _ := out[len(out)-1].Interface().(error)
			if piton.CodeOf(err) != piton.Invalid {
				t.Errorf("%s.%s: got %v, want Invalid", name, method.Name, err)
			}
		}
		for _, err := range s.List(ctx, checkpoints.Filter{}) {
			if piton.CodeOf(err) != piton.Invalid {
				t.Errorf("%s.List: got %v, want Invalid", name, err)
			}
		}
		if got := s.Project(); got.ID != "" {
			t.Errorf("%s.Project: got %v, want none", name, got)
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s.Close: %v", name, err)
		}
	}
	var w checkpoints.Workflow[map[string]int]
	if _, err := w.Save(ctx, "", nil); piton.CodeOf(err) != piton.Invalid {
		t.Errorf("got %v from a zero Workflow, want Invalid", err)
	}
}

// A run that was completed is not continued by the next one.
func TestLatestAfterComplete(t *testing.T) {
	home := t.TempDir()
	s := opened(t, checkpoints.Options{Home: home, Dir: home})
	nightly := checkpoints.Workflow[map[string]int]{Store: s, Name: "nightly"}
	for night := range 3 {
		state, found, err := nightly.Latest(t.Context())
		if found || err != nil || state != nil {
			t.Fatalf("night %d: got %v, %t, %v, want a beginning", night, state, found, err)
		}
		if _, err := nightly.Save(t.Context(), "", map[string]int{"night": night}); err != nil {
			t.Fatal(err)
		}
		if state, found, err := nightly.Latest(t.Context()); !found || err != nil || state["night"] != night {
			t.Fatalf("night %d: got %v, %t, %v after a crash, want its own state", night, state, found, err)
		}
		if err := nightly.Complete(t.Context()); err != nil {
			t.Fatal(err)
		}
		if state, c, err := nightly.Load(t.Context()); err != nil || !c.Completed || state["night"] != night {
			t.Fatalf("night %d: got %v, %+v, %v, want the completed state from Load", night, state, c, err)
		}
	}
}

// What a program asks for by mistake is refused, in every kind of store.
func TestBadInput(t *testing.T) {
	home := t.TempDir()
	ctx := t.Context()
	for _, spec := range []string{"", "file:" + home + "/files"} {
		s := opened(t, checkpoints.Options{Home: home, Dir: home, Store: spec})
		if _, err := s.Save(ctx, piton.SaveRequest{Workflow: "w"}, nil); err != nil {
			t.Fatal(err)
		}
		list := func(f checkpoints.Filter) error {
			for _, err := range s.List(ctx, f) {
				return err
			}
			return nil
		}
		call := func(_ any, err error) error { return err }
		for name, c := range map[string]struct {
			err  error
			want piton.Code
		}{
			"a negative limit":      {list(checkpoints.Filter{Limit: -1}), piton.Invalid},
			"an unknown trigger":    {list(checkpoints.Filter{Trigger: "bogus"}), piton.Invalid},
			"load nothing":          {call(s.Load(ctx, checkpoints.Selector{})), piton.Invalid},
			"complete nothing":      {call(s.Complete(ctx, checkpoints.Selector{})), piton.Invalid},
			"delete nothing":        {call(s.Delete(ctx, checkpoints.Selector{}, checkpoints.DeleteOptions{})), piton.Invalid},
			"delete a negative age": {call(s.Delete(ctx, checkpoints.Selector{Workflow: "w"}, checkpoints.DeleteOptions{OlderThan: -1})), piton.Invalid},
			"save with a key":       {call(s.Save(ctx, piton.SaveRequest{Workflow: "w", Key: "k"}, nil)), piton.Invalid},
			"save into a project":   {call(s.Save(ctx, piton.SaveRequest{Workflow: "w", InProject: piton.InProject{Project: home}}, nil)), piton.Invalid},
			"fork into a project":   {call(s.Fork(ctx, piton.ForkRequest{From: "chk_0", InProject: piton.InProject{Project: home}}, nil)), piton.Invalid},
			"fork to what is none":  {call(s.Fork(ctx, piton.ForkRequest{From: "chk_0"}, func() {})), piton.Invalid},
			"fork nothing":          {call(s.Fork(ctx, piton.ForkRequest{}, nil)), piton.Invalid},
			"prune by a minus":      {call(s.Prune(ctx, checkpoints.PruneOptions{Policy: &piton.Retention{WarmFor: -1}})), piton.Invalid},
			"prune no such session": {call(s.Prune(ctx, checkpoints.PruneOptions{Session: "nosuch"})), piton.NotFound},
		} {
			if piton.CodeOf(c.err) != c.want {
				t.Errorf("%q, %s: got %v, want %s", spec, name, c.err, c.want)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := s.Save(ctx, piton.SaveRequest{}, nil); piton.CodeOf(err) != piton.Invalid {
			t.Errorf("%q: got %v after Close, want Invalid", spec, err)
		}
	}
}

// A state that no store takes is refused with its true cause and what to do.
func TestUnacceptableStates(t *testing.T) {
	home := t.TempDir()
	s := opened(t, checkpoints.Options{Home: home, Dir: home})
	loop := map[string]any{}
	loop["self"] = loop
	deep := json.RawMessage(strings.Repeat(`{"a":`, 10_001) + "1" + strings.Repeat("}", 10_001))
	for name, c := range map[string]struct {
		state       any
		words, hint string
	}{
		"NaN":                  {map[string]float64{"a": math.NaN()}, "save: NaN: JSON has no such number", "write null, or the number as a string"},
		"Infinity":             {map[string]any{"a": math.Inf(1)}, "save: Inf: JSON has no such number", "write null, or the number as a string"},
		"a value in itself":    {loop, "save: nested too deeply: a value holds itself", "keep the state flatter"},
		"nested too deeply":    {deep, "nested too deeply: more than 10000 levels", "keep the state flatter"},
		"too large":            {map[string]string{"a": strings.Repeat("x", 64<<20)}, "the state has 67108872 bytes, more than the limit of 67108864 (64 MiB)", "keep files and long outputs out of the state"},
		"what nobody encodes":  {map[string]any{"a": func() {}}, "json: unsupported type", "give a value that encoding/json can encode"},
		"JSON that has no NaN": {[]byte(`{"a":NaN}`), "NaN: JSON has no such number (at /a, byte 5)", "write null, or the number as a string"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Save(t.Context(), piton.SaveRequest{Workflow: "w"}, c.state)
			var e *piton.Error
			if !errors.As(err, &e) || e.Code != piton.Invalid || !strings.Contains(err.Error(), c.words) || !strings.HasPrefix(e.Hint, c.hint) {
				t.Errorf("got %.300v, want invalid: %q, %q", err, c.words, c.hint)
			}
		})
	}
}

// Errors speak to a program: they name no flag of the command line.
func TestErrorsNameNoFlags(t *testing.T) {
	home := t.TempDir()
	s := opened(t, checkpoints.Options{Home: home, Dir: home})
	ctx := t.Context()
	first, err := s.Save(ctx, piton.SaveRequest{Workflow: "w"}, map[string]int{"a": 1})
	if err != nil {
		t.Fatal(err)
	}
	var errs []error
	keep := func(_ any, err error) { errs = append(errs, err) }
	keep(s.Save(ctx, piton.SaveRequest{Workflow: "w"}, 3))
	keep(s.Save(ctx, piton.SaveRequest{Workflow: "w"}, func() {}))
	keep(s.Save(ctx, piton.SaveRequest{Workflow: "wf_none"}, nil))
	keep(s.Save(ctx, piton.SaveRequest{Workflow: "w", Parent: "chk_0000000000000000"}, nil))
	keep(s.Save(ctx, piton.SaveRequest{Workflow: "w", Branch: "no/such\x00"}, nil))
	keep(s.Load(ctx, checkpoints.Selector{ID: "chk_zzzz"}))
	keep(s.Load(ctx, checkpoints.Selector{Name: "none"}))
	keep(s.Load(ctx, checkpoints.Selector{Workflow: "none"}))
	keep(s.Load(ctx, checkpoints.Selector{ID: "nope"}))
	keep(s.Diff(ctx, "nope", first.ID))
	keep(s.Fork(ctx, piton.ForkRequest{}, nil))
	keep(s.Fork(ctx, piton.ForkRequest{From: first.ID, Branch: "main"}, nil))
	keep(s.Delete(ctx, checkpoints.Selector{}, checkpoints.DeleteOptions{}))
	keep(s.Complete(ctx, checkpoints.Selector{Workflow: "none"}))
	keep(s.Resume(ctx, checkpoints.Selector{Session: "none"}))
	keep(checkpoints.Open(ctx, checkpoints.Options{Home: home, Store: "nonsense"}))
	for i, err := range errs {
		if err == nil {
			t.Errorf("call %d: got no error", i)
			continue
		}
		e, ok := err.(*piton.Error)
		if !ok {
			t.Errorf("call %d: got %T, want *piton.Error", i, err)
			continue
		}
		if text := e.Error() + " " + e.Hint; strings.Contains(text, "--") {
			t.Errorf("call %d: %q names a flag", i, text)
		}
	}
}

// TestForkWithAState: a branch begins with a state of its own, or with that of the checkpoint.
// All projects are listed and pruned where that is asked for.
func TestForkWithAState(t *testing.T) {
	home, ctx := t.TempDir(), t.Context()
	s := opened(t, checkpoints.Options{Home: home, Dir: t.TempDir()})
	other := opened(t, checkpoints.Options{Home: home, Dir: t.TempDir()})
	first, err := s.Save(ctx, piton.SaveRequest{Workflow: "w"}, map[string]int{"n": 1})
	if err == nil {
		_, err = other.Save(ctx, piton.SaveRequest{Workflow: "v", Session: "mine"}, map[string]int{"n": 9})
	}
	if err != nil {
		t.Fatal(err)
	}
	for branch, c := range map[string]struct {
		state any
		want  string
	}{"with": {map[string]int{"n": 2}, `{"n":2}`}, "without": {nil, `{"n":1}`}} {
		forked, err := s.Fork(ctx, piton.ForkRequest{From: first.ID, Branch: branch}, c.state)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Load(ctx, checkpoints.Selector{ID: forked.ID}); err != nil || string(got.State) != c.want {
			t.Errorf("%s: got %s, %v, want %s", branch, got.State, err, c.want)
		}
	}
	for all, want := range map[bool]int{false: 3, true: 4} {
		n := 0
		for _, err := range s.List(ctx, checkpoints.Filter{AllProjects: all}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != want {
			t.Errorf("all projects %t: got %d checkpoints, want %d", all, n, want)
		}
	}
}

package checkpoints_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/checkpoints"
)

// open opens a store of an example's own. A program passes checkpoints.Options{}
// and shares the store of the commands.
func open() *checkpoints.Store {
	home, err := os.MkdirTemp(examples, "home")
	if err != nil {
		log.Fatal(err)
	}
	s, err := checkpoints.Open(context.Background(), checkpoints.Options{Home: home, Dir: home})
	if err != nil {
		log.Fatal(err)
	}
	return s
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

type Progress struct {
	Done int      `json:"done"`
	Seen []string `json:"seen,omitempty"`
}

// A program that continues where its last run stopped.
func Example() {
	ctx := context.Background()
	s := open()
	defer s.Close()

	run := func(until int) {
		job := checkpoints.Workflow[Progress]{Store: s, Name: "import"}
		state, found, err := job.Latest(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("continue after a crash:", found, "at row", state.Done)
		for state.Done < until {
			state.Done++ // the work of one row
			if _, err := job.Save(ctx, fmt.Sprint("row ", state.Done), state); err != nil {
				log.Fatal(err)
			}
		}
	}
	run(3) // "crashes" after row 3
	run(5)
	// Output:
	// continue after a crash: false at row 0
	// continue after a crash: true at row 3
}

func ExampleOpen() {
	ctx := context.Background()
	home := must(os.MkdirTemp(examples, "home"))
	s, err := checkpoints.Open(ctx, checkpoints.Options{Home: home, Dir: home, MustExist: true})
	fmt.Println(s == nil, piton.CodeOf(err))
	s, err = checkpoints.Open(ctx, checkpoints.Options{Home: home, Dir: home, Store: "file:" + home + "/states"})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	fmt.Println(s != nil)
	// Output:
	// true not_found
	// true
}

func ExampleStore_Save() {
	ctx := context.Background()
	s := open()
	defer s.Close()

	saved, err := s.Save(ctx, piton.SaveRequest{
		Workflow: "release", StepName: "built", Tags: []string{"v2"},
	}, map[string]any{"artifact": "app.tar.gz", "password": "correct-horse-battery-9"},
	)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(saved.Workflow, saved.Seq, saved.StepName, "redacted:", saved.Redacted, saved.Paths)
	// Output: release 1 built redacted: 1 [/state/password]
}

// Two writers of one branch: who comes second is told, and nothing is lost.
func ExampleStore_Save_conflict() {
	ctx := context.Background()
	s := open()
	defer s.Close()

	first := must(s.Save(ctx, piton.SaveRequest{Workflow: "w"}, Progress{Done: 1}))
	must(s.Save(ctx, piton.SaveRequest{Workflow: "w", Parent: first.ID}, Progress{Done: 2}))
	_, err := s.Save(ctx, piton.SaveRequest{Workflow: "w", Parent: first.ID}, Progress{Done: 9})
	fmt.Println(piton.CodeOf(err))
	// Output: conflict
}

func ExampleStore_Load() {
	ctx := context.Background()
	s := open()
	defer s.Close()

	must(s.Save(ctx, piton.SaveRequest{Workflow: "w", Name: "before-refactor"}, Progress{Done: 7}))
	loaded := must(s.Load(ctx, checkpoints.Selector{Name: "before-refactor"}))
	var state Progress
	if err := loaded.Decode(&state); err != nil {
		log.Fatal(err)
	}
	fmt.Println(state.Done, string(loaded.State))

	_, err := s.Load(ctx, checkpoints.Selector{Name: "never-saved"})
	fmt.Println(piton.CodeOf(err))
	// Output:
	// 7 {"done":7}
	// not_found
}

func ExampleStore_List() {
	ctx := context.Background()
	s := open()
	defer s.Close()

	for i := range 3 {
		must(s.Save(ctx, piton.SaveRequest{Workflow: "w", StepName: fmt.Sprint("step ", i+1)}, Progress{Done: i}))
	}
	for c, err := range s.List(ctx, checkpoints.Filter{Workflow: "w", Since: time.Now().Add(-time.Hour)}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(c.Seq, c.StepName)
	}
	// Output:
	// 3 step 3
	// 2 step 2
	// 1 step 1
}

func ExampleStore_Resume() {
	ctx := context.Background()
	s := open()
	defer s.Close()

	must(s.Save(ctx, piton.SaveRequest{Workflow: "port the parser"}, map[string]any{"next": "error messages"}))
	r, err := s.Resume(ctx, checkpoints.Selector{}) // the newest unfinished work of this project
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Workflow, string(r.State))
	// r.Brief is the text to start an agent with.
	// Output: port the parser {"next":"error messages"}
}

func ExampleStore_Diff() {
	ctx := context.Background()
	s := open()
	defer s.Close()

	a := must(s.Save(ctx, piton.SaveRequest{Workflow: "w"}, Progress{Done: 1}))
	b := must(s.Save(ctx, piton.SaveRequest{Workflow: "w"}, Progress{Done: 2}))
	d := must(s.Diff(ctx, a.ID, b.ID))
	fmt.Println(string(d.Patch))
	// Output: [{"value":2,"op":"replace","path":"/done"}]
}

func ExampleStore_Fork() {
	ctx := context.Background()
	s := open()
	defer s.Close()

	good := must(s.Save(ctx, piton.SaveRequest{Workflow: "w"}, Progress{Done: 1}))
	must(s.Save(ctx, piton.SaveRequest{Workflow: "w"}, Progress{Done: 2}))
	try := must(s.Fork(ctx, piton.ForkRequest{From: good.ID, Branch: "try"}, nil))

	other := checkpoints.Workflow[Progress]{Store: s, Name: "w", Branch: "try"}
	state, _, err := other.Load(ctx)
	fmt.Println(try.Branch, try.ParentID == good.ID, state.Done, err)
	// Output: try true 1 <nil>
}

func ExampleStore_Complete() {
	ctx := context.Background()
	s := open()
	defer s.Close()

	must(s.Save(ctx, piton.SaveRequest{Workflow: "w"}, Progress{Done: 1}))
	must(s.Complete(ctx, checkpoints.Selector{Workflow: "w"}))
	unfinished := 0
	for range s.List(ctx, checkpoints.Filter{Open: true}) {
		unfinished++
	}
	fmt.Println("unfinished:", unfinished)
	// Output: unfinished: 0
}

func ExampleStore_Delete() {
	ctx := context.Background()
	s := open()
	defer s.Close()

	a := must(s.Save(ctx, piton.SaveRequest{Workflow: "w"}, Progress{Done: 1}))
	b := must(s.Save(ctx, piton.SaveRequest{Workflow: "w"}, Progress{Done: 2}))
	c := must(s.Save(ctx, piton.SaveRequest{Workflow: "w"}, Progress{Done: 3}))
	must(s.Delete(ctx, checkpoints.Selector{ID: b.ID}, checkpoints.DeleteOptions{}))

	left := must(s.Load(ctx, checkpoints.Selector{ID: c.ID}))
	fmt.Println(left.ParentID == a.ID, string(left.State))

	all := must(s.Delete(ctx, checkpoints.Selector{Workflow: "w"}, checkpoints.DeleteOptions{DryRun: true}))
	fmt.Println("would delete:", all.Deleted)
	// Output:
	// true {"done":3}
	// would delete: 2
}

func ExampleStore_Prune() {
	ctx := context.Background()
	s := open()
	defer s.Close()

	for i := range 5 {
		must(s.Save(ctx, piton.SaveRequest{Workflow: "w"}, Progress{Done: i}))
	}
	r := must(s.Prune(ctx, checkpoints.PruneOptions{Policy: &piton.Retention{Warm: 2}, DryRun: true}))
	fmt.Println("would archive", r.Archived, "of", len(r.Rows))
	// Output: would archive 2 of 5
}

func ExampleWorkflow_Latest() {
	ctx := context.Background()
	s := open()
	defer s.Close()

	job := checkpoints.Workflow[Progress]{Store: s, Name: "crawl"}
	_, found, err := job.Latest(ctx)
	fmt.Println(found, err)

	must(job.Save(ctx, "first page", Progress{Done: 1, Seen: []string{"/"}}))
	state, found, err := job.Latest(ctx)
	fmt.Println(state.Seen, found, err)
	// Output:
	// false <nil>
	// [/] true <nil>
}

// A program that is not alone names what it continues from: the second of two that
// continue from the same checkpoint is refused.
func ExampleWorkflow_SaveAfter() {
	ctx := context.Background()
	s := open()
	defer s.Close()

	job := checkpoints.Workflow[Progress]{Store: s, Name: "shared crawl"}
	first := must(job.Save(ctx, "first page", Progress{Done: 1}))
	second, err := job.SaveAfter(ctx, first.ID, "second page", Progress{Done: 2})
	fmt.Println(second.ParentID == first.ID, err)

	_, err = job.SaveAfter(ctx, first.ID, "another second page", Progress{Done: 2})
	fmt.Println(piton.CodeOf(err) == piton.Conflict)
	_, err = job.SaveAfter(ctx, "", "no parent", Progress{})
	fmt.Println(piton.CodeOf(err) == piton.Invalid)
	// Output:
	// true <nil>
	// true
	// true
}

// A state that is JSON already is saved as it is.
func ExampleLoaded_Decode() {
	ctx := context.Background()
	s := open()
	defer s.Close()

	saved := must(s.Save(ctx, piton.SaveRequest{}, json.RawMessage(`{"done": 4, "seen": ["a", "b"]}`)))
	loaded := must(s.Load(ctx, checkpoints.Selector{ID: saved.ID}))
	var state Progress
	fmt.Println(loaded.Decode(&state), state.Done, state.Seen)
	// Output: <nil> 4 [a b]
}

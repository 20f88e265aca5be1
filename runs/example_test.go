package runs_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/piton-project/piton/checkpoints"
	"github.com/piton-project/piton/runs"
)

type Company struct{ Name string }

// A program with two functions whose plan survives a crash: the second step fails,
// and when the program is started again, the first one does not run again.
func Example() {
	ctx := context.Background()
	up := false // whether the service answers
	identify := func(context.Context, struct{ Market string }) ([]Company, error) {
		fmt.Println("identify runs")
		return []Company{{"CompanyA"}, {"CompanyB"}}, nil
	}
	revenue := func(_ context.Context, p struct{ Of []Company }) (map[string]int, error) {
		if !up {
			return nil, errors.New("API timeout")
		}
		return map[string]int{p.Of[0].Name: 120, p.Of[1].Name: 80}, nil
	}
	plan := runs.Plan{Name: "research", Steps: []runs.Step{
		{ID: "identify", Action: "identify", Parameters: map[string]string{"market": "tools"}},
		{ID: "revenue", Action: "revenue", Parameters: map[string]string{"of": "${{ steps.identify.output }}"}, After: []string{"identify"}},
	}}
	program := func() {
		s, err := runs.Open(ctx, checkpoints.Options{Home: home, Dir: home}, runs.Actions{
			"identify": runs.Func(runs.Pure, identify), "revenue": runs.Func(runs.Idempotent, revenue),
		})
		if err != nil {
			log.Fatal(err)
		}
		defer s.Close()
		out, err := s.Resume(ctx, plan, runs.Options{})
		if err != nil {
			log.Fatal(err)
		}
		figures, _ := runs.Output[map[string]int](out, "revenue")
		fmt.Println(out.Status, figures)
	}
	program()
	up = true
	program()
	// Output:
	// identify runs
	// failed map[]
	// completed map[CompanyA:120 CompanyB:80]
}

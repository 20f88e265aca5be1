package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/kind"
	"github.com/piton-project/piton/internal/store/postgres"
	"github.com/piton-project/piton/internal/testkit/filltest"
	"github.com/piton-project/piton/internal/testkit/pgtest"
)

// largePostgres measures searches in a PostgreSQL on this machine that holds many
// checkpoints, beside one that is all but empty; and the first, which fills the index.
func (l lab) largePostgres(ctx context.Context) (rows []row, err error) {
	var shops [2]*shop
	for i, size := range []filltest.Size{
		{Checkpoints: l.large, Workflows: l.large / perWorkflow, Over: 40 * 24 * time.Hour},
		{Checkpoints: perWorkflow, Workflows: 1, Over: 24 * time.Hour},
	} {
		server, err := pgtest.Start("")
		if err != nil {
			return nil, err
		}
		defer server.Close()
		st, err := postgres.Open(ctx, server.DSN("postgres"), postgres.Options{})
		if err != nil {
			return nil, err
		}
		defer st.Close()
		size.Now = time.Now()
		if err := filltest.Fill(ctx, st, nil, size); err != nil {
			return nil, err
		}
		shops[i] = &shop{Keeper: history.Keeper{Store: st, Validate: kind.Validate}, st: st, last: size.Workflows - 1, size: fmt.Sprintf(" on PostgreSQL, %d checkpoints", size.Checkpoints)}
	}
	var first [2]time.Duration
	for i, s := range shops {
		begin := time.Now()
		if _, err := s.Search(ctx, "parser", piton.Query{Limit: 20}); err != nil {
			return nil, err
		}
		first[i] = time.Since(begin)
	}
	fmt.Fprintf(os.Stderr, "first search: %.1f s\n", first[0].Seconds())
	if rows, err = l.eachVerb(ctx, shops[0], shops[1], searches); err != nil {
		return nil, err
	}
	return append(rows, row{what: "first search" + shops[0].size, figure: first[0].Seconds(), unit: "s"}), nil
}

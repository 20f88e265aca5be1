package main

import (
	"context"
	"errors"

	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/postgres"
)

// errNotBuilt leaves a side out of the comparison.
var errNotBuilt = errors.New("not in this build yet")

// openPostgres opens Piton's store in a PostgreSQL database, and how to close
// it. errNotBuilt: this program has none.
func openPostgres(ctx context.Context, dsn string) (store.Checkpoints, func(), error) {
	st, err := postgres.Open(ctx, dsn, postgres.Options{})
	if err != nil {
		return nil, nil, err
	}
	return st, func() { st.Close() }, nil
}

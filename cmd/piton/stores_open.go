package main

import (
	"context"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/sqlstore"
)

func postgresStore(ctx context.Context, dsn string) (*sqlstore.Store, error) {
	return nil, piton.Errorf(piton.Internal, "open the store", "", "not in this build yet")
}

func fileStore(dir string) (piton.Checkpoints, error) {
	return nil, piton.Errorf(piton.Internal, "open the store", "", "not in this build yet")
}

func (a *app) archive() (piton.Archive, error) { return nil, nil }

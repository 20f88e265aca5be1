package postgres

import (
	"context"
	"database/sql"
)

func check(ctx context.Context, db *sql.DB) ([]string, error) { return nil, nil }

func reclaim(ctx context.Context, db *sql.DB, progress func(done, total int64)) (int64, error) {
	return 0, nil
}

package postgres

import (
	"context"
	"database/sql"
)

// reclaim vacuums our tables, the plain way, which keeps no saver waiting: what
// was deleted becomes room for what comes, and free pages at a table's end go
// back to the file system. VACUUM FULL would return more and lock everybody
// out for as long as it takes; it is for the server's own people. Progress
// counts bytes of tables.
func reclaim(ctx context.Context, db *sql.DB, progress func(done, total int64)) (int64, error) {
	const op = "give space back"
	names, err := lines(ctx, db, `SELECT DISTINCT t.oid::regclass::text FROM pg_index i `+ours+` ORDER BY 1`)
	if err != nil {
		return 0, dbError(op, err)
	}
	sizes := make([]int64, len(names))
	var total, done, freed int64
	for i, name := range names {
		if sizes[i], err = size(ctx, db, name); err != nil {
			return 0, dbError(op, err)
		}
		total += sizes[i]
	}
	for i, name := range names {
		// The name comes quoted from the server.
		if _, err := db.ExecContext(ctx, `VACUUM `+name); err != nil {
			return freed, dbError(op, err)
		}
		now, err := size(ctx, db, name)
		if err != nil {
			return freed, dbError(op, err)
		}
		// Others may have saved meanwhile.
		freed += max(sizes[i]-now, 0)
		done += sizes[i]
		if progress != nil {
			progress(done, total)
		}
	}
	return freed, nil
}

// size is what a table takes on the disk, with its indexes and long values.
func size(ctx context.Context, db *sql.DB, table string) (n int64, err error) {
	err = db.QueryRowContext(ctx, `SELECT pg_total_relation_size($1::text::regclass)`, table).Scan(&n)
	return n, err
}

// scrub writes our tables anew without what was deleted or overwritten. Savers
// and readers wait for each table.
func scrub(ctx context.Context, db *sql.DB) ([]string, error) {
	names, err := lines(ctx, db, `SELECT DISTINCT t.oid::regclass::text FROM pg_index i `+ours+` ORDER BY 1`)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if _, err := db.ExecContext(ctx, `VACUUM FULL `+name); err != nil {
			return nil, err
		}
	}
	return []string{"the server's write-ahead log until it is recycled, its log files, replicas and backups"}, nil
}

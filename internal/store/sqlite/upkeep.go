package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// maxFaults bounds how many faults of the file are listed.
const maxFaults = 100

// check asks SQLite what is wrong with the file.
func check(ctx context.Context, db *sql.DB) ([]string, error) {
	rows, err := db.QueryContext(ctx, fmt.Sprintf(`PRAGMA integrity_check(%d)`, maxFaults))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return found, err
		}
		if line != "ok" {
			found = append(found, line)
		}
	}
	return found, rows.Err()
}

// A step of reclaiming takes between these times where it can; other savers
// wait for one step at most.
const (
	stepShort = 10 * time.Millisecond
	stepLong  = 40 * time.Millisecond
)

// reclaim moves free pages to the end of the file and cuts them off, some at a
// time, each time in line with the other writers.
func reclaim(ctx context.Context, db *sql.DB, queue func() (func(), error), progress func(done, total int64)) (int64, error) {
	if err := incremental(ctx, db, queue); err != nil {
		return 0, err
	}
	var total, pageSize int64
	if err := db.QueryRowContext(ctx, `PRAGMA freelist_count`).Scan(&total); err != nil {
		return 0, err
	}
	if err := db.QueryRowContext(ctx, `PRAGMA page_size`).Scan(&pageSize); err != nil {
		return 0, err
	}
	var done int64
	for pages := int64(64); done < total; {
		start := time.Now()
		left, err := step(ctx, db, queue, pages)
		if err != nil {
			return done * pageSize, err
		}
		took := time.Since(start)
		if total-left <= done {
			break // nothing moved: others have used what was free
		}
		done = total - left
		progress(done*pageSize, total*pageSize)
		switch {
		case took > stepLong:
			pages = max(pages/2, 1)
		case took < stepShort:
			pages *= 2
		}
	}
	// The file itself shrinks when the log is written back to it.
	if done > 0 {
		if _, err := db.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
			return done * pageSize, err
		}
	}
	return done * pageSize, nil
}

// incremental makes a file able to give pages back. All are made so; but a
// power cut while the file was made can have left one that is not.
func incremental(ctx context.Context, db *sql.DB, queue func() (func(), error)) error {
	const mode = 2
	var is int
	if err := db.QueryRowContext(ctx, `PRAGMA auto_vacuum`).Scan(&is); err != nil || is == mode {
		return err
	}
	leave, err := queue()
	if err != nil {
		return err
	}
	defer leave()
	c, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	for _, q := range []string{fmt.Sprintf(`PRAGMA auto_vacuum = %d`, mode), `VACUUM`} {
		if _, err := c.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

// step gives up to that many pages back and returns how many are still free.
func step(ctx context.Context, db *sql.DB, queue func() (func(), error), pages int64) (left int64, err error) {
	leave, err := queue()
	if err != nil {
		return 0, err
	}
	defer leave()
	rows, err := db.QueryContext(ctx, fmt.Sprintf(`PRAGMA incremental_vacuum(%d)`, pages))
	if err != nil {
		return 0, err
	}
	for rows.Next() { // each row is a page
	}
	if err := rows.Err(); err != nil {
		return 0, err
	}
	if err := rows.Close(); err != nil {
		return 0, err
	}
	err = db.QueryRowContext(ctx, `PRAGMA freelist_count`).Scan(&left)
	return left, err
}

// scrub writes the whole file anew without what was deleted or overwritten,
// and empties the log. Savers wait for it.
func scrub(ctx context.Context, db *sql.DB, queue func() (func(), error)) ([]string, error) {
	leave, err := queue()
	if err != nil {
		return nil, err
	}
	defer leave()
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	for _, q := range []string{`PRAGMA secure_delete = on`, `VACUUM`} {
		if _, err := c.ExecContext(ctx, q); err != nil {
			return nil, err
		}
	}
	var busy, log, done int
	if err := c.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &log, &done); err != nil {
		return nil, err
	}
	beyond := []string{"copies and backups of the file, and blocks that the file system has set free"}
	if busy != 0 {
		beyond = append(beyond, "the log beside the file (-wal), which another process is reading: run it again when no agent is at work")
	}
	return beyond, nil
}

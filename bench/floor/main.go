// Command floor opens a database as Piton does, commits one row and ends: the
// floor under everything a hook does.
package main

import (
	"database/sql"
	"fmt"
	"os"
	"strings"

	_ "github.com/ncruces/go-sqlite3/driver"
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 || strings.HasPrefix(os.Args[1], "-") {
		fmt.Fprintln(os.Stderr, "usage: floor FILE [new]")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(path string) error {
	db, err := sql.Open("sqlite3", "file:"+path+"?_txlock=immediate&_pragma=busy_timeout(2000)&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=fullfsync(1)&_pragma=foreign_keys(1)")
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if len(os.Args) > 2 {
		if _, err := tx.Exec(`CREATE TABLE rows (id INTEGER PRIMARY KEY, at INTEGER, text TEXT)`); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(`INSERT INTO rows (at, text) VALUES (?, ?)`, 1, "one row"); err != nil {
		return err
	}
	return tx.Commit()
}

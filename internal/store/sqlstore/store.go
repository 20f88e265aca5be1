// Package sqlstore holds Piton's stores in SQL: one text for every database, but for
// what asks several questions at once of one that is reached over a network
// (Dialect.Pipelined). The packages sqlite and postgres open a database and hand it in
// with its dialect.
package sqlstore

import (
	"database/sql"

	"github.com/piton-project/piton/internal/store"
)

// Store keeps checkpoints and everything that belongs to this machine.
type Store struct {
	reader
	DB     *sql.DB
	D      Dialect
	recent recent
}

var _ store.Checkpoints = (*Store)(nil)

// New returns the store in a database that Migrate has prepared.
func New(db *sql.DB, d Dialect) *Store {
	s := &Store{reader: reader{q: db, d: &d}, DB: db, D: d}
	if d.Pipelined {
		s.reader.seen = &seen{}
	}
	return s
}

// Close closes the database.
func (s *Store) Close() error { return s.DB.Close() }

// Upkeep is the store itself.
func (s *Store) Upkeep() store.Upkeep { return s }

// Local is the store as that of this machine.
func (s *Store) Local() *store.Local {
	return &store.Local{ProjectStore: s, SessionStore: s, LetterStore: s, EventStore: s, Updater: s, Checkpoints: s}
}

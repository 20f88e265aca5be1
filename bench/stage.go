package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/kind"
	"github.com/piton-project/piton/internal/states"
	"github.com/piton-project/piton/internal/store/sqlstore"
)

// The sides of the comparison, as the table names them.
const (
	pitonSQLite   = "Piton, SQLite"
	pitonPostgres = "Piton, PostgreSQL"
	saverNormal   = "SqliteSaver as shipped"
	saverFull     = "SqliteSaver, FULL"
	saverPostgres = "PostgresSaver"
	peerTask      = "mend the importer and prove it"
	listed        = 10
	peerWarmUp    = 3
)

// pairs are the lines of each measure.
var pairs = [][2]string{{pitonSQLite, saverNormal}, {pitonSQLite, saverFull}, {pitonPostgres, saverPostgres}}

// stage is a measure's own databases, so that none is measured in the other's.
type stage struct {
	lab     lab
	name    string
	node    *node
	pgurl   string // empty: without PostgreSQL
	order   []string
	sides   map[string]side
	encoded map[string][]time.Duration
	where   map[string]string // a folder, or a database's address
}

// stage opens every side anew.
func (l lab) stage(ctx context.Context, n *node, pgurl, name string) (*stage, error) {
	s := &stage{lab: l, name: name, node: n, pgurl: pgurl, sides: map[string]side{}, encoded: map[string][]time.Duration{}, where: map[string]string{}}
	for i, x := range []struct {
		name string
		open func(context.Context, string, string) (side, string, error)
	}{
		{pitonSQLite, s.openSQLite}, {saverNormal, s.openSaver}, {saverFull, s.openSaver}, {pitonPostgres, s.openPostgres}, {saverPostgres, s.openSaver},
	} {
		base := fmt.Sprintf("piton_bench_%s_%d", name, i)
		where := filepath.Join(l.dir, base)
		if x.name == pitonPostgres || x.name == saverPostgres {
			if pgurl == "" {
				continue
			}
			var err error
			if where, err = s.database(base); err != nil {
				return nil, err
			}
		} else if err := os.Mkdir(where, 0o700); err != nil {
			return nil, err
		}
		opened, settings, err := x.open(ctx, x.name, where)
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", x.name, err)
		}
		s.sides[x.name], s.where[x.name], s.order = opened, where, append(s.order, x.name)
		if name == "put" { // the settings are the same every time
			fmt.Printf("%s: %s\n", x.name, settings)
		}
	}
	return s, nil
}

func (s *stage) openSQLite(ctx context.Context, name, dir string) (side, string, error) {
	k, end, err := keeper(ctx, filepath.Join(dir, "piton.db"))
	if err != nil {
		return nil, "", err
	}
	var journal string
	var synchronous int
	st := k.Store.(*sqlstore.Store)
	err = errors.Join(st.DB.QueryRowContext(ctx, `PRAGMA journal_mode`).Scan(&journal), st.DB.QueryRowContext(ctx, `PRAGMA synchronous`).Scan(&synchronous))
	if err == nil && synchronous > 3 {
		err = fmt.Errorf("PRAGMA synchronous is %d", synchronous)
	}
	if err != nil {
		return nil, "", errors.Join(err, end())
	}
	return s.ours(name, k, end), fmt.Sprintf("journal_mode %s, synchronous %s", journal, [...]string{"OFF", "NORMAL", "FULL", "EXTRA"}[synchronous]), nil
}

func (s *stage) openPostgres(ctx context.Context, name, dsn string) (side, string, error) {
	st, end, err := openPostgres(ctx, dsn)
	if err != nil {
		return nil, "", err
	}
	a, err := s.node.ask(request{Op: "settings", Where: dsn})
	return s.ours(name, history.Keeper{Store: st, Validate: kind.Validate, Recent: &states.Recent{}}, func() error { end(); return nil }), a.Settings, err
}

func (s *stage) ours(name string, k history.Keeper, end func() error) ours {
	return ours{k: k, end: end, threads: map[string]*threadState{}, encoded: func(d time.Duration) { s.encoded[name] = append(s.encoded[name], d) }}
}

func (s *stage) openSaver(_ context.Context, name, where string) (side, string, error) {
	r := request{Op: "open", Saver: name, Kind: "postgres", Where: where}
	if name != saverPostgres {
		r.Kind, r.Where = "sqlite", filepath.Join(where, "saver.db")
	}
	if name == saverFull {
		r.Sync = "FULL"
	}
	a, err := s.node.ask(r)
	return theirs{s.node, name}, a.Settings, err
}

// database makes a database of this name and returns its address. One that an
// earlier run left behind is dropped.
func (s *stage) database(name string) (string, error) {
	if err := s.drop(name); err != nil {
		return "", err
	}
	if _, err := s.node.ask(request{Op: "createdb", Where: s.pgurl, Name: name}); err != nil {
		return "", err
	}
	u, err := url.Parse(s.pgurl)
	if err != nil {
		return "", fmt.Errorf("PGURL: %w", err)
	}
	u.Path = "/" + name
	return u.String(), nil
}

func (s *stage) drop(name string) error {
	_, err := s.node.ask(request{Op: "dropdb", Where: s.pgurl, Name: name})
	return err
}

// round calls fn for every side, each time beginning with another one.
func (s *stage) round(i int, fn func(name string, x side) error) error {
	for j := range s.order {
		name := s.order[(i+j)%len(s.order)]
		if err := fn(name, s.sides[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// bytes closes every side and returns what each takes on disk: of a file
// everything in its folder, of a database its tables and indexes.
func (s *stage) bytes() (map[string]int64, error) {
	sizes := map[string]int64{}
	err := s.close()
	for name, where := range s.where {
		var size int64
		if name == pitonPostgres || name == saverPostgres {
			a, err := s.node.ask(request{Op: "dbsize", Where: where})
			if err != nil {
				return nil, err
			}
			size = a.Bytes
		} else if size, err = onDisk(where); err != nil {
			return nil, err
		}
		sizes[name] = size
	}
	return sizes, err
}

// close closes every side that is open.
func (s *stage) close() error {
	var errs []error
	for _, x := range s.sides {
		errs = append(errs, x.close())
	}
	clear(s.sides)
	return errors.Join(errs...)
}

// remove closes what is open and frees the room it takes.
func (s *stage) remove() error {
	errs := []error{s.close()}
	for name, where := range s.where {
		if name != pitonPostgres && name != saverPostgres {
			errs = append(errs, os.RemoveAll(where))
			continue
		}
		u, err := url.Parse(where)
		if err == nil {
			err = s.drop(strings.TrimPrefix(u.Path, "/"))
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

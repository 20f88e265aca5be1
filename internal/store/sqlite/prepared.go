package sqlite

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
)

// openDB opens a data source whose connections keep their statements prepared:
// database/sql parses a query at each use, which for a lookup by key is more
// than half of its time.
func openDB(source string, init func(*sqlite3.Conn) error) (*sql.DB, error) {
	inner, err := (&driver.SQLite{}).OpenConnector(source)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector{inner, init}), nil
}

type connector struct {
	sqldriver.Connector
	init func(*sqlite3.Conn) error // nil: nothing
}

func (n connector) Connect(ctx context.Context) (sqldriver.Conn, error) {
	c, err := n.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	inner := c.(driver.Conn)
	if err := passive(inner.Raw()); err != nil {
		inner.Close()
		return nil, err
	}
	if n.init != nil {
		if err := n.init(inner.Raw()); err != nil {
			inner.Close()
			return nil, err
		}
	}
	return &conn{Conn: inner, idle: map[string]*statement{}}, nil
}

// passive keeps what stands in the file's schema from acting by itself: Piton
// makes no triggers and no views, so one that is there is somebody else's.
func passive(c *sqlite3.Conn) error {
	for _, what := range []sqlite3.DBConfig{sqlite3.DBCONFIG_ENABLE_TRIGGER, sqlite3.DBCONFIG_ENABLE_VIEW, sqlite3.DBCONFIG_TRUSTED_SCHEMA} {
		if _, err := c.Config(what, false); err != nil {
			return err
		}
	}
	return nil
}

// Package pgtest gives tests a PostgreSQL of their own: one private cluster
// per process, on a Unix socket, with fsync on, and a database for each test.
// Tests only.
//
// A cluster is watched by a shell that waits for our end of a pipe. However
// this process ends, killed too, the pipe closes, and the shell ends the server
// it started and takes the folder away.
package pgtest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/piton-project/piton/internal/testkit/line"
	"github.com/piton-project/piton/internal/testkit/need"
)

// shared is the process's cluster, started when the first test asks for it.
var shared struct {
	sync.Mutex
	cluster *Cluster
	err     error
	made    int
}

// DSN returns the address of an empty database of the test's own, which is
// dropped when the test ends. Without PostgreSQL's programs the test is
// skipped (see need).
func DSN(t testing.TB) string {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.cluster == nil && shared.err == nil {
		Bin(t)
		shared.cluster, shared.err = Start("")
	}
	if shared.err != nil {
		t.Fatalf("start PostgreSQL: %v", shared.err)
	}
	shared.made++
	name, c := fmt.Sprintf("test%d", shared.made), shared.cluster
	c.exec(t, "CREATE DATABASE "+name)
	t.Cleanup(func() { c.exec(t, "DROP DATABASE "+name+" WITH (FORCE)") })
	return c.DSN(name)
}

// Count is a line to a database that only counts; it ends with the test.
func Count(t testing.TB, dsn string) *line.Line {
	t.Helper()
	l, err := line.New(dsn, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// Own starts a cluster of the test's own, for tests that stop or damage it.
func Own(t testing.TB) *Cluster {
	t.Helper()
	Bin(t)
	c, err := Start("")
	if err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// Database makes an empty database in a cluster of the test's own and returns
// its address.
func (c *Cluster) Database(t testing.TB) string {
	t.Helper()
	c.made++
	name := fmt.Sprintf("own%d", c.made)
	c.exec(t, "CREATE DATABASE "+name)
	return c.DSN(name)
}

// Bin returns the folder of PostgreSQL's programs, or skips the test.
func Bin(t testing.TB) string {
	t.Helper()
	bin, err := binaries()
	if err != nil {
		need.Missing(t, err.Error())
	}
	return bin
}

// exec runs a command in the cluster's own database.
func (c *Cluster) exec(t testing.TB, command string) {
	t.Helper()
	// The test's own context has ended when it cleans up.
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.DSN("postgres"))
	if err != nil {
		t.Errorf("%s: %v", command, err)
		return
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, command); err != nil {
		t.Errorf("%s: %v", command, err)
	}
}

package pgtest_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/piton-project/piton/internal/testkit/pgtest"
)

// childEnv makes the test's own binary start a cluster and wait for its death.
const childEnv = "PITON_PGTEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) == "" {
		os.Exit(m.Run())
	}
	c, err := pgtest.Start("")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(c.Dir)
	io.Copy(io.Discard, os.Stdin)
	os.Exit(1) // as a failing test, without closing anything
}

func ask(t *testing.T, dsn, question string) (answer string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if err := conn.QueryRow(t.Context(), question).Scan(&answer); err != nil {
		t.Fatalf("%s: %v", question, err)
	}
	return answer
}

func TestEachTestHasItsOwnDatabase(t *testing.T) {
	a, b := pgtest.DSN(t), pgtest.DSN(t)
	if a == b {
		t.Fatalf("got %s twice, want two databases", a)
	}
	for setting, want := range map[string]string{"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "listen_addresses": "", "data_checksums": "on", "server_encoding": "UTF8"} {
		if got := ask(t, a, "SHOW "+setting); got != want {
			t.Errorf("%s: got %q, want %q", setting, got, want)
		}
	}
}

func TestAClusterComesBackWithWhatItHeld(t *testing.T) {
	c := pgtest.Own(t)
	dsn := c.DSN("postgres")
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "CREATE TABLE kept AS SELECT 'here'::text AS word"); err != nil {
		t.Fatal(err)
	}
	c.Stop()
	if _, err := pgx.Connect(t.Context(), dsn); err == nil {
		t.Error("connect to a stopped server: got no error")
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, dsn, "SELECT word FROM kept"); got != "here" {
		t.Errorf("got %q, want here", got)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(c.Dir); !os.IsNotExist(err) {
		t.Errorf("the folder after the end: got %v, want none", err)
	}
}

// TestNothingIsLeftOfAKilledTest kills a process that holds a cluster; the
// server and its folder go with it.
func TestNothingIsLeftOfAKilledTest(t *testing.T) {
	pgtest.Bin(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childEnv+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatalf("the child said nothing: %v", lines.Err())
	}
	dir := lines.Text()
	pid, err := os.ReadFile(dir + "/data/postmaster.pid")
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	// The folder's end is the last thing that happens.
	look, limit := time.Tick(10*time.Millisecond), time.After(30*time.Second)
	for {
		select {
		case <-look:
			if _, err := os.Stat(dir); os.IsNotExist(err) {
				return
			}
		case <-limit:
			t.Fatalf("%s is still there (server %.8s)", dir, pid)
		}
	}
}

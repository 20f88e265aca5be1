package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/piton-project/piton/internal/store/postgres"
	"github.com/piton-project/piton/internal/testkit/pgtest"
)

func init() { fullServer = fillsServer }

// TestFullServer is TestFullDisk on a server whose tables lie on a small disk. Its log
// lies elsewhere: without room for that a server ends.
func TestFullServer(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("root alone gives a server of another user a file system of its own")
	}
	pgtest.Bin(t)
	text, err := json.Marshal(job{FullServer: true})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || strings.Contains(string(out), errNoMount) {
		t.Skipf("no mount name space of a test's own (%v %s)", err, out)
	}
	if err != nil {
		t.Fatalf("the child: got %v\n%s", err, out)
	}
	t.Logf("%s", out)
}

func fillsServer(ctx context.Context) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("%s: %w", errNoMount, err)
	}
	c, err := pgtest.Start("")
	if err != nil {
		return err
	}
	defer c.Close()
	info, err := os.Stat(c.Dir)
	if err != nil {
		return err
	}
	owner := info.Sys().(*syscall.Stat_t)
	for i, soon := range []bool{true, false} {
		at := filepath.Join(c.Dir, fmt.Sprint("small", i))
		if err := os.Mkdir(at, 0o700); err != nil {
			return err
		}
		if err := syscall.Mount("tmpfs", at, "tmpfs", 0, fmt.Sprintf("size=60m,uid=%d,gid=%d,mode=700", owner.Uid, owner.Gid)); err != nil {
			return fmt.Errorf("%s: %w", errNoMount, err)
		}
		err := fullTables(ctx, c, at, fmt.Sprint("small", i), soon)
		c.Stop()
		if errUnmount := syscall.Unmount(at, syscall.MNT_DETACH); err == nil {
			err = errUnmount
		}
		if err != nil {
			return fmt.Errorf("room soon %v: %w", soon, err)
		}
		if soon {
			if err := c.Start(); err != nil {
				return err
			}
		}
	}
	return nil
}

// fullTables works on a run whose tables lie in a folder.
func fullTables(ctx context.Context, c *pgtest.Cluster, dir, name string, soon bool) error {
	db, err := pgx.Connect(ctx, c.DSN("postgres"))
	if err != nil {
		return err
	}
	defer db.Close(ctx)
	for _, query := range []string{`CREATE TABLESPACE ` + name + ` LOCATION '` + dir + `'`, `CREATE DATABASE ` + name + ` TABLESPACE ` + name} {
		if _, err := db.Exec(ctx, query); err != nil {
			return err
		}
	}
	s, err := postgres.Open(ctx, c.DSN(name), postgres.Options{Connect: time.Minute})
	if err != nil {
		return err
	}
	defer s.Close()
	return fullRun(ctx, s, dir, 300<<10, soon)
}

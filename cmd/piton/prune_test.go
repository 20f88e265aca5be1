package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/piton-project/piton/internal/cli"
	"github.com/piton-project/piton/internal/history"
)

// countdown is a context that ends when its error has been asked for so often:
// a Ctrl-C at one place after the other.
type countdown struct {
	context.Context
	end  context.CancelFunc
	left atomic.Int32
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		c.end()
	}
	return c.Context.Err()
}

// Ctrl-C in a prune: status 130, and the answer says what was done.
func TestPruneInterrupted(t *testing.T) {
	seen := map[string]int{}
	caller := func(home string) func(ctx context.Context, args ...string) (status int, out, errOut string) {
		env := func(name string) string { return map[string]string{"PITON_HOME": home, "HOME": home}[name] }
		return func(ctx context.Context, args ...string) (status int, out, errOut string) {
			var o, e bytes.Buffer
			status = run(ctx, args, strings.NewReader(""), &o, &e, env)
			return status, o.String(), e.String()
		}
	}
	full := t.TempDir()
	fill(t, full, caller(full))
	for at := int32(1); at < 200 && seen["after all"] == 0; at++ {
		home := t.TempDir()
		if err := os.CopyFS(home, os.DirFS(full)); err != nil {
			t.Fatal(err)
		}
		piton := caller(home)
		inner, cancel := context.WithCancel(t.Context())
		ctx := &countdown{Context: inner, end: cancel}
		ctx.left.Store(at)
		status, out, errOut := piton(ctx, "prune", "--json")
		cancel()
		if status == 0 {
			seen["after all"]++
			continue
		}
		if status != cli.Interrupted || !strings.Contains(errOut, `"message":"interrupted"`) {
			t.Fatalf("at %d: got %d, %q, want status 130 and interrupted", at, status, errOut)
		}
		if out == "" {
			seen["before"]++
			continue
		}
		var p history.Pruning
		if err := json.Unmarshal([]byte(out), &p); err != nil {
			t.Fatalf("at %d: got %q: %v", at, out, err)
		}
		_, out, _ = piton(t.Context(), "list", "--json", "--limit", "100")
		var list struct {
			Checkpoints []struct{ ID, Archive string } `json:"checkpoints"`
		}
		if err := json.Unmarshal([]byte(out), &list); err != nil {
			t.Fatal(err)
		}
		cold := 0
		for _, c := range list.Checkpoints {
			if c.Archive != "" {
				cold++
			}
		}
		if p.Stopped != history.StoppedInterrupted || p.Archived != cold || p.Deleted != 30-len(list.Checkpoints) || p.Archived+p.Deleted+p.Left != 20 {
			t.Errorf("at %d: got %d archived, %d deleted, %d left, %q; there are %d, %d of them in the archive", at, p.Archived, p.Deleted, p.Left, p.Stopped, len(list.Checkpoints), cold)
		}
		if p.Archived > 0 && p.Left > 0 {
			seen["in between"]++
		}
	}
	if seen["before"] == 0 || seen["in between"] == 0 {
		t.Errorf("got %v, want it interrupted before and in between", seen)
	}
}

// fill saves 30 checkpoints: 10 of them to be archived, 10 to be deleted.
func fill(t *testing.T, home string, piton func(context.Context, ...string) (int, string, string)) {
	t.Helper()
	for i := range 30 {
		if status, _, errOut := piton(t.Context(), "save", "--project", home, "--workflow", fmt.Sprintf("w%d", i%3), "--step-name", "s"); status != 0 {
			t.Fatal(errOut)
		}
	}
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(home, "piton.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for seq, days := range map[string]int{"seq <= 3 OR seq = 4 AND workflow_id = (SELECT MIN(id) FROM workflows)": 40, "seq BETWEEN 5 AND 7 OR seq = 8 AND workflow_id = (SELECT MIN(id) FROM workflows)": 8} {
		if _, err := db.ExecContext(t.Context(), fmt.Sprintf(`UPDATE checkpoints SET created_at = created_at - %d * 86400000, seal = NULL WHERE %s`, days, seq)); err != nil {
			t.Fatal(err)
		}
	}
}

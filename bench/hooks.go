package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
)

// payload writes a hook's payload to a file and returns its path.
func (l lab) payload(name string, fields map[string]any) (string, error) {
	b, err := json.Marshal(fields)
	if err != nil {
		return "", err
	}
	path := filepath.Join(l.dir, name+".json")
	return path, os.WriteFile(path, b, 0o600)
}

// event measures a hook that only records an event, of each client.
func (l lab) event(context.Context) ([]row, error) {
	repo, err := l.repo("small", 10)
	if err != nil {
		return nil, err
	}
	floorDB := filepath.Join(l.dir, "floor.db")
	if _, err := l.process(l.dir, "", nil, l.bin("floor"), floorDB, "create"); err != nil {
		return nil, err
	}
	var rows []row
	for _, c := range clients {
		file := repo + "/dir0/file0.go"
		edit, err := l.payload("edit-"+c.name, with(with(common("bench-event", repo, filepath.Join(l.dir, "none.jsonl")), c.edit), fields{
			"tool_input":    fields{"file_path": file, "old_string": "a", "new_string": "b"},
			"tool_response": fields{"filePath": file, "originalFile": strings.Repeat("package x\n", 100)},
		}))
		if err != nil {
			return nil, err
		}
		r := row{what: "hook that only records an event, " + c.name, against: "open, commit one row, end", bar: 1.4}
		empty := row{what: "the same", against: "an empty Go program"}
		for i := range l.n + 3 {
			hook, err := l.process(repo, edit, nil, l.bin("piton-hook"), c.name)
			if err != nil {
				return nil, err
			}
			floor, err := l.process(l.dir, "", nil, l.bin("floor"), floorDB)
			if err != nil {
				return nil, err
			}
			nothing, err := l.process(l.dir, "", nil, l.bin("empty"))
			if err != nil {
				return nil, err
			}
			if i < 3 {
				continue // warm-up
			}
			r.got, r.floor = append(r.got, hook), append(r.floor, floor)
			empty.floor = append(empty.floor, nothing)
		}
		empty.got = r.got
		rows = append(rows, r, empty)
	}
	return rows, nil
}

// detect measures the session_start hook with 10,000 checkpoints in the store.
func (l lab) detect(ctx context.Context) ([]row, error) {
	repo, err := l.repo("small", 10)
	if err != nil {
		return nil, err
	}
	start, err := l.payload("start", map[string]any{"hook_event_name": "SessionStart", "session_id": "bench-start", "cwd": repo, "source": "startup"})
	if err != nil {
		return nil, err
	}
	if _, err := l.process(repo, start, nil, l.bin("piton-hook"), "claude"); err != nil {
		return nil, err
	}
	if err := l.fill(ctx, 500, 20); err != nil {
		return nil, err
	}
	floorDB := filepath.Join(l.dir, "floor-detect.db")
	if _, err := l.process(l.dir, "", nil, l.bin("floor"), floorDB, "create"); err != nil {
		return nil, err
	}
	r := row{what: "resume detection, 10,000 checkpoints", against: "open, commit one row, end", bar: 1.4}
	for i := range l.n + 3 {
		// Work is offered once a session.
		start, err := l.payload("start", map[string]any{"hook_event_name": "SessionStart", "session_id": fmt.Sprint("bench-start-", i), "cwd": repo, "source": "startup"})
		if err != nil {
			return nil, err
		}
		hook, err := l.process(repo, start, nil, l.bin("piton-hook"), "claude")
		if err != nil {
			return nil, err
		}
		floor, err := l.process(l.dir, "", nil, l.bin("floor"), floorDB)
		if err != nil {
			return nil, err
		}
		if i >= 3 {
			r.got, r.floor = append(r.got, hook), append(r.floor, floor)
		}
	}
	return []row{r}, nil
}

// fill saves so many workflows with so many checkpoints each to the project
// that the session_start hook has made; every second one stays open.
func (l lab) fill(ctx context.Context, workflows, each int) error {
	st, err := sqlite.Open(ctx, filepath.Join(l.home(), "piton.db"), sqlite.Options{})
	if err != nil {
		return err
	}
	defer st.Close()
	s, err := st.SessionByClient(ctx, "claude", "bench-start")
	if err != nil {
		return err
	}
	k := history.Keeper{Store: st, Local: st.Local()}
	return st.Save(ctx, func(tx store.Tx) error {
		for w := range workflows {
			id := piton.NewID(piton.WorkflowPrefix)
			if err := tx.PutWorkflow(ctx, redact.Value(piton.Workflow{ID: id, Name: fmt.Sprintf("work-%d", w), Type: piton.TypeCustom, Project: s.Project, CreatedAt: piton.At(time.Now())})); err != nil {
				return err
			}
			for i := range each {
				p, _, err := k.Prepare(history.Draft{Project: s.Project, Task: "a task of some length", State: fmt.Appendf(nil, `{"step":%d,"text":"%s"}`, i, strings.Repeat("x", 200))})
				if err != nil {
					return err
				}
				p.Record.WorkflowID = id
				p.Close = w%2 == 0 && i == each-1
				if _, err := tx.Append(ctx, redact.Value(p)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// repo makes a repository with n Go files, committed, and returns its path.
func (l lab) repo(name string, n int) (string, error) {
	dir := filepath.Join(l.dir, name)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	for i := range n {
		sub := filepath.Join(dir, fmt.Sprintf("dir%d", i/100))
		if i%100 == 0 {
			if err := os.MkdirAll(sub, 0o700); err != nil {
				return "", err
			}
			if err := os.WriteFile(filepath.Join(sub, "all_test.go"), fmt.Appendf(nil, "package dir%d\n", i/100), 0o600); err != nil {
				return "", err
			}
		}
		text := fmt.Sprintf("package dir%d\n\nfunc F%d() int { return %d }\n", i/100, i, i)
		if err := os.WriteFile(filepath.Join(sub, fmt.Sprintf("file%d.go", i)), []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module big\n\ngo 1.21\n"), 0o600); err != nil {
		return "", err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "first"}} {
		c := exec.Command("git", append([]string{"-C", dir}, args...)...)
		c.Env = l.env()
		if out, err := c.CombinedOutput(); err != nil {
			return "", fmt.Errorf("git %v: %w: %s", args, err, out)
		}
	}
	return dir, nil
}

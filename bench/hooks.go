package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/redact"
	"github.com/piton-project/piton/internal/store"
	"github.com/piton-project/piton/internal/store/sqlite"
)

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
				p, _, err := k.Prepare(history.Draft{SaveRequest: piton.SaveRequest{InProject: piton.InProject{Project: s.Project}, Task: "a task of some length", State: fmt.Appendf(nil, `{"step":%d,"text":"%s"}`, i, strings.Repeat("x", 200))}})
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

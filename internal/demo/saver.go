package demo

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/app"
	"github.com/piton-project/piton/internal/history"
)

const (
	saverWorkflow = "import"
	saverFiles    = 1000 // more than can be saved before the kill
)

// Save is the program that the demo kills: it saves its state after each file it
// imports, from the given one on, and tells out before and after.
func Save(ctx context.Context, a *app.App, from int, out io.Writer) error {
	if _, err := os.Stat(filepath.Join(a.Home(), mark)); err != nil {
		return piton.Errorf(piton.Invalid, "piton demo saver", "see 'piton demo'", "this is a part of the demo and saves nowhere else")
	}
	k, err := a.Keeper(ctx, false)
	if err != nil {
		return err
	}
	p, err := a.Project(ctx, "", true)
	if err != nil {
		return err
	}
	for n := from; n <= saverFiles; n++ {
		state := saverState(n)
		percent := 100 * n / saverFiles
		if _, err := fmt.Fprintf(out, "saving %d\n", n); err != nil {
			return err // nobody reads: the demo is gone
		}
		start := time.Now()
		s, err := k.Save(ctx, history.Draft{SaveRequest: piton.SaveRequest{Workflow: saverWorkflow, InProject: piton.InProject{Project: p.ID}, Step: &n, StepName: saverFile(n), Progress: &percent, State: state}})
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "saved %d %s %x %d %d\n", n, s.ID, sha256.Sum256(state), len(state), time.Since(start).Microseconds()); err != nil {
			return err
		}
	}
	return nil
}

func saverFile(n int) string { return fmt.Sprintf("orders-%03d.csv", n) }

// saverState is what an import knows after n files: the same for the same n,
// and larger with each.
func saverState(n int) []byte {
	type todo struct {
		Content string `json:"content"`
		Status  string `json:"status"`
	}
	type file struct {
		File string `json:"file"`
		Rows []int  `json:"rows_by_day"`
	}
	files := make([]file, n)
	for i := range files {
		files[i] = file{File: saverFile(i + 1), Rows: make([]int, 31)}
		for day := range files[i].Rows {
			files[i].Rows[day] = (i*7919 + day*104729) % 1000
		}
	}
	state, _ := json.Marshal(map[string]any{ // such values always can
		"task_summary": fmt.Sprintf("import %d order files, one after the other", saverFiles),
		"todos": []todo{
			{fmt.Sprintf("go on with %s", saverFile(n+1)), "in_progress"},
			{"compare the totals with the ledger", "pending"},
		},
		"decisions": []map[string]string{{"decision": "skip rows without a date", "rationale": "the ledger leaves them out too"}},
		"imported":  files,
	})
	return state
}

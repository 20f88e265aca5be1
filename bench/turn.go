package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/piton-project/piton/internal/store/sqlite"
)

// turn measures the prompt hook, which takes the baseline, and the stop hook,
// which holds with a debrief, in a repository of 10,000 files.
func (l lab) turn(context.Context) ([]row, error) {
	var all []row
	for _, c := range clients {
		rows, err := l.turnOf(c, "bench")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		all = append(all, rows...)
	}
	return all, nil
}

// turnOf is turn of one client; sessions begins the names of its sessions.
func (l lab) turnOf(c client, sessions string) ([]row, error) {
	repo, err := l.repo("big", 10_000)
	if err != nil {
		return nil, err
	}
	edited := filepath.Join(repo, "dir1", "file100.go")
	const floor = "git status -uall"
	prompt := row{what: "prompt hook (baseline), 10,000 files, " + c.name, against: floor, bar: 1.5}
	stops := []row{
		{what: "stop hook with debrief, 1 MB, " + c.name, against: floor, bar: 1.5},
		{what: "stop hook with debrief, 50 MB, " + c.name, against: floor, bar: 1.5},
	}
	scripts := []string{filepath.Join(l.dir, c.name+"-1.jsonl"), filepath.Join(l.dir, c.name+"-50.jsonl")}
	for i, size := range []int{1 << 20, 50 << 20} {
		if err := c.writeLog(scripts[i], size, repo, edited); err != nil {
			return nil, err
		}
	}
	status := func() (time.Duration, error) {
		return l.process(repo, "", nil, "git", "--no-optional-locks", "status", "--porcelain=v2", "-uall")
	}
	for i := range l.n + 3 {
		for j, script := range scripts {
			session := fmt.Sprintf("%s-%d-%d", sessions, i, j)
			p, err := l.payload("prompt", with(common(session, repo, script), c.prompt))
			if err != nil {
				return nil, err
			}
			s, err := l.payload("stop", with(common(session, repo, script), c.stop))
			if err != nil {
				return nil, err
			}
			base, err := status()
			if err != nil {
				return nil, err
			}
			began, err := l.process(repo, p, nil, l.bin("piton-hook"), c.name)
			if err != nil {
				return nil, err
			}
			if err := os.WriteFile(edited, fmt.Appendf(nil, "package dir1\n\nvar X = %d\n", 2*i+j), 0o600); err != nil {
				return nil, err
			}
			base2, err := status()
			if err != nil {
				return nil, err
			}
			held, err := l.process(repo, s, []string{"PITON_DEBRIEF_MIN_TURN=0s"}, l.bin("piton-hook"), c.name)
			if err != nil {
				return nil, err
			}
			if i < 3 {
				continue
			}
			prompt.got, prompt.floor = append(prompt.got, began), append(prompt.floor, base)
			stops[j].got, stops[j].floor = append(stops[j].got, held), append(stops[j].floor, base2)
		}
	}
	if err := l.checkHeld(); err != nil {
		return nil, err
	}
	return append([]row{prompt}, stops...), nil
}

// checkHeld makes sure that the stops that were measured were held.
func (l lab) checkHeld() error {
	ctx := context.Background()
	st, err := sqlite.Open(ctx, filepath.Join(l.home(), "piton.db"), sqlite.Options{Existing: true})
	if err != nil {
		return err
	}
	defer st.Close()
	list, err := st.Decisions(ctx, "", 1)
	if err != nil {
		return err
	}
	if len(list) == 0 || !list[0].Held || len(list[0].Actions) == 0 {
		return fmt.Errorf("the stop was not held: %+v", list)
	}
	return nil
}

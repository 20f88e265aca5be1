package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/mark/keep"
	"github.com/piton-project/piton/internal/mark/reach"
)

// marks measures what a mark costs beside the git status that it needs: the first of a tree, one in which
// nothing is new, and one with one file more; and the hook before a command that destroys.
func (l lab) marks(ctx context.Context) ([]row, error) {
	var all []row
	for _, c := range []struct {
		name         string
		files, dirty int
		bar          float64
	}{{"dirty", 10_000, 100, 1.3}, {"huge", 100_000, 10, 1.1}} {
		repo, err := l.repo(c.name, c.files)
		if err != nil {
			return nil, err
		}
		for i := range c.dirty {
			name := filepath.Join(repo, fmt.Sprintf("dir%d", i/100), fmt.Sprintf("file%d.go", i))
			if err := os.WriteFile(name, fmt.Appendf(nil, "package dir%d\n\n// %d\n%s", i/100, i, strings.Repeat("var _ = 1\n", 300)), 0o600); err != nil {
				return nil, err
			}
		}
		time.Sleep(4 * time.Second) // what changed a moment ago is read each time
		rows, err := l.marksIn(ctx, repo, fmt.Sprintf("%d files, %d dirty", c.files, c.dirty), c.bar)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

func (l lab) marksIn(ctx context.Context, repo, name string, bar float64) ([]row, error) {
	const floor = "git status, as a hook asks"
	home := filepath.Join(l.dir, "marks-"+filepath.Base(repo))
	rows := []row{
		{what: "the first mark, " + name, against: floor}, {what: "a mark, nothing new, " + name, against: floor, bar: bar},
		{what: "a mark, one file more, " + name, against: floor, bar: bar}, {what: "hook before git clean -fd, " + name, against: floor},
	}
	risky, err := l.payload("risky", with(common("bench-risky", repo, filepath.Join(l.dir, "none.jsonl")), fields{
		"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": fields{"command": "git clean -fd"},
	}))
	if err != nil {
		return nil, err
	}
	for i := range l.n + 3 {
		for j := range rows {
			began := time.Now()
			if _, err := (git.Repo{Dir: repo}).Status(ctx); err != nil {
				return nil, err
			}
			base, at := time.Since(began), home
			switch j {
			case 0:
				at = fmt.Sprintf("%s-%d", home, i)
				st, err := keep.Open(at, time.Second, false) // the file is made once in a life
				if err != nil {
					return nil, err
				}
				st.Close()
			case 2:
				if err := os.WriteFile(filepath.Join(repo, "dir0", "file0.go"), fmt.Appendf(nil, "package dir0\n\nvar X = %d\n", i), 0o600); err != nil {
					return nil, err
				}
			}
			var took time.Duration
			if j == 3 {
				took, err = l.process(repo, risky, nil, l.bin("piton-hook"), "claude")
			} else {
				took, err = takeMark(ctx, at, repo)
			}
			if err != nil {
				return nil, err
			}
			if i >= 3 {
				rows[j].got, rows[j].floor = append(rows[j].got, took), append(rows[j].floor, base)
			}
		}
	}
	return rows, nil
}

// takeMark takes a mark as a hook does: git works while the store is opened.
func takeMark(ctx context.Context, home, repo string) (time.Duration, error) {
	began := time.Now()
	status, failed := git.Status{}, make(chan error, 1)
	go func() {
		var err error
		status, err = git.Repo{Dir: repo}.Status(ctx)
		failed <- err
	}()
	st, err := keep.Open(home, time.Second, false)
	if err != nil {
		return 0, err
	}
	defer st.Close()
	k := keep.Taker{Store: st, Limits: keep.Limits{File: 20 << 20, Mark: 100 << 20, All: 1 << 30, For: 7 * 24 * time.Hour}}
	if _, err := k.Last(ctx, repo); err != nil {
		return 0, err
	}
	if err := <-failed; err != nil {
		return 0, err
	}
	m := mark.Mark{Root: repo, Kind: mark.AtCommand, At: began}
	_, err = k.Take(ctx, m, reach.Target{Root: repo, Whole: true, Status: &status}.Paths(ctx, git.Repo{Dir: repo}, []string{".env", ".env.*"}, &m))
	return time.Since(began), err
}

// marksDisk measures what marks of 1,000 turns take on disk, beside a shadow repository that commits at the
// same moments: a turn is one of the repository's own commits, made by steps and committed at its end.
func (l lab) marksDisk(ctx context.Context) (rows []row, err error) {
	if len(l.repos) == 0 {
		return nil, nil
	}
	for _, repo := range l.repos {
		marks, shadow, packed, turns, err := l.grows(ctx, repo)
		if err != nil {
			return rows, fmt.Errorf("%s: %w", repo, err)
		}
		rows = append(rows, row{what: fmt.Sprintf("%d turns of %s: marks.db", turns, filepath.Base(repo)), figure: float64(marks) / 1e6, unit: "MB",
			against: fmt.Sprintf("shadow %.2f MB, packed %.2f", float64(shadow)/1e6, float64(packed)/1e6)})
	}
	return rows, nil
}

// grows replays the newest 1,000 commits of a clone, each as a turn of three commands.
func (l lab) grows(ctx context.Context, from string) (marks, shadow, packed int64, turns int, err error) {
	dir, home := filepath.Join(l.dir, "grows-"+filepath.Base(from)), filepath.Join(l.dir, "grows-home-"+filepath.Base(from))
	own := filepath.Join(l.dir, "grows-shadow-"+filepath.Base(from))
	run := func(args ...string) (string, error) {
		c := exec.CommandContext(ctx, "git", args...)
		c.Env = l.env()
		out, err := c.Output()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("git %v: %w: %s", args, err, exit.Stderr)
		}
		return string(out), err
	}
	if _, err = run("clone", "-q", "--no-local", from, dir); err != nil {
		return
	}
	text, err := run("-C", dir, "rev-list", "--first-parent", "--reverse", "-n", "1001", "HEAD")
	if err != nil {
		return
	}
	commits := strings.Fields(text)
	if _, err = run("init", "-q", "--bare", own); err != nil {
		return
	}
	for _, args := range [][]string{{"checkout", "-q", "--detach", commits[0]}, {"config", "core.bare", "false"}} {
		if _, err = run(append([]string{"-C", dir}, args...)...); err != nil {
			return
		}
	}
	snapshot := func() error {
		if _, err := takeMark(ctx, home, dir); err != nil {
			return err
		}
		with := []string{"--git-dir=" + own, "--work-tree=" + dir}
		if _, err := run(append(with, "-C", dir, "add", "-A")...); err != nil {
			return err
		}
		_, err := run(append(with, "-C", dir, "commit", "-q", "--allow-empty", "-m", "x")...)
		return err
	}
	for _, c := range commits[1:] {
		if err = snapshot(); err != nil { // the prompt
			return
		}
		text, err = run("-C", dir, "diff-tree", "-r", "-z", "--name-only", "--no-renames", "HEAD", c)
		if err != nil {
			return
		}
		changed := strings.FieldsFunc(text, func(r rune) bool { return r == 0 })
		for i := range 3 { // a third of its files each, and a mark before the next
			part := changed[i*len(changed)/3 : (i+1)*len(changed)/3]
			for _, path := range part {
				if _, err := run("-C", dir, "cat-file", "-e", c+":"+path); err != nil {
					os.Remove(filepath.Join(dir, path))
				} else if _, err := run("-C", dir, "restore", "--source", c, "--worktree", "--", path); err != nil {
					return 0, 0, 0, 0, err
				}
			}
			if err = snapshot(); err != nil {
				return
			}
		}
		if _, err = run("-C", dir, "reset", "-q", "--hard", c); err != nil {
			return
		}
		turns++
		l.progress("turns of "+filepath.Base(from), turns, len(commits)-1)
	}
	if marks, err = treeSize(home); err != nil {
		return
	}
	if shadow, err = treeSize(own); err != nil {
		return
	}
	if _, err = run("--git-dir="+own, "gc", "-q"); err != nil {
		return
	}
	packed, err = treeSize(own)
	return
}

// treeSize is the size of all files below a folder.
func treeSize(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}

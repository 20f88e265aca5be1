package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// lab is where the measuring is done.
type lab struct {
	repos []string // clones that marks-disk replays
	dir   string   // everything lies in here
	n     int      // runs of each side
	steps int      // saves of a state that grows
	among int      // checkpoints among which the latest is looked for
	large int      // checkpoints of the large store
}

// in measures in a folder that is gone afterwards, after an interrupt too: it
// can hold more than a gigabyte.
func (l lab) in(ctx context.Context, measure func(context.Context, lab) error) error {
	dir, err := os.MkdirTemp("", "piton-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-stop
		os.RemoveAll(dir)
		os.Exit(130)
	}()
	l.dir = dir
	return measure(ctx, l)
}

// make builds programs as they are released, without cgo; what they are compared
// with, too.
func (l lab) make(ctx context.Context, programs ...string) error {
	c := exec.CommandContext(ctx, "go", append([]string{"build", "-trimpath", "-o", filepath.Join(l.dir, "bin") + "/"}, programs...)...)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	return c.Run()
}

// bin is a program that was built.
func (l lab) bin(name string) string { return filepath.Join(l.dir, "bin", name) }

func (l lab) home() string { return filepath.Join(l.dir, "home") }

// env is a clean environment, so that nothing of the caller's is measured.
func (l lab) env() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + l.dir, "PITON_HOME=" + l.home(), "TMPDIR=" + l.dir, "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=b", "GIT_AUTHOR_EMAIL=b@localhost", "GIT_COMMITTER_NAME=b", "GIT_COMMITTER_EMAIL=b@localhost"}
}

// process times a whole process, stdin from a file; its output is not kept.
func (l lab) process(dir, stdin string, env []string, argv ...string) (time.Duration, error) {
	c := exec.Command(argv[0], argv[1:]...)
	c.Dir = dir
	c.Env = append(l.env(), env...)
	if stdin != "" {
		f, err := os.Open(stdin)
		if err != nil {
			return 0, err
		}
		defer f.Close()
		c.Stdin = f
	}
	start := time.Now()
	out, err := c.Output()
	took := time.Since(start)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
	}
	if strings.HasSuffix(argv[0], "piton-hook") {
		return took, l.checkReply(out)
	}
	return took, nil
}

// checkReply refuses figures of a hook that did not work.
func (l lab) checkReply([]byte) error {
	if log, err := os.ReadFile(filepath.Join(l.home(), "piton.log")); err == nil {
		return fmt.Errorf("the hook has logged: %s", log)
	}
	return nil
}

// payload writes a hook's payload to a file and returns its path.
func (l lab) payload(name string, fields map[string]any) (string, error) {
	b, err := json.Marshal(fields)
	if err != nil {
		return "", err
	}
	path := filepath.Join(l.dir, name+".json")
	return path, os.WriteFile(path, b, 0o600)
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

// progress says on stderr how far a long part is.
func (l lab) progress(what string, done, all int) {
	if step := max(all/10, 1); done%step == 0 || done == all {
		fmt.Fprintf(os.Stderr, "%s: %d of %d\n", what, done, all)
	}
}

// onDisk is the size of everything in a folder, in bytes.
func onDisk(dir string) (int64, error) {
	entries, err := os.ReadDir(dir)
	var size int64
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return 0, err
		}
		size += info.Size()
	}
	return size, err
}

// wants tells whether a part is among those that are asked for, with commas; "": all.
func wants(only, part string) bool {
	return only == "" || slices.Contains(strings.Split(only, ","), part)
}

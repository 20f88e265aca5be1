// Package git says what changed in a work tree. It runs the git program and reads files; it never writes to the user's repository,
// and it keeps git from starting programs the repository names: hooks, fsmonitor, filters, signature checks, lazy fetches.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/piton-project/piton/internal/proc"
)

// Repo is a work tree; Dir is its root or a folder inside it. The other fields have good zero values.
type Repo struct {
	Dir string
	// Folders makes an untracked folder one entry from the start, instead of one for each file in it.
	Folders bool
	// MaxUntracked is how many untracked files are listed one by one; 20,000 when 0.
	MaxUntracked int
	// Patience is how long git may look for untracked files one by one; 2 s when 0.
	Patience time.Duration
}

const (
	maxUntracked = 20_000
	patience     = 2 * time.Second
	limit        = 10 * time.Second // for any other run of git, where ctx does not end before
	grace        = 100 * time.Millisecond
)

// tree is a work tree found: where it is and how git is to be run there.
type tree struct {
	root string
	dir  string   // its git folder
	env  []string // nil until git runs
	own  []string // what takes the repository's own filter programs away, as configuration in env
}

func (r Repo) open() (*tree, error) {
	root, dir, err := find(r.Dir)
	if err != nil {
		return nil, fmt.Errorf("git in %s: %w", r.Dir, err)
	}
	if name := brokenBelow(root, r.Dir); name != "" {
		return nil, fmt.Errorf("%s: %w", name, ErrDamaged)
	}
	if name := irregular(root, dir); name != "" {
		return nil, irregularError(root, name)
	}
	return &tree{root: root, dir: dir}, nil
}

// brokenBelow names a folder .git between dir and the root of its work tree that holds something and is not a repository; "" is none. Git
// steps over it, to another repository around it.
func brokenBelow(root, dir string) string {
	dir, err := filepath.EvalSymlinks(dir)
	for ; err == nil && strings.HasPrefix(dir, root+string(filepath.Separator)); dir = filepath.Dir(dir) {
		if entries, err := os.ReadDir(filepath.Join(dir, ".git")); err == nil && len(entries) > 0 {
			return filepath.Join(dir, ".git")
		}
	}
	return ""
}

// irregular names the first of the files that git reads at a status which is a pipe, a device or the like; "" is none.
func irregular(root, dir string) string {
	common := commonDir(dir)
	for _, name := range []string{
		filepath.Join(dir, "HEAD"), filepath.Join(dir, "index"), filepath.Join(common, "config"), filepath.Join(dir, "config.worktree"),
		filepath.Join(common, "packed-refs"), filepath.Join(common, "info", "exclude"), filepath.Join(common, "info", "attributes"),
		filepath.Join(root, ".gitignore"), filepath.Join(root, ".gitattributes"), filepath.Join(root, ".gitmodules"),
	} {
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return name
		}
	}
	return ""
}

// irregularError says that git would wait for what nobody writes.
func irregularError(root, name string) error {
	return fmt.Errorf("git in %s: %s is not a regular file; git could block on it", root, name)
}

// options hold for every run. An empty core.fsmonitor is "off" for old versions too, to which "false" was a program's name.
var options = []string{
	"git", "--no-optional-locks", "--no-pager", "--literal-pathspecs",
	"-c", "core.fsmonitor=", "-c", "core.hooksPath=" + os.DevNull,
	"-c", "core.preloadIndex=true", // 10,000 files: 14 ms instead of 16.5
	"-c", "status.renames=true", "-c", "log.showRoot=true", "-c", "log.showSignature=false",
}

// run runs git in the work tree's root and gives what it wrote on stdout.
func (t *tree) run(ctx context.Context, timeout time.Duration, args ...string) ([]byte, error) {
	return t.tell(ctx, timeout, nil, args...)
}

// tell is run with something for git to read.
func (t *tree) tell(ctx context.Context, timeout time.Duration, stdin []byte, args ...string) ([]byte, error) {
	if t.env == nil {
		// Where git finds the repository here damaged, it would tell of one around it.
		t.env = append(environment(os.Environ(), t.own), "GIT_CEILING_DIRECTORIES="+filepath.Dir(t.root))
	}
	argv := append(options[:len(options):len(options)], args...)
	r, err := proc.Run(ctx, proc.Command{Argv: argv, Dir: t.root, Env: t.env, Stdin: stdin, Timeout: timeout, Grace: grace})
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("git %s: %w", args[0], ErrNoGit)
	case r.TimedOut, errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("git %s: %w", args[0], ErrTimeout)
	case err != nil:
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	case r.Code != 0:
		return nil, failure(args[0], r.Code, r.Stderr)
	case r.Cut:
		return r.Stdout, errCut
	}
	return r.Stdout, nil
}

// errCut comes with what was kept.
var errCut = errors.New("git wrote more than is kept")

// failure finds the kind of error in what git writes to stderr, in English.
func failure(op string, code int, stderr []byte) error {
	said := string(bytes.TrimSpace(stderr))
	for _, k := range []struct {
		words string
		kind  error
	}{
		{"not a git repository", ErrDamaged}, // it was found before git was started
		{"must be run in a work tree", ErrBare},
		{"dubious ownership", ErrOwner},
		{"unsafe repository", ErrOwner}, // git 2.35
	} {
		if strings.Contains(said, k.words) {
			return fmt.Errorf("git %s: %w", op, k.kind)
		}
	}
	first, _, _ := strings.Cut(said, "\n")
	return fmt.Errorf("git %s: exit status %d: %s", op, code, first)
}

// environment is our environment without the variables by which a hook of git's, or a user's alias, would point git to another
// repository: of git's own variables it keeps those that name its configuration and programs. own is added to the configuration given
// by variables.
func environment(ours, own []string) []string {
	env := make([]string, 0, len(ours)+8+len(own)*2)
	count := 0
	for _, v := range ours {
		name, value, _ := strings.Cut(v, "=")
		switch {
		case name == "GIT_CONFIG_COUNT":
			count, _ = strconv.Atoi(value)
		case name == "LANGUAGE", name == "LC_ALL":
		case !strings.HasPrefix(name, "GIT_"), stays(name):
			env = append(env, v)
		}
	}
	for _, setting := range own {
		key, value, _ := strings.Cut(setting, "\x00")
		n := strconv.Itoa(count)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+key, "GIT_CONFIG_VALUE_"+n+"="+value)
		count++
	}
	if count > 0 {
		env = append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(count))
	}
	return append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none")
}

func stays(name string) bool {
	switch name {
	case "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH", "GIT_DISCOVERY_ACROSS_FILESYSTEM":
		return true
	}
	return strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_")
}

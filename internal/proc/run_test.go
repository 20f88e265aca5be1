//go:build unix

package proc

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/piton-project/piton/internal/testkit/draw"
	"github.com/piton-project/piton/internal/testkit/need"
)

func sh(script string) Command { return Command{Argv: []string{"sh", "-c", script}} }

func TestRunResults(t *testing.T) {
	dir := t.TempDir()
	for _, tc := range []struct {
		name string
		c    Command
		want Result
	}{
		{"both streams", sh("echo out; echo err >&2"), Result{Stdout: []byte("out\n"), Stderr: []byte("err\n")}},
		{"exit status is not an error", sh("exit 7"), Result{Code: 7}},
		{"ended by a signal", sh("kill -9 $$"), Result{Code: 137}},
		{"stdin", Command{Argv: []string{"cat"}, Stdin: []byte("hello")}, Result{Stdout: []byte("hello")}},
		{"stdin nobody reads", Command{Argv: []string{"true"}, Stdin: make([]byte, 1<<20)}, Result{}},
		{"no stdin", Command{Argv: []string{"cat"}}, Result{}},
		{"folder", Command{Argv: []string{"pwd", "-P"}, Dir: dir}, Result{Stdout: []byte(real(t, dir) + "\n")}},
		{"environment", Command{Argv: []string{"/usr/bin/env"}, Env: []string{"A=b"}}, Result{Stdout: []byte("A=b\n")}},
		{"cut", Command{Argv: []string{"sh", "-c", "echo 123456789; echo done >&2"}, MaxOutput: 5},
			Result{Stdout: []byte("12345"), Stderr: []byte("done\n"), Cut: true}},
		{"beginning and end", Command{Argv: []string{"sh", "-c", "echo 123456789; echo abcdefghi"}, MaxOutput: 8, Ends: true},
			Result{Stdout: []byte("1234\n[... 12 bytes left out ...]\nghi\n"), Cut: true}},
		{"beginning and end are all", Command{Argv: []string{"printf", "12345678"}, MaxOutput: 8, Ends: true}, Result{Stdout: []byte("12345678")}},
		{"joined", Command{Argv: []string{"sh", "-c", "echo a; echo b >&2; echo c"}, Joined: true}, Result{Stdout: []byte("a\nb\nc\n")}},
		{"without a terminal", Command{Argv: []string{"sh", "-c", "(: </dev/tty) 2>/dev/null || echo alone"}, Alone: true},
			Result{Stdout: []byte("alone\n")}},
		{"just not cut", Command{Argv: []string{"printf", "12345"}, MaxOutput: 5}, Result{Stdout: []byte("12345")}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Run(t.Context(), tc.c)
			if err != nil {
				t.Fatalf("got error %v, want none", err)
			}
			if !bytes.Equal(got.Stdout, tc.want.Stdout) || !bytes.Equal(got.Stderr, tc.want.Stderr) ||
				got.Code != tc.want.Code || got.Cut != tc.want.Cut || got.TimedOut != tc.want.TimedOut {
				t.Errorf("got %+v (%q, %q), want %+v (%q, %q)", got, got.Stdout, got.Stderr, tc.want, tc.want.Stdout, tc.want.Stderr)
			}
		})
	}
}

func TestRunCannotStart(t *testing.T) {
	notProgram := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(notProgram, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name    string
		c       Command
		missing bool
	}{
		{"no program", Command{}, false},
		{"not in PATH", Command{Argv: []string{"piton-no-such-program"}}, true},
		{"not in its folder", Command{Argv: []string{"/nowhere/program"}}, true},
		{"not executable", Command{Argv: []string{notProgram}}, false},
		{"folder missing", Command{Argv: []string{"true"}, Dir: "/nowhere"}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Run(t.Context(), tc.c)
			if err == nil {
				t.Fatal("got no error, want one")
			}
			if got := errors.Is(err, exec.ErrNotFound); got != tc.missing {
				t.Errorf("got %v (is ErrNotFound: %v), want %v", err, got, tc.missing)
			}
		})
	}
}

// TestEnds keeps the beginning and the end however the output comes in pieces.
func TestEnds(t *testing.T) {
	draw.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(2, 40).Draw(t, "most")
		k := newKept(most, true)
		var all []byte
		for _, p := range rapid.SliceOf(rapid.SliceOfN(rapid.Byte(), 0, 60)).Draw(t, "pieces") {
			all = append(all, p...)
			if n, err := k.Write(p); n != len(p) || err != nil {
				t.Fatalf("write: got %d, %v, want %d", n, err, len(p))
			}
		}
		want := all
		if over := len(all) - most; over > 0 {
			want = fmt.Appendf(nil, "%s\n[... %d bytes left out ...]\n%s", all[:most/2], over, all[len(all)-(most-most/2):])
		}
		if got := k.bytes(); !bytes.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// slow is a log on a disk that hangs: its first write takes long.
type slow struct {
	hang time.Duration
	got  int // bytes
}

func (s *slow) Write(p []byte) (int, error) {
	time.Sleep(s.hang)
	s.hang = 0
	s.got += len(p)
	return len(p), nil
}

// What a program wrote before it ended arrives, also where it takes longer than Grace to
// pass it on, and where a program in the background holds the stream.
func TestOutputOfAProgramThatHasEnded(t *testing.T) {
	for _, script := range []string{`head -c 60000 /dev/zero`, `head -c 60000 /dev/zero; sleep 60 >&1 2>/dev/null & echo $! >&2`} {
		c := sh(script)
		c.Grace, c.Out = 10*time.Millisecond, &slow{hang: 500 * time.Millisecond}
		r, err := Run(t.Context(), c)
		if err != nil || r.Code != 0 || len(r.Stdout) != 60000 || r.Cut {
			t.Errorf("%s: got %d bytes (%v, status %d, cut %v), want all 60,000", script, len(r.Stdout), err, r.Code, r.Cut)
		}
		if len(r.Stderr) > 0 {
			p, _ := os.FindProcess(atoi(t, string(r.Stderr)))
			_ = p.Kill()
		}
	}
}

// The whole group ends: a child in the background that ignores SIGTERM and holds the pipes too.
func TestTimeoutEndsTheGroup(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	c := sh(`sh -c 'trap "" TERM; echo $$ >` + pids + `; while :; do sleep 1; done' & while [ ! -s ` + pids + ` ]; do :; done; echo begun; wait`)
	c.Grace = 50 * time.Millisecond
	r, err := runUntilBegun(t, c)
	if err != nil || !r.TimedOut || string(r.Stdout) != "begun\n" {
		t.Fatalf("got %+v (%q), %v, want a time-out that keeps the output", r, r.Stdout, err)
	}
	b, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	wantGone(t, string(b))
}

// runUntilBegun runs a command that says "begun" with a time-out, a longer one where
// it had not begun.
func runUntilBegun(t *testing.T, c Command) (r Result, err error) {
	t.Helper()
	for c.Timeout = 250 * time.Millisecond; c.Timeout < time.Minute && !bytes.HasPrefix(r.Stdout, []byte("begun\n")); c.Timeout *= 3 {
		if r, err = Run(t.Context(), c); err != nil {
			break
		}
	}
	return r, err
}

func TestContextEnds(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	r, err := Run(ctx, Command{Argv: []string{"sleep", "60"}, Timeout: time.Minute})
	if !errors.Is(err, context.DeadlineExceeded) || r.TimedOut {
		t.Errorf("got %+v, %v, want the context's error and no time-out of the command's own", r, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(gone, Command{Argv: []string{"true"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// A polite program gets the time to end by itself.
func TestGrace(t *testing.T) {
	c := sh(`trap 'echo ended; exit 3' TERM; echo begun; while :; do sleep 0.01; done`)
	c.Grace = time.Minute
	r, err := runUntilBegun(t, c)
	if err != nil || !r.TimedOut || r.Code != 3 || string(r.Stdout) != "begun\nended\n" {
		t.Errorf("got %+v (%q), %v, want status 3 and both lines", r, r.Stdout, err)
	}
}

// A grandchild that lives on holds our pipe: it is neither waited for nor ended.
func TestBackgroundIsLeftAlone(t *testing.T) {
	c := sh(`sleep 60 & echo $!`)
	c.Grace = 50 * time.Millisecond
	r, err := Run(t.Context(), c)
	if err != nil || r.Code != 0 || r.TimedOut {
		t.Fatalf("got %+v, %v, want a plain success", r, err)
	}
	pid := atoi(t, string(r.Stdout))
	if alive, known := exists(pid); !alive || !known {
		t.Errorf("got alive %v, known %v for the background process, want it alive", alive, known)
	}
	p, _ := os.FindProcess(pid)
	_ = p.Kill()
}

func TestAloneLeavesNothing(t *testing.T) {
	c := sh(`sleep 60 & echo $!`)
	c.Grace, c.Alone = 50*time.Millisecond, true
	r, err := Run(t.Context(), c)
	if err != nil || r.Code != 0 || r.TimedOut {
		t.Fatalf("got %+v, %v, want a plain success", r, err)
	}
	wantGone(t, string(r.Stdout))
}

// What has left its group and its session is known by its environment.
func TestMarkedLeavesNothing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the environment of others")
	}
	need.Program(t, "setsid")
	file := filepath.Join(t.TempDir(), "pid")
	stubborn := sh(`setsid sh -c 'trap "" TERM; echo $$ >"$0.new"; mv "$0.new" "$0"; sleep 60; :' "$0" & while test ! -e "$0"; do sleep 0.01; done; cat "$0"`)
	stubborn.Argv = append(stubborn.Argv, file)
	for _, c := range []Command{sh(`setsid sleep 60 & echo $!`), stubborn} {
		c.Grace, c.Alone, c.Timeout, c.Mark = 50*time.Millisecond, true, time.Minute, "MARK="+rand.Text()
		r, err := Run(t.Context(), c)
		if err != nil {
			t.Fatalf("got %+v, %v, want no error", r, err)
		}
		wantGone(t, string(r.Stdout))
	}
}

// Who runs a command alone may be killed itself: the command does not go on. The pid is written once the command is watched.
func TestAloneEndsWithUs(t *testing.T) {
	if file := os.Getenv("PROC_TEST_PID"); file != "" {
		c := sh(`sleep 60 & echo $! >"$0.new"; while test ! -e "$0.watched"; do sleep 0.01; done; mv "$0.new" "$0"; wait`)
		c.Argv = append(c.Argv, file)
		c.Alone, c.watched = true, func() { _ = os.WriteFile(file+".watched", nil, 0o600) }
		_, _ = Run(t.Context(), c)
		return
	}
	file := filepath.Join(t.TempDir(), "pid")
	runner := exec.Command(os.Args[0], "-test.run", "^TestAloneEndsWithUs$")
	runner.Env = append(os.Environ(), "PROC_TEST_PID="+file)
	if err := runner.Start(); err != nil {
		t.Fatal(err)
	}
	var pid []byte
	for end := time.Now().Add(time.Minute); len(pid) == 0 && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		pid, _ = os.ReadFile(file)
	}
	_ = runner.Process.Kill()
	_ = runner.Wait()
	wantGone(t, string(pid))
}

func wantGone(t *testing.T, pid string) {
	t.Helper()
	i, err := Identify(atoi(t, pid))
	if err != nil {
		return
	}
	// Killed, but perhaps not collected by its new parent yet.
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if alive, _ := i.Alive(); !alive {
			return
		}
	}
	t.Errorf("got process %s alive, want it gone", strings.TrimSpace(pid))
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func real(t *testing.T, dir string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		if _, err := Run(b.Context(), Command{Argv: []string{"true"}}); err != nil {
			b.Fatal(err)
		}
	}
}

// What a program says is heard while it runs, all of it, whatever is kept.
func TestRunIsWatched(t *testing.T) {
	for _, joined := range []bool{false, true} {
		var out, errs bytes.Buffer
		c := Command{Argv: []string{"sh", "-c", "echo 123456789; echo err >&2"}, MaxOutput: 5, Joined: joined, Out: &out}
		if !joined {
			c.Err = &errs
		}
		r, err := Run(t.Context(), c)
		if got, want := out.String()+errs.String(), "123456789\nerr\n"; err != nil || got != want || string(r.Stdout) != "12345" {
			t.Errorf("joined %v: heard %q and kept %q (%v), want %q and %q", joined, got, r.Stdout, err, want, "12345")
		}
	}
}

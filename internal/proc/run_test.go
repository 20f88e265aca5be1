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
		{"exit status is no error", sh("exit 7"), Result{Code: 7}},
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
	rapid.Check(t, func(t *rapid.T) {
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

// The whole group ends: a child in the background that ignores SIGTERM and holds the pipes too.
func TestTimeoutEndsTheGroup(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	c := sh(`sh -c 'trap "" TERM; echo $$ >` + pids + `; while :; do sleep 1; done' & while [ ! -s ` + pids + ` ]; do :; done; echo begun; wait`)
	c.Timeout, c.Grace = 500*time.Millisecond, 50*time.Millisecond
	began := time.Now()
	r, err := Run(t.Context(), c)
	if err != nil || !r.TimedOut || string(r.Stdout) != "begun\n" {
		t.Fatalf("got %+v (%q), %v, want a time-out that keeps the output", r, r.Stdout, err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("got an end after %v, want it near 550ms", took)
	}
	b, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	wantGone(t, string(b))
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
	c.Timeout, c.Grace = 500*time.Millisecond, 20*time.Second
	r, err := Run(t.Context(), c)
	if err != nil || !r.TimedOut || r.Code != 3 || string(r.Stdout) != "begun\nended\n" {
		t.Errorf("got %+v (%q), %v, want status 3 and both lines", r, r.Stdout, err)
	}
}

// A grandchild that lives on holds our pipe: it is neither waited for nor ended.
func TestBackgroundIsLeftAlone(t *testing.T) {
	c := sh(`sleep 60 & echo $!`)
	c.Grace = 50 * time.Millisecond
	began := time.Now()
	r, err := Run(t.Context(), c)
	if err != nil || r.Code != 0 || r.TimedOut {
		t.Fatalf("got %+v, %v, want a plain success", r, err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("got an end after %v, want it near 50ms", took)
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
	for _, c := range []Command{sh(`setsid sleep 60 & echo $!`), sh(`setsid sh -c 'echo $$; trap "" TERM; sleep 60; :'`)} {
		c.Grace, c.Alone, c.Timeout, c.Mark = 50*time.Millisecond, true, 2*time.Second, "MARK="+rand.Text()
		r, err := Run(t.Context(), c)
		if err != nil {
			t.Fatalf("got %+v, %v, want no error", r, err)
		}
		wantGone(t, string(r.Stdout))
	}
}

// Who runs a command alone may be killed itself: the command does not go on.
func TestAloneEndsWithUs(t *testing.T) {
	if file := os.Getenv("PROC_TEST_PID"); file != "" {
		c := sh(`sleep 60 & echo $! >` + file + `; wait`)
		c.Alone = true
		_, _ = Run(t.Context(), c)
		return
	}
	file := filepath.Join(t.TempDir(), "pid")
	runner := exec.Command(os.Args[0], "-test.run", "^TestAloneEndsWithUs$")
	runner.Env = append(os.Environ(), "PROC_TEST_PID="+file)
	if err := runner.Start(); err != nil {
		t.Fatal(err)
	}
	var pid string
	for end := time.Now().Add(20 * time.Second); !strings.HasSuffix(pid, "\n") && time.Now().Before(end); {
		b, _ := os.ReadFile(file)
		pid = string(b)
	}
	_ = runner.Process.Kill()
	_ = runner.Wait()
	wantGone(t, pid)
}

func wantGone(t *testing.T, pid string) {
	t.Helper()
	i, err := Identify(atoi(t, pid))
	if err != nil {
		return
	}
	// Killed, but perhaps not collected by its new parent yet.
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); {
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

//go:build unix

package proc

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piton-project/piton/internal/testkit/need"
)

// family starts a shell script, and waits until so many processes are in its tree.
func family(t *testing.T, script string, n int) (Identity, []Node) {
	t.Helper()
	need.Program(t, "sh")
	c := exec.Command("sh", "-c", script)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { c.Wait(); close(done) }()
	t.Cleanup(func() { c.Process.Kill(); <-done })
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if tree := Tree(c.Process.Pid); len(tree) == n && !slices.ContainsFunc(tree, func(n Node) bool { return len(n.Argv) == 0 }) {
			return tree[0].Identity, tree
		}
		if time.Now().After(end) {
			t.Fatalf("got the tree %+v, want %d processes", Tree(c.Process.Pid), n)
		}
	}
}

func TestTree(t *testing.T) {
	root, tree := family(t, "sleep 100 & sh -c 'sleep 101; :' & wait", 4)
	if root.PID != tree[0].PID || tree[1].Parent != root.PID || tree[3].Parent == root.PID {
		t.Errorf("got %+v, want parents before their children", tree)
	}
	if got := Tree(0); len(got) != 0 {
		t.Errorf("got %+v below no process, want none", got)
	}
	if got := below(2, []Node{{Identity: Identity{PID: 2}, Parent: 3}, {Identity: Identity{PID: 3}, Parent: 2}}); len(got) != 2 {
		t.Errorf("in a cycle: got %+v, want both once", got)
	}
	EndTree(t.Context(), root, time.Second, time.Second)
}

func TestEndTree(t *testing.T) {
	need.Program(t, "setsid")
	for _, c := range []struct {
		name, script string
		n            int
		patience     time.Duration // long where nothing needs to be killed
		killed       bool
	}{
		{"they end when they are asked to", "sleep 100 & sleep 101; :", 3, time.Minute, false},
		{"the first does not", "trap '' TERM; sleep 100; :", 2, 300 * time.Millisecond, true},
		{"a child in a session of its own", "setsid sh -c 'trap \"\" TERM; sleep 100; :' & wait", 3, 300 * time.Millisecond, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, tree := family(t, c.script, c.n)
			ended, killed, left := EndTree(t.Context(), root, c.patience, c.patience)
			if ended < c.n || (killed > 0) != c.killed || len(left) > 0 {
				t.Errorf("got %d ended, %d killed, left %v; want %d of them, killed: %v", ended, killed, left, c.n, c.killed)
			}
			for _, n := range tree {
				if all := processes(); slices.ContainsFunc(all, func(x Node) bool { return x.Identity == n.Identity && !x.ended }) {
					t.Errorf("%s still runs", strings.Join(n.Argv, " "))
				}
			}
		})
	}
}

// A number that was given out again is another process.
func TestEndTreeOfAnother(t *testing.T) {
	me, err := Identify(os.Getpid())
	if err != nil || me.Start == "" {
		need.Missing(t, "a /proc")
	}
	me.Start += "1"
	if ended, killed, left := EndTree(t.Context(), me, time.Second, time.Second); ended+killed+len(left) != 0 {
		t.Errorf("got %d ended, %d killed, left %v; want nothing touched", ended, killed, left)
	}
}

func TestGetenv(t *testing.T) {
	if got := Getenv(0, "PATH"); got != "" {
		t.Errorf("got %q of no process", got)
	}
	if got, want := Getenv(os.Getpid(), "PATH"), os.Getenv("PATH"); got != "" && got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

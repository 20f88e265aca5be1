package turn_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/piton-project/piton"
	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/history"
	"github.com/piton-project/piton/internal/proc"
	"github.com/piton-project/piton/internal/testkit/need"
	"github.com/piton-project/piton/internal/turn"
)

func TestIdentify(t *testing.T) {
	w := shop(t)
	find := func(dir string) string {
		t.Helper()
		p, err := turn.Identify(t.Context(), w.store, dir, true)
		if err != nil {
			t.Fatal(err)
		}
		return p.ID
	}
	own := find(w.root)
	if err := os.Mkdir(w.path("sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := find(w.path("sub")); got != own {
		t.Errorf("a folder inside: got %s, want %s", got, own)
	}
	other := shop(t)
	if got := find(other.root); got == own {
		t.Errorf("another project: got %s too", got)
	}
	w.git("remote", "add", "origin", "git@example.org:ann/shop.git")
	if got := find(w.root); got != own {
		t.Errorf("with an origin: got %s, want %s as before", got, own)
	}
	clone := shop(t)
	clone.git("remote", "add", "origin", "https://example.org/ann/shop")
	if got := find(clone.root); got != own {
		t.Errorf("a clone: got %s, want %s by its origin", got, own)
	}
	other.git("remote", "add", "origin", "https://example.org/ann/shop")
	if got := find(other.root); got == own {
		t.Errorf("a path that is known: got %s, want its own: the path comes first", got)
	}
	tree := filepath.Join(t.TempDir(), "tree")
	w.git("worktree", "add", "-q", tree, "-b", "side")
	if got := find(tree); got != own {
		t.Errorf("a worktree: got %s, want %s", got, own)
	}
	if _, err := turn.Identify(t.Context(), w.store, t.TempDir(), false); piton.CodeOf(err) != piton.NotFound {
		t.Errorf("a folder that was never seen: got %v, want not found", err)
	}
}

func TestAlive(t *testing.T) {
	now := piton.At(time.Now())
	ago := func(d time.Duration) piton.Time { return piton.At(now.Add(-d)) }
	self, err := proc.Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	me := agent.Process(self)
	c := exec.Command(need.Program(t, "true"))
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	gone := me
	gone.PID, gone.Start = c.Process.Pid, "1"
	elsewhere := me
	elsewhere.Space = "pid:[1]"
	for _, x := range []struct {
		name string
		s    agent.Session
		want bool
	}{
		{"seen just now", agent.Session{Identity: agent.Identity{SeenAt: now}}, true},
		{"silent for nine minutes", agent.Session{Identity: agent.Identity{SeenAt: ago(9 * time.Minute)}}, true},
		{"silent for ten", agent.Session{Identity: agent.Identity{SeenAt: ago(10 * time.Minute)}}, false},
		{"said goodbye", agent.Session{Identity: agent.Identity{SeenAt: now, EndedAt: now}}, false},
		{"its process runs, however silent", agent.Session{Identity: agent.Identity{SeenAt: ago(time.Hour), Process: me}}, true},
		{"its process runs, but it said goodbye", agent.Session{Identity: agent.Identity{SeenAt: now, EndedAt: now, Process: me}}, false},
		{"its process is gone", agent.Session{Identity: agent.Identity{SeenAt: now, Process: gone}}, false},
		{"a process that cannot be seen from here", agent.Session{Identity: agent.Identity{SeenAt: now, Process: elsewhere}}, true},
		{"the same, silent", agent.Session{Identity: agent.Identity{SeenAt: ago(time.Hour), Process: elsewhere}}, false},
	} {
		if got := turn.Alive(x.s, now); got != x.want {
			t.Errorf("%s: got alive %v, want %v", x.name, got, x.want)
		}
	}
}

func TestDrift(t *testing.T) {
	w := shop(t)
	head := w.git("rev-parse", "HEAD")
	hidden := filepath.Join(t.TempDir(), "hidden")
	w.git("worktree", "add", "-q", "-b", "fix-ghp_0123456789abcdefghij0123456789abcdef", hidden)
	files := func(n int) string {
		list := ""
		for i := range n {
			list += fmt.Sprintf(`"gone%d.go",`, i)
		}
		return list
	}
	for _, c := range []struct {
		name   string
		origin piton.Origin
		state  string
		dir    string
		want   []history.Drift
	}{
		{"none", piton.Origin{GitHead: head, GitBranch: "main"}, `{"files_modified":["main.go"]}`, w.root, nil},
		{"nothing recorded", piton.Origin{}, `{}`, w.root, nil},
		{"another commit and branch", piton.Origin{GitHead: "9fceb02d", GitBranch: "fix"}, `{}`, w.root,
			[]history.Drift{{What: "git_head", Was: "9fceb02d", Is: head}, {What: "git_branch", Was: "fix", Is: "main"}}},
		{"a branch whose name holds a secret", piton.Origin{GitHead: head, GitBranch: "main"}, `{}`, hidden,
			[]history.Drift{{What: "git_branch", Was: "main", Is: "fix-[REDACTED:github-token]"}}},
		{"a file that is gone, one absolute that is there", piton.Origin{}, `{"files_modified":["gone.go","` + w.path("main.go") + `"]}`, w.root,
			[]history.Drift{{What: "file gone.go", Was: "modified", Is: "missing"}}},
		{"from a folder inside", piton.Origin{GitHead: head}, `{"files_modified":["main.go"]}`, w.path("sub"), nil},
		{"outside of any repository", piton.Origin{GitHead: head}, `{}`, t.TempDir(), []history.Drift{{What: "git_head", Was: head, Is: "no git repository"}}},
		{"a state of another form", piton.Origin{}, `{"files_modified":{"a":1}}`, w.root, nil},
	} {
		if err := os.MkdirAll(c.dir, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Chdir(c.dir)
		got := turn.Drift(t.Context(), piton.Checkpoint{Origin: c.origin}, []byte(c.state))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (want -, got +):\n%s", c.name, diff)
		}
	}
	t.Chdir(w.root)
	got := turn.Drift(t.Context(), piton.Checkpoint{}, []byte(`{"files_modified":[`+files(25)+`"main.go"]}`))
	if want := (history.Drift{What: "files", Was: "modified", Is: "5 more are missing"}); len(got) != 21 || got[20] != want {
		t.Errorf("got %d rows, the last %v, want 20 and %v", len(got), got[len(got)-1], want)
	}
}

package reach_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/piton-project/piton/internal/agent"
	"github.com/piton-project/piton/internal/git"
	"github.com/piton-project/piton/internal/mark"
	"github.com/piton-project/piton/internal/mark/reach"
)

// tree is a folder that looks like a work tree, with files.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, ".git/HEAD", ".git/objects/x", ".git/refs/x") {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestOf is the table of what a command line can change: nothing, the tree as a whole, or what it names too.
func TestOf(t *testing.T) {
	root := tree(t, "a", "b c", "[x]*", "d/e", "d/f/g", "n/.git/HEAD", "n/h")
	for _, x := range []struct {
		line, want string // the paths by name; "-" where nothing is marked
	}{
		{"ls -l", "-"}, {"git status", "-"}, {"git log --oneline", "-"}, {"git -C d diff", "-"}, {"git -c a.b=c stash list", "-"}, {"git --version", "-"},
		{"git stash drop", "-"}, {"git commit -m x", "-"}, {"git clean -n", "-"}, {"git rm --cached a", "-"}, {"go vet ./...", "-"}, {"cat a", "-"},
		{"git nuke", ""}, {"git -C d nuke", ""}, {"git -c a.b=c nuke -f", ""}, {"git checkout .", ""}, {"git reset --hard", ""}, {"git stash", ""},
		{"./script.sh", ""}, {"python3 x.py", ""}, {"make", ""}, {"rm (", ""}, {"ssh host rm -rf a", ""},
		{"rm a", "a"}, {"rm 'b c'", "b c"}, {"rm -rf d", "d/e d/f/g"}, {"rm '[x]*'", "[x]*"}, {"cd d && rm e", "d/e"}, {"echo x > a", "a"}, {"echo x > new", "new"},
		{"rm -rf n", "n/"}, {"rm -rf .git", ".git/"}, {"mv a d/e", "a d/e"}, {"rm a ../../outside", "a"}, {"sed -i s/x/y/ a", "a"},
	} {
		e := agent.Event{Call: agent.CallShell, Tool: "Bash", Command: x.line, Cwd: root}
		targets := slices.DeleteFunc(reach.Of(e, root, false), func(x reach.Target) bool { return x.Root != root })
		got := "-"
		for _, target := range targets {
			if !target.Whole {
				t.Errorf("%s: not the whole tree", x.line)
			}
			target.Status = &git.Status{}
			var names []string
			for _, p := range target.Paths(t.Context(), git.Repo{Dir: root}, nil, &mark.Mark{}) {
				names = append(names, p.Path)
			}
			slices.Sort(names)
			got = strings.Join(names, " ")
		}
		if got != x.want {
			t.Errorf("%s: got %q, want %q", x.line, got, x.want)
		}
	}
}

// TestOfTools is the same for other tools than the shell.
func TestOfTools(t *testing.T) {
	root := tree(t, "a")
	for name, x := range map[string]struct {
		e    agent.Event
		want []reach.Target
	}{
		"a server's":   {agent.Event{MCP: true, Tool: "mcp__fs__write_file"}, []reach.Target{{Root: root, Whole: true}}},
		"Piton's own":  {agent.Event{MCP: true, Tool: "mcp__piton__save"}, nil},
		"one of Piton": {agent.Event{MCP: true, Tool: "mcp_piton_list"}, nil},
		"another":      {agent.Event{Tool: "Read", Call: agent.CallOther}, nil},
		"no line":      {agent.Event{Tool: "Bash", Call: agent.CallShell}, nil},
		"no paths":     {agent.Event{Tool: "Edit", Call: agent.CallEdit}, nil},
	} {
		x.e.Cwd = root
		got := reach.Of(x.e, root, false)
		if len(got) != len(x.want) || len(got) == 1 && (got[0].Root != x.want[0].Root || got[0].Whole != x.want[0].Whole) {
			t.Errorf("%s: got %+v, want %+v", name, got, x.want)
		}
	}
	got := reach.Of(agent.Event{Tool: "Edit", Call: agent.CallEdit, Cwd: root, Paths: []string{"a"}}, root, false)
	if len(got) != 1 || got[0].Whole || got[0].Root != root {
		t.Errorf("got %+v, want the file alone", got)
	}
	// Of a folder without git: only what may be destroyed.
	bare, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e := agent.Event{Tool: "Bash", Call: agent.CallShell, Command: "rm -rf " + bare + "/x", Cwd: root}
	for _, risky := range []bool{false, true} {
		there := slices.ContainsFunc(reach.Of(e, root, risky), func(t reach.Target) bool { return t.Root == bare && !t.Whole })
		if there != risky {
			t.Errorf("risky %t: %s is marked: %t", risky, bare, there)
		}
	}
}

// TestLargeFolders: what a command names and is too much is kept in part, and that is said.
func TestLargeFolders(t *testing.T) {
	var names []string
	for i := range 1100 {
		names = append(names, filepath.Join("many", strings.Repeat("x", i%9+1), string(rune('a'+i%26)), fmt.Sprint(i/26)))
	}
	root := tree(t, names...)
	e := agent.Event{Call: agent.CallShell, Tool: "Bash", Command: "rm -rf many", Cwd: root}
	target := reach.Of(e, root, true)[0]
	target.Status = &git.Status{}
	m := mark.Mark{}
	if paths := target.Paths(t.Context(), git.Repo{Dir: root}, nil, &m); len(paths) != 1001 || !strings.Contains(m.Partial, "more than 1000 files") {
		t.Errorf("got %d paths, %q, want 1001 and that it is not all", len(paths), m.Partial)
	}
}

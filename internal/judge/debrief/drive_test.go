package debrief

import (
	"path"
	"testing"

	"github.com/piton-project/piton/internal/agent"
)

// A work tree on a drive of Windows is named in other ways by the shells there.
func TestBelowADrive(t *testing.T) {
	for _, c := range []struct{ name, root, path, want string }{
		{"Git Bash", `D:\app`, "/d/app/src", "src"},
		{"Git Bash at the root", `D:\app`, "/d/app", "."},
		{"WSL", `D:\app`, "/mnt/d/app/src/x.go", "src/x.go"},
		{"Cygwin", `d:/app`, "/cygdrive/d/app/src", "src"},
		{"the client's own words", `D:\app`, "d:/app/src", "src"},
		{"another drive", `D:\app`, "/c/app/src", ""},
		{"another folder", `D:\app`, "/d/apple", ""},
		{"a drive itself", `D:\app`, "/d", ""},
		{"not a drive", "/d/app", "/mnt/d/app/src", ""},
		{"a tree of Unix", "/d/app", "/d/app/src", "src"},
		{"a longer name", `D:\app`, "/data/app", ""},
	} {
		turn := newTurn(Input{Root: c.root})
		got, ok := turn.below(c.path)
		if got == c.path || !ok {
			got = ""
		}
		if got != c.want {
			t.Errorf("%s: %s below %s: got %q, want %q", c.name, c.path, c.root, got, c.want)
		}
	}
}

// Paths on a drive are read with backslashes; the shell's ~ is the home in which
// the tree lies.
func TestFoldersThatShellsName(t *testing.T) {
	for _, c := range []struct{ name, root, tool, line, want string }{
		{"Codex on Windows", `d:\app`, "Bash", `cd D:\app\src && go test ./...`, "src"},
		{"Unix keeps its escapes", "/home/ann/a b", "Bash", `cd src\ x && go test ./...`, "src x"},
		{"home", "/home/ann/app", "Bash", "cd ~/app/src && go test ./...", "src"},
		{"home on macOS", "/Users/ann/work/app", "Bash", "cd $HOME/work/app && go test ./...", "."},
		{"another's home", "/srv/app", "Bash", "cd ~/app && go test ./...", ""},
		{"another folder at home", "/home/ann/app", "Bash", "cd ~/other && go test ./...", ""},
	} {
		turn := newTurn(Input{Root: c.root, CallsSeen: true, Calls: []agent.Call{{Kind: agent.CallShell, Tool: c.tool, Command: c.line, Dir: c.root}}})
		cmds := turn.calls[0].commands
		got, ok := turn.relative(c.root, path.Join(cmds[len(cmds)-1].Dir, "."))
		if !ok {
			got = ""
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

package git

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/piton-project/piton/internal/testkit/need"
)

func TestFind(t *testing.T) {
	w := committed(t)
	w.submodule("sub")
	w.git("worktree", "add", "-q", "../side")
	newFolder := func(name, dotGit string) string {
		w.write(name+"/x/y", "")
		if dotGit != "" {
			w.write(name+"/.git", dotGit)
		}
		return name
	}
	if err := os.MkdirAll(w.path("hollow/.git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(w.path("dir"), w.path("../link")); err != nil {
		need.Missing(t, err.Error())
	}
	w.git("init", "-q", "--bare", "dir/bare.git")
	for _, tc := range []struct{ name, dir, root, gitDir string }{
		{"root", ".", ".", ".git"},
		{"subfolder", "dir", ".", ".git"},
		{"submodule", "sub", "sub", ".git/modules/sub"},
		{"worktree", "../side/dir", "../side", ".git/worktrees/side"},
		{"through a link", "../link", ".", ".git"},
		{"empty .git is none", "hollow", ".", ".git"},
		{"points nowhere", newFolder("lost", "gitdir: ../nowhere\n") + "/x", "", ""},
		{"no gitdir in it", newFolder("text", "x"), "", ""},
		{"bare", "dir/bare.git/refs", "", ""},
		{"outside", "..", "", ""},
		{"no such folder", "nowhere", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root, gitDir, ok := Find(w.path(tc.dir))
			wantRoot, wantDir := "", ""
			if tc.root != "" {
				wantRoot, wantDir = w.path(tc.root), w.path(tc.gitDir)
			}
			if root != wantRoot || gitDir != wantDir || ok != (tc.root != "") {
				t.Errorf("got %q, %q, %v, want %q, %q", root, gitDir, ok, wantRoot, wantDir)
			}
			if ok {
				asGit := work{t, w.path(tc.dir)}.git("rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir")
				if asGit != root+"\n"+gitDir {
					t.Errorf("got %q, git finds %q", root+"\n"+gitDir, asGit)
				}
			}
		})
	}
}

func TestOrigin(t *testing.T) {
	w := committed(t)
	_, gitDir, _ := Find(w.dir)
	if got := Origin(gitDir); got != "" {
		t.Errorf("no remote: got %q, want none", got)
	}
	w.git("remote", "add", "other", "https://example.com/other")
	w.git("remote", "add", "origin", "https://example.com/Org/Repo.git")
	w.git("worktree", "add", "-q", "../side")
	_, sideDir, _ := Find(w.path("../side"))
	for _, dir := range []string{gitDir, sideDir} {
		if got, want := Origin(dir), "https://example.com/Org/Repo.git"; got != want {
			t.Errorf("%s: got %q, want %q", dir, got, want)
		}
	}
	if got := Origin(filepath.Join(w.dir, "nowhere")); got != "" {
		t.Errorf("no folder: got %q, want none", got)
	}
}

// What git reads from a file is what we read from it.
func TestSettings(t *testing.T) {
	w := newWork(t)
	for _, tc := range []struct{ name, text, value string }{
		{"plain", "[remote \"origin\"]\n\turl = x\n", "x"},
		{"one line, no end", `[remote "origin"]url=x`, "x"},
		{"case", "[ReMoTe \"origin\"]\nURL = X", "X"},
		{"another section's", "[remote \"Origin\"]\nurl = y\n[remote \"origin\"]\nurl = x\n[branch \"origin\"]\nurl = z", "x"},
		{"blanks", "[remote   \"origin\"]  \n url  =   a  b  \t\n", "a  b"},
		{"quotes", "[remote \"origin\"]\nurl = \" a # b\" ; c", " a # b"},
		{"comment", "; c\n# d\n[remote \"origin\"] # e\nurl = x # f", "x"},
		{"goes on", "[remote \"origin\"]\nurl = a\\\nb", "ab"},
		{"escapes", `[remote "origin"]` + "\nurl = " + `a\\b\"c\td`, "a\\b\"c\td"},
		{"line ends of DOS", "[remote \"origin\"]\r\nurl = x\r\n", "x"},
		{"byte order mark", "\ufeff[remote \"origin\"]\nurl = x\n", "x"},
		{"escaped name", "[remote \"o\\rigin\"]\nurl = x\n", "x"},
		{"name with a dot", "[remote.origin]\nurl = x\n", "x"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w.write("config", tc.text)
			if got := w.git("config", "-z", "--file", w.path("config"), "--get", "remote.origin.url"); got != tc.value+"\x00" && got != tc.value {
				t.Errorf("git reads %q, want %q", got, tc.value)
			}
			for _, s := range settings(tc.text) {
				if s.Section == "remote" && s.Sub == "origin" && s.Key == "url" {
					if s.Value != tc.value {
						t.Errorf("got %q, want %q", s.Value, tc.value)
					}
					return
				}
			}
			t.Errorf("got %+v, want remote.origin.url", settings(tc.text))
		})
	}
}

func FuzzSettings(f *testing.F) {
	for _, seed := range []string{"[a \"b\\\"c\"]\nd = e \\\n f ; g\n", "[a.b]c", "[", "[a \"", "=\\", "x = \"\\"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range settings(text) {
			if len(s.Section)+len(s.Sub)+len(s.Key)+len(s.Value) > len(text)*3+8 { // lower case may be longer
				t.Errorf("got %+v, more than %q holds", s, text)
			}
		}
	})
}

package git

import "testing"

func TestRepositoryOf(t *testing.T) {
	w := committed(t)
	w.submodule("sub")
	w.git("worktree", "add", "-q", "../side")
	w.git("remote", "add", "origin", "git@Example.org:ann/shop.git")
	w.write("stranger/.git", "gitdir: "+w.path(".git/worktrees/side")+"\n")
	w.write("liar/.git", "gitdir: own\n")
	w.write("liar/own/HEAD", "ref: refs/heads/main\n")
	w.write("liar/own/gitdir", w.path("liar/.git")+"\n")
	w.write("liar/own/commondir", w.path(".git")+"\n")
	for _, c := range []struct{ name, dir, want string }{
		{"the main work tree", "dir", w.path(".git")},
		{"another one", "../side/dir", w.path(".git")},
		{"a submodule", "sub", ""},
		{"a folder that names somebody else's", "stranger", ""},
		{"a folder that names its own and says it is somebody else's", "liar", ""},
		{"no repository", "..", ""},
	} {
		if got := RepositoryOf(w.path(c.dir)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	for dir, want := range map[string]string{"dir": "example.org/ann/shop", "../side": "example.org/ann/shop", "..": ""} {
		if got := OriginOf(w.path(dir)); got != want {
			t.Errorf("the origin of %s: got %q, want %q", dir, got, want)
		}
	}
}

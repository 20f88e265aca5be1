//go:build unix

package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestPipe: git waits at a pipe that it reads. It is asked once, for half of the time that it may take, and the pipe is named.
func TestPipe(t *testing.T) {
	outside := t.TempDir()
	for _, x := range []struct{ name, setting, value string }{
		{name: "sub/.gitignore"},
		{name: "sub/below/.gitattributes"},
		{name: ".git/commondir"},
		{name: ".git/shallow"},
		{name: ".git/CHERRY_PICK_HEAD"},
		{name: ".git/objects/info/alternates"},
		{name: ".git/objects/info/commit-graph"},
		{name: ".git/refs/heads/main"},
		{name: "other/.git/HEAD"},
		{".git/more", "include.path", "more"},
		{".git/more", "includeIf.gitdir:/.path", "more"},
		{outside + "/Config", "include.path", outside + "/Config"},
		{outside + "/ignored", "core.excludesFile", outside + "/ignored"},
		{outside + "/objects/info/alternates", "", ""},
	} {
		w := committed(t)
		w.write("sub/below/x", "x")
		w.commit()
		w.write("sub/below/x", "y")
		w.git("init", "-q", "other")
		if x.setting != "" {
			w.git("config", x.setting, x.value)
		}
		name := x.name
		if !filepath.IsAbs(name) {
			name = w.path(name)
		} else if x.setting == "" {
			w.write(".git/objects/info/alternates", outside+"/objects\n")
		}
		_ = os.Remove(name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), syscall.Mkfifo(name, 0o600)); err != nil {
			t.Fatal(err)
		}
		r := w.repo()
		r.Patience = 100 * time.Millisecond
		if _, err := r.Status(t.Context()); err == nil || !strings.Contains(err.Error(), x.name+" is not a regular file") {
			t.Errorf("%s: got %v, want the pipe named", x.name, err)
		}
	}
	w := committed(t)
	w.write("sub/.gitignore", "y")
	w.git("config", "core.excludesFile", os.DevNull)
	if got := (&tree{root: w.dir, dir: w.path(".git")}).blocking(time.Minute); got != "" {
		t.Errorf("nothing to wait for: got %q", got)
	}
}

package installation

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// program writes a program that prints a line.
func program(t *testing.T, path, says string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho '"+says+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// programs makes programs, and links to them, in a folder of their own, which becomes the
// current one.
func programs(t *testing.T, names []string, links map[string]string) (dir string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("programs are found by their ending there")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, name := range names {
		program(t, name, "")
	}
	for link, to := range links {
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The hook is found beside piton or in PATH, and named so that its name stays.
func TestHookProgram(t *testing.T) {
	dir := programs(t, []string{"beside/piton", "beside/piton-hook", "alone/piton", "other/piton-hook", "piton-hook"},
		map[string]string{"links/piton": "../beside/piton", "named/piton-hook": "../beside/piton-hook", "named/piton": "../beside/piton"})
	for _, c := range []struct{ name, self, path, want, server string }{
		{"beside piton", "beside/piton", dir + "/other", "beside/piton-hook", "beside/piton"},
		{"beside what a link leads to", "links/piton", dir + "/other", "beside/piton-hook", "links/piton"},
		{"by its name in PATH", "beside/piton", dir + "/named", "named/piton-hook", "named/piton"},
		{"another one is first in PATH", "beside/piton", dir + "/other:" + dir + "/named", "beside/piton-hook", "named/piton"},
		{"in PATH", "alone/piton", dir + "/nowhere:" + dir + "/other", "other/piton-hook", "alone/piton"},
		{"in the current folder", "alone/piton", ".:", "", "alone/piton"},
		{"nowhere", "alone/piton", "", "", "alone/piton"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want != "" {
				c.want = filepath.Join(dir, c.want)
			}
			if got := HookProgram(filepath.Join(dir, c.self), c.path); got != c.want {
				t.Errorf("got the hook %q, want %q", got, c.want)
			}
			if got := ServerProgram(filepath.Join(dir, c.self), c.path); got != filepath.Join(dir, c.server) {
				t.Errorf("got piton as %q, want %q", got, c.server)
			}
		})
	}
}
